#include "emulator/machine/tools/conditions.h"

#include <array>
#include <cstring>
#include <new>

#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::machine {
namespace {

using zetl::isa::xe::ConditionView;
using Value = std::optional<std::uint64_t>;

constexpr std::size_t kMostConditions = 4096;
// Compilers' marks in the highest byte of an address, as debug information writes them.
constexpr std::uint64_t kScratchTag = 0x09;
constexpr std::uint64_t kLocalTag = 0x0a;
constexpr std::uint64_t kScratchOffset = 0xffff'ffff;
/// What marks a pointer to local memory, and its offset.
constexpr std::uint64_t kLocalMark = 0x1000'0000;
constexpr std::uint64_t kLocalOffset = 0x0fff'ffff;
constexpr std::uint64_t kScratchBase = 8;  // of the state bases

/// The registers and the memory of a thread that stands.
class ThreadView final : public ConditionView {
  public:
    ThreadView(const HardwareThread& thread, const AllocationTable& table) : thread_(thread), table_(table) {}

    Value base(std::uint64_t number) const override {
        const std::span<const std::uint64_t> bases = thread_.state.stateBases;
        return number < bases.size() ? Value(bases[number]) : Value();
    }
    Value registerBits(std::uint64_t firstBit, std::uint32_t bits) const override {
        const std::uint64_t first = firstBit / 8;
        const std::uint64_t shift = firstBit % 8;
        const std::uint64_t bytes = (shift + bits + 7) / 8;
        const std::uint64_t all =
            std::uint64_t{thread_.group->dispatch().launch().grfCount} * isa::layout::kRegisterBytes;
        if (first > all || bytes > all - first) return {};
        std::array<std::uint64_t, 2> words{};  // nine bytes, if the first bit is not the first of a byte
        const std::byte* const from = thread_.state.state + isa::layout::kGrf + first;
        if (all - first >= sizeof words)
            std::memcpy(words.data(), from, sizeof words);  // of a fixed size, which takes no call
        else
            std::memcpy(words.data(), from, bytes);
        std::uint64_t value = words[0] >> shift;
        if (shift != 0) value |= words[1] << (64 - shift);
        return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
    }
    Value memory(std::uint64_t address, std::uint32_t bytes) const override {
        if (address >> 56 == kLocalTag) return local(address & kLocalOffset, bytes);
        if (address >> 56 == kScratchTag) {
            const Value scratch = base(kScratchBase);
            return scratch ? global(*scratch + (address & kScratchOffset), bytes) : Value();
        }
        if (auto value = global(address, bytes)) return value;
        return (address & ~kLocalOffset) == kLocalMark ? local(address & kLocalOffset, bytes) : Value();
    }
    Value local(std::uint64_t offset, std::uint32_t bytes) const override {
        const std::span<const std::byte> slm = thread_.group->slm();
        offset &= kLocalOffset;
        if (offset > slm.size() || bytes > slm.size() - offset) return {};
        return load(slm.data() + offset, bytes);
    }

  private:
    /// Most reads are in the allocations of the ones before, such as the lanes' variables and the array that they
    /// lead to: the search for an allocation costs more than all the rest.
    Value global(std::uint64_t address, std::uint32_t bytes) const {
        if (!isKnown(address, bytes)) {
            if (address + bytes < address || !table_.covers(address, address + bytes, false)) return {};
            const Allocation* const found = table_.find(address);
            if (found != nullptr) known_[next_++ % known_.size()] = {found->begin, found->end};
        }
        return load(reinterpret_cast<const std::byte*>(address), bytes);
    }
    bool isKnown(std::uint64_t address, std::uint32_t bytes) const noexcept {
        for (const Known& each : known_)
            if (address >= each.begin && address < each.end && bytes <= each.end - address) return true;
        return false;
    }
    /// Others may write there meanwhile.
    static std::uint64_t load(const std::byte* from, std::uint32_t bytes) noexcept {
        if (reinterpret_cast<std::uintptr_t>(from) % bytes == 0) return loadWhole(from, bytes);
        std::uint64_t value = 0;
        for (std::uint32_t i = 0; i < bytes; ++i)
            value |= std::uint64_t{__atomic_load_n(reinterpret_cast<const std::uint8_t*>(from + i), __ATOMIC_RELAXED)}
                     << (8 * i);
        return value;
    }

    static std::uint64_t loadWhole(const std::byte* from, std::uint32_t bytes) noexcept {
        switch (bytes) {
            case 8:
                return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from), __ATOMIC_RELAXED);
            case 4:
                return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(from), __ATOMIC_RELAXED);
            case 2:
                return __atomic_load_n(reinterpret_cast<const std::uint16_t*>(from), __ATOMIC_RELAXED);
            default:
                return __atomic_load_n(reinterpret_cast<const std::uint8_t*>(from), __ATOMIC_RELAXED);
        }
    }

    struct Known {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };

    const HardwareThread& thread_;
    const AllocationTable& table_;
    mutable std::array<Known, 4> known_{};  ///< that were read; valid during a turn
    mutable std::size_t next_ = 0;
};

}  // namespace

bool Conditions::set(std::uint32_t ip, std::span<const zetl::isa::xe::ConditionStep> steps) {
    const bool removes = steps.empty();
    if (!removes && !zetl::isa::xe::isCondition(steps)) return false;
    const Lock guard(mutex_);
    try {
        if (removes)
            programs_.erase(ip);
        else if (programs_.size() < kMostConditions || programs_.contains(ip))
            programs_[ip] = std::make_shared<const Program>(steps.begin(), steps.end());
        else
            return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
    any_.store(!programs_.empty(), std::memory_order_relaxed);
    return true;
}

void Conditions::clear() {
    const Lock guard(mutex_);
    programs_.clear();
    any_.store(false, std::memory_order_relaxed);
    passed_ = unknown_ = 0;
}

std::shared_ptr<const Conditions::Program> Conditions::at(std::uint32_t ip) const {
    const Lock guard(mutex_);
    const auto found = programs_.find(ip);
    return found == programs_.end() ? nullptr : found->second;
}

bool Conditions::passes(const HardwareThread& thread, std::uint32_t ip, bool counts) noexcept {
    if (!isAny()) return false;
    const auto program = at(ip);
    if (program == nullptr) return false;
    const std::uint32_t lanes = thread.state.active & thread.state.dispatched;
    const Value value = conditionOfLanes(*program, lanes, ThreadView(thread, table_));
    const bool passes = value && *value == 0;
    if (counts && passes) passed_.fetch_add(1, std::memory_order_relaxed);
    if (counts && !value) unknown_.fetch_add(1, std::memory_order_relaxed);
    return passes;
}

}  // namespace zetl::emulator::machine
