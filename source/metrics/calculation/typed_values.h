// The values of several sets of reports, in the form in which zetMetricGroupCalculate* return them.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include "metrics/calculation/calculator.h"
#include "metrics/calculation/raw_sets.h"

namespace zetl::metrics {

/// The target of values: *sets, *total and counts as in zetMetricGroupCalculateMultipleMetricValuesExp. `counts` may be
/// null if there is one set.
struct Destination {
    std::uint32_t* sets;
    std::uint32_t* total;
    std::uint32_t* counts;
    zet_typed_value_t* values;
};

/// Sets the number of sets, and the largest number of values that they give, with one row per report: exact, except
/// that cumulative reports give one row less per set. INVALID_SIZE if that is more than fits in 32 bits.
ze_result_t announce(std::size_t columns, std::size_t reportBytes, const RawSets& raw, const Destination& to);

/// Writes whole rows, as many as *total allows, set after set. *sets must be the announced number, or more.
ze_result_t deliver(const Calculator& calculator, zet_metric_group_calculation_type_t type, const RawSets& raw,
                    const Destination& to);

}  // namespace zetl::metrics
