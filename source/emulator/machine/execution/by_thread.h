// Threads of a group one by one, each in a state of its own.
#pragma once

#include "emulator/machine/execution/group_run.h"

namespace zetl::emulator::machine {

/// What becomes of the state of a thread that has ended.
enum class EndedState : std::uint8_t {
    kept,       ///< for the next thread in its slot, or because somebody follows the group
    givenBack,  ///< to the worker, which gives it to another thread
};

/// The way of every group that has no better one: it waits in ways that host code does not know, or a debugger or the
/// timing model follows it.
class ByThread : public GroupRun {
  public:
    ByThread(WorkGroup& group, GroupThreads& threads, EndedState ended)
        : group_(group), threads_(threads), ended_(ended) {}

    void round(GroupRound& round) override;
    void prepareRest(Worker& worker) override;
    void end(HardwareThread& thread, Worker& worker) override;

  protected:
    /// Runs a thread that has not ended, or several from it on. Returns the next one.
    virtual std::uint32_t run(GroupRound& round, std::uint32_t index);
    /// Puts the state at the beginning of thread `index`.
    virtual void prepare(HardwareThread& thread, std::uint32_t index, std::uint64_t codeVersion);

    WorkGroup& group_;
    GroupThreads& threads_;

  private:
    void prepareOne(Worker& worker, std::uint32_t index, std::uint64_t codeVersion);
    void execute(GroupRound& round, HardwareThread& thread);

    const EndedState ended_;
};

}  // namespace zetl::emulator::machine
