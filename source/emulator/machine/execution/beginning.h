// How threads of a launch begin in the state of one that has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/isa/entry.h"
#include "emulator/isa/state_slots.h"

namespace zetl::emulator::translate {
struct GroupCode;
}

namespace zetl::emulator::machine {

class WorkGroup;
class GroupThreads;
struct HardwareThread;
struct LoadedProgram;

/// Learned once for all threads of a place, and again if the code is changed or translated. Belongs to the place's
/// worker.
class Beginning {
  public:
    Beginning(WorkGroup& group, GroupThreads& threads) : group_(group), threads_(threads) {}

    void learn(const LoadedProgram& loaded, std::uint64_t codeVersion);
    /// It was learned, though the code may have changed since.
    bool isKnown() const noexcept { return entry_.program != nullptr; }
    /// The state is as a thread of this launch left it, and what is known of how they begin holds.
    bool fits(const HardwareThread& thread, std::uint64_t codeVersion) const;
    /// Puts a state that fits at the beginning of thread `index`.
    void apply(HardwareThread& thread, std::uint32_t index) const;

    /// They set the floating-point mode before they compute with it.
    bool setsMode() const noexcept { return setsMode_; }
    bool isOf(const isa::Thread& thread) const noexcept { return entry_.isOf(thread); }
    /// Code for all threads of a group together; null: there is none.
    const translate::GroupCode* group() const noexcept { return groupCode_.get(); }
    /// Whether somebody watches lines, so that threads must not enter group().
    bool isWatched() const noexcept;
    /// Whether the code is what it was.
    bool isCurrent() const noexcept;

  private:
    WorkGroup& group_;
    GroupThreads& threads_;
    isa::Entry entry_;
    // To be cleared, unless the other strayed: by threads with as many lanes as the first, and by one with fewer.
    std::vector<isa::StateSlots::Run> registers_;
    std::vector<isa::StateSlots::Run> registersOfLast_;
    std::uint32_t translations_ = 0;
    std::uint64_t codeVersion_ = 0;
    bool setsMode_ = false;
    std::shared_ptr<const translate::GroupCode> groupCode_;
};

}  // namespace zetl::emulator::machine
