// What a launch takes of a tile while it works.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/machine/counters.h"
#include "emulator/machine/model/subslice.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {

/// What launches that work side by side share.
enum class Resource : std::uint8_t {
    slots,        ///< of threads
    localMemory,  ///< of sub-slices
    pipes,        ///< the busiest kind, of all engines
    units,        ///< load/store units
    links,        ///< from sub-slices to L3
    memory,       ///< the way to it
    count_,
};
inline constexpr std::size_t kResources = static_cast<std::size_t>(Resource::count_);

/// Parts of kFullUse, by resource, in the mean over the time of the launch.
using ResourceUse = std::array<std::uint32_t, kResources>;
inline constexpr std::uint32_t kFullUse = std::uint32_t{1} << 20;

/// Of a launch whose groups need as much, and which counted this while it was alone on the tile.
ResourceUse useOf(const Counts& alone, const GroupNeed& need, const DeviceProfile& profile) noexcept;

}  // namespace zetl::emulator::machine
