// Implicit scaling: one launch on all tiles of a device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "emulator/driver/execution/signal_state.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// The groups of a grid that one tile of the device executes. The grid is split evenly along its longest dimension,
/// into at most one part per tile. Parts are never empty, except that an empty grid is one empty part.
struct GridPart {
    std::uint32_t tile = 0;  ///< counted from the device's first tile
    machine::Extent groupCount{};
    machine::Extent firstGroup{};
};
std::vector<GridPart> partsOf(const machine::Extent& groupCount, std::uint32_t tiles);

/// The parts of a running launch. A fault in one stops the others, as a fault stops all groups of a launch.
class ScaledLaunch {
  public:
    ScaledLaunch();
    void submit(machine::Tile& tile, machine::Launch launch);
    /// Blocks until all parts are done.
    void wait() const;

    // Only when all parts are done.
    SignalState::Times times() const;
    /// In the time of the timing model.
    std::uint64_t workEnd() const;
    /// The first fault; none if all parts ran to their end.
    const machine::Fault& fault() const;
    std::span<const std::shared_ptr<machine::Dispatch>> parts() const noexcept { return parts_; }

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::vector<std::shared_ptr<machine::Dispatch>> parts_;
};

}  // namespace zetl::emulator::driver
