// Entry points of zesInit, zesDriver..., zesDevice...; sysman handles are the core handles.
#include <level_zero/zes_api.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/enumerate.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/device_properties.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/extension_functions.h"
#include "emulator/driver/entry/start.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/component.h"
#include "emulator/driver/sysman/entry_edge.h"
#include "emulator/driver/sysman/readiness.h"

namespace zetl::emulator::driver {
namespace {

bool has(const Device& device, const zes_uuid_t& uuid) noexcept {
    const ze_device_uuid_t own = device.uuid();
    return std::memcmp(&own, &uuid, sizeof uuid) == 0;
}

/// Of the flags, Intel's driver sets those of integrated devices and of page faults alone.
void describe(const Device& device, zes_device_ext_properties_t& out) noexcept {
    const ze_device_uuid_t uuid = device.uuid();
    static_assert(sizeof out.uuid == sizeof uuid);
    std::memcpy(&out.uuid, &uuid, sizeof uuid);
    out.type = ZES_DEVICE_TYPE_GPU;
    out.flags = ZES_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
}

ze_result_t ZE_APICALL initSysman(zes_init_flags_t flags) noexcept {
    return starting("zesInit", [&]() -> Status {
        if (flags & ~zes_init_flags_t{ZES_INIT_FLAG_PLACEHOLDER}) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        startSysman();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getDrivers(std::uint32_t* count, zes_driver_handle_t* out) noexcept {
    return boundary("zesDriverGet", [&]() -> Status {
        if (const Status off = sysmanStarted(); off != ZE_RESULT_SUCCESS) return off;
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return enumerate(1, count, out, [](auto) { return sysman(Driver::instance().handle()); });
    });
}

ze_result_t ZE_APICALL getDevices(zes_driver_handle_t driver, std::uint32_t* count, zes_device_handle_t* out) noexcept {
    return onSysmanDriver("zesDeviceGet", driver, {count}, [&](Driver& object) {
        const auto& all = object.devices();
        return enumerate(static_cast<std::uint32_t>(all.size()), count, out,
                         [&](auto i) { return sysman(all[i]->handle()); });
    });
}

ze_result_t ZE_APICALL getProperties(zes_device_handle_t device, zes_device_properties_t* out) noexcept {
    return onSysmanDevice("zesDeviceGetProperties", device, {out}, [&](Device& object) {
        ze_device_properties_t known{};
        known.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        describe(object, known);
        known.stype = out->core.stype;
        known.pNext = out->core.pNext;
        out->core = known;
        out->numSubdevices = static_cast<std::uint32_t>(object.subDevices().size());
        for (auto* text : {out->serialNumber, out->boardNumber, out->brandName, out->vendorName, out->driverVersion})
            std::strncpy(text, "unknown", ZES_STRING_PROPERTY_SIZE);
        std::strncpy(out->modelName, object.name().c_str(), ZES_STRING_PROPERTY_SIZE - 1);
        out->modelName[ZES_STRING_PROPERTY_SIZE - 1] = '\0';
        forEachLink(out, static_cast<ze_structure_type_t>(ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES),
                    fillLink<zes_device_ext_properties_t>(
                        static_cast<ze_structure_type_t>(ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES),
                        [&](zes_device_ext_properties_t& more) { describe(object, more); }));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getPciProperties(zes_device_handle_t device, zes_pci_properties_t* out) noexcept {
    return onSysmanDevice("zesDevicePciGetProperties", device, {out}, [&](Device& object) {
        ze_pci_ext_properties_t known{};
        describe(object, known);
        out->address = {known.address.domain, known.address.bus, known.address.device, known.address.function};
        out->maxSpeed = {-1, -1, kUnknown};
        out->haveBandwidthCounters = out->havePacketCounters = out->haveReplayCounters = false;
        return ZE_RESULT_SUCCESS;
    });
}

/// Device and sub-device of that identity.
ze_result_t ZE_APICALL getDeviceByUuid(zes_driver_handle_t driver, zes_uuid_t uuid, zes_device_handle_t* out,
                                       ze_bool_t* onSubdevice, std::uint32_t* subdeviceId) noexcept {
    return onSysmanDriver(
        "zesDriverGetDeviceByUuidExp", driver, {out, onSubdevice, subdeviceId}, [&](Driver& object) -> Status {
            const auto is = [&](const Device& device) { return has(device, uuid); };
            for (const auto& root : object.devices()) {
                const auto& tiles = root->subDevices();
                const auto tile = std::ranges::find_if(tiles, [&](const auto& each) { return is(*each); });
                if (tile == tiles.end() && !is(*root)) continue;
                *out = sysman(root->handle());
                *onSubdevice = tile != tiles.end();
                *subdeviceId = tile != tiles.end() ? (*tile)->firstTile() : 0;
                return ZE_RESULT_SUCCESS;
            }
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no device of the driver has that UUID");
        });
}

ze_result_t ZE_APICALL listSubDevices(zes_device_handle_t device, std::uint32_t* count,
                                      zes_subdevice_exp_properties_t* out) noexcept {
    return onSysmanDevice("zesDeviceGetSubDevicePropertiesExp", device, {count}, [&](Device& object) {
        const auto& tiles = object.subDevices();
        return enumerateInto(static_cast<std::uint32_t>(tiles.size()), count, out, [&](std::uint32_t i, auto& each) {
            each.subdeviceId = tiles[i]->firstTile();
            const ze_device_uuid_t uuid = tiles[i]->uuid();
            static_assert(sizeof each.uuid == sizeof uuid);
            std::memcpy(&each.uuid, &uuid, sizeof uuid);
        });
    });
}

/// The emulated device belongs to this process alone.
ze_result_t ZE_APICALL listProcesses(zes_device_handle_t device, std::uint32_t* count,
                                     zes_process_state_t* out) noexcept {
    return onSysmanDevice("zesDeviceProcessesGetState", device, {count}, [&](Device& object) {
        return enumerateInto(1, count, out, [&](std::uint32_t, zes_process_state_t& process) {
            process.processId = static_cast<std::uint32_t>(getpid());
            process.memSize = object.memoryBudget()->used();
            process.sharedSize = 0;
            process.engines = ZES_ENGINE_TYPE_FLAG_COMPUTE;
        });
    });
}

ze_result_t ZE_APICALL getState(zes_device_handle_t device, zes_device_state_t* out) noexcept {
    return onSysmanDevice("zesDeviceGetState", device, {out}, [&](Device&) {
        out->reset = 0;
        out->repaired = ZES_REPAIR_STATUS_UNSUPPORTED;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getPciState(zes_device_handle_t device, zes_pci_state_t* out) noexcept {
    return onSysmanDevice("zesDevicePciGetState", device, {out}, [&](Device&) {
        out->status = ZES_PCI_LINK_STATUS_UNKNOWN;
        out->qualityIssues = 0;
        out->stabilityIssues = 0;
        out->speed = {-1, -1, kUnknown};
        return ZE_RESULT_SUCCESS;
    });
}

/// Sysman has no extensions here beyond the functions that are served.
ze_result_t ZE_APICALL listExtensions(zes_driver_handle_t driver, std::uint32_t* count,
                                      zes_driver_extension_properties_t*) noexcept {
    return onSysmanDriver("zesDriverGetExtensionProperties", driver, {count}, [&](Driver&) {
        *count = 0;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getFunctionAddress(zes_driver_handle_t driver, const char* name, void** address) noexcept {
    return onSysmanDriver("zesDriverGetExtensionFunctionAddress", driver, {name, address},
                          [&](Driver&) { return giveExtensionFunction(name, *address); });
}

}  // namespace

Rows sysmanRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zesInit, initSysman),
        ZETL_SERVES(zesDriverGet, getDrivers),
        ZETL_SERVES(zesDeviceGet, getDevices),
        ZETL_SERVES(zesDeviceGetProperties, getProperties),
        ZETL_SERVES(zesDevicePciGetProperties, getPciProperties),
        ZETL_SERVES(zesDriverGetDeviceByUuidExp, getDeviceByUuid),
        ZETL_SERVES(zesDeviceGetSubDevicePropertiesExp, listSubDevices),
        ZETL_SERVES(zesDeviceProcessesGetState, listProcesses),
        ZETL_SERVES(zesDeviceGetState, getState),
        ZETL_SERVES(zesDevicePciGetState, getPciState),
        ZETL_SERVES(zesDriverGetExtensionProperties, listExtensions),
        ZETL_SERVES(zesDriverGetExtensionFunctionAddress, getFunctionAddress),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
