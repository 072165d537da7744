#include "emulator/driver/device/device.h"

#include <cstring>

#include "emulator/driver/shared_parts.h"
#include "emulator/machine/uuid.h"

namespace zetl::emulator::driver {

Device::Device(machine::Device& machine, Device* root, Tiles tiles)
    : machine_(machine), root_(root), tiles_(std::move(tiles)), queueGroups_(queueGroupsOf(machine.profile())) {}

std::shared_ptr<Device> Device::createRoot(machine::Device& machine, const Tiles& tiles) {
    auto root = std::make_shared<Device>(machine, nullptr, tiles);
    for (const std::uint32_t tile : tiles) {
        if (tiles.size() == 1) break;
        root->subDevices_.push_back(std::make_shared<Device>(machine, root.get(), Tiles{tile}));
        live<Device>().add(root->subDevices_.back());
    }
    live<Device>().add(root);
    return root;
}

ze_device_uuid_t Device::uuid() const noexcept {
    const machine::Uuid bytes =
        machine::uuidOf(profile(), machine_.index(), tiles() < profile().tiles ? firstTile() + 1 : 0);
    ze_device_uuid_t uuid;
    static_assert(sizeof uuid.id == sizeof bytes);
    std::memcpy(uuid.id, bytes.data(), sizeof bytes);
    return uuid;
}

void Device::globalTimestamps(std::uint64_t& host, std::uint64_t& device) const noexcept {
    const auto pair = machine_.clock().correlate();
    host = pair.host;
    device = profile().timestampWidth().cut(pair.device);
}

}  // namespace zetl::emulator::driver
