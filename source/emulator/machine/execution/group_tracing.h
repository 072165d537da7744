// What the threads of a group record for the timing model.
#pragma once

#include <memory>

#include "emulator/machine/model/subslice.h"

namespace zetl::emulator::machine {

class GroupThreads;
class WorkGroup;

/// Does nothing for groups that the model does not follow. Belongs to the group's worker.
class GroupTracing {
  public:
    GroupTracing(const WorkGroup& group, const GroupThreads& threads) : group_(group), threads_(threads) {}

    /// The group starts: whether its threads will record.
    void choose();
    bool records() const noexcept { return trace_ != nullptr; }
    /// Every thread has a state and is before its first instruction.
    void begin();
    /// Gives the model what was recorded.
    void end() noexcept;
    void drop() noexcept;
    /// What the model gets if the group goes on. Null if nothing is recorded.
    std::unique_ptr<GroupTrace> soFar() const;

  private:
    const WorkGroup& group_;
    const GroupThreads& threads_;
    std::unique_ptr<GroupTrace> trace_;
    bool followed_ = false;  ///< the model waits for the group's end
};

}  // namespace zetl::emulator::machine
