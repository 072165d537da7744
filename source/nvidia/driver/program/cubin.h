// The code in a cubin: an ELF file with a section .text.NAME for each function.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nvidia/driver/program/image.h"

namespace zetl::nvidia {

/// A function's machine code, by its place in the file.
struct CodeSection {
    std::string function;  ///< mangled
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t addressField = 0;  ///< where the file says the section's address
};

/// Those that lie within the bytes; none of what is no cubin.
std::vector<CodeSection> codeSectionsOf(std::span<const std::uint8_t> cubin);

/// The cubin with its code at addresses: those of its places in the file, counted from `address`.
Bytes placedAt(Bytes cubin, std::uint64_t address);

}  // namespace zetl::nvidia
