#include "debug_guard.h"

#include "base/log.h"
#include "native.h"

namespace zetl::layer {
namespace {

constexpr uint32_t kIntel = 0x8086;

/// Calls the next function in the chain, untraced; UNSUPPORTED_FEATURE if there is none.
template <ddi::Function F, class... A>
ze_result_t next(ze_result_t(ZE_APICALL*)(A...), A... arguments) noexcept {
    const auto target = reinterpret_cast<ze_result_t(ZE_APICALL*)(A...)>(ddi::route(F).next());
    return target ? target(arguments...) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}
#define NEXT(function, ...) next<ddi::Function::function>(static_cast<decltype(&function)>(nullptr), __VA_ARGS__)

bool withoutHardware(zet_device_handle_t device) noexcept {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    if (NEXT(zeDeviceGetProperties, device, &properties) != ZE_RESULT_SUCCESS || properties.vendorId != kIntel)
        return false;
    ze_pci_ext_properties_t address{};
    address.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
    return NEXT(zeDevicePciGetPropertiesExt, device, &address) != ZE_RESULT_SUCCESS;
}

}  // namespace

std::optional<ze_result_t> answerDebugProperties(zet_device_handle_t device,
                                                 zet_device_debug_properties_t* properties) noexcept {
    if (!withoutHardware(device)) return std::nullopt;
    log::warn(log::Module::debug,
              "zetDeviceGetDebugProperties: the device has no PCI address, so no hardware behind it (capture "
              "mode?); the driver is not asked, no debug capability is reported");
    properties->flags = 0;
    return ZE_RESULT_SUCCESS;
}

std::optional<ze_result_t> refuseAttach(zet_device_handle_t device) noexcept {
    // Nobody to ask: Level Zero is not initialised, and whoever comes next says so.
    if (!ddi::route(ddi::Function::zetDeviceGetDebugProperties).next()) return std::nullopt;
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    auto code = answerDebugProperties(device, &properties);
    if (!code) code = NEXT(zetDeviceGetDebugProperties, device, &properties);
    if (*code == ZE_RESULT_SUCCESS && (properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH)) return std::nullopt;
    log::warn(log::Module::debug,
              "zetDebugAttach: the device does not report ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH; set {}=1, and "
              "check the driver's debugging support",
              "ZET_ENABLE_PROGRAM_DEBUGGING");
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

}  // namespace zetl::layer
