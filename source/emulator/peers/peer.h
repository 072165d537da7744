// Another process that counts on a device, as its reader sees it.
#pragma once

#include <memory>
#include <optional>

#include "emulator/peers/device_counts.h"
#include "emulator/peers/introduction.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {

/// May be anybody of the same user: what it says is bounded, never goes back, and is added up and nothing else. Not
/// thread-safe.
class Peer {
  public:
    explicit Peer(FileDescriptor socket) noexcept : socket_(std::move(socket)) {}

    int socket() const noexcept { return socket_.get(); }
    /// Its pid, as this process knows it; 0: it has none here.
    pid_t process() const noexcept;
    bool introduced() const noexcept { return seen_.has_value(); }

    /// Something happened on the connection. False: it is over; what was counted until then stays.
    bool serve();
    /// Adds what it has counted since the last time, or since it was asked. False: it is no counter's value; what was
    /// added before stays.
    bool addTo(DeviceCounts& sum) noexcept;

  private:
    endpoint::UnsharedDescriptor socket_;
    std::optional<Introduced> seen_;
    DeviceCounts counted_{};  ///< all that was added
};

}  // namespace zetl::emulator::peers
