// A hardware thread on its way through its trace: which instruction is next, when it could issue, and what it waits
// for.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/machine/model/trace.h"
#include "emulator/machine/stalls.h"

namespace zetl::emulator::machine {

inline constexpr std::size_t kHostLine = 64;  ///< bytes of a line of the host's caches

/// Cycles of threads.
struct LineStalls {
    std::unordered_map<const Schedule*, std::vector<StallCycles>> lines;  ///< by line, for the programs that ran
    StallCycles all{};
};

/// The barrier of a work-group in the model. The n-th wait of a thread is over when every thread that has not ended has
/// signalled n times, or when nobody else of the group can go on (named barriers, which are not told apart).
class GroupBarrier {
  public:
    explicit GroupBarrier(std::uint32_t threads) noexcept : live_(threads) {}

    /// Whether the n-th wait is over now.
    bool signal(std::uint32_t nth, std::uint64_t time);
    void leave() noexcept { --live_; }
    std::uint32_t live() const noexcept { return live_; }
    /// Whether the n-th wait, from 0, is over, and the time of the signal that ended it.
    bool open(std::uint32_t nth, std::uint64_t& since) const noexcept;

  private:
    struct Phase {
        std::uint32_t signals = 0;
        std::uint64_t last = 0;
    };
    std::uint32_t live_;
    std::vector<Phase> phases_;
};

class alignas(kHostLine) ThreadRun {
  public:
    ThreadRun(const ThreadTrace& trace, GroupBarrier& barrier, const TimingModel& timing, LineStalls& stalls,
              std::uint64_t begin);

    const LineSchedule& line() const noexcept { return program_->lines[line_]; }
    bool ended() const noexcept { return program_ == nullptr; }
    /// What it does next is not known yet: nobody can go on.
    bool unknown() const noexcept { return unknown_; }
    /// Waits at a barrier that nobody has opened yet.
    bool blocked() const noexcept { return blocked_; }
    std::uint64_t begin() const noexcept { return begin_; }
    /// Time from which the next instruction could issue but for its port, unless blocked.
    std::uint64_t ready() const noexcept { return ready_; }

    /// The access of the next instruction, a message, if it makes one. Once for each instruction.
    bool takeAccess(TracedAccess& access) noexcept { return cursor_.access(line_, access); }
    /// It cannot issue before this time, for want of room in the queue.
    void hold(std::uint64_t until) noexcept;
    /// Looks at the barrier again; its wait is over at `forced` in any case, if that is not 0.
    void wake(std::uint64_t forced = 0) noexcept;

    /// The next instruction issues at `time`, and the one after it is next. `result`: when a message is answered.
    /// Whether it opened a barrier.
    bool issue(std::uint64_t time, std::uint64_t result);
    /// After the end: when.
    std::uint64_t end() const noexcept { return from_; }

  private:
    void account(std::uint64_t time);
    void complete(const LineSchedule& line, std::uint64_t time, std::uint64_t result);
    void advance();
    void arrive();
    void prepare() noexcept;
    void await(std::uint64_t time, StallReason reason) noexcept;
    void awaitDistance(const LineSchedule& line) noexcept;
    void awaitRegisters(const LineSchedule& line) noexcept;
    void awaitTokens(const LineSchedule& line) noexcept;
    std::uint64_t finished(isa::InOrderPipe pipe, std::uint32_t distance) const noexcept;

    std::uint32_t packed(std::uint64_t time) const noexcept;
    std::uint64_t unpacked(std::uint32_t time) const noexcept { return epoch_ + time; }
    void beginEpoch(std::uint64_t time) noexcept;

    static constexpr std::uint32_t kTokens = 32;
    static constexpr std::uint32_t kDistances = 8;
    struct Pipe {
        std::array<std::uint32_t, kDistances> done{};
    };
    struct Token {
        std::uint32_t read = 0;
        std::uint32_t written = 0;
    };

    // In the order in which an instruction needs them, so that it comes to few lines of the host's cache. Times that
    // results are there are packed: cycles since the epoch, or 0, if they are earlier and so make nobody wait.
    TraceCursor cursor_;
    const Schedule* program_ = nullptr;
    std::vector<StallCycles>* lines_ = nullptr;
    std::uint64_t epoch_;
    std::uint64_t from_;  ///< first cycle that no reason is known for
    std::uint64_t ready_;
    isa::Line line_ = 0;
    StallReason reason_ = StallReason::fetch;
    bool blocked_ = false;
    bool unknown_ = false;
    std::array<std::uint32_t, isa::kInOrderPipes> issued_{};
    std::array<Pipe, isa::kInOrderPipes> pipes_{};
    std::array<std::uint32_t, kWatchedRegisters> written_{};  ///< when the hardware lets others read them
    std::array<Token, kTokens> tokens_{};
    GroupBarrier& barrier_;
    const TimingModel& timing_;
    LineStalls& stalls_;
    std::uint64_t begin_;
    std::uint32_t signalled_ = 0;
    std::uint32_t waited_ = 0;
};

}  // namespace zetl::emulator::machine
