// What one process did with a device so far, and what it holds of it: what system management shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/machine/machine.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::peers {

struct TileUse {
    // Counters: nanoseconds, and bytes (machine::Transfers::Reading, machine::Counter).
    std::uint64_t computeTime = 0;
    std::uint64_t copyTime = 0;
    std::uint64_t bothTime = 0;
    std::uint64_t bytesRead = 0;     ///< by kernels and copies
    std::uint64_t bytesWritten = 0;  ///< by kernels and copies
    std::uint64_t bytesIn = 0;
    std::uint64_t bytesOut = 0;
    // What it holds now.
    std::uint64_t memory = 0;  ///< bytes of the tile's memory

    static constexpr std::array kCounters = {
        &TileUse::computeTime,  &TileUse::copyTime, &TileUse::bothTime, &TileUse::bytesRead,
        &TileUse::bytesWritten, &TileUse::bytesIn,  &TileUse::bytesOut,
    };
};

/// By tile; those that the device lacks stay 0.
struct DeviceUse {
    std::array<TileUse, machine::kMaxTiles> tiles = {};

    /// Adds the growth of the other one's counters since `before`; what has shrunk did not grow.
    void addGrowth(const DeviceUse& now, const DeviceUse& before) noexcept;
    void addMemory(const DeviceUse& other) noexcept;
    /// True if every value may be true: sums of very many stay within 64 bits.
    bool plausible() const noexcept;
};

/// Of this process.
DeviceUse useOf(machine::Device& device);

/// Bytes of a tile's memory. What belongs to all tiles fills the room that they have left in equal shares.
struct MemoryUse {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
};
MemoryUse memoryUse(const machine::Device& device, std::uint32_t tile) noexcept;

}  // namespace zetl::emulator::peers
