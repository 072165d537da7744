// Entries that rows cannot describe.
#pragma once

#include <level_zero/zes_api.h>

#include <cstdint>

#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

struct VisitDescription;

// They start the driver, so that they come before it can be used.
ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept;
ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept;
ze_result_t ZE_APICALL initSysman(zes_init_flags_t flags) noexcept;

// They return a value, or a special value if there is none, and no code.
ze_context_handle_t ZE_APICALL getDefaultContext(ze_driver_handle_t driver) noexcept;
ze_context_handle_t ZE_APICALL getRuntimeContext() noexcept;
/// A device's identifier is its index in the list of zeDeviceGet.
std::uint32_t ZE_APICALL identifierOf(ze_device_handle_t device) noexcept;
ze_device_handle_t ZE_APICALL deviceOf(std::uint32_t identifier) noexcept;

// zex_memory_free_callback_ext_desc_t of Intel's driver.
struct FreeCallbackDescription {
    std::uint32_t stype;
    const void* pNext;
    void (*pfnCallback)(void*);
    void* pUserData;
};
/// Something missing is an INVALID_ARGUMENT, as with Intel's driver.
ze_result_t ZE_APICALL registerFreeCallback(ze_context_handle_t context, FreeCallbackDescription* description,
                                            void* pointer) noexcept;

// They return what callbacks of the application return, which may be any code.
ze_result_t ZE_APICALL visitGraph(ze_graph_handle_t graph, const VisitDescription* description) noexcept;
ze_result_t ZE_APICALL visitList(ze_command_list_handle_t list, const VisitDescription* description) noexcept;

}  // namespace zetl::emulator::driver
