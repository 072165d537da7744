// From raw reports to typed values.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "metrics/group.h"

namespace zetl::metrics {

/// The rows of a raw buffer, row by row, in column order. Pure: needs neither streamer nor query nor an active group.
///
/// Rows: one a report for queries; one fewer than reports for streams, since the first is only the reference of the
/// second. INVALID_SIZE if `raw` is not a whole number of the group's reports.
Result<std::vector<zet_typed_value_t>> calculate(const Group& group, zet_metric_group_calculation_type_t type,
                                                 std::span<const std::byte> raw);

/// Number of values announced for that many raw bytes: an upper bound, exact for queries.
Result<std::uint64_t> announcedValues(const Group& group, std::uint64_t rawBytes);

}  // namespace zetl::metrics
