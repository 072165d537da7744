// The emulated GPU's device profiles, as `zetl devices` lists them, and the kinds of devices that compilers build for.
// The build makes both of the profiles and architectures themselves (source/emulator/machine/device_table.cpp).
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

/// By the names that compilers have for them ("bmg").
std::span<const std::string_view> products() noexcept;

}  // namespace zetl::command
