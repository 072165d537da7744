// Functions without a handle: zeInit, zeInitDrivers, zeDriverGet.
#include "base/enumerate.h"
#include "driver/lifetime.h"
#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/entry/rows.h"

namespace zetl::nvidia {
namespace {

constexpr ze_init_flags_t kKnownInitFlags = ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY;

/// Starts the driver; later calls find it started, or find again why it cannot be.
template <class F>
ze_result_t starting(const char* function, F&& body) noexcept {
    if (!lifetime::inForkedChild()) lifetime::initialise();
    return boundary(function, [&]() -> Status {
        const auto driver = Driver::instance();
        return driver ? body(**driver) : driver.code();
    });
}

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept {
    return starting("zeInit", [&](Driver&) -> Status {
        if (flags & ~kKnownInitFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        if (flags == ZE_INIT_FLAG_VPU_ONLY)
            return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "only VPU drivers were asked for, this one has GPUs");
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept {
    return starting("zeInitDrivers", [&](Driver& driver) -> Status {
        if (!count || !description) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (!description->flags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        const bool wanted = description->flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU;
        return enumerate(wanted ? 1 : 0, count, drivers, [&](auto) { return driver.handle(); });
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

}  // namespace

driver::Rows globalRows() noexcept {
    static const driver::Served rows[] = {
        ZETL_SERVES(zeInit, init),
        ZETL_SERVES(zeInitDrivers, initDrivers),
        ZETL_SERVES(zeDriverGet, getDrivers),
    };
    return rows;
}

}  // namespace zetl::nvidia
