// How many general registers the kernels of a program have.
#pragma once

#include <cstdint>

namespace zetl::emulator::isa {

/// Code from this offset on, in bytes from the first instruction, may name so many registers.
struct RegisterLimit {
    std::uint32_t from = 0;
    std::uint32_t registers = 0;
};

}  // namespace zetl::emulator::isa
