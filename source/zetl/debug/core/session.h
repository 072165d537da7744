// All that a front end works with: the debuggee, its runs and stops, and what the user has selected.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/debuggee.h"
#include "core/level_zero.h"
#include "core/run_control.h"
#include "core/source_text.h"

namespace zetl::debugger {

struct Options {
    ProgramStart program;                  ///< no words: none
    std::uint32_t pid = 0;                 ///< attach to it; 0: start the program
    std::size_t device = 0;                ///< index among those that can be debugged
    std::vector<std::string> directories;  ///< with sources
    /// How a process is reached, in place of the devices of the loader; null: it is not there.
    std::function<std::unique_ptr<Link>(std::uint32_t pid)> link = nullptr;
};

class Session {
  public:
    Session(Options options, Observer observer);
    ~Session();

    const Options& options() const noexcept { return options_; }
    bool isAlive() const noexcept { return debuggee_.has_value(); }
    pid_t pid() const noexcept { return debuggee_ ? debuggee_->pid() : 0; }
    Debuggee* debuggee() noexcept { return debuggee_ ? &*debuggee_ : nullptr; }
    RunControl& control() noexcept { return *control_; }
    SourceText& source() noexcept { return source_; }
    const std::vector<Device>& devices();
    const Link& link() const noexcept { return *link_; }

    /// What start() starts; `variables` in addition to what this process gives it. An empty directory is this one's.
    void setProgram(std::vector<std::string> words, std::string directory,
                    const std::vector<std::pair<std::string, std::string>>& variables);
    /// Of the same program, from the next start on.
    void setArguments(const std::vector<std::string>& arguments);
    /// Starts the program and attaches as soon as it can be. False: the program ended, or the user did not want to
    /// wait; nothing is debugged then.
    bool start();
    /// Throws Failure if the process cannot be debugged.
    void attach(std::uint32_t pid);
    /// Lets the debuggee run on, without us.
    void detach();
    void kill();
    /// Of the program that ended last.
    int exitCode() const noexcept { return exitCode_; }

    /// Runs; selects what stopped, and notices the end.
    Stop proceed() { return arrived(control_->proceed()); }
    Stop interrupt() { return arrived(control_->interrupt()); }
    Stop step(Step how) { return arrived(control_->step(thread(), lane_, how, frame_)); }

    // What the user has selected. Throw Failure if nothing is, or it does not stand still.
    const ThreadId& thread() const;
    unsigned lane() const noexcept { return lane_; }
    std::size_t frameNumber() const noexcept { return frame_; }
    void select(const ThreadId& thread);
    void selectLane(unsigned lane);
    void selectFrame(std::size_t number);
    /// The thread and lane of a work-item by its global id; false if it does not stand still anywhere.
    bool selectItem(const Triple& global);
    const std::vector<Frame>& frames();
    const Frame& frame() { return frames().at(frame_); }
    /// What is kept of it stays as it is when the debuggee ends.
    ValueHistory& history() noexcept { return history_; }
    Inspector inspector() { return inspectorOf(frame()); }
    /// Of a frame of the selected thread.
    Inspector inspectorOf(const Frame& frame);
    const WorkItems& items();
    /// The file of the selected frame.
    std::string file();

  private:
    /// Null, with the reason, if the process cannot be debugged.
    std::unique_ptr<Link> reach(std::uint32_t pid, ze_result_t& result);
    void open(Debuggee debuggee, std::unique_ptr<Link> link);
    /// `kills`: the program that was started here is ended.
    void close(bool kills = false);
    Stop arrived(Stop stop);
    Observer observed() const;

    Options options_;
    Observer observer_;
    std::unique_ptr<LevelZero> levelZero_;
    std::optional<Debuggee> debuggee_;
    ValueHistory history_;
    std::unique_ptr<Link> link_;
    std::unique_ptr<RunControl> control_;
    SourceText source_;
    int exitCode_ = 0;

    std::optional<ThreadId> thread_;
    unsigned lane_ = 0;
    std::size_t frame_ = 0;
    std::vector<Frame> frames_;  ///< of the selected thread, when they were asked for
    std::optional<WorkItems> items_;
};

}  // namespace zetl::debugger
