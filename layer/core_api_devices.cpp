#include "core_api_devices.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "core_api/counting.h"
#include "core_api/known_devices.h"
#include "core_api/provider.h"
#include "log_channel.h"
#include "native.h"
#include "next_function.h"
#include "tools_entry.h"

namespace zetl::layer {
namespace {

using Handles = std::vector<ze_device_handle_t>;

/// Count, then fill: the API's convention for lists.
template <class Get, class Owner>
Handles listOf(Get get, Owner owner) {
    std::uint32_t count = 0;
    if (!get || get(owner, &count, nullptr) != ZE_RESULT_SUCCESS || count == 0) return {};
    Handles found(count);
    if (get(owner, &count, found.data()) != ZE_RESULT_SUCCESS) return {};
    found.resize(std::min<std::size_t>(count, found.size()));
    return found;
}

/// Also true for a driver whose metrics are switched off, or which lacks a library for them.
bool hasMetrics(ze_device_handle_t device) {
    const auto get = reinterpret_cast<decltype(&zetMetricGroupGet)>(nativeFunction(ddi::Function::zetMetricGroupGet));
    std::uint32_t count = 0;
    const auto code = get ? get(device, &count, nullptr) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return code == ZE_RESULT_SUCCESS ? count > 0 : !lacking(code);
}

void add(core_api::KnownDevices& devices, ze_device_handle_t handle, zetl_device_t parent, std::uint32_t index) {
    core_api::KnownDevice device{handle, parent, index, {}};
    device.properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    const auto describe = ZETL_NEXT(zeDeviceGetProperties);
    if (describe && describe(handle, &device.properties) == ZE_RESULT_SUCCESS) devices.all.push_back(device);
}

core_api::KnownDevices withoutMetrics(std::span<const ze_driver_handle_t> drivers) {
    core_api::KnownDevices devices{{}, ZETL_NEXT(zeDeviceGetGlobalTimestamps)};
    for (auto* const driver : drivers)
        for (auto* const root : listOf(ZETL_NEXT(zeDeviceGet), driver))
            if (!hasMetrics(root)) add(devices, root, 0, 0);
    const auto roots = devices.all.size();
    for (std::size_t i = 0; i < roots; ++i) {
        const auto tiles = listOf(ZETL_NEXT(zeDeviceGetSubDevices), devices.all[i].handle);
        for (std::uint32_t index = 0; index < tiles.size(); ++index) add(devices, tiles[index], i + 1, index);
    }
    return devices;
}

void awaitContext() noexcept try {
    static std::atomic<bool> done{false};
    if (!toolsSwitches().metrics || done.load(std::memory_order_relaxed) || !toolbox()) return;
    if (!core_api::known().all.empty()) core_api::Counting::instance().start();
    done.store(true, std::memory_order_relaxed);
} catch (const std::exception& failure) {
    log::error(kLog, "commands are not counted: {}", failure.what());
}

template <ddi::Function F>
constinit std::atomic<ddi::Address> below{nullptr};

template <ddi::Function F, class R, class... A>
R ZE_APICALL enter(A... arguments) {
    awaitContext();
    return reinterpret_cast<R(ZE_APICALL*)(A...)>(below<F>.load(std::memory_order_acquire))(arguments...);
}

/// Only the function's type is used: the layer does not link a loader.
template <ddi::Function F, class R, class... A>
ddi::Address before(ddi::Address held, R (*)(A...)) noexcept {
    below<F>.store(held, std::memory_order_release);
    return reinterpret_cast<ddi::Address>(&enter<F, R, A...>);
}

}  // namespace

Result<device::Access> coreApiAccess(std::span<const ze_driver_handle_t> drivers) {
    auto devices = withoutMetrics(drivers);
    if (devices.all.empty()) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    core_api::know(std::move(devices));
    return device::Access::adopt(&core_api::provider());
}

bool isCoreApiOnly(ze_device_handle_t device) noexcept { return core_api::idOf(device) != 0; }

bool countsCoreApi(metrics::Metrics& metrics, ze_device_handle_t device) {
    if (!isCoreApiOnly(device) || !metrics.enabled(device)) return false;
    core_api::Counting::instance().start();
    return true;
}

ddi::Address withContextsAwaited(ddi::Function function, ddi::Address held) noexcept {
    using ddi::Function;
    if (!held) return held;
    switch (function) {
        case Function::zeContextCreate:
            return before<Function::zeContextCreate>(held, decltype(&zeContextCreate){});
        case Function::zeContextCreateEx:
            return before<Function::zeContextCreateEx>(held, decltype(&zeContextCreateEx){});
        case Function::zeDriverGetDefaultContext:
            return before<Function::zeDriverGetDefaultContext>(held, decltype(&zeDriverGetDefaultContext){});
        default:
            return held;
    }
}

}  // namespace zetl::layer
