// What is ordered before what among commands and the host, by the rules of the specification and not by the order that
// happened to run: in-order lists, barriers, events, fences, and what the host waits for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/mutex.h"
#include "emulator/check/command_set.h"

namespace zetl::emulator::check {

/// All that happened before something; null: nothing did.
using Clock = std::shared_ptr<const CommandSet>;

/// Thread-safe. All threads of the host count as one, because it is not seen how they order themselves. Lists that a
/// queue executes count as ordered behind each other, as drivers order them.
class CommandOrder {
  public:
    /// What the memory of an event or a fence is known by. It may be destroyed at any time.
    using Event = std::shared_ptr<const void>;

    /// What an execution of commands, a queue or an immediate list, has behind it. Guarded by the order's mutex.
    class Stream {
        friend class CommandOrder;
        Clock base_;   // before each command that begins from now on
        Clock begun_;  // all commands that began, with all that was before them
        Clock ended_;  // what is before the end of the last submission that has ended
    };

    struct Ticket {
        std::uint64_t first = 0;  ///< number of the first command; 0: they have no numbers
        Clock host;               ///< what the host had waited for
    };
    /// Commands are submitted: gives them numbers.
    Ticket submit(std::uint64_t commands);

    enum class Kind {
        work,     ///< ordered by what it waits for alone
        barrier,  ///< between all that the stream began before, and all behind it
        signal,  ///< only waits for events, and signals one: later ones wait, too, and the signal stands for all before
    };
    struct Command {
        std::uint64_t number = 0;
        std::uint32_t steps = 1;  ///< numbers that it takes
        Kind kind = Kind::work;
        Clock before;  ///< set by begin()
    };
    /// Whatever the stream begins from now on is ordered behind all that it has begun.
    void separate(Stream& stream);
    /// The events that a command waits for are signalled, and it begins.
    void begin(Stream& stream, const Ticket& ticket, std::span<const Event> waits, Command& command);
    /// It ends, and will signal the event, which may be null.
    void end(Stream& stream, const Command& command, const Event& signal);
    /// A submission ends, and will signal the event, which may be null.
    void endSubmission(Stream& stream, const Event& done);

    void reset(const Event& event);
    void hostSignals(const Event& event);
    /// The host has seen that the event is signalled, or that all submissions of the stream have ended.
    void hostSaw(const Event& event);
    void hostSaw(const Stream& stream);
    /// The host has waited for all that was executed.
    void hostSawAll();
    /// The host runs code inside of a command.
    void hostRuns(const Command& command);

    /// What the host has waited for up to now.
    Clock host() const;
    /// Gives the host a number for what it does itself now: it is before all that is submitted from now on.
    std::uint64_t hostActs();

  private:
    struct Signal {
        std::weak_ptr<const void> event;
        Clock clock;
        bool signalled = false;
    };
    /// What is before the end of a wait for the event.
    const Clock& clockOf(const Event& event) const ZETL_REQUIRES(mutex_);
    void signal(const Event& event, const Clock& clock) ZETL_REQUIRES(mutex_);
    Signal& entryOf(const Event& event) ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    std::uint64_t last_ ZETL_GUARDED_BY(mutex_) = 0;
    Clock host_ ZETL_GUARDED_BY(mutex_);
    Clock everything_ ZETL_GUARDED_BY(mutex_);
    std::map<const void*, Signal> signals_ ZETL_GUARDED_BY(mutex_);
    std::size_t purgeAt_ ZETL_GUARDED_BY(mutex_) = 1024;
};

}  // namespace zetl::emulator::check
