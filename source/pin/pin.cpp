#include "pin/pin.h"

#include <ze_tools_layer/profile_tokens.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/log.h"
#include "device/status.h"
#include "pin/free_registers.h"
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

std::vector<std::uint8_t> imageOf(const Known& known) {
    std::vector<std::uint8_t> image(known.info.image_bytes);
    if (known.access.modules().read_image(known.id, 0, image.size(), image.data()) != ZETL_OK) image.clear();
    return image;
}

std::string nameOf(ze_kernel_handle_t kernel, const device::CoreCalls& core) {
    std::size_t size = 0;
    if (!core.kernelGetName || core.kernelGetName(kernel, &size, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::string name(size, '\0');
    if (core.kernelGetName(kernel, &size, name.data()) != ZE_RESULT_SUCCESS) return {};
    name.resize(std::strlen(name.c_str()));  // without the terminator that the driver counts
    return name;
}

/// The requested flags, without those that the compiler reports as not done. If a kernel can be read, its free
/// registers are found in any case.
zet_profile_flags_t done(zet_profile_flags_t wanted, const RegisterReport& report) {
    if (!report.readable) return 0;
    if (!report.reallocated) wanted &= ~static_cast<zet_profile_flags_t>(ZET_PROFILE_FLAG_REGISTER_REALLOCATION);
    return wanted;
}

/// The caller's room for tokens. Callers of old leave stype and pNext as they find them.
zetl_profile_tokens_t* roomOf(const zet_profile_properties_t& properties) {
    if (properties.stype != ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES) return nullptr;
    auto* const next = static_cast<zetl_profile_tokens_t*>(properties.pNext);
    return next && next->stype == ZETL_STRUCTURE_TYPE_PROFILE_TOKENS ? next : nullptr;
}

ze_result_t give(const RegisterReport& report, zetl_profile_tokens_t& room, zet_profile_properties_t& properties) {
    const auto tokens = tokensOf(report);
    const auto given = room.size;
    room.size = tokens.size();
    room.source = tokens.empty() ? ZETL_TOKENS_NONE : report.source;
    if (!room.tokens || tokens.empty()) return ZE_RESULT_SUCCESS;
    if (given < tokens.size()) {
        log::warn(log::Channel::pin, "zetKernelGetProfileInfo: the tokens take {} bytes, the room has {}",
                  tokens.size(), given);
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    std::memcpy(room.tokens, tokens.data(), tokens.size());
    properties.numTokens = 1;
    return ZE_RESULT_SUCCESS;
}

}  // namespace

ze_result_t Pin::moduleGetDebugInfo(zet_module_handle_t module, zet_module_debug_info_format_t format,
                                    std::size_t* size, std::uint8_t* debugInfo) {
    if (format > ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto known = find(devices_, [&](const zetl_module_functions_t& modules, zetl_module_t& id) {
        return modules.of_module(module, &id);
    });
    if (!known) return known.code();
    const auto given = *size;
    *size = known->info.image_bytes;
    if (!debugInfo) return ZE_RESULT_SUCCESS;
    if (given < *size) {
        log::warn(log::Channel::pin, "zetModuleGetDebugInfo refused: the buffer has {} of {} bytes", given, *size);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return device::resultOf(known->access.modules().read_image(known->id, 0, *size, debugInfo));
}

ze_result_t Pin::kernelGetProfileInfo(zet_kernel_handle_t kernel, zet_profile_properties_t* properties) {
    const auto known = find(devices_, [&](const zetl_module_functions_t& modules, zetl_module_t& id) {
        return modules.of_kernel(kernel, &id);
    });
    if (!known) return known.code();
    const auto wanted = profileFlags(known->info.build_options);
    const auto report = wanted == 0 ? RegisterReport() : registersOf(imageOf(*known), nameOf(kernel, devices_.core()));
    properties->flags = done(wanted, report);
    properties->numTokens = 0;
    auto* const room = roomOf(*properties);
    return room ? give(wanted & ZET_PROFILE_FLAG_FREE_REGISTER_INFO ? report : RegisterReport(), *room, *properties)
                : ZE_RESULT_SUCCESS;
}

}  // namespace zetl::pin
