// onObject() for sysman functions, which answer only once sysman may be used.
#pragma once

#include <utility>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/handles.h"
#include "emulator/driver/sysman/readiness.h"

namespace zetl::emulator::driver {

template <class T, class F>
ze_result_t onceReady(Status (*ready)(), const char* function, typename T::Handle handle, Required pointers,
                      F&& body) noexcept {
    return boundary(function, [&]() -> Status {
        if (const Status off = ready(); off != ZE_RESULT_SUCCESS) return off;
        const auto object = find<T>(handle);
        if (!object) return object.code();
        if (const Status missing = present(pointers); missing != ZE_RESULT_SUCCESS) return missing;
        return body(**object);
    });
}

template <class F>
ze_result_t onSysmanDevice(const char* function, zes_device_handle_t device, Required pointers, F&& body) noexcept {
    return onceReady<Device>(sysmanAnswers, function, core(device), pointers, std::forward<F>(body));
}

template <class F>
ze_result_t onSysmanDriver(const char* function, zes_driver_handle_t driver, Required pointers, F&& body) noexcept {
    return onceReady<Driver>(sysmanStarted, function, core(driver), pointers, std::forward<F>(body));
}

}  // namespace zetl::emulator::driver
