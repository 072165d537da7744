// Debug control of a tile's threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "emulator/machine/fault.h"
#include "emulator/machine/thread_id.h"

namespace zetl::emulator::isa {
enum class RegisterSet : std::uint8_t;
}
namespace zetl::isa::xe {
struct ConditionStep;
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

/// What a debugger asks about the history of the launch that is being recorded (ZETL_EMULATOR_RECORD). The time of a
/// launch is the number of instructions that its threads have executed. Words of fixed size: it crosses processes.
struct HistoryRequest {
    enum class Kind : std::uint32_t {
        look,     ///< where the launch is
        go,       ///< to `time`, forwards or backwards; asked again while `moves`
        back,     ///< the time before the last instruction of `slot`
        forth,    ///< the time after the next instruction of `slot`, within what was recorded
        way,      ///< the instructions of `slot` before now, at most `count`
        hit,      ///< where a thread last came to a breakpoint before `time`
        nextHit,  ///< where a thread first comes to a breakpoint after `time`, within what was recorded
        access,   ///< the last access to [address, address + bytes) before `time`
        entry,    ///< when `slot` came to code marked `to` after it was last in code marked `from` before `time`
    };
    std::uint32_t kind = 0;
    std::uint32_t slot = 0;
    std::uint64_t time = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t count = 0;
    std::uint8_t isRead = 0;   ///< reads, too, are accesses
    std::uint8_t isLocal = 0;  ///< of the work-group of `slot`
    std::uint8_t tile = 0;     ///< set by the receiver
    std::uint8_t reserved = 0;
};

struct HistoryAnswer {
    enum class Status : std::uint32_t {
        none,    ///< nothing is recorded here
        ok,      ///< `found` is the answer
        moves,   ///< not there yet: ask again
        absent,  ///< not between `found` and the time that was asked about; `found` is the next time to ask about
        runs,    ///< not every thread is stopped
        broken,  ///< the launch cannot be repeated; `reason` says why
    };
    enum class Reason : std::uint32_t { none, launches, memory, filled, differs };
    std::uint32_t status = 0;
    std::uint32_t reason = 0;
    std::uint64_t begin = 0;  ///< the earliest time
    std::uint64_t now = 0;
    std::uint64_t end = 0;  ///< the latest time
    std::uint64_t found = 0;
    std::uint32_t slot = 0;   ///< the thread that was found
    std::uint32_t lanes = 0;  ///< its lanes
    std::uint32_t count = 0;  ///< of HistoryStep behind this, for `way` and `entry`
    std::uint32_t isWrite = 0;
    std::uint32_t tile = 0;
    std::uint32_t reserved = 0;
};

/// Code for HistoryRequest::Kind::entry, as `count` ranges in ascending order. Words of fixed size.
struct MarkedCode {
    static constexpr std::uint32_t kFrom = 1;  ///< a search comes from there; before all others, from where it begins
    static constexpr std::uint32_t kTo = 2;    ///< none: the answer is where the thread last was in code marked `from`
    std::uint64_t begin = 0;                   ///< relative to the instruction base, as the machine knows it
    std::uint64_t end = 0;
    std::uint32_t marks = 0;
    std::uint32_t reserved = 0;
};

/// One instruction of a thread's way: it began at that time.
struct HistoryStep {
    std::uint64_t time = 0;
    std::uint64_t ip = 0;  ///< relative to the instruction base, as the machine knows it
};

struct HistoryReport {
    HistoryAnswer answer;
    std::vector<HistoryStep> way;
};

/// Bytes whose changes by threads stop them. Words of fixed size, like those of histories.
struct WatchedRange {
    std::uint64_t address = 0;  ///< local memory: an offset
    std::uint64_t bytes = 0;
    std::uint32_t group[3] = {};  ///< local memory: the work-groups with this id have it
    std::uint32_t isLocal = 0;
};

/// A thread's instruction that changed watched bytes.
struct WatchHit {
    std::uint32_t isHit = 1;
    std::uint32_t number = 0;   ///< of the range, in the list
    std::uint32_t slot = 0;     ///< the thread
    std::uint32_t lanes = 0;    ///< its lanes that wrote there
    std::uint64_t ip = 0;       ///< the instruction, relative to the instruction base, as the machine knows it
    std::byte before[64] = {};  ///< the first bytes of the range
    std::byte after[64] = {};
};

/// Threads that came to breakpoints with conditions. Words of fixed size.
struct ConditionCounts {
    std::uint64_t passed = 0;   ///< their conditions were false
    std::uint64_t unknown = 0;  ///< stopped, because the condition could not be evaluated
};

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

    /// Asks about the history of a launch, or moves the launch in it. `none` without a recorded launch on this tile.
    virtual HistoryReport history(const HistoryRequest& request, std::span<const MarkedCode> code = {}) = 0;
    /// From now on threads that change these bytes stop behind the instruction; other bytes are no longer watched.
    /// False if these cannot be watched so.
    virtual bool watch(std::span<const WatchedRange> ranges) = 0;
    /// The changes since the last call.
    virtual std::vector<WatchHit> takeWatchHits() = 0;
    /// From now on a thread stops at the breakpoint there only if the condition (isa/xe/condition.h) is true for one of
    /// its lanes, or unknown; without steps, it stops always. The address is relative to the instruction base. False if
    /// that is no condition.
    virtual bool setCondition(std::uint32_t ip, std::span<const zetl::isa::xe::ConditionStep> steps) = 0;
    virtual ConditionCounts conditionCounts() const = 0;
    /// The debugger is about to change global memory.
    virtual void changes(std::uint64_t address, std::uint64_t bytes) = 0;
};

}  // namespace zetl::emulator::machine
