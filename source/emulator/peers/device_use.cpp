#include "emulator/peers/device_use.h"

#include <algorithm>

namespace zetl::emulator::peers {

void DeviceUse::addGrowth(const DeviceUse& now, const DeviceUse& before) noexcept {
    for (std::size_t tile = 0; tile < tiles.size(); ++tile)
        for (const auto counter : TileUse::kCounters) {
            const std::uint64_t grown = now.tiles[tile].*counter;
            tiles[tile].*counter += grown - std::min(grown, before.tiles[tile].*counter);
        }
}

void DeviceUse::addMemory(const DeviceUse& other) noexcept {
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) tiles[tile].memory += other.tiles[tile].memory;
}

bool DeviceUse::plausible() const noexcept {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 52;
    return std::ranges::all_of(tiles, [](const TileUse& tile) {
        return tile.memory <= kMost &&
               std::ranges::all_of(TileUse::kCounters, [&](const auto counter) { return tile.*counter <= kMost; });
    });
}

DeviceUse useOf(machine::Device& device) {
    DeviceUse use;
    for (std::uint32_t i = 0; i < device.profile().tiles; ++i) {
        machine::Tile& tile = device.tile(i);
        const auto moved = device.transfers(i).read(tile);
        const machine::Counts counts = tile.counters().counts;
        use.tiles[i] = {.computeTime = moved.computeTime,
                        .copyTime = moved.copyTime,
                        .bothTime = moved.bothTime,
                        .bytesRead = moved.bytesRead + counts[machine::Counter::globalBytesRead],
                        .bytesWritten = moved.bytesWritten + counts[machine::Counter::globalBytesWritten],
                        .bytesIn = moved.bytesIn,
                        .bytesOut = moved.bytesOut,
                        .memory = memoryUse(device, i).used};
    }
    return use;
}

MemoryUse memoryUse(const machine::Device& device, std::uint32_t tile) noexcept {
    const std::uint32_t tiles = device.profile().tiles;
    const std::uint64_t bytes = device.memoryBudget()->limit() / tiles;
    const auto ownOf = [&](std::uint32_t index) { return std::min(device.memoryBudget(index)->used(), bytes); };
    std::uint64_t own = 0;
    std::uint64_t room = 0;
    for (std::uint32_t i = 0; i < tiles; ++i) {
        own += ownOf(i);
        room += bytes - ownOf(i);
    }
    const std::uint64_t whole = device.memoryBudget()->used();
    const std::uint64_t common = whole - std::min(own, whole);
    const std::uint64_t mine = ownOf(tile);
    if (room == 0) return {bytes, bytes};
    using Wide = unsigned __int128;
    const auto share = static_cast<std::uint64_t>(Wide{common} * (bytes - mine) / room);
    return {bytes, std::min(mine + share, bytes)};
}

}  // namespace zetl::emulator::peers
