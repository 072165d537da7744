// Threads of a group in an order that a seed decides.
#pragma once

#include <cstdint>

#include "emulator/machine/execution/by_thread.h"

namespace zetl::emulator::machine {

/// In each round the threads take their turns in another order, and each of them for a number of instructions of its
/// own, so that they overtake each other also where nothing makes them wait.
class Shuffled final : public ByThread {
  public:
    Shuffled(WorkGroup& group, GroupThreads& threads) : ByThread(group, threads, EndedState::kept) {}

    void round(GroupRound& round) override;

  private:
    bool isAble(std::uint32_t index) const noexcept;

    std::uint64_t rounds_ = 0;  // of all groups of this place
};

}  // namespace zetl::emulator::machine
