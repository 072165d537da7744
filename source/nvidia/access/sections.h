// The function tables of the provider, one file each, and what their functions share.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <exception>
#include <new>

#include "base/log.h"
#include "driver/lifetime.h"

namespace zetl::nvidia::access {

extern const zetl_device_functions_t kDeviceFunctions;    // devices.cpp
extern const zetl_clock_functions_t kClockFunctions;      // clocks.cpp
extern const zetl_counter_functions_t kCounterFunctions;  // counters.cpp, queries.cpp
extern const zetl_stream_functions_t kStreamFunctions;    // streams.cpp
extern const zetl_module_functions_t kModuleFunctions;    // modules.cpp

/// Runs the body of an interface function: nothing may be thrown through C.
template <class F>
zetl_status_t guarded(F&& body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::nvidia, "device access: the host has no memory for this");
        return ZETL_NO_MEMORY;
    } catch (const std::exception& failure) {
        log::error(log::Channel::nvidia, "device access: {}", failure.what());
        return ZETL_LOST;
    }
}

/// The same for what needs the device, which a forked child does not have.
template <class F>
zetl_status_t atWork(F&& body) noexcept {
    return driver::lifetime::inForkedChild() ? ZETL_LOST : guarded(body);
}

}  // namespace zetl::nvidia::access
