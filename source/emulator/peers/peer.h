// Another process that counts on a device, from its reader's point of view.
#pragma once

#include <memory>
#include <optional>

#include "emulator/peers/device_counts.h"
#include "emulator/peers/introduction.h"
#include "emulator/peers/meeting_place.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {

/// It may be any process of the same user: its values are bounded, never decrease, and are only added up. Not
/// thread-safe.
class Peer {
  public:
    explicit Peer(FileDescriptor socket) noexcept : socket_(std::move(socket)) {}

    int socket() const noexcept { return socket_.get(); }
    pid_t process() const noexcept { return processAt(socket()); }
    bool introduced() const noexcept { return seen_.has_value(); }
    const DeviceCounts& counted() const noexcept { return counted_; }

    /// Handles an event on the connection. Returns false if the connection is over; the counts until then stay.
    bool serve();
    /// Adds what it has counted, since it was asked to count, until it published the next time. Returns whether it did;
    /// if a value cannot be a counter's, the counts added before stay, and sound() is false from then on.
    bool addNext(DeviceCounts& sum) noexcept;
    bool sound() const noexcept { return sound_; }

  private:
    endpoint::UnsharedDescriptor socket_;
    std::optional<Introduced> seen_;
    DeviceCounts counted_{};  ///< the sum of all that was added
    bool sound_ = true;
};

}  // namespace zetl::emulator::peers
