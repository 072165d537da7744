#include "emulator/machine/execution/kernel_start.h"

#include "emulator/isa/float_mode.h"
#include "emulator/isa/step.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/execution/active_dispatch.h"
#include "emulator/machine/execution/launch_lanes.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {
namespace {

/// Registers in which a thread may see values of the thread before it; `lanes` as for Program::readFirst().
std::vector<isa::StateSlots::Run> seenAtFirst(const LoadedProgram& loaded, std::uint32_t entry, std::uint32_t lanes) {
    isa::StateSlots seen = loaded.readFirst(entry, lanes);
    seen.keep(loaded.hostWritten());
    seen.add(isa::layout::kControl, 1);  // the machine looks at it, too
    return seen.runs();
}

/// Host code of whole groups runs threads that nobody has placed.
std::shared_ptr<const translate::GroupCode> groupCodeOf(const LoadedProgram& loaded, const Launch& launch,
                                                        isa::Handler entered, bool setsMode) {
    const bool placesEach = launch.preloadBytes != 0 || launch.ownMemoryFill;
    if (placesEach) return nullptr;
    auto code = loaded.groupCode(entryOf(launch), fullLanes(launch), entered);
    return code && code->setsMode && !setsMode ? nullptr : code;
}

}  // namespace

KernelStart::KernelStart(const ActiveDispatch& dispatch, const LoadedProgram& loaded, std::uint64_t version)
    : program(loaded),
      codeVersion(version),
      translations(loaded.translations()),
      entry(isa::entryOf(*loaded.program, entryOf(dispatch.launch()),
                         lanesOf(dispatch.launch(), dispatch.groupItems(), 0))),
      registers(seenAtFirst(loaded, entryOf(dispatch.launch()),
                            dispatch.groupItems() < dispatch.launch().simd ? 0 : fullLanes(dispatch.launch()))),
      registersOfLast(
          seenAtFirst(loaded, entryOf(dispatch.launch()), commonLanes(dispatch.launch(), dispatch.groupItems()))),
      setsMode(isa::setsFloatModeFirst(*loaded.program, entryOf(dispatch.launch()))),
      groupCode(groupCodeOf(loaded, dispatch.launch(), entry.pc->handler(), setsMode)) {}

bool KernelStart::holds(const LoadedProgram& loaded, std::uint64_t version) const noexcept {
    return &program == &loaded && codeVersion == version && translations == loaded.translations();
}

}  // namespace zetl::emulator::machine
