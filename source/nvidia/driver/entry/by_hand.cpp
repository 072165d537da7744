#include "nvidia/driver/entry/by_hand.h"

#include "base/enumerate.h"
#include "driver/lifetime.h"
#include "driver/start.h"
#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/sysman/monitored_device.h"

namespace zetl::nvidia {
namespace {

/// Starts the driver; later calls find it started, or find again why it cannot be.
template <class F>
ze_result_t starting(const char* function, F&& body) noexcept {
    if (!lifetime::inForkedChild()) lifetime::initialise();
    return boundary(function, [&]() -> Status {
        const auto driver = Driver::instance();
        return driver ? body(**driver) : driver.code();
    });
}

}  // namespace

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept {
    return starting("zeInit", [&](Driver&) { return acceptInit(flags); });
}

ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept {
    return starting("zeInitDrivers",
                    [&](Driver& driver) { return listIfWanted(description, count, drivers, driver.handle()); });
}

ze_result_t ZE_APICALL initSysman(zes_init_flags_t flags) noexcept {
    return starting("zesInit", [&](Driver&) -> Status {
        if (flags & ~zes_init_flags_t{ZES_INIT_FLAG_PLACEHOLDER}) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        return startSysman();
    });
}

ze_result_t ZE_APICALL getDrivers(std::uint32_t* count, ze_driver_handle_t* drivers) noexcept {
    return boundary("zeDriverGet", [&]() -> Status {
        const auto driver = Driver::instance();
        if (!driver) return driver.code();
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return enumerate(1, count, drivers, [&](auto) { return (*driver)->handle(); });
    });
}

}  // namespace zetl::nvidia
