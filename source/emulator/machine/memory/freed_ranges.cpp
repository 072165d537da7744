#include "emulator/machine/memory/freed_ranges.h"

#include <iterator>

namespace zetl::emulator::machine {

void FreedRanges::add(const Allocation& allocation) {
    forget(allocation.begin, allocation.end);
    ranges_[allocation.begin] = allocation;
    order_.emplace_back(allocation.begin, allocation.id);
    if (order_.size() <= kRemembered) return;
    const auto [begin, id] = order_.front();
    order_.pop_front();
    const auto oldest = ranges_.find(begin);
    if (oldest != ranges_.end() && oldest->second.id == id) ranges_.erase(oldest);
}

void FreedRanges::forget(std::uint64_t begin, std::uint64_t end) {
    auto range = ranges_.lower_bound(begin);
    if (range != ranges_.begin() && std::prev(range)->second.end > begin) --range;
    while (range != ranges_.end() && range->first < end) range = ranges_.erase(range);
}

std::optional<Allocation> FreedRanges::find(std::uint64_t address) const {
    const auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin() || !std::prev(next)->second.contains(address)) return {};
    return std::prev(next)->second;
}

}  // namespace zetl::emulator::machine
