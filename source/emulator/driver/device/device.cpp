#include "emulator/driver/device/device.h"

#include <cstring>

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Device::Device(machine::Device& machine, Device* root, Tiles tiles)
    : machine_(machine), root_(root), tiles_(std::move(tiles)) {}

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
    struct Layout {
        std::uint16_t vendor;
        std::uint16_t device;
        std::uint16_t revision;
        std::uint16_t pciDomain;
        std::uint8_t pciBus;
        std::uint8_t pciDevice;
        std::uint8_t pciFunction;
        std::uint8_t reserved[4];
        std::uint8_t subDevice;
    };
    static_assert(sizeof(Layout) == ZE_MAX_DEVICE_UUID_SIZE);
    const Layout layout{static_cast<std::uint16_t>(profile().vendorId),
                        static_cast<std::uint16_t>(profile().deviceId),
                        static_cast<std::uint16_t>(profile().revision),
                        0,
                        static_cast<std::uint8_t>(machine_.index() + 1),
                        0,
                        0,
                        {},
                        static_cast<std::uint8_t>(tiles() < profile().tiles ? firstTile() + 1 : 0)};
    ze_device_uuid_t uuid;
    std::memcpy(uuid.id, &layout, sizeof layout);
    return uuid;
}

}  // namespace zetl::emulator::driver
