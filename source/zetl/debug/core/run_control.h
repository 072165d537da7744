// Lets the debuggee run and brings it to a stop: all threads stand still, or all run.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/breakpoints.h"
#include "core/frame.h"
#include "core/inspector.h"
#include "core/memory.h"
#include "core/module_list.h"
#include "core/stop.h"
#include "core/stopped_thread.h"
#include "core/work_items.h"

namespace zetl::debugger {

inline constexpr std::uint64_t kGlanceMs = 20;  ///< between two questions whether the user wants an interrupt

/// What is done between two looks at the device while it runs.
struct Observer {
    std::function<bool()> wantsInterrupt = [] { return false; };               ///< asked several times a second
    std::function<bool()> hasEnded = [] { return false; };                     ///< the process is no more
    std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< news for the user
};

enum class Step { instruction, intoLine, overLine, overInstruction, out };

/// A range of memory that is looked at after every instruction that may write.
struct Watch {
    unsigned number = 0;
    std::string name;
    std::uint64_t address = 0;
    std::optional<Triple> group;  ///< whose local memory it is, at an offset; else global memory
    std::optional<Type> type;     ///< what it is printed as; else bytes
    Bytes last;
};

class RunControl {
  public:
    /// `history`: for conditions.
    RunControl(Link& link, Observer observer, const ValueHistory& history);

    Memory& memory() noexcept { return memory_; }
    const ModuleList& modules() const noexcept { return modules_; }
    Breakpoints& breakpoints() noexcept { return breakpoints_; }

    /// Lets all threads run until something happens.
    Stop proceed();
    /// Moves one thread on, for its work-item `lane`; the others stand still unless it waits for them.
    /// `frame` is the number of the one to go out of.
    Stop step(const ThreadId& thread, unsigned lane, Step how, std::size_t frame = 0);
    /// Stops what runs.
    Stop interrupt();
    /// Removes breakpoints and lets everything run: before letting go of the debuggee.
    void release();

    bool stopped() const noexcept { return !threads_.empty(); }
    bool exited() const noexcept { return exited_; }
    /// True between the first queue of the debuggee and its last.
    bool entered() const noexcept { return entered_; }
    /// Threads that stand still, in the order of their ids.
    std::vector<ThreadId> threads() const;
    /// Throws Failure if the thread does not stand still.
    StoppedThread& thread(const ThreadId& id);
    WorkItems itemsOf(const ThreadId& id);
    std::vector<Frame> framesOf(const ThreadId& id);

    /// `type`: null, or what the bytes are.
    unsigned watch(const std::string& name, std::uint64_t address, std::size_t bytes, const Type* type = nullptr);
    /// In the local memory of the thread's work-group.
    unsigned watchLocal(const std::string& name, const ThreadId& thread, std::uint64_t offset, std::size_t bytes,
                        const Type* type = nullptr);
    void unwatch(unsigned number);
    void unwatchAll() noexcept { watches_.clear(); }
    const std::vector<Watch>& watches() const noexcept { return watches_; }

  private:
    enum class Waited { stop, answer, nothing, exit, interrupt };

    /// Reads events until one of interest, at most so long.
    Waited wait(std::uint64_t milliseconds);
    Waited digest(const zet_debug_event_t& event);
    void moduleLoaded(const zet_debug_event_t& event);
    void moduleUnloaded(const zet_debug_event_t& event);
    /// Lets the modules run that were loaded while the user looked around, and those that come from now on.
    void letModulesRun();

    /// Interrupts all and takes stock of what stands still. False if nothing does.
    bool haltAll();
    void takeStock();
    void releaseAll();

    /// What the collected stops mean; nothing if nobody wanted them.
    std::optional<Stop> judge();
    /// The first stop that was judged together with another, for another reason, and still means something.
    std::optional<Stop> untold();
    void removeTemporaries(const Stop& stop);
    std::optional<Stop> judgeThread(const ThreadId& id);
    std::optional<Stop> judgeBreakpoint(const ThreadId& id, std::uint64_t address);
    /// The first lane for which the condition is true; nothing if there is none.
    std::optional<unsigned> laneFor(const std::string& condition, const ThreadId& id);
    Stop faulted(const ThreadId& id);

    /// One instruction of one thread. Nothing if it still stands after that; else the stop to report.
    std::optional<Stop> stepOne(const ThreadId& id);
    std::optional<Stop> stepOverCall(const ThreadId& id, std::uint64_t next);
    /// The thread runs on; alone, where the device can do that.
    void runOn(const ThreadId& id);
    /// Until the thread stands still again. If it is alone, from `patience` ms on the others run, too, because it may
    /// wait for them.
    std::optional<Stop> waitFor(const ThreadId& id, std::uint64_t patience, bool alone = true);
    Stop stepped(const ThreadId& id, unsigned lane, const std::string& text = "");

    /// While something is watched: every thread one instruction at a time.
    Stop proceedWatching();
    std::optional<Stop> roundOfWatching();
    std::optional<Stop> changed(const ThreadId& id, std::uint64_t address);
    void requireWatching() const;
    /// What is there now; nothing if the thread does not see it.
    std::optional<Bytes> lookAt(const Watch& watch, const ThreadId& id);

    Link& link_;
    Observer observer_;
    const ValueHistory& history_;
    Memory memory_{link_};
    ModuleList modules_;
    Breakpoints breakpoints_{memory_, modules_};
    std::map<ThreadId, std::unique_ptr<StoppedThread>> threads_;
    std::vector<ThreadId> pending_;  ///< stopped by themselves, not judged yet
    std::deque<Stop> untold_;        ///< seen with one that was reported: for the next time that all are to run
    std::set<ThreadId> passesOver_;  ///< stopped by themselves and seen: the next resume moves them on
    std::vector<Watch> watches_;
    unsigned nextWatch_ = 1;
    std::vector<zet_debug_event_t> heldModules_;  ///< nothing of them runs before the user goes on
    bool goesOn_ = false;                         ///< the user wants things to run
    bool exited_ = false;
    bool entered_ = false;
};

}  // namespace zetl::debugger
