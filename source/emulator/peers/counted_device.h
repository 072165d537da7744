// A device on which this process counts for other processes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "emulator/machine/machine.h"
#include "emulator/peers/device_counts.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {

/// Counting begins with the first reader and ends with the last. A process that executes work publishes its counts once
/// a millisecond, and whenever a dispatch ends, before threads that wait for it go on. A process that executes nothing
/// does nothing. Not thread-safe.
class CountedDevice {
  public:
    explicit CountedDevice(machine::Device& device);
    ~CountedDevice();
    CountedDevice(const CountedDevice&) = delete;
    CountedDevice& operator=(const CountedDevice&) = delete;

    /// The kind of the endpoints of this device's readers.
    const std::string& kind() const noexcept { return kind_; }

    struct Reader {
        std::string name;  ///< name of its endpoint
        endpoint::UnsharedDescriptor socket;
    };
    const std::vector<std::unique_ptr<Reader>>& readers() const noexcept { return readers_; }
    bool knows(const std::string& name) const noexcept;
    /// Counts for the reader at the other end of the connection. If it throws bad_alloc, nothing has changed.
    void add(const std::string& name, FileDescriptor socket);
    /// The reader is gone.
    void remove(const std::string& name) noexcept;

  private:
    class Feed;
    void begin();
    void end() noexcept;

    machine::Device& device_;
    const std::string kind_;
    std::shared_ptr<Feed> feed_;
    std::vector<std::shared_ptr<void>> collecting_;
    std::vector<std::unique_ptr<Reader>> readers_;
};

/// The process's counts so far.
DeviceCounts countsOf(machine::Device& device);

}  // namespace zetl::emulator::peers
