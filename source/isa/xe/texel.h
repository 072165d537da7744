// Texels in memory as the numbers that kernels see, and back (OpenCL C 3.0, section 8.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "isa/xe/surface_format.h"
#include "isa/xe/surface_state.h"

namespace zetl::isa::xe {

/// Red, green, blue and alpha: the bits of floats, or whole numbers where the format has those.
using TexelBits = std::array<std::uint32_t, 4>;

/// Channels that the format does not have are 0, alpha is 1. `from` holds format.bytes bytes. Formats of several planes
/// read as their bytes.
TexelBits readTexel(const SurfaceFormat& format, const std::byte* from) noexcept;

/// What reads the texels of a format as readTexel() does, faster for those whose channels are whole bytes.
using TexelReader = TexelBits (*)(const SurfaceFormat& format, const std::byte* from) noexcept;
TexelReader readerOf(const SurfaceFormat& format) noexcept;

/// Whole numbers are saturated, others are clamped and rounded to the nearest even one. NaN becomes 0 where the format
/// has no NaN. Bits of `to` that belong to no channel become 0.
void writeTexel(const SurfaceFormat& format, const TexelBits& texel, std::byte* to) noexcept;

/// The channels where the selects say that a kernel sees them, of those that lie in memory.
TexelBits selected(const std::array<ChannelSelect, 4>& select, const SurfaceFormat& format,
                   const TexelBits& inMemory) noexcept;

/// Whether these selects change nothing.
bool selectsAll(const std::array<ChannelSelect, 4>& select) noexcept;

/// The channel of memory that a select names; nothing for a constant.
inline std::optional<std::size_t> channelOf(ChannelSelect select) noexcept {
    if (select < ChannelSelect::red) return std::nullopt;
    return static_cast<std::size_t>(select) - static_cast<std::size_t>(ChannelSelect::red);
}

/// 1 as a channel of that format has it.
std::uint32_t oneOf(const SurfaceFormat& format) noexcept;

/// A half as a float, and the nearest half of a float.
float halfToFloat(std::uint32_t half) noexcept;
std::uint32_t floatToHalf(float value) noexcept;

}  // namespace zetl::isa::xe
