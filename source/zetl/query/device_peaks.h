// What the emulated devices can do in a cycle at most, by their architectures.
#pragma once

#include <cstdint>

#include "isa/xe/architecture.h"

namespace zetl::queries {

/// Of a device with this ze_device_ip_version_ext_t::ipVersion; Xe-HPC, if nobody knows it.
inline const isa::xe::Architecture& architectureOf(std::uint32_t ipVersion) {
    const isa::xe::Product* const product = isa::xe::findProduct(isa::xe::IpVersion::unpacked(ipVersion));
    return product != nullptr ? *product->architecture : isa::xe::kXeHpc;
}

/// Bytes that L1 moves for a sub-slice: those of the timing models (source/emulator/machine/profiles/timing).
inline double l1BytesPerCycle(const isa::xe::Architecture& architecture) {
    return &architecture == &isa::xe::kXeHpc ? 512 : 256;
}

}  // namespace zetl::queries
