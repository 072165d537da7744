// The state that threads of a place take over from each other.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/machine/execution/beginning.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::machine {

struct Worker;

/// Most threads end without waiting for others: these share one state, which keeps what is the same for all during a
/// worker's turn. A thread that does not end takes the state with it. Belongs to the place's worker.
class Lane {
  public:
    Lane(WorkGroup& group, GroupThreads& threads) : group_(group), threads_(threads), beginning_(group, threads) {}

    /// Whether there is host code for all threads of a group together, as far as its last thread knew.
    bool knowsGroupCode();

    /// Whether its state is as a thread of this turn left it.
    bool fits(const Worker& worker) const;
    /// Puts its state, a fresh one if it must be, at the beginning of thread `index`.
    isa::Thread& begin(Worker& worker, std::uint32_t index);
    /// The same with a state that fits.
    isa::Thread& beginAgain(std::uint32_t index);
    /// For the thread that has begun and does not end.
    std::unique_ptr<HardwareThread> leave() noexcept;
    /// A thread stopped before its end: others of the dispatch will.
    bool wasLeft() const noexcept { return wasLeft_; }

    /// Counts what its threads moved so far.
    void countTraffic() noexcept;
    void giveBack(Worker& worker) noexcept;
    const Beginning& beginning() const noexcept { return beginning_; }

  private:
    WorkGroup& group_;
    GroupThreads& threads_;
    Beginning beginning_;
    std::unique_ptr<HardwareThread> state_;
    bool wasLeft_ = false;
};

}  // namespace zetl::emulator::machine
