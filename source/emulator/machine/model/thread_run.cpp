#include "emulator/machine/model/thread_run.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::machine {
namespace {

using Kind = LineSchedule::Kind;
using Distance = isa::Scoreboard::Distance;
using TokenUse = isa::Scoreboard::Token;

constexpr std::uint64_t kLongestEpoch = std::uint64_t{1} << 31;

}  // namespace

bool GroupBarrier::signal(std::uint32_t nth, std::uint64_t time) {
    if (phases_.size() <= nth) phases_.resize(nth + 1);
    ++phases_[nth].signals;
    phases_[nth].last = std::max(phases_[nth].last, time);
    return phases_[nth].signals >= live_;
}

bool GroupBarrier::open(std::uint32_t nth, std::uint64_t& since) const noexcept {
    if (nth >= phases_.size() || phases_[nth].signals < live_) return false;
    since = phases_[nth].last;
    return true;
}

ThreadRun::ThreadRun(const ThreadTrace& trace, GroupBarrier& barrier, const TimingModel& timing, LineStalls& stalls,
                     std::uint64_t begin)
    : cursor_(trace),
      epoch_(begin),
      from_(begin),
      ready_(begin),
      barrier_(barrier),
      timing_(timing),
      stalls_(stalls),
      begin_(begin) {
    arrive();
    if (!ended()) prepare();
}

void ThreadRun::arrive() {
    const TraceCursor::Arrival arrival = cursor_.arrival();
    if (arrival.program != program_ && arrival.program != nullptr) {
        std::vector<StallCycles>& lines = stalls_.lines[arrival.program];
        lines.resize(arrival.program->lines.size());
        lines_ = &lines;
    }
    program_ = arrival.program;
    line_ = arrival.line;
    unknown_ = arrival.unknown;
}

void ThreadRun::advance() {
    const bool leaves = line().leaves;
    ++line_;
    if (leaves || line_ >= program_->lines.size() || program_->lines[line_].leader) arrive();
}

void ThreadRun::await(std::uint64_t time, StallReason reason) noexcept {
    if (time <= ready_) return;
    ready_ = time;
    reason_ = reason;
}

std::uint64_t ThreadRun::finished(isa::InOrderPipe pipe, std::uint32_t distance) const noexcept {
    const auto p = static_cast<std::size_t>(pipe);
    return issued_[p] < distance ? 0 : unpacked(pipes_[p].done[(issued_[p] - distance) % kDistances]);
}

void ThreadRun::awaitDistance(const LineSchedule& line) noexcept {
    const isa::Scoreboard& s = line.waits;
    if (s.in == Distance::none) return;
    const bool all = s.in == Distance::all || (s.in == Distance::own && line.kind != Kind::arithmetic);
    for (int p = 0; p < isa::kInOrderPipes; ++p) {
        const auto pipe = static_cast<isa::InOrderPipe>(p);
        if (all || pipe == (s.in == Distance::own ? line.pipe : s.pipe))
            await(finished(pipe, s.distance), StallReason::distance);
    }
}

void ThreadRun::awaitRegisters(const LineSchedule& line) noexcept {
    for (std::uint32_t left = line.reads; left != 0; left &= left - 1)
        await(unpacked(written_[static_cast<std::size_t>(std::countr_zero(left))]), StallReason::distance);
}

void ThreadRun::awaitTokens(const LineSchedule& line) noexcept {
    const isa::Scoreboard& s = line.waits;
    if (s.token == TokenUse::written) await(unpacked(tokens_[s.number].written), StallReason::token);
    if (s.token == TokenUse::read) await(unpacked(tokens_[s.number].read), StallReason::token);
    if (line.kind != Kind::awaitRead && line.kind != Kind::awaitWritten) return;
    for (std::uint32_t left = line.tokens; left != 0; left &= left - 1) {
        const Token& token = tokens_[static_cast<std::size_t>(std::countr_zero(left))];
        await(unpacked(line.kind == Kind::awaitRead ? token.read : token.written), StallReason::token);
    }
}

void ThreadRun::prepare() noexcept {
    const LineSchedule& next = line();
    awaitDistance(next);
    awaitRegisters(next);
    awaitTokens(next);
    blocked_ = false;
    if (next.kind == Kind::barrierWait && waited_ < signalled_) {
        blocked_ = true;
        wake();
    }
}

void ThreadRun::hold(std::uint64_t until) noexcept { await(until, StallReason::send); }

void ThreadRun::wake(std::uint64_t forced) noexcept {
    std::uint64_t since = forced;
    if (!blocked_ || (!barrier_.open(waited_, since) && forced == 0)) return;
    blocked_ = false;
    await(since + timing_.barrier, StallReason::sync);
}

/// Shares out the cycles since the last issue.
void ThreadRun::account(std::uint64_t time) {
    StallCycles& here = (*lines_)[line_];
    const auto add = [&](StallReason reason, std::uint64_t cycles) {
        here[static_cast<std::size_t>(reason)] += cycles;
        stalls_.all[static_cast<std::size_t>(reason)] += cycles;
    };
    const std::uint64_t ready = std::clamp(ready_, from_, time);
    add(reason_, ready - from_);
    add(StallReason::pipe, time - ready);
    add(StallReason::active, 1);
    from_ = time + 1;
}

void ThreadRun::complete(const LineSchedule& line, std::uint64_t time, std::uint64_t result) {
    std::uint64_t done = result;
    std::uint64_t read = time + timing_.sourceRead;
    if (line.kind == Kind::arithmetic) {
        done = time + line.latency;
        read = time + line.slots;
        if (line.inOrder) {
            // In order: none finishes before those that issued before it.
            const std::uint64_t before = finished(line.pipe, 1);
            std::uint32_t& issued = issued_[static_cast<std::size_t>(line.pipe)];
            pipes_[static_cast<std::size_t>(line.pipe)].done[issued++ % kDistances] = packed(std::max(done, before));
        }
    }
    for (std::uint32_t left = line.writes; left != 0; left &= left - 1)
        written_[static_cast<std::size_t>(std::countr_zero(left))] = packed(done);
    if (line.waits.token == TokenUse::set) tokens_[line.waits.number] = {packed(read), packed(done)};
}

std::uint32_t ThreadRun::packed(std::uint64_t time) const noexcept {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(time - epoch_, ~std::uint32_t{0}));
}

/// What was there before this time makes nobody wait who issues at it or later.
void ThreadRun::beginEpoch(std::uint64_t time) noexcept {
    const auto passed = static_cast<std::uint32_t>(time - epoch_);
    const auto move = [passed](std::uint32_t& t) { t -= std::min(t, passed); };
    for (Pipe& pipe : pipes_) std::ranges::for_each(pipe.done, move);
    std::ranges::for_each(written_, move);
    for (Token& token : tokens_) {
        move(token.read);
        move(token.written);
    }
    epoch_ = time;
}

bool ThreadRun::issue(std::uint64_t time, std::uint64_t result) {
    const LineSchedule& now = line();
    if (time - epoch_ > kLongestEpoch) beginEpoch(time);
    account(time);
    complete(now, time, result);
    const bool opened = now.kind == Kind::barrierSignal && barrier_.signal(signalled_++, time);
    if (now.kind == Kind::barrierWait && waited_ < signalled_) ++waited_;
    const bool branches = now.kind == Kind::branch;
    ready_ = time + (branches ? now.latency : 1);
    reason_ = branches ? StallReason::control : StallReason::other;
    advance();
    if (!ended()) prepare();
    return opened;
}

}  // namespace zetl::emulator::machine
