// Entry points of zer..., and of zeDriverGetDefaultContext: functions that return a value, or a special value if there
// is none.
#include <algorithm>
#include <limits>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint32_t kNoDevice = std::numeric_limits<std::uint32_t>::max();

ze_context_handle_t ZE_APICALL getDefaultContext(ze_driver_handle_t driver) noexcept {
    ze_context_handle_t context = nullptr;
    onObject<Driver>("zeDriverGetDefaultContext", driver, {}, [&](Driver&) {
        context = Context::byDefault()->handle();
        return ZE_RESULT_SUCCESS;
    });
    return context;
}

ze_context_handle_t ZE_APICALL getRuntimeContext() noexcept {
    ze_context_handle_t context = nullptr;
    boundary("zerGetDefaultContext", [&] {
        context = Context::byDefault()->handle();
        return ZE_RESULT_SUCCESS;
    });
    return context;
}

/// A device's identifier is its index in the list of zeDeviceGet.
std::uint32_t ZE_APICALL identifierOf(ze_device_handle_t device) noexcept {
    std::uint32_t identifier = kNoDevice;
    onObject<Device>("zerTranslateDeviceHandleToIdentifier", device, {}, [&](Device& object) -> Status {
        const auto& all = Driver::instance().listed();
        const auto place = std::ranges::find_if(all, [&](const auto& one) { return one.get() == &object; });
        if (place == all.end())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one that zeDeviceGet lists");
        identifier = static_cast<std::uint32_t>(place - all.begin());
        return ZE_RESULT_SUCCESS;
    });
    return identifier;
}

ze_device_handle_t ZE_APICALL deviceOf(std::uint32_t identifier) noexcept {
    ze_device_handle_t device = nullptr;
    boundary("zerTranslateIdentifierToDeviceHandle", [&]() -> Status {
        const auto& all = Driver::instance().listed();
        if (identifier >= all.size())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "device {}; there are {}", identifier, all.size());
        device = all[identifier]->handle();
        return ZE_RESULT_SUCCESS;
    });
    return device;
}

ze_result_t ZE_APICALL lastError(const char** text) noexcept {
    return boundary("zerGetLastErrorDescription", [&]() -> Status {
        if (!text) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        *text = lastRefusal();
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace

Rows runtimeRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeDriverGetDefaultContext, getDefaultContext),
        ZETL_SERVES(zerGetDefaultContext, getRuntimeContext),
        ZETL_SERVES(zerTranslateDeviceHandleToIdentifier, identifierOf),
        ZETL_SERVES(zerTranslateIdentifierToDeviceHandle, deviceOf),
        ZETL_SERVES(zerGetLastErrorDescription, lastError),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
