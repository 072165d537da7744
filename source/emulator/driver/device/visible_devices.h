// The devices that an application sees (Level Zero programming guide, "Environment Variables").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zetl::emulator::driver {

/// ZE_FLAT_DEVICE_HIERARCHY: decides what zeDeviceGet lists.
enum class Hierarchy {
    composite,  ///< root devices, with their tiles as sub-devices; the default
    flat,       ///< tiles, which have no root device
    combined,   ///< tiles, which have a root device
};

/// The hierarchy of that name. Other names count as composite, and log a warning.
Hierarchy hierarchyNamed(std::string_view name);

/// The tiles that are left of each device by ZE_AFFINITY_MASK: a comma list of devices, or of device.tile where root
/// devices are listed. Blanks around numbers do not matter. An empty mask, or "default", leaves all; entries that name
/// nothing are passed over with a warning.
/// `tiles`: how many each device has.
std::vector<std::vector<std::uint32_t>> visibleTiles(Hierarchy hierarchy, std::string_view mask,
                                                     std::span<const std::uint32_t> tiles);

}  // namespace zetl::emulator::driver
