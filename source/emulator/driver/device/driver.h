// ze_driver_handle_t: the entry to the emulated devices (core specification, "Drivers").
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class Device;

/// The extension that marks the driver's devices as software.
inline constexpr const char* kEmulatedDeviceExtension = "ZETL_extension_emulated_device";

/// Adds an extension that the tools modules implement to those that the driver reports. Call it before zeInit.
void offerExtension(const ze_driver_extension_properties_t& extension);

/// The only driver object of the process. Every function is thread-safe.
class Driver : public Object<Driver, ze_driver_handle_t> {
  public:
    static constexpr const char* kNoun = "driver";

    /// Creates the driver and its devices on the first call. Throws the same exceptions as platform().
    static Driver& instance();

    explicit Driver();
    /// The handles that zeDriverGet lists.
    static std::array<ze_driver_handle_t, 1> all() { return {instance().handle()}; }

    ze_api_version_t apiVersion() const noexcept;
    Status properties(ze_driver_properties_t& out) const;
    Status ipcProperties(ze_driver_ipc_properties_t& out) const;
    std::span<const ze_driver_extension_properties_t> extensions() const noexcept;

    /// Root devices, at least one.
    const std::vector<std::shared_ptr<Device>>& devices() const noexcept { return devices_; }
    /// The devices that zeDeviceGet lists: root devices or tiles (visible_devices.h); none if a mask hides all.
    const std::vector<std::shared_ptr<Device>>& listed() const noexcept { return listed_; }

  private:
    std::vector<std::shared_ptr<Device>> devices_;
    std::vector<std::shared_ptr<Device>> listed_;
};

}  // namespace zetl::emulator::driver
