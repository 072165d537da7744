// Events of devices (sysman specification, "Events"), and their health.
#pragma once

#include <level_zero/zes_api.h>

#include <cstdint>

#include "base/result.h"

namespace zetl::emulator::driver {

class Device;
class Driver;

/// Replaces the set of events that the device's listeners hear of; 0 clears it, and ends the waits of listeners.
/// INVALID_ENUMERATION for unknown ones.
Status registerEvents(Device& device, zes_event_type_flags_t events);
/// Waits for a registered event of these devices: at most `timeout` milliseconds, forever if it is the greatest number,
/// not at all if it is 0. SUCCESS also if the time is over; `happened` is the number of devices with events then. The
/// one event that an emulated device has is that it needs a reset, once, after a fault that lost it.
Status listen(Driver& driver, std::uint32_t timeout, std::uint32_t count, zes_device_handle_t* devices,
              std::uint32_t& happened, zes_event_type_flags_t* events);
Status listenLong(Driver& driver, std::uint64_t timeout, std::uint32_t count, zes_device_handle_t* devices,
                  std::uint32_t& happened, zes_event_type_flags_t* events);

/// zesDriverEventRegisterExt of specification 1.19: of the one event of a driver, that a log has data, nothing is ever
/// heard, since there are no logs. INVALID_ENUMERATION for others.
Status registerDriverEvents(Driver& driver, zes_event_type_flags_t events) noexcept;

/// zesDeviceSetHealthStatusExt of specification 1.18: INVALID_ENUMERATION, else INSUFFICIENT_PERMISSIONS; the device
/// alone knows.
Status setHealth(std::uint32_t health);
/// zesDeviceGetHealthStatusExt of specification 1.18: 0, healthy, or 3, failed, once it is lost.
std::uint32_t health(Device& device) noexcept;

}  // namespace zetl::emulator::driver
