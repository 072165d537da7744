#include "pin/pin.h"

#include "base/log.h"
#include "device/status.h"
#include "pin/profile_flags.h"

namespace zetl::pin {
namespace {

/// A module of one provider.
struct Known {
    device::Access access;
    zetl_module_t id;
    zetl_module_info_t info;
};

/// Asks each provider whether the handle is its own.
template <class Ask>
Result<Known> find(const device::Devices& devices, Ask&& ask) {
    for (const auto& access : devices.accesses()) {
        Known known{access, 0, {}};
        known.info.size = sizeof known.info;
        if (ask(access.modules(), known.id) == ZETL_OK && access.modules().describe(known.id, &known.info) == ZETL_OK)
            return known;
    }
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

}  // namespace

ze_result_t Pin::moduleGetDebugInfo(zet_module_handle_t module, zet_module_debug_info_format_t format, size_t* size,
                                    uint8_t* debugInfo) {
    if (format > ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto known = find(devices_, [&](const zetl_module_functions_t& modules, zetl_module_t& id) {
        return modules.of_module(module, &id);
    });
    if (!known) return known.code();
    const auto given = *size;
    *size = known->info.image_bytes;
    if (!debugInfo) return ZE_RESULT_SUCCESS;
    if (given < *size) {
        log::warn(log::Module::pin, "zetModuleGetDebugInfo refused: the buffer has {} of {} bytes", given, *size);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return device::resultOf(known->access.modules().read_image(known->id, 0, *size, debugInfo));
}

ze_result_t Pin::kernelGetProfileInfo(zet_kernel_handle_t kernel, zet_profile_properties_t* properties) {
    const auto known = find(devices_, [&](const zetl_module_functions_t& modules, zetl_module_t& id) {
        return modules.of_kernel(kernel, &id);
    });
    if (!known) return known.code();
    properties->flags = profileFlags(known->info.build_options);
    properties->numTokens = 0;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::pin
