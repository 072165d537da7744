// zetMetricGroupCalculate*.
#include <algorithm>

#include "metrics/calculation.h"
#include "metrics/metrics.h"

namespace zetl::metrics {
namespace {

bool known(zet_metric_group_calculation_type_t type) {
    return type <= ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES;
}

ze_result_t announce(const Group& group, std::size_t rawSize, uint32_t* count) {
    const auto announced = announcedValues(group, rawSize);
    if (!announced) return announced.code();
    if (*announced > UINT32_MAX) return ZE_RESULT_ERROR_INVALID_SIZE;
    *count = static_cast<uint32_t>(*announced);
    return ZE_RESULT_SUCCESS;
}

/// Copies the whole rows that fit, and says how many values that were.
ze_result_t deliver(const Group& group, zet_metric_group_calculation_type_t type, std::size_t rawSize,
                    const uint8_t* raw, uint32_t* count, zet_typed_value_t* values) {
    const auto result = calculate(group, type, {reinterpret_cast<const std::byte*>(raw), rawSize});
    if (!result) return result.code();
    const auto columns = group.metrics().size();
    const auto rows = std::min<std::size_t>(*count / columns, result->size() / columns);
    *count = static_cast<uint32_t>(rows * columns);
    std::copy_n(result->begin(), *count, values);
    return ZE_RESULT_SUCCESS;
}

}  // namespace

ze_result_t Metrics::groupCalculateMetricValues(zet_metric_group_handle_t handle,
                                                zet_metric_group_calculation_type_t type, size_t rawSize,
                                                const uint8_t* raw, uint32_t* count, zet_typed_value_t* values) {
    if (!known(type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto group = findGroup(handle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (*count == 0) return announce(*group, rawSize, count);
    if (!values) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return deliver(*group, type, rawSize, raw, count, values);
}

ze_result_t Metrics::groupCalculateMultipleMetricValuesExp(zet_metric_group_handle_t handle,
                                                           zet_metric_group_calculation_type_t type, size_t rawSize,
                                                           const uint8_t* raw, uint32_t* sets, uint32_t* total,
                                                           uint32_t* counts, zet_typed_value_t* values) {
    if (!known(type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto group = findGroup(handle);
    if (!group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const bool asksForSize = *sets == 0 || *total == 0;
    if (!asksForSize && (!counts || !values)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto result =
        asksForSize ? announce(*group, rawSize, total) : deliver(*group, type, rawSize, raw, total, values);
    if (result != ZE_RESULT_SUCCESS) return result;
    *sets = 1;
    if (!asksForSize) counts[0] = *total;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
