// The checks of functions that start a driver: zeInit, zeInitDrivers.
#pragma once

#include "base/enumerate.h"
#include "driver/refusal.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// The result of zeInit for its flags, for a driver of GPUs.
inline Status acceptInit(ze_init_flags_t flags) {
    constexpr ze_init_flags_t kKnown = ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY;
    if (flags & ~kKnown) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (flags == ZE_INIT_FLAG_VPU_ONLY)
        return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "only VPU drivers were asked for, this one has GPUs");
    return ZE_RESULT_SUCCESS;
}

/// zeInitDrivers for such a driver, whose handle is `self`.
inline Status listIfWanted(const ze_init_driver_type_desc_t* description, std::uint32_t* count,
                           ze_driver_handle_t* drivers, ze_driver_handle_t self) {
    if (!count || !description) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!description->flags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const bool wanted = description->flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU;
    return enumerate(wanted ? 1 : 0, count, drivers, [&](auto) { return self; });
}

}  // namespace zetl::driver
