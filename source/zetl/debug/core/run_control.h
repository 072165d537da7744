// Runs and stops the debuggee. All threads are stopped, or all run.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/breakpoints.h"
#include "core/device_conditions.h"
#include "core/frame.h"
#include "core/function_call.h"
#include "core/history.h"
#include "core/inspector.h"
#include "core/memory.h"
#include "core/module_list.h"
#include "core/stop.h"
#include "core/stopped_thread.h"
#include "core/work_items.h"

namespace zetl::debugger {

inline constexpr std::uint64_t kGlanceMs = 20;  ///< between two checks for an interrupt by the user

/// Called while the device runs.
struct Observer {
    std::function<bool()> wantsInterrupt = [] { return false; };               ///< called several times per second
    std::function<bool()> hasEnded = [] { return false; };                     ///< the process has ended
    std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< news for the user
};

enum class Step { instruction, intoLine, overLine, overInstruction, out };

/// Which other threads run while one of them steps or goes on.
enum class Locking {
    untilWaiting,  ///< during a step none, unless the thread waits for them
    off,           ///< all
    on,            ///< none
    step,          ///< none during a step
};

/// A range of memory whose changes stop the program.
struct Watch {
    unsigned number = 0;
    std::string name;
    std::uint64_t address = 0;
    std::optional<Triple> group;  ///< the work-group, for local memory; otherwise global memory
    std::optional<Type> type;     ///< the type for printing; otherwise bytes
    Bytes last;
};

class RunControl {
  public:
    /// `history` and `locations`: for conditions.
    RunControl(Link& link, Observer observer, const ValueHistory& history, LocationCheck& locations);

    Memory& memory() noexcept { return memory_; }
    const ModuleList& modules() const noexcept { return modules_; }
    Breakpoints& breakpoints() noexcept { return breakpoints_; }

    const DeviceConditions& conditions() const noexcept { return conditions_; }

    void setLocking(Locking locking) noexcept { locking_ = locking; }

    /// Lets all threads run until something happens.
    Stop proceed();
    /// Lets one thread run. The others stay stopped.
    Stop proceedAlone(const ThreadId& thread);
    /// Steps one thread, for its work-item `lane`. The others stay stopped unless it waits for them.
    /// `frame` is the number of the frame to leave.
    Stop step(const ThreadId& thread, unsigned lane, Step how, std::size_t frame = 0);
    /// Stops the running threads.
    Stop interrupt();

    /// Lets the thread execute a function for one work-item, while all others stand (run_aside.cpp). Everything but
    /// memory is then as before. Returns the registers with the result; throws Failure if it did not return.
    Bytes call(const ThreadId& id, const PreparedCall& call);

    // Backwards, in a launch that is recorded (run_backwards.cpp). Throw Failure if there is none, or it cannot be
    // taken back. The launch stays at its earlier time until it goes on; what was recorded of its future is then
    // repeated up to the next stop.

    /// The opposite of step(): to where the work-item began its line or instruction, or to the call of the frame.
    Stop stepBack(const ThreadId& thread, unsigned lane, Step how, std::size_t frame = 0);
    /// To the last hit of a breakpoint or watch before now.
    Stop proceedBack(const ThreadId& selected);
    Stop toBeginning(const ThreadId& selected);
    /// To the latest time that was recorded.
    Stop toPresent(const ThreadId& selected);
    /// To before the last access to these bytes; `local`: an offset in the local memory of that thread's work-group.
    Stop toAccess(const ThreadId& selected, std::uint64_t address, std::size_t bytes,
                  const std::optional<ThreadId>& local, bool reads);
    /// Where the launch is.
    Moment moment();
    /// Removes breakpoints and resumes all threads, before detaching.
    void release();

