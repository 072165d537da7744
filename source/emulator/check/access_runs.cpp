#include "emulator/check/access_runs.h"

#include <bit>

namespace zetl::emulator::check {
namespace {

constexpr std::uint32_t kHalfLanes = 16;

}  // namespace

std::uint64_t addressBits(const isa::MemoryAccess& access, std::uint32_t lanes) noexcept {
    std::uint64_t bits = 0;
    if (lanes == ~0u || lanes == 0xffff) {  // several at a time
        const std::uint32_t count = lanes == ~0u ? 2 * kHalfLanes : kHalfLanes;
        for (std::uint32_t lane = 0; lane < count; ++lane) bits |= access.address[lane];
        return bits;
    }
    for (; lanes != 0; lanes &= lanes - 1) bits |= access.address[static_cast<std::uint32_t>(std::countr_zero(lanes))];
    return bits;
}

AccessRuns::AccessRuns(const isa::MemoryAccess& access, std::uint32_t which) noexcept {
    for (std::uint32_t first = 0; first < kLanes; first += kHalfLanes) {
        std::uint32_t lanes = which >> first & 0xffff;
        if (lanes == 0xffff && addHalf(access, first)) continue;
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = first + static_cast<std::uint32_t>(std::countr_zero(lanes));
            add(access.address[lane], access.bytesPerLane, lane);
        }
    }
}

void AccessRuns::add(std::uint64_t address, std::uint32_t bytes, std::uint32_t lane) noexcept {
    if (count_ != 0) {
        AccessRun& last = runs_[count_ - 1];
        if (last.address == address && last.bytes == bytes) return;
        if (last.address + last.bytes == address) {
            last.bytes += bytes;
            return;
        }
    }
    runs_[count_++] = {address, bytes, lane};
}

/// Sixteen lanes at once, which the compiler compares several at a time.
bool AccessRuns::addHalf(const isa::MemoryAccess& access, std::uint32_t first) noexcept {
    const std::uint64_t* const address = access.address.data() + first;
    std::uint64_t unequal = 0;
    std::uint64_t apart = 0;
    std::uint64_t expected = address[0];
    for (std::uint32_t lane = 0; lane < kHalfLanes; ++lane) {
        unequal |= address[lane] ^ address[0];
        apart |= address[lane] ^ (expected + std::uint64_t{access.bytesPerLane} * lane);
    }
    if (unequal == 0)
        add(address[0], access.bytesPerLane, first);
    else if (apart == 0)
        add(address[0], access.bytesPerLane * kHalfLanes, first);
    return unequal == 0 || apart == 0;
}

}  // namespace zetl::emulator::check
