#include "emulator/check/observations.h"

#include <new>
#include <utility>

namespace zetl::emulator::check {

/// Ordered by launch first, so that take() finds its own together.
Observations::Key Observations::keyOf(const Observation& observation) noexcept {
    return {observation.launch, observation.kind, observation.program, observation.now.line,
            observation.before ? observation.before->line : isa::kNoLine};
}

void Observations::add(const Observation& observation) noexcept {
    const Lock guard(mutex_);
    try {
        const Key key = keyOf(observation);
        auto found = seen_.find(key);
        if (found == seen_.end() && seen_.size() < kMost) found = seen_.emplace(key, Seen{observation, 0}).first;
        found == seen_.end() ? ++lost_ : ++found->second.count;
    } catch (const std::bad_alloc&) {
        ++lost_;
    }
}

std::vector<Observations::Seen> Observations::take(std::uint64_t launch) {
    std::vector<Seen> taken;
    const Lock guard(mutex_);
    const auto begin = seen_.lower_bound(Key{launch, {}, nullptr, 0, 0});
    auto end = begin;
    for (; end != seen_.end() && std::get<0>(end->first) == launch; ++end) taken.push_back(end->second);
    seen_.erase(begin, end);
    return taken;
}

std::uint64_t Observations::takeLost() noexcept {
    const Lock guard(mutex_);
    return std::exchange(lost_, 0);
}

}  // namespace zetl::emulator::check
