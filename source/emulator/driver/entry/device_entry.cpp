// Entry points of zeDevice...
#include "base/enumerate.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/device_properties.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL get(ze_driver_handle_t driver, std::uint32_t* count, ze_device_handle_t* devices) noexcept {
    return onObject<Driver>("zeDeviceGet", driver, {count}, [&](Driver& object) {
        const auto& all = object.listed();
        return enumerate(static_cast<std::uint32_t>(all.size()), count, devices,
                         [&](auto i) { return all[i]->handle(); });
    });
}

ze_result_t ZE_APICALL getSubDevices(ze_device_handle_t device, std::uint32_t* count,
                                     ze_device_handle_t* devices) noexcept {
    return onObject<Device>("zeDeviceGetSubDevices", device, {count}, [&](Device& object) {
        const auto& all = object.subDevices();
        return enumerate(static_cast<std::uint32_t>(all.size()), count, devices,
                         [&](auto i) { return all[i]->handle(); });
    });
}

ze_result_t ZE_APICALL getRootDevice(ze_device_handle_t device, ze_device_handle_t* root) noexcept {
    return onObject<Device>("zeDeviceGetRootDevice", device, {root}, [&](Device& object) {
        *root = object.parent() ? object.parent()->handle() : nullptr;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getProperties(ze_device_handle_t device, ze_device_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetProperties", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

ze_result_t ZE_APICALL getComputeProperties(ze_device_handle_t device, ze_device_compute_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetComputeProperties", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

ze_result_t ZE_APICALL getModuleProperties(ze_device_handle_t device, ze_device_module_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetModuleProperties", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

ze_result_t ZE_APICALL getCommandQueueGroupProperties(ze_device_handle_t device, std::uint32_t* count,
                                                      ze_command_queue_group_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetCommandQueueGroupProperties", device, {count},
                            [&](Device& object) { return listQueueGroups(object, count, out); });
}

ze_result_t ZE_APICALL getMemoryProperties(ze_device_handle_t device, std::uint32_t* count,
                                           ze_device_memory_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetMemoryProperties", device, {count},
                            [&](Device& object) { return listMemories(object, count, out); });
}

ze_result_t ZE_APICALL getMemoryAccessProperties(ze_device_handle_t device,
                                                 ze_device_memory_access_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetMemoryAccessProperties", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

ze_result_t ZE_APICALL getCacheProperties(ze_device_handle_t device, std::uint32_t* count,
                                          ze_device_cache_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetCacheProperties", device, {count},
                            [&](Device& object) { return listCaches(object, count, out); });
}

ze_result_t ZE_APICALL getVectorWidths(ze_device_handle_t device, std::uint32_t* count,
                                       ze_device_vector_width_properties_ext_t* out) noexcept {
    return onObject<Device>("zeDeviceGetVectorWidthPropertiesExt", device, {count},
                            [&](Device& object) { return listVectorWidths(object, count, out); });
}

ze_result_t ZE_APICALL getImageProperties(ze_device_handle_t device, ze_device_image_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetImageProperties", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

ze_result_t ZE_APICALL getExternalMemoryProperties(ze_device_handle_t device,
                                                   ze_device_external_memory_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetExternalMemoryProperties", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

ze_result_t ZE_APICALL getP2PProperties(ze_device_handle_t device, ze_device_handle_t peer,
                                        ze_device_p2p_properties_t* out) noexcept {
    return onObject<Device>("zeDeviceGetP2PProperties", device, {out}, [&](Device& object) -> Status {
        const auto other = find<Device>(peer);
        return other ? describePeer(object, **other, *out) : other.code();
    });
}

ze_result_t ZE_APICALL canAccessPeer(ze_device_handle_t device, ze_device_handle_t peer, ze_bool_t* value) noexcept {
    return onObject<Device>("zeDeviceCanAccessPeer", device, {value}, [&](Device&) -> Status {
        const auto other = find<Device>(peer);
        if (!other) return other.code();
        *value = true;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getStatus(ze_device_handle_t device) noexcept {
    return onObject<Device>("zeDeviceGetStatus", device, {}, [](Device& object) {
        return object.machine().machine().lost() ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getGlobalTimestamps(ze_device_handle_t device, std::uint64_t* host,
                                           std::uint64_t* deviceTicks) noexcept {
    return onObject<Device>("zeDeviceGetGlobalTimestamps", device, {host, deviceTicks}, [&](Device& object) {
        const auto pair = object.machine().clock().correlate();
        *host = pair.host;
        *deviceTicks = object.profile().timestampWidth().cut(pair.device);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL pciGetProperties(ze_device_handle_t device, ze_pci_ext_properties_t* out) noexcept {
    return onObject<Device>("zeDevicePciGetPropertiesExt", device, {out},
                            [&](Device& object) { return describe(object, *out); });
}

}  // namespace

Rows deviceRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeDeviceGet, get),
        ZETL_SERVES(zeDeviceGetSubDevices, getSubDevices),
        ZETL_SERVES(zeDeviceGetProperties, getProperties),
        ZETL_SERVES(zeDeviceGetComputeProperties, getComputeProperties),
        ZETL_SERVES(zeDeviceGetModuleProperties, getModuleProperties),
        ZETL_SERVES(zeDeviceGetCommandQueueGroupProperties, getCommandQueueGroupProperties),
        ZETL_SERVES(zeDeviceGetMemoryProperties, getMemoryProperties),
        ZETL_SERVES(zeDeviceGetMemoryAccessProperties, getMemoryAccessProperties),
        ZETL_SERVES(zeDeviceGetCacheProperties, getCacheProperties),
        ZETL_SERVES(zeDeviceGetVectorWidthPropertiesExt, getVectorWidths),
        ZETL_SERVES(zeDeviceGetImageProperties, getImageProperties),
        ZETL_SERVES(zeDeviceGetExternalMemoryProperties, getExternalMemoryProperties),
        ZETL_SERVES(zeDeviceGetP2PProperties, getP2PProperties),
        ZETL_SERVES(zeDeviceCanAccessPeer, canAccessPeer),
        ZETL_SERVES(zeDeviceGetStatus, getStatus),
        ZETL_SERVES(zeDeviceGetGlobalTimestamps, getGlobalTimestamps),
        ZETL_SERVES(zeDevicePciGetPropertiesExt, pciGetProperties),
        ZETL_SERVES(zeDeviceGetRootDevice, getRootDevice),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
