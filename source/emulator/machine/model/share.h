// Parts of counts.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine {

/// value * part / whole, without overflow on the way; 0 if there is no whole.
inline std::uint64_t share(std::uint64_t value, std::uint64_t part, std::uint64_t whole) noexcept {
    __extension__ using Wide = unsigned __int128;
    return whole == 0 ? 0 : static_cast<std::uint64_t>(Wide{value} * part / whole);
}

}  // namespace zetl::emulator::machine
