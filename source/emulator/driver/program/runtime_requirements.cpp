#include "emulator/driver/program/runtime_requirements.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>

#include "emulator/driver/device/device.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

// ze_runtime_requirements_module_desc_t, which headers before specification 1.16 do not have.
constexpr auto kModuleDescription = static_cast<ze_structure_type_t>(0x00020044);
struct ModuleDescription {
    ze_structure_type_t stype;
    const void* pNext;
    ze_module_handle_t requirementsSrc;
};

constexpr const char* kProducer = "ZETL.EMULATED.GPU";

/// A native binary runs on the product for which it was made.
std::string requirementsOf(const Device& device) {
    return fmt::format("{}:device={:#06x}:revision={:#04x}", kProducer, device.profile().deviceId,
                       device.profile().revision);
}

ze_validate_runtime_requirements_result_t judge(const Device& device, std::string_view text) {
    if (text == requirementsOf(device)) return ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET;
    return text.starts_with(kProducer) ? ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_NOT_MET
                                       : ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE;
}

}  // namespace

Status getRuntimeRequirements(const Device& device, const void* description, std::size_t& size, char* out) {
    const auto& wanted = *static_cast<const ModuleDescription*>(description);
    if (wanted.stype != kModuleDescription)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a description of type {:#x}; only modules have requirements",
                      static_cast<unsigned>(wanted.stype));
    const auto module = find<Module>(wanted.requirementsSrc);
    if (!module) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const std::string text = requirementsOf(device);
    if (out && size < text.size() + 1)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} bytes of room for {}", size, text.size() + 1);
    size = text.size() + 1;
    if (out) std::memcpy(out, text.c_str(), size);
    return ZE_RESULT_SUCCESS;
}

const char* runtimeRequirementsKey() noexcept { return kProducer; }

void validateRuntimeRequirements(const Device& device, const char* requirements,
                                 ze_validate_runtime_requirements_output_t& out) {
    out.result = judge(device, requirements);
}

}  // namespace zetl::emulator::driver
