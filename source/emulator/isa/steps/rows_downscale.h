// Rows: dnscl, which makes numbers of four bits of four numbers of sixteen.
#pragma once

#include <tuple>

#include "emulator/isa/steps/row.h"

namespace {

/// The fields of its function.
struct Downscale {
    bool brain;      ///< of bf; otherwise of hf
    bool integers;   ///< to integers from -8 to 7; otherwise to e2m1
    bool nearest;    ///< to the nearest even; otherwise by random bits
    unsigned place;  ///< where the four numbers go
    static Downscale of(std::uint8_t function) {
        return {(function & 4) != 0, (function & 3) == 2, (function & 8) != 0, function >> 4 & 3u};
    }
};

/// `value` in units of a result's last place becomes a whole number of them. Random bits are added below that place and
/// what remains is cut off, as srnd does it.
inline float roundedDown(float units, bool nearest, std::uint32_t random) {
    return nearest ? std::nearbyint(units) : std::floor(units + float(random) * 0x1p-16f);
}
/// Two bits of exponent, one of fraction: 0, 0.5, 1, 1.5, 2, 3, 4, 6. Beyond is 6; so is a number that is none.
inline std::uint32_t toE2m1(float f, bool nearest, std::uint32_t random) {
    constexpr float kMost = 6;
    const std::uint32_t sign = std::bit_cast<std::uint32_t>(f) >> 31 << 3;
    const float magnitude = std::fabs(f);
    if (!(magnitude < kMost)) return sign | 7;
    const float place = magnitude < 2 ? 0.5f : magnitude < 4 ? 1.0f : 2.0f;
    const float rounded = roundedDown(magnitude / place, nearest, random) * place;
    const auto code = rounded < 2   ? std::uint32_t(rounded * 2)
                      : rounded < 4 ? std::uint32_t(rounded) + 2
                                    : std::uint32_t(rounded / 2) + 4;
    return sign | std::min(code, 7u);
}
inline std::uint32_t toInt4(float f, bool nearest, std::uint32_t random) {
    const float rounded = roundedDown(std::fabs(f), nearest, random);
    const float value = std::copysign(rounded, f);
    const int bounded = value != value ? 0 : value <= -8 ? -8 : value >= 7 ? 7 : int(value);
    return std::uint32_t(bounded) & 15;
}
inline std::uint32_t downscaled(std::uint32_t first, std::uint32_t second, std::uint32_t random,
                                std::uint8_t function) {
    const auto how = Downscale::of(function);
    // By place, from the highest number down, which half of the sources: 1 and 2 the upper and the lower of the first,
    // 3 and 4 those of the second.
    constexpr std::uint8_t kPlaces[4][8] = {
        {0, 0, 3, 4, 0, 0, 1, 2}, {0, 0, 3, 1, 0, 0, 4, 2}, {3, 4, 0, 0, 1, 2, 0, 0}, {3, 1, 0, 0, 4, 2, 0, 0}};
    std::uint32_t result = 0;
    for (const std::uint8_t half : kPlaces[how.place]) {
        result <<= 4;
        if (half == 0) continue;
        const std::uint32_t pair = half <= 2 ? first : second;
        const auto bits = std::uint16_t(half % 2 != 0 ? pair >> 16 : pair);
        const float value = how.brain ? toFloat(Brain{bits}) : toFloat(Half{bits});
        const std::uint32_t noise = half <= 2 ? random & 0xffff : random >> 16;
        result |= how.integers ? toInt4(value, how.nearest, noise) : toE2m1(value, how.nearest, noise);
    }
    return result;
}

inline constexpr std::tuple kDownscaleRows{
    row(Opcode::dnscl, "dnscl", approximate,
        [](Word32 auto a, Word32 auto b, Word32 auto random, Option function) {
            return decltype(a)(downscaled(std::uint32_t(a), std::uint32_t(b), std::uint32_t(random), function.value));
        }),
};

}  // namespace
