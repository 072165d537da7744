// Entry points of the few zes functions that tools need to find a device; sysman handles are the core handles.
#include <level_zero/zes_api.h>

#include <algorithm>
#include <cstring>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/device_properties.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/object/boundary.h"
#include "emulator/driver/object/enumerate.h"
#include "emulator/driver/object/lifetime.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::int64_t kUnknown = -1;

ze_driver_handle_t core(zes_driver_handle_t driver) noexcept { return reinterpret_cast<ze_driver_handle_t>(driver); }
ze_device_handle_t core(zes_device_handle_t device) noexcept { return reinterpret_cast<ze_device_handle_t>(device); }
zes_driver_handle_t sysman(ze_driver_handle_t driver) noexcept { return reinterpret_cast<zes_driver_handle_t>(driver); }
zes_device_handle_t sysman(ze_device_handle_t device) noexcept { return reinterpret_cast<zes_device_handle_t>(device); }

ze_result_t ZE_APICALL init(zes_init_flags_t flags) noexcept {
    if (!lifetime::inForkedChild()) lifetime::initialise();
    return boundary("zesInit", [&]() -> Status {
        if (flags & ~zes_init_flags_t{ZES_INIT_FLAG_PLACEHOLDER}) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        Driver::instance();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getDrivers(std::uint32_t* count, zes_driver_handle_t* out) noexcept {
    return boundary("zesDriverGet", [&]() -> Status {
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return enumerate(1, count, out, [](auto) { return sysman(Driver::instance().handle()); });
    });
}

ze_result_t ZE_APICALL getDevices(zes_driver_handle_t driver, std::uint32_t* count, zes_device_handle_t* out) noexcept {
    return onObject<Driver>("zesDeviceGet", core(driver), {count}, [&](Driver& object) {
        const auto& all = object.devices();
        return enumerate(static_cast<std::uint32_t>(all.size()), count, out,
                         [&](auto i) { return sysman(all[i]->handle()); });
    });
}

ze_result_t ZE_APICALL getProperties(zes_device_handle_t device, zes_device_properties_t* out) noexcept {
    return onObject<Device>("zesDeviceGetProperties", core(device), {out}, [&](Device& object) {
        ze_device_properties_t known{};
        known.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        describe(object, known);
        known.stype = out->core.stype;
        out->core = known;
        out->numSubdevices = static_cast<std::uint32_t>(object.subDevices().size());
        for (auto* text : {out->serialNumber, out->boardNumber, out->brandName, out->vendorName, out->driverVersion})
            std::strncpy(text, "unknown", ZES_STRING_PROPERTY_SIZE);
        std::strncpy(out->modelName, object.name().c_str(), ZES_STRING_PROPERTY_SIZE - 1);
        out->modelName[ZES_STRING_PROPERTY_SIZE - 1] = '\0';
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getPciProperties(zes_device_handle_t device, zes_pci_properties_t* out) noexcept {
    return onObject<Device>("zesDevicePciGetProperties", core(device), {out}, [&](Device& object) {
        ze_pci_ext_properties_t known{};
        describe(object, known);
        out->address = {known.address.domain, known.address.bus, known.address.device, known.address.function};
        out->maxSpeed = {-1, -1, kUnknown};
        out->haveBandwidthCounters = out->havePacketCounters = out->haveReplayCounters = false;
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace

Rows sysmanRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zesInit, init),
        ZETL_SERVES(zesDriverGet, getDrivers),
        ZETL_SERVES(zesDeviceGet, getDevices),
        ZETL_SERVES(zesDeviceGetProperties, getProperties),
        ZETL_SERVES(zesDevicePciGetProperties, getPciProperties),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
