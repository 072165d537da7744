// ZE_extension_driver_ddi_handles: a driver's properties state that its handles begin with tables.
#pragma once

#include "driver/chain.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// Fills the structure that a loader chains behind the properties of a driver.
inline void answerDdiHandles(const ze_driver_properties_t& properties) {
    forEachLink(&properties, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
                fillLink<ze_driver_ddi_handles_ext_properties_t>(
                    ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES,
                    [](auto& answer) { answer.flags = ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED; }));
}

}  // namespace zetl::driver