    bool stopped() const noexcept { return !threads_.empty(); }
    bool exited() const noexcept { return exited_; }
    /// Looks whether the debuggee has ended since.
    bool hasEnded();
    /// A recorded launch was taken back: what is changed now is lost when it goes on.
    bool isInPast() const noexcept { return isPast_; }
    /// True between the first queue of the debuggee and its last.
    bool entered() const noexcept { return entered_; }
    /// The stopped threads, in the order of their ids.
    std::vector<ThreadId> threads() const;
    /// Throws Failure if the thread is not stopped.
    StoppedThread& thread(const ThreadId& id);
    WorkItems itemsOf(const ThreadId& id);
    std::vector<Frame> framesOf(const ThreadId& id);

    /// `type`: the type of the bytes, or null.
    unsigned watch(const std::string& name, std::uint64_t address, std::size_t bytes, const Type* type = nullptr);
    /// In the local memory of the thread's work-group.
    unsigned watchLocal(const std::string& name, const ThreadId& thread, std::uint64_t offset, std::size_t bytes,
                        const Type* type = nullptr);
    void unwatch(unsigned number);
    void unwatchAll();
    /// Whether the device looks at each write; otherwise threads execute one instruction at a time.
    bool watchesItself() const noexcept { return deviceWatches_; }
    const std::vector<Watch>& watches() const noexcept { return watches_; }

  private:
    enum class Waited { stop, answer, nothing, exit, interrupt };

    /// Reads events until a relevant one, up to the time limit.
    Waited wait(std::uint64_t milliseconds);
    Waited digest(const zet_debug_event_t& event);
    void moduleLoaded(const zet_debug_event_t& event);
    void moduleUnloaded(const zet_debug_event_t& event);
    /// Acknowledges the modules that were loaded while the program was stopped, and those that are loaded from now on.
    void letModulesRun();

    /// Interrupts all threads and finds the stopped ones. False if there are none.
    bool haltAll();
    void takeStock();
    void releaseAll();
    /// The same, but for threads whose stops are yet to be reported.
    void releaseUntroubled();

    /// Lets threads go alone that came to breakpoints whose conditions are false, while the others run. Returns
    /// whether no other thread has stopped.
    bool passBy();
    bool passesBy(const ThreadId& id);
    /// The stop that the collected stops amount to; nothing if none is to be reported.
    std::optional<Stop> judge();
    /// The same while a thread steps: what other work-groups came to is printed at once, and reported at the next run.
    std::optional<Stop> judgeWhileStepping(const ThreadId& id);
    /// The next stop that happened together with a reported one for another reason, and is still valid.
    std::optional<Stop> untold();
    /// Says every few seconds how often conditions were false.
    void tellOfPassed();
    void removeTemporaries(const Stop& stop);
    std::optional<Stop> judgeThread(const ThreadId& id);
    std::optional<Stop> judgeBreakpoint(const ThreadId& id, std::uint64_t address);
    /// The first lane for which the condition is true; nothing if there is none.
    std::optional<unsigned> laneFor(const std::string& condition, const ThreadId& id);
    Stop faulted(const ThreadId& id);

    /// Executes one instruction of one thread. Nothing if the thread is then stopped; otherwise the stop to report.
    std::optional<Stop> stepOne(const ThreadId& id);
    std::optional<Stop> stepOverCall(const ThreadId& id, std::uint64_t next);
    Stop stepUntilDone(const ThreadId& id, unsigned lane, Step how, std::size_t frame);
    /// The thread runs on from its registers; with Locking::off all others, too.
    void resumeForStep(const ThreadId& id);
    bool keepsOthers() const noexcept { return locking_ == Locking::on || locking_ == Locking::step; }
    /// Why a thread that runs alone will not stop by itself; nothing if it may, and then it runs on.
    std::optional<Stop> standsStill(const ThreadId& id);
    /// Resumes the thread, alone if the device can do that.
    void runOn(const ThreadId& id);
    /// Waits until the thread has stopped. If it runs alone, resumes the others after `patience` ms, because it may
    /// wait for them.
    std::optional<Stop> waitFor(const ThreadId& id, std::uint64_t patience, bool alone = true);
    Stop stepped(const ThreadId& id, unsigned lane, const std::string& text = "");
    Bytes executed(const ThreadId& id, const PreparedCall& call, std::uint64_t area, const CallCode& code);

