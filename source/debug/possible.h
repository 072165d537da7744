// What a target in another process may say: the debuggee may lie.
#pragma once

#include <ze_tools_layer/device_access.h>

#include "device/device.h"

namespace zetl::debug {

/// Modules that a session keeps, events that wait to be read, and bytes of a debug image or of code.
inline constexpr std::size_t kMostModules = 65536;
inline constexpr std::size_t kMostEvents = 65536;
inline constexpr std::uint64_t kMostImageBytes = std::uint64_t{4} << 30;

/// Of a known kind, and naming threads that the device has.
bool isPossible(const zetl_event_t& event, const device::Device& device) noexcept;

/// Ranges that neither wrap around nor exceed the limits.
bool isPossible(const zetl_module_info_t& info) noexcept;

}  // namespace zetl::debug
