// The code in a cubin: an ELF file with one section .text.NAME per function.
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
    std::uint64_t addressField = 0;  ///< where the file has the section's address
};

/// The sections that lie within the bytes; none if the bytes are no cubin.
std::vector<CodeSection> codeSectionsOf(std::span<const std::uint8_t> cubin);

/// The cubin with addresses for its code: the places in the file, counted from `address`.
Bytes placedAt(Bytes cubin, std::uint64_t address);

}  // namespace zetl::nvidia
