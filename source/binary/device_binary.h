// What of a native module is for one device: archives have binaries for several, and many binaries have the SPIR-V that
// they were made from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "binary/native_binary.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// SPIR-V that a native module carries, to be built for devices that its code is not for.
struct CarriedSpirv {
    std::span<const std::uint8_t> spirv;  ///< points into the module
    std::string buildOptions;
};

/// The bytes themselves, or an archive's member for the device, as Intel's driver chooses it: by IP version or name of
/// the product, exact ones first. An archive without such a member, or with damaged ones only, gives wrongDevice, and
/// says what it has.
Outcome<std::span<const std::uint8_t>> binaryFor(std::span<const std::uint8_t> bytes,
                                                 const isa::xe::Product& device = isa::xe::kPvc);

/// Of an archive, the SPIR-V of a member for the device's product, or else the member for all devices.
std::optional<CarriedSpirv> carriedSpirv(std::span<const std::uint8_t> bytes,
                                         const isa::xe::Product& device = isa::xe::kPvc);

}  // namespace zetl::binary
