#include "emulator/machine/model/thread_run.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::machine {
namespace {

using Kind = LineKind;
using Distance = isa::Scoreboard::Distance;

constexpr std::uint64_t kLongestEpoch = std::uint64_t{1} << 31;

std::uint64_t& of(StallCycles& cycles, StallReason reason) noexcept { return cycles[static_cast<std::size_t>(reason)]; }

}  // namespace

/// The plan's content for the next instruction, without branches; rare parts are behind one.
inline void ThreadRun::prepare(const IssuePlan& next, std::uint64_t earliest, StallReason reason) noexcept {
    const std::uint32_t before = static_cast<std::uint32_t>(earliest - epoch_);
    const std::uint32_t distance = std::max({results_[inRing(next.distancePipe, next.distance)],
                                             results_[next.registers[0]], results_[next.registers[1]], before});
    const std::uint32_t ready = std::max(distance, results_[next.token]);
    reason = distance > before ? StallReason::distance : reason;
    reason_ = ready > distance ? StallReason::token : reason;
    ready_ = unpacked(ready);
    if (next.waitsForMore) awaitMore();
    if (next.kind != Kind::barrierWait || waited_ >= signalled_) return;
    state_ = State::blocked;
    wake();
}

void ThreadRun::begin(const ThreadTrace& trace, GroupBarrier& barrier, const TimingModel& timing, LineStalls& stalls,
                      std::uint64_t time) {
    epoch_ = from_ = ready_ = begin_ = time;
    issued_.fill(0);
    results_.fill(0);
    signalled_ = waited_ = 0;
    program_ = nullptr;
    sourceRead_ = timing.sourceRead;
    barrierLatency_ = timing.barrier;
    cursor_ = TraceCursor(trace);
    allStalls_ = &stalls;
    barrier_ = &barrier;
    arrive();
    if (state_ == State::runs) prepare(*plan_, time, StallReason::fetch);
}

void ThreadRun::become(const ThreadRun& other, GroupBarrier& barrier, LineStalls& stalls) {
    *this = other;
    barrier_ = &barrier;
    allStalls_ = &stalls;
    if (program_ == nullptr) return;
    firstStalls_ = stalls.at(program_).data();
    stalls_ = firstStalls_ + (other.stalls_ - other.firstStalls_);
}

void ThreadRun::arrive() {
    const TraceCursor::Arrival arrival = cursor_.arrival();
    state_ = arrival.unknown ? State::unknown : arrival.program == nullptr ? State::ended : State::runs;
    if (state_ != State::runs) return;
    if (arrival.program != program_) {
        program_ = arrival.program;
        std::vector<StallCycles>& lines = (*allStalls_)[program_];
        lines.resize(program_->lines.size());
        firstStalls_ = lines.data();
    }
    plan_ = program_->plans.data() + arrival.line;
    stalls_ = firstStalls_ + arrival.line;
}

void ThreadRun::await(std::uint64_t time, StallReason reason) noexcept {
    if (time <= ready_) return;
    ready_ = time;
    reason_ = reason;
}

void ThreadRun::awaitMore() noexcept {
    const LineSchedule& next = program_->lines[line()];
    const bool all =
        next.waits.in == Distance::all || (next.waits.in == Distance::own && next.kind != Kind::arithmetic);
    for (std::uint8_t pipe = 0; all && pipe < isa::kInOrderPipes; ++pipe)
        await(unpacked(results_[inRing(pipe, next.waits.distance)]), StallReason::distance);
    for (std::uint32_t left = next.reads; left != 0; left &= left - 1)
        await(unpacked(results_[std::size_t{result_place::kWatched} + static_cast<unsigned>(std::countr_zero(left))]),
              StallReason::distance);
    if (next.kind != Kind::awaitRead && next.kind != Kind::awaitWritten) return;
    const std::size_t tokens = next.kind == Kind::awaitRead ? result_place::kSourceRead : result_place::kWritten;
    for (std::uint32_t left = next.tokens; left != 0; left &= left - 1)
        await(unpacked(results_[tokens + static_cast<unsigned>(std::countr_zero(left))]), StallReason::token);
}

void ThreadRun::hold(std::uint64_t until) noexcept { await(until, StallReason::send); }

void ThreadRun::wake(std::uint64_t forced) noexcept {
    std::uint64_t since = forced;
    if (!blocked() || (!barrier_->open(waited_, since) && forced == 0)) return;
    state_ = State::runs;
    await(since + barrierLatency_, StallReason::sync);
}

/// Assigns the cycles since the last issue to reasons.
inline void ThreadRun::account(std::uint64_t time) noexcept {
    of(*stalls_, reason_) += ready_ - from_;
    of(*stalls_, StallReason::pipe) += time - ready_;
    of(*stalls_, StallReason::active) += 1;
    from_ = time + 1;
}

inline void ThreadRun::leave(const IssuePlan& plan, std::uint32_t read, std::uint32_t done) noexcept {
    results_[plan.sourceRead] = read;
    results_[plan.written] = done;
    results_[plan.changes[0]] = done;
    results_[plan.changes[1]] = done;
}

inline void ThreadRun::compute(const IssuePlan& plan, std::uint64_t time) noexcept {
    const auto now = static_cast<std::uint32_t>(time - epoch_);
    const std::uint32_t done = now + plan.latency;
    // In order: no result finishes before those that were issued before it.
    const std::uint32_t before = results_[inRing(plan.pipe, 1)];
    results_[inRing(plan.pipe, 0)] = std::max(done, before);
    ++issued_[plan.pipe];
    leave(plan, now + plan.slots, done);
}

std::uint32_t ThreadRun::packed(std::uint64_t time) const noexcept {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(time - epoch_, ~std::uint32_t{0}));
}

/// Results that were available before this time delay no instruction that issues at it or later.
void ThreadRun::beginEpoch(std::uint64_t time) noexcept {
    const auto passed = static_cast<std::uint32_t>(std::min<std::uint64_t>(time - epoch_, ~std::uint32_t{0}));
    for (std::uint32_t& result : results_) result -= std::min(result, passed);
    epoch_ = time;
}

inline void ThreadRun::advance(const IssuePlan& from, std::uint64_t time) {
    const bool branches = from.kind == Kind::branch;
    const IssuePlan* next = &from + 1;
    if (from.lastOfBlock) {
        arrive();
        if (state_ != State::runs) return;
        next = plan_;
    } else {
        plan_ = next;
        ++stalls_;
    }
    prepare(*next, time + (branches ? from.latency : 1), branches ? StallReason::control : StallReason::other);
}

void ThreadRun::issue(std::uint64_t time) {
    const IssuePlan& now = *plan_;
    if (time - epoch_ > kLongestEpoch) beginEpoch(time);
    account(time);
    if (now.kind == Kind::arithmetic)
        compute(now, time);
    else
        leave(now, static_cast<std::uint32_t>(time - epoch_) + sourceRead_, static_cast<std::uint32_t>(time - epoch_));
    advance(now, time);
}

bool ThreadRun::issue(std::uint64_t time, std::uint64_t result) {
    const IssuePlan& now = *plan_;
    if (time - epoch_ > kLongestEpoch) beginEpoch(time);
    account(time);
    leave(now, static_cast<std::uint32_t>(time - epoch_) + sourceRead_, packed(result));
    const bool opened = now.kind == Kind::barrierSignal && barrier_->signal(signalled_++, time);
    if (now.kind == Kind::barrierWait && waited_ < signalled_) ++waited_;
    advance(now, time);
    return opened;
}

}  // namespace zetl::emulator::machine
