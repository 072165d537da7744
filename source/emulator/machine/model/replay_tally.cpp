#include "emulator/machine/model/replay_tally.h"

#include <algorithm>
#include <numeric>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

/// Counters of the cycles in which threads did not issue, in the order of the reasons behind `active`.
constexpr Counter kStallCounters[] = {Counter::controlStalls,  Counter::pipeStalls,  Counter::sendStalls,
                                      Counter::distanceStalls, Counter::tokenStalls, Counter::syncStalls,
                                      Counter::fetchStalls,    Counter::otherStalls};
static_assert(std::size(kStallCounters) == kStallReasons - 1);

StallCycles sumOf(const LineStalls& stalls) noexcept {
    StallCycles sum{};
    for (const auto& [schedule, lines] : stalls)
        for (const StallCycles& cycles : lines)
            for (std::size_t reason = 0; reason < kStallReasons; ++reason) sum[reason] += cycles[reason];
    return sum;
}

}  // namespace

std::uint64_t ReplayTally::issued() const noexcept { return sumOf(stalls)[0]; }

Executed ReplayTally::executed() const noexcept {
    Executed sum;
    for (const auto& [schedule, lines] : stalls)
        for (std::size_t line = 0; line < lines.size(); ++line) {
            sum.instructions += lines[line][0];
            if (schedule->plans[line].port == Port::message) sum.messages += lines[line][0];
        }
    return sum;
}

void ReplayTally::extrapolate(std::uint64_t instructions, std::uint64_t cycles, const Schedule& program) {
    const StallCycles sum = sumOf(stalls);
    const std::uint64_t stalled = std::accumulate(sum.begin() + 1, sum.end(), std::uint64_t{0});
    const std::uint64_t waits = cycles - std::min(cycles, instructions);
    std::uint64_t issuesLeft = instructions;
    std::uint64_t waitsLeft = waits;
    const auto takeOf = [](std::uint64_t& left, std::uint64_t value) {
        left -= value;
        return value;
    };
    for (auto& [schedule, lines] : stalls)
        for (StallCycles& at : lines) {
            at[0] += takeOf(issuesLeft, share(at[0], instructions, sum[0]));
            for (std::size_t reason = 1; reason < kStallReasons; ++reason)
                at[reason] += takeOf(waitsLeft, share(at[reason], waits, stalled));
        }
    auto& mostIssued = *std::ranges::max_element(stalls.at(&program), {}, [](const auto& at) { return at[0]; });
    mostIssued[0] += issuesLeft;
    mostIssued[static_cast<std::size_t>(StallReason::other)] += waitsLeft;
    for (std::uint64_t* const value : {&active, &realAndInteger, &realAndMatrix, &severalPipes})
        *value += share(*value, instructions, sum[0]);
}

void ReplayTally::addTo(Counts& counts) const noexcept {
    // An estimate is no more than what it is a part of.
    const std::uint64_t works = std::min(active, busy);
    counts[Counter::activeCycles] += works;
    counts[Counter::busyCycles] += busy;
    counts[Counter::occupiedCycles] += occupied;
    counts[Counter::realAndIntegerCycles] += std::min(realAndInteger, works);
    counts[Counter::realAndMatrixCycles] += std::min(realAndMatrix, works);
    counts[Counter::severalPipesCycles] += std::min(severalPipes, works);
    const StallCycles sum = sumOf(stalls);
    for (std::size_t i = 0; i < std::size(kStallCounters); ++i) counts[kStallCounters[i]] += sum[i + 1];
}

}  // namespace zetl::emulator::machine
