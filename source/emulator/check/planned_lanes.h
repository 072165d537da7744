// What lanes of global memory are going to access, all of them, each at an address of its own.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::check {

/// At least one.
struct PlannedLanes {
    std::span<const std::uint64_t> address;  ///< by lane
    std::uint32_t bytesPerLane;

    /// They access neighbouring bytes in their order.
    bool runOn() const noexcept {
        std::uint64_t differs = 0;
        for (std::size_t lane = 0; lane < address.size(); ++lane)
            differs |= address[lane] ^ (address.front() + lane * bytesPerLane);
        return differs == 0;
    }
    bool areWithin(const machine::Allocation& allocation) const noexcept {
        if (bytesPerLane > allocation.bytes()) return false;
        const std::uint64_t last = allocation.bytes() - bytesPerLane;  // far below what has the highest bit
        std::uint64_t outside = 0;                                     // has that bit if one is
        for (const std::uint64_t at : address) outside |= (at - allocation.begin) | (last - (at - allocation.begin));
        return outside >> 63 == 0;
    }
    /// Of a power of two.
    bool areMultiplesOf(std::uint64_t bytes) const noexcept {
        std::uint64_t low = 0;
        for (const std::uint64_t at : address) low |= at;
        return (low & (bytes - 1)) == 0;
    }
};

}  // namespace zetl::emulator::check
