// The memory that a message accesses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zetl::isa::xe {

enum class MemorySpace : std::uint8_t {
    global,   ///< allocations, by device address
    local,    ///< shared by a work-group, by offset
    scratch,  ///< a thread's own spills, by offset
    payload,  ///< the argument block of the launch, by offset
};

/// The number of spaces that per-lane messages reach; only blocks and atomics reach the payload.
inline constexpr std::size_t kLaneSpaces = 3;

constexpr std::size_t indexOf(MemorySpace space) noexcept { return static_cast<std::size_t>(space); }

}  // namespace zetl::isa::xe
