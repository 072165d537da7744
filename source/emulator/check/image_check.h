// Finds where kernels read or write texels outside an image, at whole coordinates: OpenCL C does not define what comes
// of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check/finding.h"
#include "emulator/check/findings.h"
#include "emulator/check/observations.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::check {

/// What a launch's driver knows of the images that its kernel was given.
struct GivenImages {
    bool samplers = false;  ///< the kernel has some
    /// "argument 1 (to)" for the image with the state at this offset; empty if that is none.
    std::function<std::string(std::uint32_t)> nameOf;
};

/// One for a machine, as long as that lives. Thread-safe.
///
/// Known limits: blocks of rows are not looked at, for which coordinates outside are defined. Compilers read through
/// constant samplers with the message for reads without one, and rely on zeros outside; so reads of images that are
/// not also written are looked at in kernels without samplers alone.
class ImageCheck final : public machine::ProgramObserver {
  public:
    explicit ImageCheck(machine::Machine& machine);

    std::vector<bool> linesOf(const machine::LoadedProgram& loaded) const override;
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;

    /// What was found in a launch, or in its part on one tile, that has ended.
    std::vector<zetl::check::Finding> take(const machine::Dispatch& dispatch, const SourceOf& source,
                                           const GivenImages& images);
    std::uint64_t takeLost() noexcept { return observations_.takeLost(); }

  private:
    const machine::Memory& memory_;
    Observations observations_;
    std::vector<std::shared_ptr<void>> holds_;  // last: devices report to a whole object
};

}  // namespace zetl::emulator::check
