// The counters of a device for all processes of the user that use it.
#pragma once

#include <memory>

#include "emulator/machine/machine.h"

namespace zetl::emulator::peers {

/// What this process and the others have counted since somebody in this process began to read the device. Others count
/// while the object lives; their counts are at most about a millisecond old and exact when nothing runs, and of a
/// killed process those remain that it published. What a process did before it was asked is not there. Thread-safe; of
/// no use in a forked child.
class WholeDevice {
  public:
    /// The same for everybody in the process. Returns when all others count, or after a fifth of a second; where
    /// processes cannot meet, with this process alone and a line in the log.
    static std::shared_ptr<WholeDevice> of(machine::Device& device);
    virtual ~WholeDevice() = default;
    WholeDevice(const WholeDevice&) = delete;
    WholeDevice& operator=(const WholeDevice&) = delete;

    /// As Tile::counters(). Work of several processes at the same time adds up in the core clock, as if one had
    /// followed the other.
    virtual machine::Snapshot counters(std::uint32_t tile) = 0;

  protected:
    WholeDevice() = default;
};

}  // namespace zetl::emulator::peers
