// The identity of a device, for both Level Zero and OpenCL.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {

using Uuid = std::array<std::uint8_t, 16>;

/// In the layout of Intel's driver. `index` counts the machine's devices, `subDevice` those of a device from 1; 0 is
/// the device itself.
inline Uuid uuidOf(const DeviceProfile& profile, std::uint32_t index, std::uint32_t subDevice = 0) noexcept {
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
    return std::bit_cast<Uuid>(Layout{static_cast<std::uint16_t>(profile.vendorId),
                                      static_cast<std::uint16_t>(profile.deviceId),
                                      static_cast<std::uint16_t>(profile.revision),
                                      0,
                                      static_cast<std::uint8_t>(index + 1),
                                      0,
                                      0,
                                      {},
                                      static_cast<std::uint8_t>(subDevice)});
}

}  // namespace zetl::emulator::machine
