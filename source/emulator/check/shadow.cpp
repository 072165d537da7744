#include "emulator/check/shadow.h"

#include <sys/mman.h>

#include <new>
#include <set>
#include <utility>

#include "base/log.h"
#include "emulator/check/found_last.h"

namespace zetl::emulator::check {

namespace {

/// What a cell holds, taken from it once: others may change it meanwhile.
struct History {
    explicit History(const Cell& cell) noexcept
        : write(cell.write.load(kRelaxed)),
          read(cell.read.load(kRelaxed)),
          writeLine(cell.writeLine.load(kRelaxed)),
          readLine(cell.readLine.load(kRelaxed)) {}
    /// All but the writer, which says whether the cell counts.
    void storeRest(Cell& cell) const noexcept {
        cell.read.store(read, kRelaxed);
        cell.writeLine.store(writeLine, kRelaxed);
        cell.readLine.store(readLine, kRelaxed);
    }
    bool operator==(const History&) const noexcept = default;

    std::uint64_t write;
    std::uint64_t read;
    std::uint32_t writeLine;
    std::uint32_t readLine;
};

}  // namespace

std::unique_ptr<Cells> Cells::make(std::uint64_t bytes) {
    const std::uint64_t count = bytes / kGranule + 1;
    const std::uint64_t blocks = (count + kBlock - 1) / kBlock;
    if (blocks > SIZE_MAX / sizeof(Cell) / (kBlock + 1)) return nullptr;
    void* const pages = mmap(nullptr, blocks * (kBlock + 1) * sizeof(Cell), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    auto* const cells = static_cast<Cell*>(pages);
    return std::unique_ptr<Cells>(new Cells(cells, cells + blocks * kBlock, count));
}

Cells::~Cells() { munmap(cells_, blocks() * (kBlock + 1) * sizeof(Cell)); }

void Cells::takeApart(std::uint64_t block) const noexcept {
    const History all(shared_[block]);
    if (isApart(all.write)) return;  // by another worker, just now
    for (Cell* cell = cells_ + block * kBlock; cell != cells_ + (block + 1) * kBlock; ++cell) {
        all.storeRest(*cell);
        cell->write.store(all.write, kRelaxed);
    }
    shared_[block].write.store(kApart, std::memory_order_release);
}

void Cells::join(std::uint64_t block) const noexcept {
    if (!isApart(shared_[block].write.load(std::memory_order_acquire))) return;
    const Cell* const cells = cells_ + block * kBlock;
    const History all(*cells);
    for (std::uint64_t i = 1; i < kBlock; ++i)
        if (History(cells[i]) != all) return;
    all.storeRest(shared_[block]);
    shared_[block].write.store(all.write, std::memory_order_release);
}

void Cells::clear() noexcept {
    // Zeroed pages again, when they are touched next; small ones at once. What is not apart has no cells of its own.
    constexpr std::uint64_t kFew = 1 << 12;
    if (count_ > kFew && madvise(cells_, blocks() * (kBlock + 1) * sizeof(Cell), MADV_DONTNEED) == 0) return;
    for (std::uint64_t i = 0; i < blocks(); ++i) {
        shared_[i].write.store(0, kRelaxed);
        shared_[i].read.store(0, kRelaxed);
    }
}

Cells* Shadow::of(const machine::Allocation& allocation) noexcept {
    return FoundLast<Cells>::of(version_.load(std::memory_order_acquire), allocation.id,
                                [&] { return found(allocation); });
}

Cells* Shadow::found(const machine::Allocation& allocation) noexcept {
    const Lock guard(mutex_);
    try {
        std::unique_ptr<Cells>& cells = cells_[allocation.id];
        if (!cells) cells = Cells::make(allocation.bytes());
        if (cells) return cells.get();
    } catch (const std::bad_alloc&) {  // as below
    }
    if (!std::exchange(refused_, true))
        log::warn(log::Channel::emulator,
                  "checks: the host has no memory for the shadow of an allocation of {} bytes, so races in it are not "
                  "looked for; free memory, or check a smaller problem",
                  allocation.bytes());
    return nullptr;
}

void Shadow::clear() noexcept {
    const Lock guard(mutex_);
    for (const auto& [id, cells] : cells_)
        if (cells) cells->clear();
}

void Shadow::keepOnly(const machine::Memory& memory) {
    std::set<std::uint64_t> live;
    for (const machine::Allocation& allocation : memory.list()) live.insert(allocation.id);
    const Lock guard(mutex_);
    if (std::erase_if(cells_, [&](const auto& entry) { return !live.contains(entry.first); }) != 0)
        version_.store(nextVersion(), std::memory_order_release);
}

}  // namespace zetl::emulator::check
