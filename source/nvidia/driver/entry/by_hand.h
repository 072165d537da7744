// Entries that rows cannot describe: they start the driver, or answer before there is an object to ask.
#pragma once

#include <level_zero/zes_api.h>

#include <cstdint>

#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept;
ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept;
ze_result_t ZE_APICALL getDrivers(std::uint32_t* count, ze_driver_handle_t* drivers) noexcept;

ze_result_t ZE_APICALL initSysman(zes_init_flags_t flags) noexcept;

}  // namespace zetl::nvidia
