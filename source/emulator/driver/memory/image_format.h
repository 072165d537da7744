// Level Zero's image formats: how pixels lie in memory, and OpenCL's numbers for them.
#pragma once

#include <level_zero/ze_api.h>

#include <array>
#include <cstdint>

#include "base/result.h"
#include "isa/xe/surface_format.h"
#include "isa/xe/surface_state.h"

namespace zetl::emulator::driver {

/// The format of an image.
struct ImageFormat {
    using Selects = std::array<zetl::isa::xe::ChannelSelect, 4>;
    enum class Planes : std::uint8_t {
        one,
        lumaAndChroma,  ///< rows of luma, then half as many of both chromas
        three,          ///< of the same size
    };

    ze_image_format_t asked{};
    const zetl::isa::xe::SurfaceFormat* surface = nullptr;
    std::uint8_t hostBytes = 0;  ///< of a pixel in memory that is copied to or from an image
    bool media = false;          ///< the type and the swizzle do not matter
    Planes planes = Planes::one;
    Selects selects{};

    std::uint32_t texelBytes() const noexcept { return surface->bytes; }
    /// Pixels of three channels lie in texels of four, the last of which is 1.
    bool isWidened() const noexcept { return hostBytes != surface->bytes; }

    // As OpenCL has them: CL_RGBA and CL_UNORM_INT8, say. kNoNumber (CL_INVALID_VALUE) if it has none.
    static constexpr std::uint32_t kNoNumber = static_cast<std::uint32_t>(-30);
    std::uint32_t channelOrder() const noexcept;
    std::uint32_t channelType() const noexcept;
};

/// Checks and codes as Intel's driver: UNSUPPORTED_FEATURE, UNSUPPORTED_IMAGE_FORMAT.
Result<ImageFormat> readImageFormat(const ze_image_format_t& asked, bool srgb);

/// Whether readImageFormat() would accept it.
bool isImageFormat(const ze_image_format_t& asked) noexcept;

}  // namespace zetl::emulator::driver
