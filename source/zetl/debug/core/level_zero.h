// The stock loader, opened when needed, and its devices.
#pragma once

#include <level_zero/zet_api.h>

#include <memory>
#include <string>
#include <vector>

#include "core/link.h"

namespace zetl::debugger {

/// A root device that can be debugged.
struct Device {
    ze_device_handle_t handle = nullptr;
    std::string name;
    const Architecture* architecture = nullptr;
    ThreadShape shape;
    std::uint32_t subDevices = 0;
};

/// Level Zero in this process, initialised once. Set the devices' environment variables before.
class LevelZero {
  public:
    /// Throws Failure if there is no loader, or no device that can be debugged.
    LevelZero();

    const std::vector<Device>& devices() const noexcept { return devices_; }

    /// Null, with the function's result, if the process cannot be debugged, or not yet.
    std::unique_ptr<Link> attach(const Device& device, std::uint32_t pid, ze_result_t& result) const;

  private:
    void addDevicesOf(ze_driver_handle_t driver);

    std::vector<Device> devices_;
};

/// "NOT_READY" and so on; a number for codes that debuggers do not get.
std::string resultText(ze_result_t result);

}  // namespace zetl::debugger
