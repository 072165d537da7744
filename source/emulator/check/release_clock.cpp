#include "emulator/check/release_clock.h"

#include <algorithm>

namespace zetl::emulator::check {

void Acquired::add(const Acquired& other) {
    if (groups.size() < other.groups.size()) groups.resize(other.groups.size());
    for (std::size_t i = 0; i < other.groups.size(); ++i)
        if (other.groups[i]) groups[i] = true;
    threads |= other.threads;
}

void Acquired::addGroup(std::uint64_t group) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 22;  // of a launch with more groups the first ones are known
    if (group >= kMost) return;
    if (groups.size() <= group) groups.resize(group + 1);
    groups[group] = true;
}

void Acquired::remove(std::uint32_t thread, std::uint64_t group) {
    threads &= ~(std::uint64_t{1} << thread);
    if (!hasGroup(group)) return;
    groups[group] = false;
    if (std::ranges::find(groups, true) == groups.end()) groups.clear();
}

Acquired ReleaseClock::exchange(std::uint64_t address, const Acquired& what) {
    const Lock guard(mutex_);
    if (what.empty()) {
        const auto found = released_.find(address);
        return found == released_.end() ? Acquired{} : found->second;
    }
    empty_.store(false, std::memory_order_release);
    Acquired& released = released_[address];
    Acquired before = released;
    released.add(what);
    return before;
}

void ReleaseClock::clear() {
    const Lock guard(mutex_);
    released_.clear();
    ofGroups_.clear();
    late_.clear();
    lateWrites_ = 0;
    empty_.store(true, std::memory_order_release);
}

std::optional<Toucher> ReleaseClock::meet(std::uint64_t launch, std::uint64_t address, const Toucher& now) {
    const Lock guard(mutex_);
    if (ofGroups_.size() >= kMostPlaces && !ofGroups_.contains({launch, address})) return {};
    const auto [last, isNew] = ofGroups_.try_emplace({launch, address}, now);
    const Toucher before = std::exchange(last->second, now);
    return isNew || before.group == now.group ? std::nullopt : std::optional(before);
}

void ReleaseClock::wroteLate(std::uint64_t group, std::uint64_t address, const LateWriter& by) {
    const Lock guard(mutex_);
    const auto found = late_.find(group);
    const bool isKnown = found != late_.end() && found->second.contains(address);
    if (!isKnown && lateWrites_ == kMostPlaces) return;
    late_[group][address] = by;
    lateWrites_ += isKnown ? 0 : 1;
}

void ReleaseClock::release(std::uint64_t group, const LateWriter& by) {
    const Lock guard(mutex_);
    const auto writes = late_.find(group);
    if (writes == late_.end()) return;
    lateWrites_ -= std::erase_if(writes->second, [&by](const Writes::value_type& one) {
        const LateWriter& writer = one.second;
        return writer.epoch < by.epoch || (writer.thread == by.thread && writer.fences < by.fences);
    });
}

bool ReleaseClock::isLate(std::uint64_t group, std::uint64_t address) const {
    const Lock guard(mutex_);
    const auto writes = late_.find(group);
    return writes != late_.end() && writes->second.contains(address);
}

}  // namespace zetl::emulator::check
