// The sections of a 64-bit ELF file, which native binaries and debug data are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace session {

using Bytes = std::vector<std::uint8_t>;

struct ElfSection {
    std::string name;
    std::uint64_t address;  ///< on the device, where the file has such
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// Empty if the bytes are no such file or its tables lie outside of it.
std::vector<ElfSection> elfSectionsOf(const Bytes& file);

}  // namespace session
