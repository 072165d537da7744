// Threads of a group one after the other in one state, as long as they end.
#pragma once

#include "emulator/machine/execution/by_thread.h"

namespace zetl::emulator::machine {

class Lane;

/// A thread that stops before its end takes the state with it, and goes on by itself.
class InOneState : public ByThread {
  public:
    InOneState(WorkGroup& group, GroupThreads& threads, Lane& lane)
        : ByThread(group, threads, EndedState::givenBack), lane_(lane) {}

    void round(GroupRound& round) override;

  protected:
    std::uint32_t run(GroupRound& round, std::uint32_t index) override;

    Lane& lane_;
};

}  // namespace zetl::emulator::machine
