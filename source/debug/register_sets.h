// A device's register sets in the form of the debug API.
#pragma once

#include <level_zero/zet_api.h>

#include <vector>

#include "device/device.h"

namespace zetl::debug {

/// In the device's order; empty if the device is not debuggable.
std::vector<const zetl_register_set_t*> registerSetsOf(const device::Device& device);

/// Null if the device has no such set.
const zetl_register_set_t* findRegisterSet(const device::Device& device, std::uint32_t type);

/// The size of so many registers of the set in a buffer.
std::uint64_t bytesOf(const zetl_register_set_t& set, std::uint32_t count, const device::Device& device);

/// The number of registers of a thread in its usual mode, which is reported for the device.
std::uint32_t usualCount(const zetl_register_set_t& set) noexcept;

/// Fills all members except stype and pNext, which belong to the caller and may be uninitialised.
void fill(zet_debug_regset_properties_t& properties, const zetl_register_set_t& set, std::uint32_t count);

}  // namespace zetl::debug
