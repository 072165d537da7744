// Starts the driver, for zeInit, zeInitDrivers and zesInit.
#pragma once

#include "driver/lifetime.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

/// Makes the driver with its devices on the first call, for the rest of the process. Returns UNINITIALIZED, and logs a
/// line, if ZETL_EMULATED_DEVICE names no device: no other device replaces it. OUT_OF_HOST_MEMORY.
Status start(const char* function) noexcept;

/// Like boundary(), for a function that starts the driver.
template <class F>
ze_result_t starting(const char* function, F&& body) noexcept {
    if (!lifetime::inForkedChild())
        if (const Status failed = start(function); failed != ZE_RESULT_SUCCESS) return failed;
    return boundary(function, body);
}

}  // namespace zetl::emulator::driver
