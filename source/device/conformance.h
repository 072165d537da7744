// Checks whether an implementation of the device-access interface keeps its form, when a provider is adopted and in
// tests.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <string>
#include <vector>

namespace zetl::device {

/// False for a provider built before the section "commands" was appended.
bool offersCommands(const zetl_device_access_t& access) noexcept;
/// The same for the section "event memory".
bool offersEventMemory(const zetl_device_access_t& access) noexcept;

/// False for a provider built before `breakpoint` was appended to the section "targets".
bool offersBreakpoints(const zetl_target_functions_t& targets) noexcept;

/// Violations in the tables themselves: version, sizes, null members, the mandatory section. Empty if there are none.
/// Calls no function of the provider.
std::vector<std::string> violations(const zetl_device_access_t* access);

/// Violations in the provider's answers: the counting rule; descriptions of devices, clocks, counters and register sets
/// that contradict themselves; answers to ids that do not exist. Calls the provider; acquires and starts nothing.
std::vector<std::string> behaviourViolations(const zetl_device_access_t& access);

}  // namespace zetl::device
