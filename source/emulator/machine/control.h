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

/// Why a thread stands still. Facts; register bits follow from them in one place.
enum class StopCause : std::uint8_t { none, halt, breakpoint, step, illegal, software, fault };

struct StopEvent {
    enum class Kind : std::uint8_t {
        stopped,  ///< one thread, by its own doing
        halted,   ///< the answer to halt(token)
    };
    Kind kind;
    ThreadId thread;  ///< stopped: the thread; halted: the set that was asked for
    StopCause cause = StopCause::none;
    std::uint64_t token = 0;
    std::uint64_t stopped = 0;  ///< halted: threads of the set that stand still now
    Fault fault;                ///< cause fault: what it is
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

/// Thread-safe. Exists once per tile; costs nothing until attach().
class Control {
  public:
    virtual ~Control() = default;

    /// Called from a thread of the machine, one call at a time, with no lock held; must return quickly and must not
    /// call this object.
    using Sink = std::function<void(const StopEvent&)>;

    /// From now on breakpoint bits in code stop threads, and faults stop their thread instead of ending the dispatch.
    /// One at a time: false if somebody is attached, or if the system gives no thread for the events.
    virtual bool attach(Sink sink) = 0;
    /// Runs everything that is stopped. No call of the sink is in progress or follows when it returns.
    virtual void detach() = 0;

    /// Stops every thread of the set that occupies a slot now; threads dispatched later are not touched, but while the
    /// set of all threads is halted no work-group starts, and a place that is just between two work-groups stops at the
    /// beginning of the second. Returns at once; one `halted` event with the token answers it, within milliseconds.
    /// Nothing happens if nobody is attached.
    virtual void halt(const ThreadId& set, std::uint64_t token) = 0;
    /// Runs every stopped thread of the set from its registers as they are now. Returns their number.
    virtual std::size_t run(const ThreadId& set) = 0;

    virtual ThreadState state(const ThreadId& thread, StopCause* cause = nullptr) const = 0;
    virtual std::vector<StoppedThread> stopped() const = 0;

    /// Number of registers of that set in this thread: 256 in large register mode, say.
    virtual ControlStatus registerCount(const ThreadId& thread, isa::RegisterSet set, std::uint32_t* count) const = 0;
    /// Values are packed. Writes are stored as given, and looked at when the thread runs on.
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
