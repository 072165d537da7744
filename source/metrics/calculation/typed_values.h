// The values of several sets of reports, in the shape in which zetMetricGroupCalculate* hand them over.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include "metrics/calculation/calculator.h"
#include "metrics/calculation/raw_sets.h"

namespace zetl::metrics {

/// Where values go: *sets, *total and counts as zetMetricGroupCalculateMultipleMetricValuesExp has them. `counts` may
/// be null where there is one set.
struct Destination {
    std::uint32_t* sets;
    std::uint32_t* total;
    std::uint32_t* counts;
    zet_typed_value_t* values;
};

/// The number of sets, and how many values they give at most, a row a report: exact, but for cumulative reports one row
/// a set more. INVALID_SIZE if that is more than fits in 32 bits.
ze_result_t announce(std::size_t columns, std::size_t reportBytes, const RawSets& raw, const Destination& to);

/// Whole rows, as many as *total allows, set behind set. *sets must be what was announced, or more.
ze_result_t deliver(const Calculator& calculator, zet_metric_group_calculation_type_t type, const RawSets& raw,
                    const Destination& to);

}  // namespace zetl::metrics
