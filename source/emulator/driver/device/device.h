// ze_device_handle_t: a root device or one of its tiles (core specification, "Device").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "emulator/driver/device/queue_group.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// A device handle. A root device of several tiles has one sub-device per tile. A root device that stands for a single
/// tile, perhaps because others are hidden, has none. Devices live as long as the process. Immutable; thread-safe.
class Device : public Object<Device, ze_device_handle_t> {
  public:
    static constexpr const char* kNoun = "device";

    using Tiles = std::vector<std::uint32_t>;

    /// Makes and registers a root device over some of the machine's tiles, and its sub-devices.
    static std::shared_ptr<Device> createRoot(machine::Device& machine, const Tiles& tiles);
    /// Use createRoot().
    Device(machine::Device& machine, Device* root, Tiles tiles);

    machine::Device& machine() const noexcept { return machine_; }
    const machine::DeviceProfile& profile() const noexcept { return machine_.profile(); }

    bool isSubDevice() const noexcept { return root_ != nullptr; }
    Device& root() noexcept { return root_ ? *root_ : *this; }
    Device* parent() const noexcept { return root_; }
    const std::vector<std::shared_ptr<Device>>& subDevices() const noexcept { return subDevices_; }

    /// The tiles that this handle stands for: all visible tiles of a root device, one tile of a sub-device.
    std::uint32_t tiles() const noexcept { return static_cast<std::uint32_t>(tiles_.size()); }
    std::uint32_t firstTile() const noexcept { return tiles_.front(); }
    /// True if some tile belongs to both devices: a device and itself, or a root device and its sub-device.
    bool sharesTilesWith(const Device& other) const noexcept {
        return this == &other || root_ == &other || other.root_ == this;
    }
    machine::Tile& tile(std::uint32_t index = 0) const noexcept { return machine_.tile(tiles_[index]); }

    /// The budget that allocations on this device count against.
    const std::shared_ptr<machine::MemoryBudget>& memoryBudget() const noexcept {
        return tiles() == 1 ? machine_.memoryBudget(firstTile()) : machine_.memoryBudget();
    }

    std::span<const QueueGroup> queueGroups() const noexcept { return queueGroups_; }

    ze_device_uuid_t uuid() const noexcept;
    /// The profile's name, which says that the device is emulated.
    const std::string& name() const noexcept { return profile().name; }

    /// DEVICE_LOST after a fault.
    Status status() const noexcept {
        return machine_.machine().lost() ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
    }
    /// Devices of this driver read each other's memory directly.
    bool canAccess(const Device&) const noexcept { return true; }
    /// One moment on the host's clock and on the device's, in ticks as wide as the profile says.
    void globalTimestamps(std::uint64_t& host, std::uint64_t& device) const noexcept;

    /// The time now, in ticks of 64 bits; strictly increasing from call to call. Timestamps for the application are cut
    /// to the profile's widths.
    std::uint64_t timestamp() const noexcept { return machine_.clock().timestamp(); }

  private:
    machine::Device& machine_;
    Device* root_;
    const Tiles tiles_;
    const std::vector<QueueGroup> queueGroups_;
    std::vector<std::shared_ptr<Device>> subDevices_;
};

}  // namespace zetl::emulator::driver
