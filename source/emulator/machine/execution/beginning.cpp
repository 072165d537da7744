#include "emulator/machine/execution/beginning.h"

#include "emulator/isa/step.h"
#include "emulator/machine/execution/launch_lanes.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {

/// Many places learn at the same time when a launch begins, and what the program keeps for them is behind a lock.
void Beginning::learn(const LoadedProgram& loaded, std::uint64_t codeVersion) {
    if (isKnown() && start_->holds(loaded, codeVersion)) return;
    start_ = group_.dispatch().start.get();
    if (start_ != nullptr && start_->holds(loaded, codeVersion)) return;
    own_ = std::make_unique<const KernelStart>(group_.dispatch(), loaded, codeVersion);
    start_ = own_.get();
}

bool Beginning::fits(const HardwareThread& thread, std::uint64_t codeVersion) const {
    return thread.group == &group_ && thread.codeVersion == codeVersion && thread.onlyProgram && isKnown() &&
           start_->codeVersion == codeVersion && thread.loaded->translations() == start_->translations;
}

void Beginning::apply(HardwareThread& thread, std::uint32_t index) const {
    if (thread.state.strayed) thread.state.reset(thread.dirty);
    thread.state.strayed = false;
    const std::uint32_t lanes = lanesOf(group_.dispatch().launch(), group_.dispatch().groupItems(), index);
    const bool likeFirst = lanes == start_->entry.lanes;
    isa::restart(thread.state, start_->entry, lanes, likeFirst ? start_->registers : start_->registersOfLast);
    threads_.place(thread, index);
}

bool Beginning::isWatched() const noexcept { return start_->entry.pc->handler() != group()->entered; }

bool Beginning::isCurrent() const noexcept { return start_->codeVersion == threads_.codeVersion(); }

}  // namespace zetl::emulator::machine
