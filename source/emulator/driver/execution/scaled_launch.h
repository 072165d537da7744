// Implicit scaling: one launch on all tiles of a device.
#pragma once

#include <memory>
#include <vector>

#include "emulator/driver/execution/signal_state.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// Which groups of a grid each tile of the device executes: even parts along its longest dimension, at most one a tile.
/// Parts are never empty, but an empty grid is one empty part.
struct GridPart {
    std::uint32_t tile = 0;  ///< counted from the device's first
    machine::Extent groupCount{};
    machine::Extent firstGroup{};
};
std::vector<GridPart> partsOf(const machine::Extent& groupCount, std::uint32_t tiles);

/// The parts of a launch on their way. A fault in one stops the others, as a fault stops all groups of a launch.
class ScaledLaunch {
  public:
    ScaledLaunch();
    void submit(machine::Tile& tile, machine::Launch launch);
    /// Blocks until all parts are done.
    void wait() const;

    // Once done.
    SignalState::Times times() const;
    /// What came first; none if all parts ran to their end.
    const machine::Fault& fault() const;

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::vector<std::shared_ptr<machine::Dispatch>> parts_;
};

}  // namespace zetl::emulator::driver