    /// While something is watched: every thread one instruction at a time.
    Stop proceedWatching();
    std::optional<Stop> roundOfWatching();
    std::optional<Stop> changed(const ThreadId& id, std::uint64_t address);
    std::string newsOf(const Watch& watch, std::uint64_t address, const Bytes& before, const Bytes& after) const;
    /// Asks the device to look at writes to what is watched.
    void hand();
    /// What the device saw since the last call.
    std::vector<Stop> seenByDevice();
    void requireWatching() const;
    // Of a recorded launch.
    Stop arrivedAt(const ThreadId& id, Stop::Kind kind, const std::string& text);
    void takeStockAgain();
    template <class F>
    Stop travel(const ThreadId& selected, F&& way);
    Stop stepBackFrom(const Moment& present, const ThreadId& id, unsigned lane, Step how, std::size_t frame);
    std::optional<std::uint64_t> lineBefore(const Moment& present, const ThreadId& id, bool over);
    std::optional<std::uint64_t> callBefore(const Moment& present, const ThreadId& id, std::size_t frame);
    Stop proceedBackFrom(const Moment& present, const ThreadId& id);
    Stop repeatToHitFrom(const Moment& from);
    Stop toAccessFrom(const Moment& present, std::uint64_t address, std::size_t bytes,
                      const std::optional<ThreadId>& local, bool reads);
    std::optional<Stop> lastHit(std::uint64_t before, std::uint64_t& time);
    std::optional<ThreadId> ownerOf(const Watch& watch);
    Stop repeatToHit();
    bool stepRecorded(const ThreadId& id);

    /// The current content; nothing if the thread cannot see it.
    std::optional<Bytes> lookAt(const Watch& watch, const ThreadId& id);

    Link& link_;
    Observer observer_;
    const ValueHistory& history_;
    LocationCheck& locations_;
    Memory memory_{link_};
    ModuleList modules_;
    Breakpoints breakpoints_{memory_, modules_};
    DeviceConditions conditions_{link_, breakpoints_, memory_};
    History recorded_{link_};
    Locking locking_ = Locking::untilWaiting;
    bool othersRun_ = false;  ///< while one thread steps
    /// The address and the registers of a thread that runs alone, when it was looked at last.
    std::optional<std::pair<std::uint64_t, Bytes>> seenAlone_;
    std::optional<ThreadId> waiting_;  ///< the thread that was found waiting for others
    ThreadId seen_;                    ///< the thread that was reported last
    bool isPast_ = false;              ///< the launch was taken back, and has not gone on from there
    std::map<ThreadId, std::unique_ptr<StoppedThread>> threads_;
    std::vector<ThreadId> pending_;  ///< stopped by themselves, not evaluated yet
    std::vector<Stop> judged_;       ///< of threads that are not in `pending_` any more
    std::deque<Stop> untold_;        ///< happened together with a reported stop; reported at the next run
    std::set<ThreadId> told_;        ///< of these, what the user has heard of during this step
    std::set<ThreadId> passesOver_;  ///< already reported; the next resume steps over the breakpoint
    std::vector<Watch> watches_;
    unsigned nextWatch_ = 1;
    bool deviceWatches_ = false;
    std::uint64_t passed_ = 0;        ///< breakpoints whose conditions were false, since the program goes on ...
    std::uint64_t passedBefore_ = 0;  ///< ... and those that the device had counted before
    std::chrono::steady_clock::time_point lastNews_;  ///< of them
    std::vector<zet_debug_event_t> heldModules_;      ///< not acknowledged until the user continues
    bool goesOn_ = false;                             ///< the user has continued
    bool exited_ = false;
    bool entered_ = false;
};

}  // namespace zetl::debugger
