// The state behind a front end: the debuggee, its runs and stops, and the user's selection.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/debuggee.h"
#include "core/failure.h"
#include "core/level_zero.h"
#include "core/run_control.h"
#include "core/source_text.h"

namespace zetl::debugger {

/// How a program ended, and what it printed.
struct ProgramEnd {
    int code = 0;
    std::string output{};
};

struct Options {
    ProgramStart program;                  ///< without words there is no program
    std::uint32_t pid = 0;                 ///< attach to it; 0: start the program
    std::size_t device = 0;                ///< index among those that can be debugged
    bool allDevices = false;               ///< all of those, in one session
    std::vector<std::string> directories;  ///< directories with sources
    /// What a person should know of a run that ends in another way than an earlier one; empty: it does not.
    std::function<std::string(const ProgramEnd& expected, const ProgramEnd& found)> differenceOf = nullptr;
    /// Replaces the loader's devices. Returns null if the process cannot be reached.
    std::function<std::unique_ptr<Link>(std::uint32_t pid)> link = nullptr;
};

inline constexpr const char* kNothingDebugged = "nothing is being debugged; type run or attach PID";

class Session {
  public:
    Session(Options options, Observer observer);
    ~Session();

    const Options& options() const noexcept { return options_; }
    bool isAlive() const noexcept { return debuggee_.has_value(); }
    /// The process that is debugged: the program, or the first of its children that uses a device.
    pid_t pid() const noexcept { return debuggee_ ? attached_ : 0; }
    Debuggee* debuggee() noexcept { return debuggee_ ? &*debuggee_ : nullptr; }
    RunControl& control() noexcept { return *control_; }
    SourceText& source() noexcept { return source_; }
    LocationCheck& locations() noexcept { return locations_; }
    const std::vector<Device>& devices();
    const Link& link() const noexcept { return *link_; }

    /// Sets the program of start(). `variables` are added to this process's environment. An empty directory means the
    /// current one.
    void setProgram(std::vector<std::string> words, std::string directory,
                    const std::vector<std::pair<std::string, std::string>>& variables);
    /// Adds variables to the environment of the same program, from the next start on.
    void setVariables(const std::vector<std::pair<std::string, std::string>>& variables);
    /// Sets the arguments of the same program, from the next start on.
    void setArguments(const std::vector<std::string>& arguments);
    /// Starts the program and attaches as soon as possible. False if the program ended or the user interrupted; then
    /// nothing is debugged.
    bool start();
    /// The user interrupted the last start().
    bool wasInterrupted() const noexcept { return wasInterrupted_; }
    /// Throws Failure if the process cannot be debugged.
    void attach(std::uint32_t pid);
    /// Detaches; the debuggee runs on.
    void detach();
    void kill();
    /// The exit code of the program that ended last.
    int exitCode() const noexcept { return exitCode_; }
    /// What the program has printed since the last call, if its output is captured or kept; also after its end.
    std::string output();

    /// From the next start on, work-groups and threads run in this order (ZETL_EMULATOR_ORDER); empty: in the usual
    /// one.
    void setSchedule(const std::string& schedule);
    std::string schedule() const;
    /// From the next start on, output() has all that the program prints, and its addresses are the same in each run.
    void keepOutput(bool keeps) noexcept { options_.program.keepsOutput = options_.program.hasFixedAddresses = keeps; }
    bool keepsOutput() const noexcept { return options_.program.keepsOutput; }

    /// Runs the debuggee, and selects the thread that stopped.
    Stop proceed() {
        const bool isAlone = locking_ == Locking::on && thread_ && control_->stopped();
        return moved([&] { return isAlone ? control_->proceedAlone(*thread_) : control_->proceed(); });
    }
    Stop interrupt() { return arrived(control_->interrupt()); }
    /// Which other threads run while the selected one steps or goes on. Throws Failure if the device cannot do that.
    void setLocking(Locking locking);
    Locking locking() const noexcept { return locking_; }
    Stop step(Step how) {
        return moved([&] { return control_->step(thread(), lane_, how, frame_); });
    }

    /// If the debuggee has ended while its threads stood, for instance by a signal: that is why requests fail.
    std::optional<Stop> endSince();

    // In a recorded launch (RunControl).
    Stop stepBack(Step how) {
        return moved([&] { return control_->stepBack(thread(), lane_, how, frame_); });
    }
    Stop proceedBack() {
        return moved([&] { return control_->proceedBack(thread()); });
    }
    Stop toBeginning() {
        return moved([&] { return control_->toBeginning(thread()); });
    }
    Stop toPresent() {
        return moved([&] { return control_->toPresent(thread()); });
    }
    Stop toAccess(std::uint64_t address, std::size_t bytes, bool isLocal, bool reads) {
        const auto local = [&] { return isLocal ? std::optional(thread()) : std::nullopt; };
        return moved([&] { return control_->toAccess(thread(), address, bytes, local(), reads); });
    }
    /// From the next start on, launches are recorded.
    void record();
    bool records() const noexcept;

    // The user's selection. Throw Failure if there is none, or it is not stopped.
    const ThreadId& thread() const;
    unsigned lane() const noexcept { return lane_; }
    std::size_t frameNumber() const noexcept { return frame_; }
    void select(const ThreadId& thread);
    void selectLane(std::uint64_t lane);
    void selectFrame(std::size_t number);
    /// Selects a work-item by its global id; false if no stopped thread has it.
    bool selectItem(const Triple& global);
    const std::vector<Frame>& frames();
    const Frame& frame() { return frames().at(frame_); }
    /// Its values outlive the debuggee.
    ValueHistory& history() noexcept { return history_; }
    Inspector inspector() { return inspectorOf(frame()); }
    /// For a frame of the selected thread. `calls`: expressions may call functions of the program.
    Inspector inspectorOf(const Frame& frame, bool calls = true);
    const WorkItems& items();
    /// The file of the selected frame.
    std::string file();

  private:
    /// Null, with the reason, if the process cannot be debugged.
    std::unique_ptr<Link> reach(std::uint32_t pid, ze_result_t& result);
    /// What is to be debugged of them.
    std::vector<Device> chosenDevices();
    std::unique_ptr<Link> reachFamily(const Debuggee& debuggee);
    void open(Debuggee debuggee, std::unique_ptr<Link> link);
    /// `kills`: end the program if it was started here.
    void close(bool kills = false);
    Stop arrived(Stop stop);
    /// Of a function of the program, by the selected work-item.
    Value called(const Frame& frame, const std::string& name, const std::vector<Value>& arguments);
    /// What came of a request, which the end of the debuggee lets fail.
    template <class F>
    Stop moved(F&& request) {
        try {
            return arrived(request());
        } catch (const Failure&) {
            if (const auto end = endSince()) return *end;
            throw;
        }
    }
    Observer observed() const;

    Options options_;
    Observer observer_;
    std::unique_ptr<LevelZero> levelZero_;
    std::optional<Debuggee> debuggee_;
    ValueHistory history_;
    SourceText source_;
    LocationCheck locations_{source_};
    std::unique_ptr<Link> link_;
    std::unique_ptr<RunControl> control_;
    int exitCode_ = 0;
    bool wasInterrupted_ = false;
    pid_t attached_ = 0;
    std::string lastOutput_;  ///< of the program that ended last

    Locking locking_ = Locking::untilWaiting;
    std::optional<ThreadId> thread_;
    unsigned lane_ = 0;
    std::size_t frame_ = 0;
    std::vector<Frame> frames_;  ///< of the selected thread, once requested
    std::optional<WorkItems> items_;
};

}  // namespace zetl::debugger
