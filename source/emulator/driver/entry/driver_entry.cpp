// Entry points of zeDriver...
#include "base/enumerate.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/extension_functions.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL get(std::uint32_t* count, ze_driver_handle_t* drivers) noexcept {
    return boundary("zeDriverGet", [&]() -> Status {
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return enumerate(1, count, drivers, [](auto) { return Driver::instance().handle(); });
    });
}

ze_result_t ZE_APICALL getApiVersion(ze_driver_handle_t driver, ze_api_version_t* version) noexcept {
    return onObject<Driver>("zeDriverGetApiVersion", driver, {version}, [&](Driver& object) {
        *version = object.apiVersion();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getProperties(ze_driver_handle_t driver, ze_driver_properties_t* out) noexcept {
    return onObject<Driver>("zeDriverGetProperties", driver, {out},
                            [&](Driver& object) { return object.properties(*out); });
}

ze_result_t ZE_APICALL getIpcProperties(ze_driver_handle_t driver, ze_driver_ipc_properties_t* out) noexcept {
    return onObject<Driver>("zeDriverGetIpcProperties", driver, {out},
                            [&](Driver& object) { return object.ipcProperties(*out); });
}

ze_result_t ZE_APICALL getExtensionProperties(ze_driver_handle_t driver, std::uint32_t* count,
                                              ze_driver_extension_properties_t* out) noexcept {
    return onObject<Driver>("zeDriverGetExtensionProperties", driver, {count}, [&](Driver& object) {
        const auto all = object.extensions();
        return enumerate(static_cast<std::uint32_t>(all.size()), count, out, [&](auto i) { return all[i]; });
    });
}

ze_result_t ZE_APICALL getExtensionFunctionAddress(ze_driver_handle_t driver, const char* name,
                                                   void** address) noexcept {
    return onObject<Driver>("zeDriverGetExtensionFunctionAddress", driver, {name, address},
                            [&](Driver&) { return giveExtensionFunction(name, *address); });
}

ze_result_t ZE_APICALL getLastErrorDescription(ze_driver_handle_t driver, const char** text) noexcept {
    return onObject<Driver>("zeDriverGetLastErrorDescription", driver, {text}, [&](Driver&) {
        *text = lastRefusal();
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace

Rows driverRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeDriverGet, get),
        ZETL_SERVES(zeDriverGetApiVersion, getApiVersion),
        ZETL_SERVES(zeDriverGetProperties, getProperties),
        ZETL_SERVES(zeDriverGetIpcProperties, getIpcProperties),
        ZETL_SERVES(zeDriverGetExtensionProperties, getExtensionProperties),
        ZETL_SERVES(zeDriverGetExtensionFunctionAddress, getExtensionFunctionAddress),
        ZETL_SERVES(zeDriverGetLastErrorDescription, getLastErrorDescription),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
