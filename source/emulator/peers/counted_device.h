// A device on which this process counts for other processes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emulator/machine/machine.h"
#include "emulator/peers/device_counts.h"
#include "emulator/peers/device_readers.h"

namespace zetl::emulator::peers {

/// A process that executes work publishes its counts once a millisecond, and whenever a dispatch ends, before threads
/// that wait for it go on. A process that executes nothing does nothing.
class CountedDevice final : public DeviceReaders {
  public:
    explicit CountedDevice(machine::Device& device);
    ~CountedDevice() override;

  private:
    class Feed;
    void begin() override;
    void end() noexcept override;
    bool welcome(const std::string& name, int socket) override;

    machine::Device& device_;
    std::shared_ptr<Feed> feed_;
    std::vector<std::shared_ptr<void>> collecting_;
};

/// The process's counts so far.
DeviceCounts countsOf(machine::Device& device);

}  // namespace zetl::emulator::peers
