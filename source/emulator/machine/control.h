// Debug control of a tile's threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "emulator/machine/fault.h"
#include "emulator/machine/thread_id.h"

namespace zetl::emulator::isa {
enum class RegisterSet : std::uint8_t;
}

namespace zetl::emulator::machine {

/// Why a thread is stopped. These are facts; one place derives the register bits from them.
enum class StopCause : std::uint8_t { none, halt, breakpoint, step, illegal, software, fault };

struct StopEvent {
    enum class Kind : std::uint8_t {
        stopped,  ///< one thread stopped by itself
        halted,   ///< the answer to halt(token)
    };
    Kind kind;
    ThreadId thread;  ///< stopped: the thread; halted: the set passed to halt()
    StopCause cause = StopCause::none;
    std::uint64_t token = 0;
    std::uint64_t stopped = 0;  ///< halted: threads of the set that are stopped now
    Fault fault;                ///< the fault, if that is the cause
};

struct StoppedThread {
    ThreadId thread;
    StopCause cause;
};

enum class ControlStatus : std::uint8_t {
    ok,
    notStopped,  ///< the thread runs or its slot is empty
    invalid,     ///< no such register set, range outside it, not writable, wildcard where one thread is needed
    outOfRange,  ///< memory: not mapped, or beyond the end
};

enum class ThreadState : std::uint8_t { idle, running, stopped };

/// Thread-safe. Each tile has one; it costs nothing until attach().
class Control {
  public:
    virtual ~Control() = default;

    /// Called from a thread of the machine, one call at a time, with no lock held; must return quickly and must not
    /// call this object.
    using Sink = std::function<void(const StopEvent&)>;

    /// From now on breakpoint bits in code stop threads, and faults stop their thread instead of ending the dispatch.
    /// Returns false if a debugger is attached already, or if the system gives no thread for the events.
    virtual bool attach(Sink sink) = 0;
    /// Runs everything that is stopped. When it returns, no call of the sink is in progress, and none follows.
    virtual void detach() = 0;

    /// Stops every thread of the set that occupies a slot now. Threads dispatched later are not touched, except that
    /// while the set of all threads is halted no work-group starts, and a place that is between two work-groups stops
    /// at the beginning of the second. Returns at once; one `halted` event with the token follows within milliseconds.
    /// Does nothing if no debugger is attached.
    virtual void halt(const ThreadId& set, std::uint64_t token) = 0;
    /// Runs every stopped thread of the set from its present registers. Returns the number of threads.
    virtual std::size_t run(const ThreadId& set) = 0;

    virtual ThreadState state(const ThreadId& thread, StopCause* cause = nullptr) const = 0;
    virtual std::vector<StoppedThread> stopped() const = 0;

    /// The number of registers of that set in this thread: for example 256 in large register mode.
    virtual ControlStatus registerCount(const ThreadId& thread, isa::RegisterSet set, std::uint32_t* count) const = 0;
    /// Values are packed. Writes are stored as given, and take effect when the thread runs on.
    virtual ControlStatus readRegisters(const ThreadId& thread, isa::RegisterSet set, std::uint32_t first,
                                        std::uint32_t count, void* values) const = 0;
    virtual ControlStatus writeRegisters(const ThreadId& thread, isa::RegisterSet set, std::uint32_t first,
                                         std::uint32_t count, const void* values) = 0;

    /// Local memory of the stopped thread's work-group.
    virtual ControlStatus readSlm(const ThreadId& thread, std::uint64_t offset, void* to, std::size_t bytes) const = 0;
    virtual ControlStatus writeSlm(const ThreadId& thread, std::uint64_t offset, const void* from,
                                   std::size_t bytes) = 0;
};

}  // namespace zetl::emulator::machine
