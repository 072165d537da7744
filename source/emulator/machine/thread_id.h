// Coordinates of a hardware thread and sets of them.
#pragma once

#include <compare>
#include <cstdint>

namespace zetl::emulator::machine {

inline constexpr std::uint32_t kAnyCoordinate = ~0u;

/// One hardware thread of a tile, or, where a coordinate is kAnyCoordinate, every thread that agrees in the others
/// (the wildcard rule of ze_device_thread_t). The tile is not part of it: control belongs to a tile.
struct ThreadId {
    std::uint32_t slice = kAnyCoordinate;
    std::uint32_t subslice = kAnyCoordinate;
    std::uint32_t eu = kAnyCoordinate;
    std::uint32_t thread = kAnyCoordinate;

    // clang-tidy 14 sees a null pointer in the code that the compiler generates for it.
    auto operator<=>(const ThreadId&) const = default;  // NOLINT(modernize-use-nullptr)
    bool single() const noexcept {
        return slice != kAnyCoordinate && subslice != kAnyCoordinate && eu != kAnyCoordinate &&
               thread != kAnyCoordinate;
    }
    /// True if the single thread `other` is in this set.
    bool contains(const ThreadId& other) const noexcept {
        const auto match = [](std::uint32_t mine, std::uint32_t its) { return mine == kAnyCoordinate || mine == its; };
        return match(slice, other.slice) && match(subslice, other.subslice) && match(eu, other.eu) &&
               match(thread, other.thread);
    }
};

}  // namespace zetl::emulator::machine
