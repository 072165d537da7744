// Images that kernels were given, as text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/memory.h"
#include "isa/xe/surface_state.h"

namespace zetl::debugger {

/// A part of an image; the number of a layer is the last coordinate.
struct TexelRegion {
    std::array<std::int64_t, 3> at{};
    std::uint64_t columns = 4;
    std::uint64_t rows = 4;
};

/// "2D image of 8 x 4 texels, R8G8B8A8 UNORM, at 0x7f0000".
std::string imageTextOf(const isa::xe::SurfaceState& image);

/// A line for each row: "(1, 2): {0.25, 0, 0, 1} {0.5, 0, 0, 1}", as far as the image has texels there. Throws Failure
/// if the region begins outside, or cannot be read.
std::vector<std::string> texelsOf(const isa::xe::SurfaceState& image, const TexelRegion& region, const Memory& memory);

}  // namespace zetl::debugger
