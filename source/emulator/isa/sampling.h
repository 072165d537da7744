// Which texels a coordinate reads, and with what weights (OpenCL C 3.0, section 8).
#pragma once

#include <cstdint>

#include "isa/xe/sampler_state.h"

namespace zetl::emulator::isa {

/// One or two texels along one axis. Numbers outside of [0, size) stand for the border.
struct Taps {
    std::int32_t first = 0;
    std::int32_t second = 0;
    float weight = 0;  ///< of the second one; the first has the rest
};

/// The nearest texel has no second one. NaN is taken for a coordinate far below zero.
Taps nearestTap(zetl::isa::xe::AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept;
Taps linearTaps(zetl::isa::xe::AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept;

/// The number of the array's nearest layer.
std::uint32_t layerOf(float index, std::uint32_t layers) noexcept;

}  // namespace zetl::emulator::isa
