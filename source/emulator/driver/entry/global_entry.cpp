// Entry points that start the driver: zeInit, zeInitDrivers.
#include "base/enumerate.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/start.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr ze_init_flags_t kKnownInitFlags = ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY;

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept {
    return starting("zeInit", [&]() -> Status {
        if (flags & ~kKnownInitFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        if (flags == ZE_INIT_FLAG_VPU_ONLY)
            return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "only VPU drivers were asked for, this one has a GPU");
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept {
    return starting("zeInitDrivers", [&]() -> Status {
        if (!count || !description) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (!description->flags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        const bool wanted = description->flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU;
        return enumerate(wanted ? 1 : 0, count, drivers, [](auto) { return Driver::instance().handle(); });
    });
}

}  // namespace

Rows globalRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeInit, init),
        ZETL_SERVES(zeInitDrivers, initDrivers),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
