// The ways in which the groups of a place can run, and the choice among them.
#pragma once

#include "emulator/machine/execution/by_thread.h"
#include "emulator/machine/execution/in_company.h"
#include "emulator/machine/execution/in_one_state.h"
#include "emulator/machine/execution/lane.h"
#include "emulator/machine/execution/shuffled.h"
#include "emulator/machine/execution/together.h"

namespace zetl::emulator::machine {

/// Belongs to the place's worker.
class GroupRuns {
  public:
    GroupRuns(WorkGroup& group, GroupThreads& threads);

    /// Chooses for the group that begins.
    void choose() { run_ = &fitting(); }
    /// A group whose threads wait for each other, and which began without host code that knows how, goes on in it as
    /// soon as there is some. Between rounds.
    void reconsider() {
        if (lane_.wasLeft()) joinCompany();
    }
    GroupRun* operator->() const noexcept { return run_; }
    /// Its threads all have a state from the beginning: a debugger or the timing model looks at them, or their turns
    /// are shuffled.
    bool isFollowed() const noexcept { return run_ == &followed_ || run_ == &shuffled_; }
    void giveBack(Worker& worker) noexcept { lane_.giveBack(worker); }

  private:
    GroupRun& fitting();
    void joinCompany();

    WorkGroup& group_;
    GroupThreads& threads_;
    Lane lane_;
    ByThread followed_;
    ByThread byThread_;
    InOneState inOneState_;
    Together together_;
    InCompany inCompany_;
    Shuffled shuffled_;
    GroupRun* run_ = &byThread_;
};

}  // namespace zetl::emulator::machine
