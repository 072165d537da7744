// Which texels a coordinate reads along one axis, and with what weights (OpenCL C 3.0, section 8).
//
// Included by sampling.cpp, which does it for one lane, and by the steps, which do it for sixteen: each compiles
// functions of its own, without branches, for its host instruction set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emulator/isa/sampling.h"

namespace {

using zetl::emulator::isa::Taps;
using zetl::isa::xe::AddressMode;

/// std::floor(), which is an instruction from SSE4.1 on, and a call before.
[[gnu::always_inline]] inline float floorOf(float value) noexcept {
#ifdef __SSE4_1__
    return std::floor(value);
#else
    constexpr float kAllWhole = 1 << 23;
    const bool small = std::fabs(value) < kAllWhole;
    const float one = small ? value : 0;
    const auto cut = static_cast<float>(static_cast<std::int32_t>(one));
    return small ? (cut > one ? cut - 1 : cut) : value;
#endif
}

/// To the nearest, to the even one of two.
[[gnu::always_inline]] inline float nearestWhole(float value) noexcept {
    const float below = floorOf(value);
    const float rest = value - below;
    const bool odd = below - 2 * floorOf(below * 0.5f) != 0;
    return below + (rest > 0.5f || (rest == 0.5f && odd) ? 1.0f : 0.0f);
}

/// The number of a texel. Everything outside is as the first outside, on either side.
[[gnu::always_inline]] inline float nearImage(float whole, std::uint32_t size) noexcept {
    const auto behind = static_cast<float>(size) + 1;
    const float low = whole >= -1 ? whole : -2;  // NaN, too
    return low < behind ? low : behind;
}

/// The coordinate in texels, brought into the image by modes that repeat it.
template <AddressMode mode>
[[gnu::always_inline]] inline float inTexels(bool normalized, float coordinate, std::uint32_t size) noexcept {
    const auto width = static_cast<float>(size);
    constexpr bool kRepeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
    if constexpr (!kRepeats) return normalized ? coordinate * width : coordinate;
    const float s = normalized ? coordinate : coordinate / width;
    if constexpr (mode == AddressMode::wrap) return (s - floorOf(s)) * width;
    return std::fabs(s - 2 * nearestWhole(0.5f * s)) * width;
}

template <AddressMode mode>
[[gnu::always_inline]] inline std::int32_t addressed(std::int32_t texel, std::uint32_t size) noexcept {
    const auto count = static_cast<std::int32_t>(size);
    if constexpr (mode == AddressMode::border) return texel;
    if constexpr (mode != AddressMode::wrap) return std::clamp(texel, 0, count - 1);
    const std::int32_t over = std::min(std::max(texel - count, 0), count - 1);
    return texel < 0 ? std::max(texel + count, 0) : texel >= count ? over : texel;
}

/// Of the second texel, which lies at the coordinate less half a texel.
[[gnu::always_inline]] inline float weightOf(float u, float below) noexcept {
    const float weight = u - below;
    const bool fraction = (weight >= 0) & (weight <= 1);  // not of NaN
    return fraction ? weight : 0;
}

template <AddressMode mode, bool linear>
[[gnu::always_inline]] inline Taps tapsOf(bool normalized, float coordinate, std::uint32_t size) noexcept {
    const float u = inTexels<mode>(normalized, coordinate, size) - (linear ? 0.5f : 0.0f);
    const float below = floorOf(u);
    const auto first = static_cast<std::int32_t>(nearImage(below, size));
    if constexpr (!linear) return {addressed<mode>(first, size), 0, 0};
    return {addressed<mode>(first, size), addressed<mode>(first + 1, size), weightOf(u, below)};
}

}  // namespace
