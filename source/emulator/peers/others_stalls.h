// Where threads of other processes of the user wait on a device.
#pragma once

#include <memory>

#include "emulator/machine/machine.h"
#include "emulator/peers/sampled_peer.h"

namespace zetl::emulator::peers {

/// The others sample while the object lives; what an ended or killed process has published remains. Thread-safe; not
/// usable in a forked child.
class OthersStalls {
  public:
    /// All callers in the process get the same object. Returns when all other processes sample, or after a fifth of a
    /// second. If processes cannot meet, it logs a line and there is nothing of others.
    static std::shared_ptr<OthersStalls> of(machine::Device& device);
    virtual ~OthersStalls() = default;
    OthersStalls(const OthersStalls&) = delete;
    OthersStalls& operator=(const OthersStalls&) = delete;

    /// Adds all cycles since the object was made. The same address of several processes is one.
    virtual void addTo(StallsOfTile& sum, std::uint32_t tile) = 0;

  protected:
    OthersStalls() = default;
};

}  // namespace zetl::emulator::peers
