// A device and a driver are the same objects in the core API and in sysman; only the types of their handles differ.
#pragma once

#include <level_zero/zes_api.h>

namespace zetl::emulator::driver {

inline ze_driver_handle_t core(zes_driver_handle_t driver) noexcept {
    return reinterpret_cast<ze_driver_handle_t>(driver);
}
inline ze_device_handle_t core(zes_device_handle_t device) noexcept {
    return reinterpret_cast<ze_device_handle_t>(device);
}
inline zes_driver_handle_t sysman(ze_driver_handle_t driver) noexcept {
    return reinterpret_cast<zes_driver_handle_t>(driver);
}
inline zes_device_handle_t sysman(ze_device_handle_t device) noexcept {
    return reinterpret_cast<zes_device_handle_t>(device);
}

}  // namespace zetl::emulator::driver
