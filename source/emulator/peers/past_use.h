// What processes that have ended did with a device, in a file of the meeting place.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "emulator/peers/device_use.h"

namespace zetl::emulator::peers {

/// The file, locked: as long as this object lives, no process adds itself, and none takes back the name under which it
/// is asked while it adds itself. A list of the names that is made meanwhile has each process that is not in the file.
class PastUse {
  public:
    /// Nothing if the file cannot be had, or stays locked for that long.
    static std::optional<PastUse> lock(int directory, const std::string& name, std::chrono::milliseconds patience);

    /// Zeros if nothing was written, or if it was not written by this version.
    DeviceUse read() const;
    /// The sums of counters; memory is of the living. Returns false, with the old sums kept, if nothing can be written.
    bool add(const DeviceUse& use) const;

  private:
    explicit PastUse(FileDescriptor file) noexcept : file_(std::move(file)) {}
    FileDescriptor file_;
};

}  // namespace zetl::emulator::peers
