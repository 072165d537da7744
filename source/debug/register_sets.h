// A device's register sets as the debug API lists them.
#pragma once

#include <level_zero/zet_api.h>

#include <vector>

#include "device/device.h"

namespace zetl::debug {

/// In the device's order; empty if it is not debuggable.
std::vector<const zetl_register_set_t*> registerSetsOf(const device::Device& device);

/// Null if the device has no such set.
const zetl_register_set_t* findRegisterSet(const device::Device& device, std::uint32_t type);

/// What so many registers of the set take in a buffer.
std::uint64_t bytesOf(const zetl_register_set_t& set, std::uint32_t count, const device::Device& device);

/// Registers of a thread in its usual mode: what the device is said to have.
std::uint32_t usualCount(const zetl_register_set_t& set) noexcept;

/// Fills all but stype and pNext, which are the caller's and may be uninitialised.
void fill(zet_debug_regset_properties_t& properties, const zetl_register_set_t& set, std::uint32_t count);

}  // namespace zetl::debug
