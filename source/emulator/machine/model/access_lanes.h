// Questions about the lanes of an access to memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/isa/observe.h"

namespace zetl::emulator::machine {

/// The number of lanes of the widest instruction.
inline constexpr std::size_t kWidest = 32;

/// Calls f(address) for each lane that is on.
template <class F>
void eachLane(const isa::MemoryAccess& access, F&& f) {
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) f(access.address[std::countr_zero(lanes)]);
}

/// The number of lanes, if exactly the lanes from the first on access memory; otherwise 0.
inline std::size_t lanesInARow(const isa::MemoryAccess& access) noexcept {
    return (access.lanes & (access.lanes + 1)) == 0 ? static_cast<std::size_t>(std::popcount(access.lanes)) : 0;
}

/// Whether that many lanes from `first` on access successive bytes.
inline bool areNeighbours(const isa::MemoryAccess& access, std::size_t first, std::size_t count) noexcept {
    const std::uint64_t* const address = access.address.data() + first;
    std::uint64_t apart = 0;
    for (std::size_t lane = 0; lane < count; ++lane)
        apart |= address[lane] ^ (address[0] + lane * std::uint64_t{access.bytesPerLane});
    return apart == 0;
}

}  // namespace zetl::emulator::machine
