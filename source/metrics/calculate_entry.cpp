// zetMetricGroupCalculate* and exported data.
#include <algorithm>

#include "base/log.h"
#include "metrics/calculation/export_data.h"
#include "metrics/calculation/sample_report.h"
#include "metrics/calculation/typed_values.h"
#include "metrics/metrics.h"

namespace zetl::metrics {
namespace {

using Type = zet_metric_group_calculation_type_t;

std::span<const std::byte> bytesOf(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const std::byte*>(data), size};
}

bool known(Type type) { return type <= ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES; }

ze_result_t deliver(const Measurement& measured, Type type, const RawSets& raw, const Destination& to) {
    if (measured.readableAsIs()) return deliver(measured.calculator(), type, raw, to);
    const auto evaluated = measured.evaluated(raw);
    return evaluated ? deliver(measured.calculator(), type, *evaluated, to) : evaluated.code();
}

/// Returns the number of values, if that is requested, or the values that `values` delivers.
template <class F>
ze_result_t answer(const Descriptor& descriptor, std::size_t reportBytes, Type type, const RawSets& raw,
                   const Destination& to, F&& values) {
    const bool asksNumber = *to.sets == 0 || *to.total == 0;
    const auto columns = descriptor.columns.size();
    if (descriptor.samples && type == ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES) {
        log::warn(log::Channel::metrics, "samples of {} have no greatest values: only METRIC_VALUES are available",
                  descriptor.name);
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (!asksNumber && !to.values) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (!descriptor.samples) return asksNumber ? announce(columns, reportBytes, raw, to) : values(raw);
    const auto sums = summedByInstruction(raw, reportBytes);
    if (asksNumber) return announce(columns, reportBytes, sums, to);
    const auto result = values(sums);
    const bool lost = tellsLoss(raw, reportBytes);
    return result == ZE_RESULT_SUCCESS && lost ? ZE_RESULT_WARNING_DROPPED_DATA : result;
}

ze_result_t answer(const Measurement& measured, Type type, const RawSets& raw, const Destination& to) {
    return answer(measured.descriptor(), measured.reportBytes(), type, raw, to,
                  [&](const RawSets& sets) { return deliver(measured, type, sets, to); });
}

}  // namespace

ze_result_t Metrics::groupCalculateMetricValues(zet_metric_group_handle_t handle, Type type, std::size_t rawSize,
                                                const std::uint8_t* raw, std::uint32_t* count,
                                                zet_typed_value_t* target) {
    if (!known(type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto measured = findMeasurement(handle);
    if (!measured) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto sets = measured->setsOf(bytesOf(raw, rawSize));
    if (!sets) return sets.code();
    if (sets->tiled()) {
        log::warn(log::Channel::metrics,
                  "data of several tiles: zetMetricGroupCalculateMultipleMetricValuesExp has them");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    std::uint32_t one = 1;
    return answer(*measured, type, *sets, {&one, count, nullptr, target});
}

ze_result_t Metrics::groupCalculateMultipleMetricValuesExp(zet_metric_group_handle_t handle, Type type,
                                                           std::size_t rawSize, const std::uint8_t* raw,
                                                           std::uint32_t* setCount, std::uint32_t* total,
                                                           std::uint32_t* counts, zet_typed_value_t* target) {
    if (!known(type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto measured = findMeasurement(handle);
    if (!measured) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto sets = measured->setsOf(bytesOf(raw, rawSize));
    if (!sets) return sets.code();
    if (*setCount != 0 && *total != 0 && !counts) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return answer(*measured, type, *sets, {setCount, total, counts, target});
}

ze_result_t Metrics::groupGetExportDataExp(zet_metric_group_handle_t handle, const std::uint8_t* raw,
                                           std::size_t rawSize, std::size_t* size, std::uint8_t* target) {
    const auto measured = findMeasurement(handle);
    if (!measured) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    std::vector<std::byte> storage;
    const auto portable = measured->portable(bytesOf(raw, rawSize), storage);
    if (!portable) return portable.code();
    const auto needed = exportedBytes(measured->descriptor(), portable->size());
    if (*size == 0 || !target) {
        *size = needed;
        return ZE_RESULT_SUCCESS;
    }
    if (*size < needed) {
        log::warn(log::Channel::metrics, "zetMetricGroupGetExportDataExp: {} bytes are too few for {}", *size, needed);
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    exportData(measured->descriptor(), *portable, reinterpret_cast<std::byte*>(target));
    *size = needed;
    return ZE_RESULT_SUCCESS;
}

bool Metrics::recognisesExportData(ze_driver_handle_t, Type, std::size_t size, const std::uint8_t* data,
                                   zet_metric_calculate_exp_desc_t*, std::uint32_t*, std::uint32_t*, std::uint32_t*,
                                   zet_typed_value_t*) {
    return data && isExportedData(bytesOf(data, size));
}

ze_result_t Metrics::calculateMetricExportDataExp(ze_driver_handle_t, Type type, std::size_t size,
                                                  const std::uint8_t* data, zet_metric_calculate_exp_desc_t* desc,
                                                  std::uint32_t* setCount, std::uint32_t* total, std::uint32_t* counts,
                                                  zet_typed_value_t* target) {
    if (!known(type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto exported = readExportedData(bytesOf(data, size));
    if (!exported) return exported.code();
    const auto& calculator = *exported->calculator;
    const auto reportBytes = calculator.descriptor().reportBytes;
    auto sets = RawSets::of(exported->raw, reportBytes);
    if (!sets) return sets.code();
    sets->skip(desc->rawReportSkipCount, reportBytes);
    if (*setCount != 0 && *total != 0 && !counts) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const Destination to{setCount, total, counts, target};
    return answer(calculator.descriptor(), reportBytes, type, *sets, to,
                  [&](const RawSets& each) { return deliver(calculator, type, each, to); });
}

}  // namespace zetl::metrics
