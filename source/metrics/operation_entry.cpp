// zetIntelMetricCalculat*.
#include <algorithm>

#include "metrics/log_channel.h"
#include "metrics/metrics.h"

namespace zetl::metrics {
namespace {

using Desc = zet_intel_metric_calculation_exp_desc_t;

ze_result_t refuseOperation(ze_result_t code, const char* why) {
    log::warn(kLog, "zetIntelMetricCalculationOperationCreateExp refused: {}", why);
    return code;
}

ze_result_t noOperation(zet_intel_metric_calculation_operation_exp_handle_t handle) {
    log::warn(kLog, "{} is no calculation operation: use handles from zetIntelMetricCalculationOperationCreateExp",
              static_cast<void*>(handle));
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/// True, with a line in the log, if an array that a count promises is missing.
bool lacksArray(const Desc& desc) {
    return (desc.metricGroupCount > 0 && !desc.phMetricGroups) || (desc.metricCount > 0 && !desc.phMetrics) ||
           (desc.timeWindowsCount > 0 && !desc.pCalculationTimeWindows) ||
           (desc.metricScopesCount > 0 && !desc.phMetricScopes);
}

template <class T>
void addOnce(std::vector<std::shared_ptr<T>>& all, std::shared_ptr<T> one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

Result<TimeWindows> windowsOf(const Desc& desc) {
    if (desc.timeAggregationWindow == 0)
        return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                               "timeAggregationWindow is 0; UINT64_MAX puts all data into one report");
    std::vector<TimeWindow> windows;
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < desc.timeWindowsCount; ++i) {
        const auto& [start, size] = desc.pCalculationTimeWindows[i];
        if (size == 0 || start < end)
            return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                   "time windows must be in order, must not overlap, and none may be empty");
        end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
        windows.push_back({start, size});
    }
    return TimeWindows(std::move(windows), desc.timeAggregationWindow);
}

/// The chosen metrics, in the order of the group's columns.
void choose(const GroupContent& group, const std::vector<std::shared_ptr<Metric>>& chosen,
            CalculationOperation::Content& content) {
    for (std::size_t column = 0; column < group.metrics.size(); ++column) {
        if (std::ranges::find(chosen, group.metrics[column]) == chosen.end()) continue;
        content.metrics.push_back(group.metrics[column]);
        content.columns.push_back(column);
    }
}

/// The answer for metrics to which times do not apply.
ze_result_t withoutTimes(Desc& desc) {
    if (desc.timeWindowsCount == 0 && desc.timeAggregationWindow == 0) return ZE_RESULT_SUCCESS;
    desc.timeWindowsCount = 0;
    desc.timeAggregationWindow = 0;
    return ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP;
}

/// The count-then-fill shape of these functions, which refuse an array that is too short for all.
ze_result_t filled(std::size_t available, std::uint32_t* count, bool given, auto&& fill) {
    const auto room = *count;
    *count = static_cast<std::uint32_t>(available);
    if (room == 0 || !given) return ZE_RESULT_SUCCESS;
    if (room < available) {
        *count = 0;
        log::warn(kLog, "an array for {} metrics is too short for the {} of the operation", room, available);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    for (std::size_t i = 0; i < available; ++i) fill(i);
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<std::vector<std::shared_ptr<Scope>>> Metrics::scopesToCalculate(const DeviceState& state, const Desc& desc) {
    std::vector<std::shared_ptr<Scope>> scopes;
    for (std::uint32_t i = 0; i < desc.metricScopesCount; ++i) {
        auto scope = scopes_.find(desc.phMetricScopes[i]);
        if (!scope || &scope->device() != &state.device())
            return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                   "a scope is none of the device's; zetIntelMetricScopesGetExp lists them");
        addOnce(scopes, std::move(scope));
    }
    if (scopes.empty()) return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no scope");
    std::ranges::sort(scopes, {}, [](const auto& scope) { return scope->id(); });
    return scopes;
}

Result<std::vector<std::shared_ptr<Metric>>> Metrics::metricsToCalculate(const DeviceState& state,
                                                                         const Desc& desc) const {
    std::vector<std::shared_ptr<Metric>> metrics;
    for (std::uint32_t i = 0; i < desc.metricCount; ++i) {
        auto metric = metrics_.find(desc.phMetrics[i]);
        if (!metric || &metric->device() != &state.device())
            return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a metric is none of the device's");
        addOnce(metrics, std::move(metric));
    }
    return metrics;
}

/// The one group of the description; without a group the one that lists the metrics.
Result<std::shared_ptr<Group>> Metrics::groupToCalculate(const DeviceState& state, const Desc& desc,
                                                         const std::vector<std::shared_ptr<Metric>>& metrics) const {
    std::vector<std::shared_ptr<Group>> groups;
    for (std::uint32_t i = 0; i < desc.metricGroupCount; ++i) {
        auto group = findGroup(desc.phMetricGroups[i]);
        if (!group || &group->device() != &state.device())
            return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a metric group is none of the device's");
        addOnce(groups, std::move(group));
    }
    if (groups.size() > 1)
        return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                               "raw data are of one metric group; make an operation for each group");
    if (groups.empty() && metrics.empty())
        return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no metric group and no metric");
    auto group = groups.empty() ? groupWith(*metrics.front()) : groups.front();
    if (!group || !std::ranges::all_of(metrics, [&](const auto& metric) { return group->lists(*metric); }))
        return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the metrics are not all of one metric group");
    return group;
}

ze_result_t Metrics::operationCreateExp(zet_context_handle_t, zet_device_handle_t device, Desc* desc,
                                        zet_intel_metric_calculation_operation_exp_handle_t* handle) {
    *handle = nullptr;
    const auto state = stateOf(device);
    if (!state) return state.code();
    if (lacksArray(*desc)) return refuseOperation(ZE_RESULT_ERROR_INVALID_SIZE, "an array is null, its count is not 0");
    const auto scopes = scopesToCalculate(**state, *desc);
    if (!scopes) return scopes.code();
    const auto metrics = metricsToCalculate(**state, *desc);
    if (!metrics) return metrics.code();
    const auto group = groupToCalculate(**state, *desc, *metrics);
    if (!group) return group.code();
    const auto tiles = tilesOf(**state).size();
    if (!std::ranges::all_of(*scopes, [&](const auto& scope) { return supports(**group, *scope, tiles); }))
        return refuseOperation(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                               "the group has no metric of all scopes; zetIntelMetricSupportedScopesGetExp lists those "
                               "that it has");
    const auto now = (*group)->content();
    if (now.open) return openGroupRefused("zetIntelMetricCalculationOperationCreateExp", **group);
    CalculationOperation::Content content{.measured = now.measurement, .metrics = {}, .columns = {}, .scopes = *scopes};
    if ((*group)->source() != ZETL_SOURCE_QUERY) content.sets = tiles;
    choose(now, desc->metricGroupCount > 0 ? now.metrics : *metrics, content);
    const bool timed = !(*group)->traced() && (*group)->source() == ZETL_SOURCE_STREAM;
    if (timed) {
        auto windows = windowsOf(*desc);
        if (!windows) return windows.code();
        content.windows = *std::move(windows);
    }
    *handle = operations_.add(std::make_shared<CalculationOperation>(std::move(content)));
    return timed ? ZE_RESULT_SUCCESS : withoutTimes(*desc);
}

ze_result_t Metrics::operationDestroyExp(zet_intel_metric_calculation_operation_exp_handle_t handle) {
    return operations_.remove(handle) ? ZE_RESULT_SUCCESS : noOperation(handle);
}

ze_result_t Metrics::operationGetReportFormatExp(zet_intel_metric_calculation_operation_exp_handle_t handle,
                                                 std::uint32_t* count, zet_metric_handle_t* metrics,
                                                 zet_intel_metric_scope_exp_handle_t* scopes) {
    const auto operation = operations_.find(handle);
    if (!operation) return noOperation(handle);
    const auto& content = operation->content();
    const auto perScope = content.metrics.size();
    return filled(operation->valuesOfReport(), count, metrics || scopes, [&](std::size_t i) {
        if (metrics) metrics[i] = content.metrics[i % perScope]->handle();
        if (scopes) scopes[i] = content.scopes[i / perScope]->handle();
    });
}

/// All metrics of a group have the same scopes, so an operation that was made excludes none.
ze_result_t Metrics::operationGetExcludedMetricsExp(zet_intel_metric_calculation_operation_exp_handle_t handle,
                                                    std::uint32_t* count, zet_metric_handle_t*) {
    if (!operations_.find(handle)) return noOperation(handle);
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::calculateValuesExp(std::size_t rawSize, const std::uint8_t* raw,
                                        zet_intel_metric_calculation_operation_exp_handle_t handle, bool last,
                                        std::size_t* used, std::uint32_t* reports,
                                        zet_intel_metric_result_exp_t* values) {
    *used = 0;
    const auto operation = operations_.find(handle);
    if (!operation) return noOperation(handle);
    if (rawSize > 0 && !raw) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (operation->traced()) {
        log::warn(kLog,
                  "zetIntelMetricCalculateValuesExp refused: the operation is of traced metrics; "
                  "zetIntelMetricTracerDecodeCalculateValuesExp calculates their values");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return operation->calculate({{reinterpret_cast<const std::byte*>(raw), rawSize}, last, used, reports, values});
}

ze_result_t Metrics::tracerDecodeCalculateValuesExp(zet_metric_decoder_exp_handle_t decoderHandle, std::size_t rawSize,
                                                    std::size_t* used, const std::uint8_t* raw,
                                                    zet_intel_metric_calculation_operation_exp_handle_t handle,
                                                    std::uint32_t* reports, zet_intel_metric_result_exp_t* values) {
    *used = 0;
    const auto operation = operations_.find(handle);
    if (!operation) return noOperation(handle);
    if (rawSize > 0 && !raw) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto refused = [](const char* why) {
        log::warn(kLog, "zetIntelMetricTracerDecodeCalculateValuesExp refused: {}", why);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    };
    const auto decoder = decoders_.find(decoderHandle);
    if (!decoder) return refused("there is no such decoder; zetMetricDecoderCreateExp makes one");
    if (!operation->traced())
        return refused(
            "the operation is not of traced metrics; zetIntelMetricCalculateValuesExp calculates its values");
    std::vector<zet_metric_handle_t> metrics;
    for (const auto& metric : operation->content().metrics) metrics.push_back(metric->handle());
    return decoder->calculate({{raw, rawSize}, metrics, operation->content().scopes, used, reports, values});
}

}  // namespace zetl::metrics
