#include "emulator/machine/range_allocator.h"

#include <iterator>

namespace zetl::emulator::machine {
namespace {

uint64_t rounded(uint64_t bytes) noexcept {
    return (bytes + RangeAllocator::kAlignment - 1) & ~(RangeAllocator::kAlignment - 1);
}

}  // namespace

std::optional<uint64_t> RangeAllocator::allocate(uint64_t bytes) {
    const uint64_t wanted = rounded(bytes);
    if (wanted < bytes) return {};
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
        const auto [offset, size] = *gap;
        if (size < wanted) continue;
        free_.erase(gap);
        if (size > wanted) free_[offset + wanted] = size - wanted;
        return offset;
    }
    return {};
}

void RangeAllocator::release(uint64_t offset, uint64_t bytes) {
    auto here = free_.emplace(offset, rounded(bytes)).first;
    const auto next = std::next(here);
    if (next != free_.end() && here->first + here->second == next->first) {
        here->second += next->second;
        free_.erase(next);
    }
    if (here == free_.begin()) return;
    const auto previous = std::prev(here);
    if (previous->first + previous->second == here->first) {
        previous->second += here->second;
        free_.erase(here);
    }
}

}  // namespace zetl::emulator::machine
