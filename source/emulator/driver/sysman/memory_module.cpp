#include "emulator/driver/sysman/memory_module.h"

#include <algorithm>
#include <iterator>

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kBitsInByte = 8;
constexpr std::uint64_t kHertzInMegahertz = 1'000'000;

}  // namespace

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

void MemoryModule::describe(zes_mem_properties_t& out) const noexcept {
    constexpr zes_mem_type_t kTypes[] = {ZES_MEM_TYPE_LPDDR4, ZES_MEM_TYPE_LPDDR5, ZES_MEM_TYPE_HBM, ZES_MEM_TYPE_HBM,
                                         ZES_MEM_TYPE_GDDR6};
    out.type = kTypes[std::min<std::size_t>(place_.profile().memoryType, std::size(kTypes) - 1)];
    place_.place(out);
    out.location = place_.profile().integrated != 0 ? ZES_MEM_LOC_SYSTEM : ZES_MEM_LOC_DEVICE;
    out.physicalSize = place_.profile().memoryBytes;
    out.busWidth = static_cast<std::int32_t>(place_.profile().memoryBusBits);
    out.numChannels = kUnknown;
}

void MemoryModule::state(zes_mem_state_t& out) const noexcept {
    const MemoryUse use = memoryUse(place_.root().machine(), place_.tile().index());
    out.health = ZES_MEM_HEALTH_OK;
    out.size = use.bytes;
    out.free = use.bytes - use.used;
}

void MemoryModule::bandwidth(zes_mem_bandwidth_t& out) const {
    const machine::DeviceProfile& profile = place_.profile();
    const machine::Counts counts = place_.tile().counters().counts;
    out.readCounter = counts[machine::Counter::globalBytesRead];
    out.writeCounter = counts[machine::Counter::globalBytesWritten];
    out.maxBandwidth = profile.memoryClockMhz * kHertzInMegahertz * profile.memoryBusBits / kBitsInByte;
    out.timestamp = sampleTime();
}

}  // namespace zetl::emulator::driver
