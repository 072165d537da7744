// Groups that the user makes of metrics, in both generations of the API.
#include <algorithm>

#include "metrics/log_channel.h"
#include "metrics/metrics.h"
#include "metrics/programmable.h"

namespace zetl::metrics {
namespace {

constexpr zet_metric_group_sampling_type_flag_t kOwnSamplings[] = {ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED,
                                                                   ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED};
constexpr std::uint32_t kKnownSamplings = 0x7;

std::shared_ptr<Group> openGroup(const device::Device& device, std::string name, const char* description,
                                 zet_metric_group_sampling_type_flag_t sampling) {
    GroupShape shape;
    shape.name = std::move(name);
    shape.description = description;
    shape.domain = kUserDomain;
    shape.sampling = sampling;
    return std::make_shared<Group>(device, std::move(shape), true);
}

/// Two-call idiom of zetMetricGroupAddMetricExp, with the end of the text counted.
void tell(const std::string& why, std::size_t* size, char* target) {
    if (!size) return;
    const auto needed = why.size() + 1;
    if (*size > 0 && target) {
        const auto length = std::min(*size, needed) - 1;
        *std::copy_n(why.data(), length, target) = '\0';
        *size = length + 1;
    } else {
        *size = needed;
    }
}

}  // namespace

Result<std::shared_ptr<Group>> Metrics::findChangeable(const char* function, zet_metric_group_handle_t handle) {
    auto group = findGroup(handle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (!group->userMade()) {
        log::warn(kLog, "{} refused: {} is a ready-made group", function, group->name());
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const Lock guard(mutex_);
    if (states_.at(&group->device())->active(*group)) {
        log::warn(kLog, "{} refused: group {} is active; deactivate it first", function, group->name());
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    return group;
}

/// The metrics that closing gave the group, beside its members.
void Metrics::forgetMetrics(const GroupContent& content) {
    for (const auto& metric : content.metrics)
        if (!metric->userMade()) metrics_.remove(metric->handle());
}

ze_result_t Metrics::closeUserGroup(Group& group) {
    if (const auto result = group.close(); result != ZE_RESULT_SUCCESS) return result;
    for (const auto& metric : group.content().metrics)
        if (!metric->userMade()) metrics_.add(metric);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::groupCreateExp(zet_device_handle_t device, const char* name, const char* description,
                                    zet_metric_group_sampling_type_flags_t sampling,
                                    zet_metric_group_handle_t* handle) {
    if (sampling & ~kKnownSamplings) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto* const found =
        std::ranges::find(kOwnSamplings, static_cast<zet_metric_group_sampling_type_flag_t>(sampling));
    if (found == std::end(kOwnSamplings)) {
        log::warn(kLog,
                  "zetMetricGroupCreateExp refused: a group of counters is time-based or event-based, one of both");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const auto state = stateOf(device);
    if (!state) return state.code();
    *handle = groups_.add(openGroup((*state)->device(), name, description, *found));
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::deviceCreateMetricGroupsFromMetricsExp(zet_device_handle_t device, std::uint32_t metricCount,
                                                            zet_metric_handle_t* handles, const char* namePrefix,
                                                            const char* description, std::uint32_t* count,
                                                            zet_metric_group_handle_t* groups) {
    const auto state = stateOf(device);
    if (!state) return state.code();
    std::vector<std::shared_ptr<Group>> made;
    for (const auto sampling : kOwnSamplings)
        made.push_back(openGroup((*state)->device(), namePrefix + std::to_string(made.size()), description, sampling));
    for (std::uint32_t i = 0; i < metricCount; ++i)
        for (const auto& group : made) {
            std::string why = "the metric is not known";
            const auto metric = metrics_.find(handles[i]);
            if (metric) why.clear();
            if (metric && group->add(metric, why) == ZE_RESULT_SUCCESS) continue;
            log::warn(kLog, "zetDeviceCreateMetricGroupsFromMetricsExp refused: {}", why);
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
    if (metricCount == 0) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto needed = static_cast<std::uint32_t>(made.size());
    if (groups && *count > 0) {
        if (*count < needed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        for (const auto& group : made)
            if (const auto result = closeUserGroup(*group); result != ZE_RESULT_SUCCESS) return result;
        for (auto& group : made) *groups++ = groups_.add(std::move(group));
    }
    *count = needed;
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::groupAddMetricExp(zet_metric_group_handle_t groupHandle, zet_metric_handle_t metricHandle,
                                       std::size_t* errorSize, char* error) {
    const auto group = findChangeable("zetMetricGroupAddMetricExp", groupHandle);
    if (!group) return group.code();
    const auto metric = metrics_.find(metricHandle);
    std::string why = metric ? "" : "the metric is not known";
    const auto base = (*group)->content();
    const auto result = metric ? (*group)->add(metric, why) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (result == ZE_RESULT_SUCCESS && !(*group)->measurement()) forgetMetrics(base);
    if (!why.empty()) log::warn(kLog, "zetMetricGroupAddMetricExp refused for {}: {}", (*group)->name(), why);
    tell(why, errorSize, error);
    return result;
}

ze_result_t Metrics::groupRemoveMetricExp(zet_metric_group_handle_t groupHandle, zet_metric_handle_t metricHandle) {
    const auto group = findChangeable("zetMetricGroupRemoveMetricExp", groupHandle);
    if (!group) return group.code();
    const auto metric = metrics_.find(metricHandle);
    const auto base = (*group)->content();
    const auto result = metric ? (*group)->remove(*metric) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (result == ZE_RESULT_SUCCESS)
        forgetMetrics(base);
    else
        log::warn(kLog, "zetMetricGroupRemoveMetricExp refused: no such metric in {}", (*group)->name());
    return result;
}

ze_result_t Metrics::groupCloseExp(zet_metric_group_handle_t handle) {
    const auto group = findChangeable("zetMetricGroupCloseExp", handle);
    if (!group) return group.code();
    const auto result = closeUserGroup(**group);
    if (result == ZE_RESULT_NOT_READY)
        log::warn(kLog, "zetMetricGroupCloseExp refused: {} is empty; zetMetricGroupAddMetricExp adds to it",
                  (*group)->name());
    return result;
}

ze_result_t Metrics::groupDestroyExp(zet_metric_group_handle_t handle) {
    const auto group = findChangeable("zetMetricGroupDestroyExp", handle);
    if (!group) return group.code();
    forgetMetrics((*group)->content());
    groups_.remove(handle);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
