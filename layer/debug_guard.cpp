#include "debug_guard.h"

#include "base/log.h"
#include "native.h"
#include "next_function.h"

namespace zetl::layer {
namespace {

constexpr std::uint32_t kIntel = 0x8086;

template <class... P, class... A>
ze_result_t call(ze_result_t(ZE_APICALL* function)(P...), A... arguments) noexcept {
    return function ? function(arguments...) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

bool withoutHardware(zet_device_handle_t device) noexcept {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    if (call(ZETL_NEXT(zeDeviceGetProperties), device, &properties) != ZE_RESULT_SUCCESS ||
        properties.vendorId != kIntel)
        return false;
    ze_pci_ext_properties_t address{};
    address.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
    return call(ZETL_NEXT(zeDevicePciGetPropertiesExt), device, &address) != ZE_RESULT_SUCCESS;
}

}  // namespace

std::optional<ze_result_t> answerDebugProperties(zet_device_handle_t device,
                                                 zet_device_debug_properties_t* properties) noexcept {
    if (!withoutHardware(device)) return std::nullopt;
    log::warn(log::Channel::debug,
              "zetDeviceGetDebugProperties: the device has no PCI address, so no hardware behind it (capture "
              "mode?); the driver is not asked, no debug capability is reported");
    properties->flags = 0;
    return ZE_RESULT_SUCCESS;
}

std::optional<ze_result_t> refuseAttach(zet_device_handle_t device) noexcept {
    // There is no driver to ask: Level Zero is not initialised, and the next call reports that.
    if (!ddi::route(ddi::Function::zetDeviceGetDebugProperties).next()) return std::nullopt;
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    auto code = answerDebugProperties(device, &properties);
    if (!code) code = call(ZETL_NEXT(zetDeviceGetDebugProperties), device, &properties);
    if (*code == ZE_RESULT_SUCCESS && (properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH)) return std::nullopt;
    log::warn(log::Channel::debug,
              "zetDebugAttach: the device does not report ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH; set {}=1, and "
              "check the driver's debugging support",
              "ZET_ENABLE_PROGRAM_DEBUGGING");
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

}  // namespace zetl::layer
