// Where a variable is (location.h), as code that finds it for each lane.
#pragma once

#include <cstdint>
#include <span>

#include "core/code.h"

namespace zetl::debugger {

struct CodedPlace {
    enum class Kind { memory, registerBits, value } kind = Kind::value;
    Code where;              ///< the address, the first bit (Code::registerBits), or the value itself
    std::uint32_t bits = 0;  ///< registerBits: how many; 0: all of the object
};

/// Throws Failure for locations of several pieces, and operations that cannot be coded.
CodedPlace codedLocation(std::span<const std::uint8_t> expression, std::span<const std::uint8_t> frameBase);

}  // namespace zetl::debugger
