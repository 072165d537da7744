// zetMetricProgrammable*Exp, and metrics made from them.
#include <algorithm>

#include "base/enumerate.h"
#include "metrics/fixed_text.h"
#include "metrics/log_channel.h"
#include "metrics/metrics.h"

namespace zetl::metrics {
namespace {

/// How many of `available` items a count asks for; the count is not optional where the number is known before.
Result<std::uint32_t> wanted(const char* function, std::uint32_t& count, std::size_t available) {
    if (count == 0) {
        log::warn(kLog, "{}: the count is 0; it is known from the properties", function);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    count = std::min(count, static_cast<std::uint32_t>(available));
    return count;
}

}  // namespace

std::shared_ptr<Programmable> Metrics::findProgrammable(zet_metric_programmable_exp_handle_t handle) const {
    auto programmable = programmables_.find(handle);
    if (!programmable) log::warn(kLog, "{} is no programmable metric of ours", static_cast<void*>(handle));
    return programmable;
}

ze_result_t Metrics::programmableGetExp(zet_device_handle_t device, std::uint32_t* count,
                                        zet_metric_programmable_exp_handle_t* handles) {
    const auto state = stateOf(device);
    if (!state) return state.code();
    const auto& all = (*state)->programmables();
    return enumerate(all.size(), count, handles, [&](std::uint32_t i) { return all[i]->handle(); });
}

ze_result_t Metrics::programmableGetPropertiesExp(zet_metric_programmable_exp_handle_t handle,
                                                  zet_metric_programmable_exp_properties_t* properties) {
    const auto programmable = findProgrammable(handle);
    if (!programmable) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    programmable->fill(*properties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::programmableGetParamInfoExp(zet_metric_programmable_exp_handle_t handle, std::uint32_t* count,
                                                 zet_metric_programmable_param_info_exp_t* infos) {
    if (!findProgrammable(handle)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto number = wanted("zetMetricProgrammableGetParamInfoExp", *count, parameters().size());
    if (!number) return number.code();
    for (std::uint32_t i = 0; i < *number; ++i) {
        const auto& parameter = parameters()[i];
        infos[i].type = parameter.type;
        copyText(infos[i].name, parameter.name);
        infos[i].valueInfoType = parameter.valueType;
        parameter.write(infos[i].defaultValue, parameter.defaultValue());
        infos[i].valueInfoCount = static_cast<std::uint32_t>(parameter.values.size());
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::programmableGetParamValueInfoExp(zet_metric_programmable_exp_handle_t handle,
                                                      std::uint32_t ordinal, std::uint32_t* count,
                                                      zet_metric_programmable_param_value_info_exp_t* infos) {
    if (!findProgrammable(handle) || ordinal >= parameters().size()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto& parameter = parameters()[ordinal];
    const auto number = wanted("zetMetricProgrammableGetParamValueInfoExp", *count, parameter.values.size());
    if (!number) return number.code();
    for (std::uint32_t i = 0; i < *number; ++i) {
        parameter.write(infos[i].valueInfo, parameter.values[i]);
        copyText(infos[i].description, parameter.values[i].description);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::metricCreateFromProgrammableExp2(zet_metric_programmable_exp_handle_t handle,
                                                      std::uint32_t valueCount,
                                                      zet_metric_programmable_param_value_exp_t* values,
                                                      const char* name, const char* description, std::uint32_t* count,
                                                      zet_metric_handle_t* metrics) {
    if (!values && valueCount > 0) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto programmable = findProgrammable(handle);
    if (!programmable) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    auto column = programmable->make({values, valueCount}, name, description);
    if (!column) return column.code();
    const bool asksForNumber = *count == 0 || !metrics;
    *count = 1;
    if (!asksForNumber)
        metrics[0] = metrics_.add(std::make_shared<Metric>(programmable->device(), std::move(*column), true));
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::metricCreateFromProgrammableExp(zet_metric_programmable_exp_handle_t handle,
                                                     zet_metric_programmable_param_value_exp_t* values,
                                                     std::uint32_t valueCount, const char* name,
                                                     const char* description, std::uint32_t* count,
                                                     zet_metric_handle_t* metrics) {
    return metricCreateFromProgrammableExp2(handle, valueCount, values, name, description, count, metrics);
}

ze_result_t Metrics::metricDestroyExp(zet_metric_handle_t handle) {
    const auto metric = metrics_.find(handle);
    if (!metric || !metric->userMade()) {
        log::warn(kLog, "zetMetricDestroyExp refused: {} was not made from a programmable", static_cast<void*>(handle));
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (const auto user = groups_.findIf([&](const Group& group) { return group.contains(*metric); })) {
        log::warn(kLog, "zetMetricDestroyExp refused: {} is in group {}; remove it or destroy the group first",
                  metric->column().name, user->name());
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    metrics_.remove(handle);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
