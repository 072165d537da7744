// Another process that samples on a device, from its reader's point of view.
#pragma once

#include <map>
#include <optional>

#include "emulator/machine/profile.h"
#include "emulator/peers/introduction.h"
#include "emulator/peers/meeting_place.h"
#include "emulator/peers/shared_stalls.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {

/// Cycles by the address of the instruction.
using StallsOfTile = std::map<std::uint64_t, machine::StallCycles>;
/// By tile; those that the device lacks stay empty.
using DeviceStalls = std::array<StallsOfTile, machine::kMaxTiles>;

/// It may be any process of the same user: its values are bounded, never decrease, and are only added up. Not
/// thread-safe.
class SampledPeer {
  public:
    /// Addresses of a tile for which there is room, of all processes.
    static constexpr std::size_t kMostAddresses = std::size_t{1} << 20;

    explicit SampledPeer(FileDescriptor socket) noexcept : socket_(std::move(socket)) {}

    int socket() const noexcept { return socket_.get(); }
    pid_t process() const noexcept { return processAt(socket()); }
    bool introduced() const noexcept { return seen_.has_value(); }

    /// Handles an event on the connection. Returns false if the connection is over.
    bool serve();
    /// Adds what was published since the last time. Returns false if that makes no sense; what was added before stays.
    bool addTo(DeviceStalls& sum);

  private:
    endpoint::UnsharedDescriptor socket_;
    std::optional<SeenStalls> seen_;
    std::vector<StallRow> growth_;
};

}  // namespace zetl::emulator::peers
