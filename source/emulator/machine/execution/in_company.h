// Threads of a group that meet at barriers: host code goes from one straight to the next.
#pragma once

#include "emulator/isa/company.h"
#include "emulator/machine/execution/beginning.h"
#include "emulator/machine/execution/by_thread.h"

namespace zetl::emulator::machine {

/// Each thread has a state, which the thread in the same slot of the next group takes over. While a debugger looks at
/// them, they run one by one.
class InCompany final : public ByThread {
  public:
    InCompany(WorkGroup& group, GroupThreads& threads)
        : ByThread(group, threads, EndedState::kept), beginning_(group, threads) {}

    /// Whether there is host code of the launch that knows how its threads wait for each other.
    bool isPossible() const noexcept;
    /// Takes over a group of which all threads have begun and none has ended. What they wrote by steps is cleared when
    /// their states are given to others.
    void takeOver();

    void round(GroupRound& round) override;

  protected:
    void prepare(HardwareThread& thread, std::uint32_t index, std::uint64_t codeVersion) override;

  private:
    bool mayGoOnAlone() const noexcept;
    void gather(GroupRound& round);

    Beginning beginning_;
    isa::Company company_;
};

}  // namespace zetl::emulator::machine
