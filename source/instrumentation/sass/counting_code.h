// Code that counts how often the lanes of a warp reach a place together.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/sass/instruction.h"

namespace zetl::instrumentation::sass {

/// The registers that the code may overwrite.
struct Scratch {
    std::uint32_t registers = 0;         ///< the first of five, even
    std::uint32_t uniformRegisters = 0;  ///< the first of two, even
};
inline constexpr std::uint32_t kScratchRegisters = 5;

/// Adds one to the 64-bit integer at a device address, on one of the lanes that are on. All registers except the
/// scratch ones, and all predicates, keep their values. Waits for everything before it.
std::vector<std::uint8_t> countingCode(const Scratch& scratch, std::uint64_t address,
                                       const isa::sass::Generation& generation);

}  // namespace zetl::instrumentation::sass
