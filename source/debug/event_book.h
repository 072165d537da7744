// What a session tells its debugger, in which order: the rules of events, without target, locks or waiting.
#pragma once

#include <level_zero/zet_api.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "debug/module_map.h"
#include "debug/thread_set.h"

namespace zetl::debug {

/// A zeroed event of that type.
zet_debug_event_t blankEvent(zet_debug_event_type_t type) noexcept;

/// An event on its way out, and the threads that count as reported once it was read.
struct QueuedEvent {
    zet_debug_event_t event{};
    std::optional<ThreadSet> reports;
};

/// Fed with what the target says (facts) and what the debugger asks (interrupts, acknowledgements); gives out events.
/// - PROCESS_ENTRY comes before the first MODULE_LOAD, every MODULE_UNLOAD before PROCESS_EXIT. Modules that outlive
///   the last queue are unloaded for the debugger and announced again at the next entry.
/// - Each interrupt gets exactly one answer, equal to the request bit for bit. One that is overdue gets
///   THREAD_UNAVAILABLE. Threads that stop for it later are a THREAD_STOPPED of the same set: nobody would run them
///   else.
/// - The end of the target gives the missing UNLOADs and EXIT, then answers, and DETACHED when nothing else is left.
///
/// Not thread-safe.
class EventBook {
  public:
    void processEntered();
    void processLeft();
    void moduleLoaded(zetl_module_t id, const zetl_module_info_t& info, std::uint64_t hold);
    void moduleUnloaded(zetl_module_t id);
    void threadStopped(const ThreadSet& thread);
    void halted(std::uint64_t token, bool anyStopped);
    void pageFault(const zetl_event_t& fault);
    void targetGone();

    /// The token of a new interrupt; nothing if an identical one is unanswered. `deadline` in ns of any monotonic
    /// clock.
    std::optional<std::uint64_t> interrupt(const ThreadSet& set, std::uint64_t deadline);
    /// The target could not be asked.
    void interruptFailed(std::uint64_t token);
    void answerOverdue(std::uint64_t now);
    /// Deadline of the oldest unanswered interrupt; nothing if all are answered.
    std::optional<std::uint64_t> nextDeadline() const;

    /// The hold to release; 0: nothing to release. INVALID_ARGUMENT: an event that needs no acknowledgement any more,
    /// or that nobody can have read. After the end of the target there is nothing to release.
    ze_result_t acknowledge(const zet_debug_event_t& event, std::uint64_t& hold);
    /// The target could not be asked to release it.
    void acknowledgementFailed(const zet_debug_event_t& event, std::uint64_t hold);

    std::optional<QueuedEvent> next();
    /// What next() gave out is the next one again.
    void putBack(QueuedEvent event) { queue_.push_front(event); }
    std::size_t unread() const noexcept { return queue_.size(); }
    bool gone() const noexcept { return gone_; }
    /// DETACHED was given out; nothing can follow.
    bool over() const noexcept { return tailGiven_; }

    /// Threads of the set that stopped by themselves and whose event is still queued.
    bool hasUnread(const ThreadSet& set) const;
    const ModuleMap& modules() const noexcept { return modules_; }

  private:
    struct Interrupt {
        std::uint64_t token;
        ThreadSet set;
        std::uint64_t deadline;
    };
    void haltedLate(std::uint64_t token, bool anyStopped);
    void push(const zet_debug_event_t& event, std::optional<ThreadSet> reports = std::nullopt);
    void pushThread(zet_debug_event_type_t type, const ThreadSet& set);
    void announce(DebuggedModule& module);

    ModuleMap modules_;
    std::deque<QueuedEvent> queue_;
    std::vector<Interrupt> interrupts_;
    std::deque<Interrupt> overdue_;  ///< answered for the target, which may still stop threads for them; oldest first
    std::uint64_t nextToken_ = 1;
    bool entered_ = false;
    bool gone_ = false;
    bool tailGiven_ = false;
};

}  // namespace zetl::debug
