// ze_device_handle_t: a root device or one of its tiles (core specification, "Device").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "emulator/driver/object.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// A device handle. A root device with several tiles has one sub-device for each; a root device with one tile has none.
/// Devices live as long as the process. Immutable; every function is thread-safe.
class Device : public Object<Device, ze_device_handle_t> {
  public:
    static constexpr const char* kNoun = "device";

    /// Makes the root device and its sub-devices known.
    static std::shared_ptr<Device> createRoot(machine::Device& machine);
    /// Use createRoot().
    Device(machine::Device& machine, Device* root, std::optional<std::uint32_t> tile);

    machine::Device& machine() const noexcept { return machine_; }
    const machine::DeviceProfile& profile() const noexcept { return machine_.profile(); }

    bool isSubDevice() const noexcept { return root_ != nullptr; }
    Device& root() noexcept { return root_ ? *root_ : *this; }
    Device* parent() const noexcept { return root_; }
    const std::vector<std::shared_ptr<Device>>& subDevices() const noexcept { return subDevices_; }

    /// Tiles this handle stands for: all of a root device's, one of a sub-device's.
    std::uint32_t tiles() const noexcept { return tile_ ? 1 : profile().tiles; }
    std::uint32_t firstTile() const noexcept { return tile_.value_or(0); }
    machine::Tile& tile(std::uint32_t index = 0) const noexcept { return machine_.tile(firstTile() + index); }

    ze_device_uuid_t uuid() const noexcept;
    /// The profile's, which says that the device is emulated.
    const std::string& name() const noexcept { return profile().name; }

    /// Now, in ticks; strictly increasing from call to call.
    std::uint64_t timestamp() const noexcept { return machine_.clock().timestamp(); }

  private:
    machine::Device& machine_;
    Device* root_;
    std::optional<std::uint32_t> tile_;
    std::vector<std::shared_ptr<Device>> subDevices_;
};

}  // namespace zetl::emulator::driver
