// The emulated GPU's device profiles, as `zetl devices` lists them. The build makes the rows of the profiles
// themselves.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace zetl::command {

struct ProfileRow {
    std::string_view profile;
    std::string_view what;  ///< the profile's first line
    std::string_view name;  ///< of the device
    std::string_view architecture;
    std::uint32_t devices;
    std::uint32_t tiles;
    std::uint32_t subslices;  ///< of a tile
    std::uint32_t eus;        ///< of a sub-slice
    std::uint32_t threads;    ///< of an EU
    std::uint32_t clockMhz;
    std::uint64_t memoryBytes;  ///< of a tile
};

/// The default first.
std::span<const ProfileRow> profileRows() noexcept;

}  // namespace zetl::command
