// Neighbouring granules, and what is known of all of them together while marks are deferred.
#pragma once

#include <cstdint>

namespace zetl::emulator::check {

/// In 64 bits.
struct DeferredRegion {
    static constexpr unsigned kBits = 9;  ///< of a granule's number, within its region

    std::uint64_t last = 0;      ///< the command that set marks here last; 0: none has
    std::uint8_t readIn = 0;     ///< the turn in which the mark of a reader was deferred last
    std::uint8_t writtenIn = 0;  ///< the same of a writer

    /// In place of a command: several, of which one is not before another.
    static constexpr std::uint64_t kSeveral = (std::uint64_t{1} << 48) - 1;

    constexpr std::uint64_t packed() const noexcept {
        return last << 16 | std::uint64_t{readIn} << 8 | std::uint64_t{writtenIn};
    }
    static constexpr DeferredRegion unpacked(std::uint64_t word) noexcept {
        return {word >> 16, static_cast<std::uint8_t>(word >> 8), static_cast<std::uint8_t>(word)};
    }
};

}  // namespace zetl::emulator::check
