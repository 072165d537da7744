// How threads of a launch begin in the state of one that has ended.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/machine/execution/kernel_start.h"

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
    bool isKnown() const noexcept { return start_ != nullptr; }
    /// The state is as a thread of this launch left it, and what is known of how they begin holds.
    bool fits(const HardwareThread& thread, std::uint64_t codeVersion) const;
    /// Puts a state that fits at the beginning of thread `index`.
    void apply(HardwareThread& thread, std::uint32_t index) const;

    // Once it is known, except for group(), which is null before.

    bool setsMode() const noexcept { return start_->setsMode; }
    bool isOf(const isa::Thread& thread) const noexcept { return start_->entry.isOf(thread); }
    const translate::GroupCode* group() const noexcept { return isKnown() ? start_->groupCode.get() : nullptr; }
    /// Whether somebody watches lines, so that threads must not enter group().
    bool isWatched() const noexcept;
    /// Whether the code is what it was.
    bool isCurrent() const noexcept;

  private:
    WorkGroup& group_;
    GroupThreads& threads_;
    const KernelStart* start_ = nullptr;  // the launch's, or its own
    std::unique_ptr<const KernelStart> own_;
};

}  // namespace zetl::emulator::machine
