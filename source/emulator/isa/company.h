// Threads of one group that one host thread runs by turns: at barriers host code goes from one straight to the next.
#pragma once

#include <cstdint>

namespace zetl::emulator::isa {

struct Thread;

/// The state of a barrier in the gateway of its group.
struct GroupBarrier {
    std::uint32_t phase = 1;
    std::uint32_t arrived = 0;    ///< producers that signalled in this phase
    std::uint32_t producers = 0;  ///< expected; 0: no thread has signalled yet
};

/// The data that host code needs about the company whose threads it runs.
struct Meeting {
    GroupBarrier* barrier = nullptr;  ///< the barrier that host code itself signals and waits for
    Thread* running = nullptr;
};

/// A thread's data about its company.
struct Companion {
    Meeting* meeting = nullptr;  ///< null: every barrier stops it
    Thread* next = nullptr;      ///< in a ring
    Thread* before = nullptr;
    std::uint32_t* signalledIn = nullptr;  ///< the phase in which it last signalled
    const void* goesOnAt = nullptr;  ///< host code that is entered when the barrier is complete; null: by its steps
};

/// From begin() to end() the threads that join belong to the caller alone: no debugger looks at them.
class Company {
  public:
    /// `barrier`: number 0 of the group. Each thread executes as many instructions as in resume() with that quantum.
    void begin(GroupBarrier& barrier, std::int64_t quantum) noexcept;
    /// A thread with a hostMode, whose memory windows are kept.
    void join(Thread& thread, std::uint32_t& signalledIn) noexcept;
    /// Like resume(), for one of the threads that may go on, and then for others with which host code can go on,
    /// whether they have begun or not, until one stops that no other can follow. Returns that one. The others wait for
    /// the barrier or have ended. `setsMode` is as for start().
    Thread& run(Thread& first, bool setsMode) noexcept;
    /// All leave. What they took of their quanta together.
    std::uint64_t end() noexcept;

  private:
    Meeting meeting_;
    Thread* any_ = nullptr;
    std::int64_t quantum_ = 0;
};

}  // namespace zetl::emulator::isa
