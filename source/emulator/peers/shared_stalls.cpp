#include "emulator/peers/shared_stalls.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "emulator/machine/profile.h"

namespace zetl::emulator::peers {
namespace {

/// No thread waits so long in the life of a process: sums of very many stay within 64 bits.
constexpr std::uint64_t kMostCycles = std::uint64_t{1} << 52;

}  // namespace

struct SharedStalls::Table {
    struct Row {
        std::atomic<std::uint64_t> address;
        std::atomic<std::uint64_t> tile;
        std::array<std::atomic<std::uint64_t>, machine::kStallReasons> cycles;
    };
    std::atomic<std::uint64_t> version;  ///< how often it was published
    std::atomic<std::uint64_t> rows;     ///< that are there
    std::array<Row, kMostRows> all;

    static constexpr std::size_t bytes() { return (sizeof(Table) + 4095) / 4096 * 4096; }
};

std::optional<SharedStalls> SharedStalls::create() {
    SealedMemory memory = makeSealedMemory("zetl-stalls", Table::bytes());
    return memory.mapping ? std::optional(SharedStalls(std::move(memory))) : std::nullopt;
}

SharedStalls::Table& SharedStalls::table() const noexcept { return *static_cast<Table*>(memory_.mapping.at()); }

std::size_t SharedStalls::add(std::uint32_t tile, std::uint64_t address) noexcept {
    if (rows_ == kMostRows) return kMostRows;
    Table::Row& row = table().all[rows_];
    row.address.store(address, std::memory_order_relaxed);
    row.tile.store(tile, std::memory_order_relaxed);
    return rows_++;
}

void SharedStalls::raise(std::size_t row, const machine::StallCycles& cycles) noexcept {
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        auto& word = table().all[row].cycles[i];
        word.store(std::max(word.load(std::memory_order_relaxed), cycles[i]), std::memory_order_relaxed);
    }
}

void SharedStalls::publish() noexcept {
    table().rows.store(rows_, std::memory_order_release);
    table().version.fetch_add(1, std::memory_order_release);
}

std::optional<SeenStalls> SeenStalls::map(const FileDescriptor& descriptor) {
    Mapping mapping = mapSealedMemory(descriptor, SharedStalls::Table::bytes());
    return mapping ? std::optional(SeenStalls(std::move(mapping))) : std::nullopt;
}

const SharedStalls::Table& SeenStalls::table() const noexcept {
    return *static_cast<const SharedStalls::Table*>(mapping_.at());
}

bool SeenStalls::changed() const noexcept { return table().version.load(std::memory_order_acquire) != version_; }

bool SeenStalls::take(std::vector<StallRow>& growth) {
    growth.clear();
    version_ = table().version.load(std::memory_order_acquire);
    const std::uint64_t rows = table().rows.load(std::memory_order_acquire);
    if (rows > SharedStalls::kMostRows) return false;
    if (rows > taken_.size()) taken_.resize(rows);
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        const auto& row = table().all[i];
        const std::uint64_t tile = row.tile.load(std::memory_order_relaxed);
        StallRow grown{static_cast<std::uint32_t>(tile), row.address.load(std::memory_order_relaxed), {}};
        bool any = false;
        for (std::size_t reason = 0; reason < grown.cycles.size(); ++reason) {
            const std::uint64_t now = row.cycles[reason].load(std::memory_order_relaxed);
            if (tile >= machine::kMaxTiles || now > kMostCycles) {
                growth.clear();
                return false;
            }
            std::uint64_t& before = taken_[i][reason];
            grown.cycles[reason] = std::max(now, before) - before;
            before = std::max(now, before);
            any = any || grown.cycles[reason] != 0;
        }
        if (any) growth.push_back(grown);
    }
    return true;
}

}  // namespace zetl::emulator::peers
