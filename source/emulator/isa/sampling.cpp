#include "emulator/isa/sampling.h"

#include <algorithm>
#include <cmath>

namespace zetl::emulator::isa {
namespace {

using zetl::isa::xe::AddressMode;

/// std::floor(), without a call on processors of SSE2.
float floorOf(float value) noexcept {
    constexpr float kAllWhole = 1 << 23;
    if (!(std::fabs(value) < kAllWhole)) return value;
    const auto cut = static_cast<float>(static_cast<std::int32_t>(value));
    return cut > value ? cut - 1 : cut;
}

/// To the nearest, to the even one of two.
float nearestWhole(float value) noexcept {
    const float below = floorOf(value);
    const float rest = value - below;
    const bool odd = below - 2 * floorOf(below * 0.5f) != 0;
    return below + (rest > 0.5f || (rest == 0.5f && odd) ? 1.0f : 0.0f);
}

/// As a number of a texel. Everything outside is as the first outside, on either side.
std::int32_t texelAt(float whole, std::uint32_t size) noexcept {
    if (!(whole >= -1)) return -2;
    return whole < static_cast<float>(size) + 1 ? static_cast<std::int32_t>(whole)
                                                : static_cast<std::int32_t>(size) + 1;
}

/// The coordinate in texels, brought into the image by modes that repeat it.
float inTexels(AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept {
    const auto width = static_cast<float>(size);
    const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
    if (!repeats) return normalized ? coordinate * width : coordinate;
    const float s = normalized ? coordinate : coordinate / width;
    if (mode == AddressMode::wrap) return (s - floorOf(s)) * width;
    return std::fabs(s - 2 * nearestWhole(0.5f * s)) * width;
}

std::int32_t addressed(AddressMode mode, std::int32_t texel, std::uint32_t size) noexcept {
    const auto count = static_cast<std::int32_t>(size);
    switch (mode) {
        case AddressMode::wrap:
            return texel < 0 ? std::max(texel + count, 0) : texel >= count ? std::max(texel - count, 0) % count : texel;
        case AddressMode::border:
            return texel;
        default:
            return std::clamp(texel, 0, count - 1);
    }
}

}  // namespace

Taps nearestTap(AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept {
    const float u = inTexels(mode, normalized, coordinate, size);
    return {addressed(mode, texelAt(floorOf(u), size), size), 0, 0};
}

Taps linearTaps(AddressMode mode, bool normalized, float coordinate, std::uint32_t size) noexcept {
    const float u = inTexels(mode, normalized, coordinate, size) - 0.5f;
    const float below = floorOf(u);
    const std::int32_t first = texelAt(below, size);
    const float weight = u - below;
    return {addressed(mode, first, size), addressed(mode, first + 1, size), weight >= 0 && weight <= 1 ? weight : 0};
}

std::uint32_t layerOf(float index, std::uint32_t layers) noexcept {
    if (!(index > 0)) return 0;
    const float last = static_cast<float>(layers) - 1;
    return index >= last ? layers - 1 : static_cast<std::uint32_t>(nearestWhole(index));
}

}  // namespace zetl::emulator::isa
