#include "emulator/machine/execution/beginning.h"

#include "emulator/isa/float_mode.h"
#include "emulator/isa/step.h"
#include "emulator/machine/execution/launch_lanes.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {
namespace {

/// Registers in which a thread may see values of the thread before it; `lanes` as for Program::readFirst().
isa::StateSlots seenAtFirst(const LoadedProgram& loaded, std::uint32_t entry, std::uint32_t lanes) {
    isa::StateSlots seen = loaded.readFirst(entry, lanes);
    seen.keep(loaded.hostWritten());
    seen.add(isa::layout::kControl, 1);  // the machine looks at it, too
    return seen;
}

}  // namespace

void Beginning::learn(const LoadedProgram& loaded, std::uint64_t codeVersion) {
    const bool known = codeVersion_ == codeVersion && translations_ == loaded.translations();
    if (known && isKnown()) return;
    const Launch& launch = group_.dispatch().launch();
    const std::uint32_t items = group_.dispatch().groupItems();
    const std::uint32_t entry = launch.kernelOffset + launch.entryOffset;
    codeVersion_ = codeVersion;
    translations_ = loaded.translations();
    entry_ = isa::entryOf(*loaded.program, entry, lanesOf(launch, items, 0));
    registers_ = seenAtFirst(loaded, entry, items < launch.simd ? 0 : fullLanes(launch)).runs();
    registersOfLast_ = seenAtFirst(loaded, entry, commonLanes(launch, items)).runs();
    setsMode_ = isa::setsFloatModeFirst(*loaded.program, entry);
    // Host code of whole groups runs threads that nobody has placed.
    const bool placesEach = launch.preloadBytes != 0 || launch.ownMemoryFill;
    groupCode_ = placesEach ? nullptr : loaded.groupCode(entry, fullLanes(launch), entry_.pc->handler());
    if (groupCode_ && groupCode_->setsMode && !setsMode_) groupCode_.reset();
}

bool Beginning::fits(const HardwareThread& thread, std::uint64_t codeVersion) const {
    return thread.group == &group_ && thread.codeVersion == codeVersion && codeVersion_ == codeVersion &&
           thread.onlyProgram && isKnown() && thread.loaded->translations() == translations_;
}

void Beginning::apply(HardwareThread& thread, std::uint32_t index) const {
    if (thread.state.strayed) thread.state.reset(thread.dirty);
    thread.state.strayed = false;
    const std::uint32_t lanes = lanesOf(group_.dispatch().launch(), group_.dispatch().groupItems(), index);
    isa::restart(thread.state, entry_, lanes, lanes == entry_.lanes ? registers_ : registersOfLast_);
    threads_.place(thread, index);
}

bool Beginning::isWatched() const noexcept { return entry_.pc->handler() != groupCode_->entered; }

bool Beginning::isCurrent() const noexcept { return codeVersion_ == threads_.codeVersion(); }

}  // namespace zetl::emulator::machine
