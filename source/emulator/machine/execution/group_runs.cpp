#include "emulator/machine/execution/group_runs.h"

#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"

namespace zetl::emulator::machine {

GroupRuns::GroupRuns(WorkGroup& group, GroupThreads& threads)
    : group_(group),
      threads_(threads),
      lane_(group, threads),
      followed_(group, threads, EndedState::kept),
      byThread_(group, threads, EndedState::givenBack),
      inOneState_(group, threads, lane_),
      together_(group, threads, lane_),
      inCompany_(group, threads),
      shuffled_(group, threads) {}

// Threads that need not live at the same time are prepared when it is their turn, mostly in the state that the one
// before left in the cache. A reader of threads from outside finds a state for each that has not ended.
GroupRun& GroupRuns::fitting() {
    if (group_.isModelled()) return followed_;
    if (group_.tile().scheduler().order().isShuffled())
        return shuffled_;  // for a debugger and a recorded launch, too: they see the same turns
    if (group_.tile().isDebugged() || group_.tile().scheduler().history() != nullptr) return followed_;
    if (!lane_.wasLeft() && group_.dispatch().launch().recordFrom == 0) {
        if (lane_.knowsGroupCode()) return together_;
        return inOneState_;
    }
    if (inCompany_.isPossible()) return inCompany_;
    return byThread_;
}

void GroupRuns::joinCompany() {
    if (isFollowed() || run_ == &inCompany_ || !inCompany_.isPossible()) return;
    if (threads_.live() != firstThreads(threads_.count()) || threads_.unprepared() != 0) return;
    inCompany_.takeOver();
    run_ = &inCompany_;
}

}  // namespace zetl::emulator::machine
