// Time values of a clock that wraps: cuts them, measures between them, and finds the moment that one stands for.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine {

/// Values of `bits` bits, 1 to 64, that begin again at 0 after the largest.
struct TickWidth {
    std::uint32_t bits = 64;

    constexpr std::uint64_t mask() const noexcept {
        return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    }
    constexpr std::uint64_t cut(std::uint64_t ticks) const noexcept { return ticks & mask(); }

    /// The moment that the value stands for: of all moments that are cut to it, the one nearest to `now`. That is right
    /// as long as the moment is less than half the clock's range away, before or after.
    constexpr std::uint64_t nearest(std::uint64_t value, std::uint64_t now) const noexcept {
        const std::uint64_t ahead = cut(value - now);
        const std::uint64_t behind = cut(now - value);
        return ahead <= behind || behind > now ? now + ahead : now - behind;
    }
};

}  // namespace zetl::emulator::machine
