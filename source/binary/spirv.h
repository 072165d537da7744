// What the driver needs from a SPIR-V module before it is compiled. Reads words in either byte order; damaged input
// gives an Error, never a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binary/kernel_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

inline constexpr std::uint32_t kSpirvMagic = 0x07230203;

/// A constant that the caller may set before compilation.
struct SpecConstant {
    std::uint32_t id = 0;     ///< value of the SpecId decoration
    std::uint32_t bytes = 0;  ///< 1 (bool, 8 bit), 2, 4 or 8
    bool boolean = false;
    std::uint64_t defaultValue = 0;
    std::size_t word = 0;  ///< index of the first literal word; for a boolean, of the instruction's first word
};

struct SpirvModule {
    std::uint32_t version = 0;         ///< major << 16 | minor << 8, as stored
    std::vector<std::uint32_t> words;  ///< host byte order
    std::uint32_t addressBits = 64;    ///< 0: its addresses are no numbers
    std::vector<std::string> entryPoints;
    std::vector<std::string> exports;  ///< functions and variables with export linkage
    std::vector<std::string> imports;
    std::vector<std::uint32_t> capabilities;
    std::vector<SpecConstant> specConstants;
};

/// A value for one SpecId: exactly as many bytes as the constant has.
struct SpecValue {
    std::uint32_t id = 0;
    Bytes bytes;
};

/// Reads header, entry points, linkage, capabilities and specialization constants.
Outcome<SpirvModule> readSpirv(std::span<const std::uint8_t> bytes);

/// Why the module cannot be built for a device with addresses of 64 bits, if it cannot.
std::optional<Error> checkAddresses(const SpirvModule& module);

/// A value for each of the ids that the module has: as many bytes as its own constant has, from where `values` points.
std::vector<SpecValue> valuesOf(const SpirvModule& module, std::span<const std::uint32_t> ids,
                                const void* const* values);

/// The module's bytes with the given constants as new defaults. Ids that the module lacks are ignored, as the
/// specification of zeModuleCreate allows; a wrong size is badArgument.
Outcome<Bytes> specialize(const SpirvModule& module, std::span<const SpecValue> values);

}  // namespace zetl::binary
