// A hardware thread that replays its trace: its next instruction, when that could issue, and what it waits for.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/machine/code/issue_plan.h"
#include "emulator/machine/model/group_barrier.h"
#include "emulator/machine/model/trace.h"
#include "emulator/machine/stalls.h"

namespace zetl::emulator::machine {

inline constexpr std::size_t kHostLine = 64;  ///< bytes of a line of the host's caches

/// Cycles of threads by line, for the programs that ran.
using LineStalls = std::unordered_map<const Schedule*, std::vector<StallCycles>>;

/// Nothing is allocated while it runs. One object serves thread after thread: each begins with begin().
class alignas(kHostLine) ThreadRun {
  public:
    void begin(const ThreadTrace& trace, GroupBarrier& barrier, const TimingModel& timing, LineStalls& stalls,
               std::uint64_t time);

    /// The plan of the next instruction.
    const IssuePlan& plan() const noexcept { return *plan_; }
    enum class State : std::uint8_t {
        runs,
        blocked,  ///< waits at a barrier that is not open yet
        ended,
        unknown,  ///< its next action is not known yet: no thread can go on
    };
    State state() const noexcept { return state_; }
    /// As `other` is now, with another barrier and another place for stalls, which is a copy of the former one.
    void become(const ThreadRun& other, GroupBarrier& barrier, LineStalls& stalls);
    /// It has ended, but keeps its place until then.
    void stay(std::uint64_t until) noexcept { from_ = until; }
    const Schedule* program() const noexcept { return program_; }
    bool ended() const noexcept { return state_ == State::ended; }
    bool blocked() const noexcept { return state_ == State::blocked; }
    std::uint64_t begin() const noexcept { return begin_; }
    /// It will go on soon: fetches its trace into the host's cache.
    void prepare() const noexcept { cursor_.prepare(); }
    /// The time from which the next instruction could issue, not counting its port, unless blocked.
    std::uint64_t ready() const noexcept { return ready_; }

    /// The access of the next instruction, a message, if it makes one. Call it once per instruction.
    bool takeAccess(TracedAccess& access) noexcept { return cursor_.access(line(), access); }
    /// It could not issue before this time, because the queue was full.
    void hold(std::uint64_t until) noexcept;
    /// Looks at the barrier again. If `forced` is not 0, its wait is over at that time in any case.
    void wake(std::uint64_t forced = 0) noexcept;

    /// Issues the next instruction at `time` and moves on. `result`: when a message is answered. Returns whether it
    /// opened a barrier.
    bool issue(std::uint64_t time, std::uint64_t result);
    /// The same for an instruction that concerns the thread alone.
    void issue(std::uint64_t time);
    /// The time after its last instruction so far; before the first, the time of begin().
    std::uint64_t end() const noexcept { return from_; }

  private:
    isa::Line line() const noexcept { return static_cast<isa::Line>(plan_ - program_->plans.data()); }
    void account(std::uint64_t time) noexcept;
    void leave(const IssuePlan& plan, std::uint32_t read, std::uint32_t done) noexcept;
    void compute(const IssuePlan& plan, std::uint64_t time) noexcept;
    void advance(const IssuePlan& from, std::uint64_t time);
    void arrive();
    void prepare(const IssuePlan& next, std::uint64_t earliest, StallReason reason) noexcept;
    void await(std::uint64_t time, StallReason reason) noexcept;
    void awaitMore() noexcept;

    std::uint32_t packed(std::uint64_t time) const noexcept;
    std::uint64_t unpacked(std::uint32_t time) const noexcept { return epoch_ + time; }
    void beginEpoch(std::uint64_t time) noexcept;
    /// The index of the time of a result that is so many results back in its pipe.
    std::size_t inRing(std::uint8_t pipe, std::uint32_t back) const noexcept {
        const std::uint32_t within = (issued_[pipe] - back) % result_place::kDistances;
        return std::size_t{result_place::kRing} + pipe * result_place::kDistances + within;
    }

    // In the order in which an instruction needs them, so that it touches few lines of the host's cache. Times of
    // results are packed: cycles since the epoch, or 0 for earlier ones, which no instruction waits for. The two
    // pointers are apart: neighbours would be advanced by one vector, and the next reader of one of them would wait for
    // its store.
    const IssuePlan* plan_ = nullptr;
    std::uint64_t epoch_ = 0;
    StallCycles* stalls_ = nullptr;  ///< of the same line
    std::uint64_t from_ = 0;         ///< first cycle whose reason is not known
    std::uint64_t ready_ = 0;
    StallReason reason_ = StallReason::fetch;
    State state_ = State::runs;
    std::uint32_t sourceRead_ = 0;  ///< of messages
    std::array<std::uint32_t, result_place::kRings> issued_{};
    std::array<std::uint32_t, result_place::kCount> results_{};
    TraceCursor cursor_;
    const Schedule* program_ = nullptr;
    StallCycles* firstStalls_ = nullptr;  ///< of the program
    LineStalls* allStalls_ = nullptr;
    GroupBarrier* barrier_ = nullptr;
    std::uint64_t begin_ = 0;
    std::uint32_t barrierLatency_ = 0;
    std::uint32_t signalled_ = 0;
    std::uint32_t waited_ = 0;
};

}  // namespace zetl::emulator::machine
