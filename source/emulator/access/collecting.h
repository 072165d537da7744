// Makes a device collect what its timing model counts.
#pragma once

#include <memory>
#include <vector>

#include "emulator/driver/device/device.h"

namespace zetl::emulator::access {

/// All tiles of the device collect as long as it lives. In a forked child it does not call the machine, which the child
/// does not have.
class Collecting {
  public:
    /// `otherwise`: how much the model looks at unless the user has set it.
    explicit Collecting(driver::Device& device, machine::ModelDetail otherwise) : device_(&device) {
        const auto detail = machine::configuredModelDetail(otherwise);
        for (std::uint32_t tile = 0; tile < device.tiles(); ++tile) tiles_.push_back(device.tile(tile).collect(detail));
    }
    ~Collecting() {
        if (!tiles_.empty() && device_->machine().machine().lost())
            new std::vector<std::shared_ptr<void>>(std::move(tiles_));
    }
    Collecting(Collecting&&) noexcept = default;
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;

  private:
    driver::Device* device_;
    std::vector<std::shared_ptr<void>> tiles_;
};

}  // namespace zetl::emulator::access
