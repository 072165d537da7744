// The counters of a device for all processes of the user that use it.
#pragma once

#include <memory>

#include "emulator/machine/machine.h"

namespace zetl::emulator::peers {

/// The counts of this process and of the others since this process began to read the device. The others count while the
/// object lives; their counts are at most about a millisecond old, and exact when nothing runs. The counts that a
/// killed process has published remain. Work of a process before it was asked to count is not included. Thread-safe;
/// not usable in a forked child.
class WholeDevice {
  public:
    /// All callers in the process get the same object. Returns when all other processes count, or after a fifth of a
    /// second. If processes cannot meet, it logs a line and counts this process alone.
    static std::shared_ptr<WholeDevice> of(machine::Device& device);
    virtual ~WholeDevice() = default;
    WholeDevice(const WholeDevice&) = delete;
    WholeDevice& operator=(const WholeDevice&) = delete;

    /// Like Tile::counters(). Work of several processes at the same time adds up in the core clock, as if one had
    /// followed the other. `since`: device ticks of the caller's reading before. If several later moments are known at
    /// which modelled work was settled, it answers with the first of them, with Snapshot::more.
    virtual machine::Snapshot counters(std::uint32_t tile, std::uint64_t since) = 0;

  protected:
    WholeDevice() = default;
};

}  // namespace zetl::emulator::peers
