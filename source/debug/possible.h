// What a target in another process can truthfully report: the debuggee may lie.
#pragma once

#include <ze_tools_layer/device_access.h>

#include "device/device.h"

namespace zetl::debug {

/// Limits for the modules that a session keeps, unread events, and the bytes of a debug image or of code.
inline constexpr std::size_t kMostModules = 65536;
inline constexpr std::size_t kMostEvents = 65536;
inline constexpr std::uint64_t kMostImageBytes = std::uint64_t{4} << 30;

/// True for events of a known kind that name threads of the device.
bool isPossible(const zetl_event_t& event, const device::Device& device) noexcept;

/// True for ranges that neither wrap around nor exceed the limits.
bool isPossible(const zetl_module_info_t& info) noexcept;

}  // namespace zetl::debug
