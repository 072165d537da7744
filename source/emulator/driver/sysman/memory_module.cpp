#include "emulator/driver/sysman/memory_module.h"

#include <algorithm>
#include <iterator>

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kBitsInByte = 8;
constexpr std::uint64_t kHertzInMegahertz = 1'000'000;

}  // namespace

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

void MemoryModule::state(zes_mem_state_t& out) const {
    out.health = ZES_MEM_HEALTH_OK;
    out.size = peers::memoryUse(place_.root().machine(), place_.tile().index()).bytes;
    out.free = out.size - std::min(out.size, place_.use().memory);
}

void MemoryModule::bandwidth(zes_mem_bandwidth_t& out) const {
    const machine::DeviceProfile& profile = place_.profile();
    const peers::TileUse use = place_.use();
    out.readCounter = use.bytesRead;
    out.writeCounter = use.bytesWritten;
    out.maxBandwidth = profile.memoryClockMhz * kHertzInMegahertz * profile.memoryBusBits / kBitsInByte;
    out.timestamp = sampleTime();
}

}  // namespace zetl::emulator::driver
