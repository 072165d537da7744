// The 128-bit instruction word and its bit fields, [high:low] as the encoding tables write them.
#pragma once

#include <cstdint>

namespace zetl::isa::xe {

struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    constexpr std::uint64_t field(int top, int bottom) const noexcept {
        const int bits = top - bottom + 1;
        std::uint64_t v = bottom >= 64 ? high >> (bottom - 64) : low >> bottom;
        if (bottom < 64 && bottom > 0 && top >= 64) v |= high << (64 - bottom);
        return bits == 64 ? v : v & ((1ull << bits) - 1);
    }
    constexpr bool bit(int position) const noexcept { return field(position, position) != 0; }
    /// Fields that are set never straddle the halves.
    constexpr void set(int top, int bottom, std::uint64_t value) noexcept {
        std::uint64_t& half = bottom >= 64 ? high : low;
        const int shift = bottom & 63;
        const int bits = top - bottom + 1;
        const std::uint64_t mask = (bits == 64 ? ~0ull : (1ull << bits) - 1) << shift;
        half = (half & ~mask) | ((value << shift) & mask);
    }
};

}  // namespace zetl::isa::xe
