// ZE_extension_driver_ddi_handles: a driver's properties state that its handles begin with tables.
#pragma once

#include "driver/chain.h"

namespace zetl::driver {

// Names and numbers that Level Zero headers before specification 1.12 do not have.
inline constexpr auto kDdiHandlesStructure = static_cast<ze_structure_type_t>(0x00020027);
inline constexpr std::uint32_t kDdiHandlesSupported = 1;
struct DdiHandlesProperties {
    ze_structure_type_t stype;
    void* pNext;
    std::uint32_t flags;
};

/// Fills the structure that a loader chains behind the properties of a driver.
inline void answerDdiHandles(const ze_driver_properties_t& properties) {
    forEachLink(&properties, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
                fillLink<DdiHandlesProperties>(kDdiHandlesStructure,
                                               [](auto& answer) { answer.flags = kDdiHandlesSupported; }));
}

}  // namespace zetl::driver
