// Threads of one group that one host thread runs by turns: at barriers host code goes from one straight to the next.
#pragma once

#include <cstdint>

namespace zetl::emulator::isa {

struct Thread;

/// A barrier as the gateway of its group keeps it.
struct GroupBarrier {
    std::uint32_t phase = 1;
    std::uint32_t arrived = 0;    ///< producers that signalled in this phase
    std::uint32_t producers = 0;  ///< expected; 0: nobody has signalled yet
};

/// What host code needs of the company whose threads it runs.
struct Meeting {
    GroupBarrier* barrier = nullptr;  ///< the one that host code signals and waits for by itself
    Thread* running = nullptr;
};

/// What a thread knows of its company.
struct Companion {
    Meeting* meeting = nullptr;  ///< null: every barrier stops it
    Thread* next = nullptr;      ///< in a ring
    Thread* before = nullptr;
    std::uint32_t* signalledIn = nullptr;  ///< the phase in which it signalled last
    const void* goesOnAt = nullptr;  ///< host code that is entered when the barrier is complete; null: by its steps
};

/// From begin() to end() the threads that join are the caller's alone: no debugger looks at them.
class Company {
  public:
    /// `barrier`: number 0 of the group. Each thread executes as many instructions as resume() with that quantum.
    void begin(GroupBarrier& barrier, std::int64_t quantum) noexcept;
    /// A thread with a hostMode, whose memory windows are kept.
    void join(Thread& thread, std::uint32_t& signalledIn) noexcept;
    /// resume() for one of them that may go on, and for others that host code can then go on with, begun or not, until
    /// one stops that cannot be followed by another: that one. Those between wait for the barrier or have ended.
    /// `setsMode` as for start().
    Thread& run(Thread& first, bool setsMode) noexcept;
    /// Before the thread, which has ended, is used for something else.
    void leave(Thread& thread) noexcept;
    /// All leave. What they took of their quanta together.
    std::uint64_t end() noexcept;

  private:
    Meeting meeting_;
    Thread* any_ = nullptr;
    std::int64_t quantum_ = 0;
    std::uint64_t work_ = 0;
};

}  // namespace zetl::emulator::isa
