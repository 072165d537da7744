// Groups, metrics, activation, enabling.
#include <algorithm>
#include <map>

#include "base/enumerate.h"
#include "device/status.h"
#include "metrics/log_channel.h"
#include "metrics/metrics.h"

namespace zetl::metrics {

Metrics::Metrics(device::Devices& devices, bool enabled, bool traced)
    : devices_(devices),
      notifier_(devices.core()),
      atStart_(enabled ? Switch::byEnvironment : Switch::off),
      traced_(traced) {}

bool Metrics::serves(zet_device_handle_t device) { return device && static_cast<bool>(devices_.find(device)); }

bool Metrics::enabled(zet_device_handle_t handle) {
    const auto device = devices_.find(handle);
    return device && isOn(**device);
}

Result<DeviceState*> Metrics::stateOf(zet_device_handle_t handle) {
    const auto device = devices_.find(handle);
    return device ? Result(stateOf(**device)) : device.code();
}

DeviceState* Metrics::stateOf(const device::Device& device) {
    const Lock guard(mutex_);
    auto place = states_.find(&device);
    if (place == states_.end()) place = states_.emplace(&device, std::make_unique<DeviceState>(device, traced_)).first;
    auto& state = *place->second;
    if (!state.published()) publish(state);
    return &state;
}

/// If the host runs out of memory meanwhile, this is done again; objects that can already be found stay so.
void Metrics::publish(DeviceState& state) {
    for (const auto& group : state.groups()) {
        groups_.add(group);
        for (const auto& metric : group->content().metrics) metrics_.add(metric);
    }
    for (const auto& programmable : state.programmables()) programmables_.add(programmable);
    state.setPublished();
}

std::vector<DeviceState*> Metrics::tilesOf(DeviceState& state) {
    const auto& functions = state.device().access().devices();
    std::uint32_t count = 0;
    functions.list(0, nullptr, &count);
    std::vector<zetl_device_t> ids(count);
    functions.list(count, ids.data(), &count);
    std::map<std::uint32_t, DeviceState*> tiles;
    for (const auto id : ids) {
        zetl_device_info_t info{};
        info.size = sizeof info;
        if (functions.describe(id, &info) != ZETL_OK || info.parent != state.device().id()) continue;
        device::Uuid uuid;
        std::ranges::copy(info.uuid, uuid.begin());
        if (const auto* tile = devices_.byUuid(uuid)) tiles[info.parent_index] = stateOf(*tile);
    }
    if (tiles.empty()) return {&state};
    std::vector<DeviceState*> inOrder;
    inOrder.reserve(tiles.size());
    for (const auto& [index, tile] : tiles) inOrder.push_back(tile);
    return inOrder;
}

Metrics::Root Metrics::rootOf(const device::Device& device) {
    return {&device.access().devices(), device.parent() ? device.parent() : device.id()};
}

std::shared_ptr<Group> Metrics::findGroup(zet_metric_group_handle_t handle) const {
    auto group = groups_.find(handle);
    if (!group)
        log::warn(kLog, "{} is no metric group of ours: use handles from zetMetricGroupGet",
                  static_cast<void*>(handle));
    return group;
}

std::shared_ptr<const Measurement> Metrics::findMeasurement(zet_metric_group_handle_t handle) const {
    const auto group = findGroup(handle);
    auto measured = group ? group->measurement() : nullptr;
    if (group && group->traced())
        log::warn(kLog, "{} is traced: zetMetricTracerDecodeExp reads its data", group->name());
    else if (group && !measured)
        openGroupRefused("the call", *group);
    return measured;
}

ze_result_t Metrics::openGroupRefused(const char* function, const Group& group) {
    log::warn(kLog, "{} refused: group {} is open; zetMetricGroupCloseExp closes it", function, group.name());
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

Metrics::Switch Metrics::switchOf(const device::Device& device) const {
    const Lock guard(mutex_);
    for (const auto& place : {placeOf(device), rootOf(device)})
        if (const auto changed = switches_.find(place); changed != switches_.end()) return changed->second;
    return atStart_;
}

bool Metrics::isOn(const device::Device& device) const {
    const auto now = switchOf(device);
    return now == Switch::byEnvironment || now == Switch::on;
}

/// Tells the device and its sub-devices.
void Metrics::turn(const device::Device& device, Switch to) {
    const auto info = [](const auto& state) -> const device::Device& { return state.second->device(); };
    const Lock guard(mutex_);
    for (const auto& state : states_)
        if (rootOf(info(state)) == placeOf(device)) switches_.erase(placeOf(info(state)));
    switches_[placeOf(device)] = to;
}

ze_result_t Metrics::checkEnabled(const char* function, const DeviceState& state) const {
    if (isOn(state.device())) return ZE_RESULT_SUCCESS;
    const auto now = switchOf(state.device());
    log::warn(kLog,
              "{} refused: metrics are off; set ZET_ENABLE_METRICS=1 before zeInit or call zetDeviceEnableMetricsExp",
              function);
    return now == Switch::off ? ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE : ZE_RESULT_ERROR_UNINITIALIZED;
}

ze_result_t Metrics::groupGet(zet_device_handle_t device, std::uint32_t* count, zet_metric_group_handle_t* groups) {
    const auto state = stateOf(device);
    if (!state) return state.code();
    if (checkEnabled("zetMetricGroupGet", **state) == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) {
        *count = 0;
        return ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE;
    }
    const auto& all = (*state)->groups();
    return enumerate(all.size(), count, groups, [&](std::uint32_t i) { return all[i]->handle(); });
}

ze_result_t Metrics::groupGetProperties(zet_metric_group_handle_t handle, zet_metric_group_properties_t* properties) {
    const auto group = findGroup(handle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    group->fill(*properties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::metricGet(zet_metric_group_handle_t handle, std::uint32_t* count, zet_metric_handle_t* metrics) {
    const auto group = findGroup(handle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto all = group->content().metrics;
    return enumerate(all.size(), count, metrics, [&](std::uint32_t i) { return all[i]->handle(); });
}

ze_result_t Metrics::metricGetProperties(zet_metric_handle_t handle, zet_metric_properties_t* properties) {
    const auto metric = metrics_.find(handle);
    if (!metric) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    metric->fill(*properties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::contextActivateMetricGroups(zet_context_handle_t, zet_device_handle_t device, std::uint32_t count,
                                                 zet_metric_group_handle_t* handles) {
    if (!handles && count > 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    const auto state = stateOf(device);
    if (!state) return state.code();
    if (const auto enabled = checkEnabled("zetContextActivateMetricGroups", **state); enabled != ZE_RESULT_SUCCESS)
        return enabled;
    std::vector<std::shared_ptr<Group>> groups;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto group = findGroup(handles[i]);
        if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        groups.push_back(std::move(group));
    }
    return (*state)->activate(std::move(groups));
}

ze_result_t Metrics::deviceGetConcurrentMetricGroupsExp(zet_device_handle_t device, std::uint32_t count,
                                                        zet_metric_group_handle_t* handles, std::uint32_t* countsPerSet,
                                                        std::uint32_t* sets) {
    if (!handles || !sets) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto state = stateOf(device);
    if (!state) return state.code();
    // The k-th set takes the k-th group of every domain; where sources exclude each other, of each source by itself.
    using Place = std::pair<std::uint32_t, std::uint32_t>;
    const bool mixed = (*state)->device().together(ZETL_SOURCE_STREAM, ZETL_SOURCE_QUERY);
    std::map<Place, std::uint32_t> usedOfDomain;
    std::map<Place, std::vector<zet_metric_group_handle_t>> bySet;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto group = findGroup(handles[i]);
        if (!group || &group->device() != &(*state)->device()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        const std::uint32_t part = mixed ? 0 : group->source();
        bySet[{part, usedOfDomain[{part, group->domain()}]++}].push_back(handles[i]);
    }
    const auto available = static_cast<std::uint32_t>(bySet.size());
    if (*sets == 0 || !countsPerSet) {
        *sets = available;
        return ZE_RESULT_SUCCESS;
    }
    if (*sets < available) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    *sets = available;
    for (const auto& [place, members] : bySet) {
        *countsPerSet++ = static_cast<std::uint32_t>(members.size());
        handles = std::copy(members.begin(), members.end(), handles);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::groupGetGlobalTimestampsExp(zet_metric_group_handle_t handle, ze_bool_t synchronizedWithHost,
                                                 std::uint64_t* globalTimestamp, std::uint64_t* metricTimestamp) {
    *globalTimestamp = *metricTimestamp = 0;
    const auto group = findGroup(handle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    zetl_clock_pair_t pair{};
    pair.size = sizeof pair;
    const auto status = group->device().access().clocks().snapshot(
        group->device().id(), synchronizedWithHost ? ZETL_CLOCK_HOST_MONOTONIC : ZETL_CLOCK_DEVICE, group->clockKind(),
        &pair);
    if (status != ZETL_OK) return device::resultOf(status);
    *globalTimestamp = pair.ticks_a;
    *metricTimestamp = pair.ticks_b;
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::deviceEnableMetricsExp(zet_device_handle_t device) {
    const auto state = stateOf(device);
    if (!state) return state.code();
    turn((*state)->device(), Switch::on);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::deviceDisableMetricsExp(zet_device_handle_t device) {
    const auto state = stateOf(device);
    if (!state) return state.code();
    bool used = inUse(**state);
    for (const auto* tile : tilesOf(**state)) used = used || inUse(*tile);
    if (used) {
        log::warn(kLog,
                  "zetDeviceDisableMetricsExp refused: deactivate the groups, close streamers and destroy pools and "
                  "tracers first");
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    if (atStart_ == Switch::byEnvironment)
        log::info(kLog, "zetDeviceDisableMetricsExp changes nothing: ZET_ENABLE_METRICS is 1");
    else if (switchOf((*state)->device()) != Switch::off)
        turn((*state)->device(), Switch::offAgain);
    return ZE_RESULT_SUCCESS;
}

bool Metrics::inUse(const DeviceState& state) const {
    const auto ofDevice = [&](const auto& each) { return &each->state() == &state; };
    const auto streams = streamers_.all();
    const auto pools = pools_.all();
    const auto tracers = tracers_.all();
    return state.anyActive() ||
           std::ranges::any_of(streams, [&](const auto& each) { return each->samples(state.device()); }) ||
           std::ranges::any_of(tracers, [&](const auto& each) { return &each->device() == &state.device(); }) ||
           std::ranges::any_of(pools, [&](const auto& each) { return each->measures() && ofDevice(each); });
}

}  // namespace zetl::metrics
