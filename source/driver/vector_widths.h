// zeDeviceGetVectorWidthPropertiesExt for devices whose preferred widths are the native ones.
#pragma once

#include "base/enumerate.h"
#include "driver/output.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// The number of elements of each type in a vector, and the size of a vector in bytes.
struct VectorWidths {
    std::uint32_t bytes;
    std::uint32_t ofChar;
    std::uint32_t ofShort;
    std::uint32_t ofInt;
    std::uint32_t ofLong;
    std::uint32_t ofHalf;
    std::uint32_t ofFloat;
    std::uint32_t ofDouble;
};

inline Status listVectorWidths(const VectorWidths& widths, std::uint32_t* count,
                               ze_device_vector_width_properties_ext_t* out) {
    return enumerateInto(1, count, out, [&](std::uint32_t, ze_device_vector_width_properties_ext_t& width) {
        clearBody(width);
        width.vector_width_size = widths.bytes;
        width.preferred_vector_width_char = width.native_vector_width_char = widths.ofChar;
        width.preferred_vector_width_short = width.native_vector_width_short = widths.ofShort;
        width.preferred_vector_width_int = width.native_vector_width_int = widths.ofInt;
        width.preferred_vector_width_long = width.native_vector_width_long = widths.ofLong;
        width.preferred_vector_width_half = width.native_vector_width_half = widths.ofHalf;
        width.preferred_vector_width_float = width.native_vector_width_float = widths.ofFloat;
        width.preferred_vector_width_double = width.native_vector_width_double = widths.ofDouble;
    });
}

}  // namespace zetl::driver
