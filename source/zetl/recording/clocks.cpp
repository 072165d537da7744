#include "recording/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace zetl::command {
namespace {

/// One meeting, as the ranks of one host saw it.
struct Seen {
    std::uint64_t lastEntered = 0;
    std::uint64_t firstLeft = UINT64_MAX;
};
using Meetings = std::map<std::pair<std::uint64_t, std::uint64_t>, Seen>;  // by job and number

/// Differences of clocks are far below 2^63 nanoseconds, even if times wrap.
std::int64_t difference(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); }

struct Bounds {
    std::int64_t lower = std::numeric_limits<std::int64_t>::min();
    std::int64_t upper = std::numeric_limits<std::int64_t>::max();
    std::uint64_t at = 0;  // the first meeting, on the clock that is moved
    std::uint32_t meetings = 0;

    bool sound() const { return meetings != 0 && lower <= upper; }
    std::uint64_t width() const { return static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower); }
    std::int64_t middle() const { return lower + static_cast<std::int64_t>(width() / 2); }
    std::uint64_t within() const { return width() / 2; }
    void add(const Seen& fixed, const Seen& moved) {
        lower = std::max(lower, difference(fixed.lastEntered, moved.firstLeft));
        upper = std::min(upper, difference(fixed.firstLeft, moved.lastEntered));
        if (meetings++ == 0) at = moved.firstLeft;
    }
};

Bounds both(const Bounds& a, const Bounds& b) {
    return {std::max(a.lower, b.lower), std::min(a.upper, b.upper), a.at, a.meetings + b.meetings};
}

ClockShift constant(const Bounds& bounds) {
    return {static_cast<std::uint64_t>(bounds.middle()), 0, 0, bounds.meetings, bounds.within()};
}

/// Both clocks run at their own speed: from one middle to the other. Nothing if they would be bad clocks.
std::optional<ClockShift> drifting(const Bounds& first, const Bounds& last) {
    constexpr double kMost = 0.001;
    const auto distance = static_cast<double>(last.at - first.at);
    const auto drift = (static_cast<double>(last.middle()) - static_cast<double>(first.middle())) / distance;
    if (drift > kMost || drift < -kMost) return std::nullopt;
    return ClockShift{static_cast<std::uint64_t>(first.middle()), first.at, drift, first.meetings + last.meetings,
                      std::max(first.within(), last.within())};
}

/// Nothing if they met nowhere, or contradict each other.
std::optional<ClockShift> measured(const Meetings& fixed, const Meetings& moved) {
    Bounds first;
    Bounds last;
    for (const auto& [key, seen] : moved)
        if (const auto found = fixed.find(key); found != fixed.end())
            (key.second <= kMeetings / 2 ? first : last).add(found->second, seen);
    if (const auto all = both(first, last); all.sound()) return constant(all);
    if (first.sound() && last.sound() && last.at > first.at) return drifting(first, last);
    return std::nullopt;
}

/// Without a name of the job, recordings of two runs look like ranks of one. System times differ by less.
bool isPlausible(const ClockShift& measured, std::uint64_t system, bool jobIsKnown) {
    constexpr std::int64_t kMinute = 60'000'000'000;
    const auto distance = difference(measured.shift, system);
    return jobIsKnown || (distance < kMinute && distance > -kMinute);
}

struct Host {
    std::uint64_t ahead = 0;  // CLOCK_REALTIME before CLOCK_MONOTONIC_RAW
    Meetings meetings;
    bool jobIsKnown = true;
};

void addMeetings(Host& host, const FileHeader& header) {
    if (header.rank < 0) return;
    host.jobIsKnown = host.jobIsKnown && header.job != 0;
    for (const auto& each : header.meetings) {
        if (each.number == 0 || each.left < each.entered) continue;
        auto& seen = host.meetings[{header.job, each.number}];
        seen.lastEntered = std::max(seen.lastEntered, each.entered);
        seen.firstLeft = std::min(seen.firstLeft, each.left);
    }
}

}  // namespace

Clocks::Clocks(std::span<const RecordingFile> recordings) {
    std::map<std::string, Host> hosts;
    const Host* first = nullptr;
    for (const auto& each : recordings) {
        const auto& header = each.header();
        if (each.boot().empty() || header.realtime == 0) continue;
        // The first of a host counts: its clock may be set while ranks start.
        const auto [place, isNew] = hosts.try_emplace(each.boot());
        if (isNew) place->second.ahead = header.realtime - header.monotonic;
        if (!first) first = &place->second;
        addMeetings(place->second, header);
    }
    for (const auto& [boot, host] : hosts) {
        if (&host == first) continue;
        ClockShift shift;
        shift.shift = host.ahead - first->ahead;
        const auto better = measured(first->meetings, host.meetings);
        if (better && isPlausible(*better, shift.shift, host.jobIsKnown && first->jobIsKnown)) shift = *better;
        shifts_.emplace(boot, shift);
    }
}

ClockShift Clocks::shiftOf(const RecordingFile& recording) const {
    const auto found = shifts_.find(recording.boot());
    return found == shifts_.end() ? ClockShift() : found->second;
}

std::string clocksText(std::span<const RecordingFile> recordings) {
    std::map<std::string, const RecordingFile*> hosts;
    for (const auto& each : recordings)
        if (!each.boot().empty()) hosts.try_emplace(each.boot(), &each);
    std::uint32_t measured = 0;
    std::uint64_t within = 0;
    for (const auto& [boot, recording] : hosts) {
        const auto& clock = recording->place().clock;
        if (clock.meetings == 0) continue;
        ++measured;
        within = std::max(within, clock.within);
    }
    if (hosts.size() < 2) return {};
    const auto byMeasuring =
        fmt::format("the clocks of {} hosts are aligned by what ranks measured together, within {:.3g} us",
                    measured + 1, static_cast<double>(within) / 1000);
    if (measured + 1 == hosts.size()) return byMeasuring;
    const auto bySystem = fmt::format("{} by their system time", hosts.size() - 1 - measured);
    if (measured == 0)
        return fmt::format("the clocks of {} hosts are aligned by their system time (--mpi measures them)",
                           hosts.size());
    return fmt::format("{}, {}", byMeasuring, bySystem);
}

}  // namespace zetl::command
