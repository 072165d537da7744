// The formats of texels in memory, by the numbers that surface states have for them. (compute-runtime,
// shared/source/helpers/surface_format_info.h.)
//
// A texel is a number of up to 16 bytes, lowest byte first; its channels are runs of its bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace zetl::isa::xe {

/// What the bits of a channel mean.
enum class TexelKind : std::uint8_t {
    unorm,  ///< 0 to 1
    snorm,  ///< -1 to 1
    unsignedInt,
    signedInt,
    real,    ///< floats of 32, 16, 11 or 10 bits; those of 11 and 10 have no sign
    srgb,    ///< unorm, not linear but for alpha
    planar,  ///< several planes, or pixels that share channels; only whole bytes are known
};

struct SurfaceFormat {
    struct Channel {
        std::uint8_t shift = 0;
        std::uint8_t bits = 0;  ///< 0: the format has no such channel
    };

    std::uint16_t number = 0;
    std::uint8_t bytes = 0;  ///< of a texel
    TexelKind kind = TexelKind::unorm;
    std::array<Channel, 4> channels{};  ///< red, green, blue, alpha

    constexpr bool isInteger() const noexcept { return kind == TexelKind::unsignedInt || kind == TexelKind::signedInt; }
};

/// Null if unknown. Numbers are of nine bits.
const SurfaceFormat* findSurfaceFormat(std::uint32_t number) noexcept;

/// "R8G8B8A8 UNORM": channels as they lie in memory, lowest bit first.
std::string nameOf(const SurfaceFormat& format);

}  // namespace zetl::isa::xe
