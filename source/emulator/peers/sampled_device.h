// A device on which this process samples stalls for other processes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emulator/machine/machine.h"
#include "emulator/peers/device_readers.h"

namespace zetl::emulator::peers {

/// The model looks at all groups. A process that executes work publishes where its threads wait whenever a batch has
/// been modelled, before threads that wait for its dispatch go on, and now and then while a batch lasts. A process that
/// executes nothing does nothing.
class SampledDevice final : public DeviceReaders {
  public:
    explicit SampledDevice(machine::Device& device);
    ~SampledDevice() override;

  private:
    class Feed;
    void begin() override;
    void end() noexcept override;
    bool welcome(const std::string& name, int socket) override;
    void forget(const std::string& name) noexcept override;

    machine::Device& device_;
    std::shared_ptr<Feed> feed_;
    std::vector<std::shared_ptr<void>> collecting_;
};

}  // namespace zetl::emulator::peers
