// Threads of groups that run straight through: many of them by one call of host code.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/machine/execution/in_one_state.h"

namespace zetl::emulator::isa {
struct Thread;
}

namespace zetl::emulator::translate {
struct GroupWork;
}

namespace zetl::emulator::machine {

/// Host code runs all threads of a group that have all lanes on, and groups behind it, if there is such code
/// (translate::GroupCode). A thread that it refuses begins by the program's steps.
class Together final : public InOneState {
  public:
    using InOneState::InOneState;

    bool takesSeveral() const noexcept override;
    void runTaken(Worker& worker, std::int64_t& budget) override;

  protected:
    std::uint32_t run(GroupRound& round, std::uint32_t index) override;

  private:
    std::uint32_t runFrom(GroupRound& round, std::uint32_t index);
    bool runsWhole(const Worker& worker) const;
    bool isUndisturbed() const noexcept;
    std::uint32_t groupsAtOnce(std::int64_t workOfEach) const noexcept;
    translate::GroupWork call(translate::GroupWork work);
    translate::GroupWork callObserved(translate::GroupWork work);
    translate::GroupWork runAll(translate::GroupWork work);
    isa::Thread& begin(std::uint32_t index);
    std::uint32_t passing(const translate::GroupWork& work, std::uint32_t threads);
    void goOnIn(Worker& worker, std::uint32_t first);

    std::vector<std::uint64_t> addresses_;  // of accesses that were foreseen
    std::uint32_t refusals_ = 0;            // how often in a row the group's code did not do all
};

}  // namespace zetl::emulator::machine
