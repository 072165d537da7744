// Does an implementation of the device-access interface keep its form? Asked when a provider is adopted, and by tests.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <string>
#include <vector>

namespace zetl::device {

/// False for a provider built before the section "commands" was appended.
bool offersCommands(const zetl_device_access_t& access) noexcept;
/// The same of "event memory".
bool offersEventMemory(const zetl_device_access_t& access) noexcept;

/// What the tables themselves break: version, sizes, null members, the mandatory section. Empty if nothing. Calls
/// nothing.
std::vector<std::string> violations(const zetl_device_access_t* access);

/// What the provider breaks when asked: the counting rule, descriptions of devices, clocks, counters and register sets
/// that contradict themselves, answers to ids that do not exist. Calls the provider; acquires and starts nothing.
std::vector<std::string> behaviourViolations(const zetl_device_access_t& access);

}  // namespace zetl::device
