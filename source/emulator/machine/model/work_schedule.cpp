#include "emulator/machine/model/work_schedule.h"

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

constexpr WorkSchedule::Time kNever = std::numeric_limits<WorkSchedule::Time>::max();

/// A launch that would get less of a resource than this waits until there is more.
constexpr std::uint32_t kLeastRate = kFullUse / 32;

}  // namespace

WorkSchedule::Time WorkSchedule::open(const void* who, std::uint64_t number, std::optional<Time> from) {
    const Lock guard(mutex_);
    const Time begin = std::max(from.value_or(end_), spans_.begin()->first);
    open_[who] = {.number = number, .from = begin};
    return begin;
}

void WorkSchedule::passed(const void* who, Time from) noexcept {
    const Lock guard(mutex_);
    if (const auto found = open_.find(who); found != open_.end()) found->second.from = from;
}

void WorkSchedule::pause(const void* who, bool pauses) noexcept {
    const Lock guard(mutex_);
    if (const auto found = open_.find(who); found != open_.end()) found->second.pauses = pauses;
}

void WorkSchedule::close(const void* who) noexcept {
    const Lock guard(mutex_);
    open_.erase(who);
}

WorkSchedule::Step WorkSchedule::limited(const Span& span, const ResourceUse& use) noexcept {
    Step step;
    for (std::size_t i = 0; i < kResources; ++i) {
        const std::uint32_t left = kFullUse - std::min(kFullUse, span.used[i]);
        if (left >= use[i]) continue;
        const auto rate = static_cast<std::uint32_t>(share(kFullUse, left, use[i]));
        if (rate < step.rate) step = {0, 0, rate, i};
    }
    if (step.rate < kLeastRate) step.rate = 0;
    return step;
}

/// Calls visit(Step) for the spans in which the launch works or waits, in their order. Returns its end. Behind the last
/// span that is in use it has everything for itself.
template <class F>
WorkSchedule::Time WorkSchedule::walk(Time from, const Work& work, F&& visit) const {
    std::uint64_t left = work.cycles;
    auto span = std::prev(spans_.upper_bound(from));
    for (Time at = from; left != 0; ++span) {
        Step step = limited(span->second, work.use);
        const auto next = std::next(span);
        const Time end = next == spans_.end() ? kNever : next->first;
        const std::uint64_t needs = step.rate == 0 ? kNever : share(left, kFullUse, step.rate);
        step.begin = at;
        step.end = at + std::min(needs, end - at);
        left -= needs <= end - at ? left : std::min(left, share(end - at, step.rate, kFullUse));
        visit(step);
        at = step.end;
        if (left == 0) return at;
    }
    return from;
}

WorkSchedule::Time WorkSchedule::wouldEnd(const void* launch, const Work& work) const noexcept {
    const auto own = open_.find(launch);
    return own == open_.end() ? end_ : walk(own->second.from, work, [](const Step&) {});
}

bool WorkSchedule::isHeldUp(const void* launch, const Work& work, Awaited by) const noexcept {
    const auto own = open_.find(launch);
    if (own == open_.end() || !waits_) return false;
    const Time end = wouldEnd(launch, work);
    const std::uint64_t number = own->second.number;
    return std::ranges::any_of(open_, [&](const auto& each) {
        const Open& other = each.second;
        return other.number < number && other.from < end && !other.pauses && other.awaited >= by;
    });
}

bool WorkSchedule::mayPlace(const void* launch, const Work& work) const noexcept {
    const Lock guard(mutex_);
    return !isHeldUp(launch, work, Awaited::byPlaces);
}

bool WorkSchedule::mayEnd(const void* launch, const Work& work) const noexcept {
    const Lock guard(mutex_);
    return !isHeldUp(launch, work, Awaited::byEndsToo);
}

void WorkSchedule::lower(const void* launch, Awaited to) noexcept {
    const auto own = open_.find(launch);
    if (own == open_.end()) return;
    for (auto& [who, other] : open_)
        if (other.number < own->second.number) other.awaited = std::min(other.awaited, to);
}

void WorkSchedule::takesLong(const void* launch) noexcept {
    const Lock guard(mutex_);
    lower(launch, Awaited::byPlaces);
    if (const auto own = open_.find(launch); own != open_.end())
        own->second.awaited = std::min(own->second.awaited, Awaited::byPlaces);
}

void WorkSchedule::giveUp(const void* launch) noexcept {
    const Lock guard(mutex_);
    lower(launch, Awaited::byNothing);
}

void WorkSchedule::stopWaiting() noexcept {
    const Lock guard(mutex_);
    waits_ = false;
}

WorkSchedule::Time WorkSchedule::endOf(const void* launch, const Work& work) const noexcept {
    const Lock guard(mutex_);
    return wouldEnd(launch, work);
}

WorkSchedule::Spans::iterator WorkSchedule::splitAt(Time time) {
    const auto next = spans_.upper_bound(time);
    const auto span = std::prev(next);
    return span->first == time ? span : spans_.emplace_hint(next, time, span->second);
}

/// Returns for how long others work during the step.
std::uint64_t WorkSchedule::take(const Step& step, const ResourceUse& use) {
    splitAt(step.begin);
    const auto end = splitAt(step.end);
    std::uint64_t beside = 0;
    for (auto span = spans_.find(step.begin); span != end; ++span) {
        if (span->second.launches++ != 0) beside += std::next(span)->first - span->first;
        for (std::size_t i = 0; i < kResources; ++i)
            span->second.used[i] += static_cast<std::uint32_t>(share(use[i], step.rate, kFullUse));
    }
    return beside;
}

WorkSchedule::Placement WorkSchedule::place(const void* launch, const Work& work) noexcept {
    const Lock guard(mutex_);
    const auto own = open_.find(launch);
    const Time from = std::max(own == open_.end() ? end_ : own->second.from, spans_.begin()->first);
    if (own != open_.end()) open_.erase(own);
    Placement placement{from, from + work.cycles, {}};
    try {
        std::vector<Step> steps;
        placement.end = walk(from, work, [&](const Step& step) { steps.push_back(step); });
        // What it waits for before its first cycle is no part of it.
        const auto first = std::ranges::find_if(steps, [](const Step& step) { return step.rate != 0; });
        if (first != steps.end()) placement.begin = first->begin;
        for (auto step = first; step != steps.end(); ++step) {
            shared_ += take(*step, work.use);
            placement.waited[step->shortest] +=
                step->end - step->begin - share(step->end - step->begin, step->rate, kFullUse);
        }
        while (spans_.size() > kMostSpans) spans_.erase(spans_.begin());
    } catch (const std::bad_alloc&) {
        shared_ += std::min(work.cycles, end_ - std::min(end_, from));  // beside nobody that later ones find
    }
    end_ = std::max(end_, placement.end);
    return placement;
}

std::uint64_t WorkSchedule::shared() const noexcept {
    const Lock guard(mutex_);
    return shared_;
}

std::optional<WorkSchedule::Time> WorkSchedule::beginOf(const void* launch) const noexcept {
    const Lock guard(mutex_);
    const auto found = open_.find(launch);
    return found == open_.end() ? std::nullopt : std::optional(found->second.from);
}

WorkSchedule::Time WorkSchedule::end() const noexcept {
    const Lock guard(mutex_);
    return end_;
}

}  // namespace zetl::emulator::machine
