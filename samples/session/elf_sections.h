// The sections of a 64-bit ELF file: native binaries and debug data are such files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace session {

using Bytes = std::vector<std::uint8_t>;

struct ElfSection {
    std::string name;
    std::uint64_t address;  ///< on the device, if the file has addresses
    std::uint64_t offset;
    std::uint64_t bytes;
};

/// Empty if the bytes are no such file, or if its tables lie outside of it.
std::vector<ElfSection> elfSectionsOf(const Bytes& file);

}  // namespace session
