// The part of section "counters" that needs no device: evaluation and layout of reports that are 64-bit words
// (word_plan.h).
#pragma once

#include <ze_tools_layer/device_access.h>

#include "provider/guarded.h"

namespace zetl::provider {

/// `evaluate`: one row per report of a query, and one per report of a stream except the first, which is the reference
/// for the second.
zetl_status_t evaluateWords(const zetl_raw_t* raw, std::uint32_t count, const char* const* names,
                            std::uint64_t capacity, zetl_row_t* rows, zetl_value_t* values, std::uint64_t* rowCount);

/// `layout`: where the counters are in a report of the plan.
zetl_status_t describeWords(const void* plan, std::uint64_t size, std::uint32_t count, const char* const* names,
                            zetl_field_t* fields, zetl_field_t* begin);

/// Both, as entries of a provider's table.
template <log::Channel channel>
zetl_status_t evaluateRow(const zetl_raw_t* raw, std::uint32_t count, const char* const* names, std::uint64_t capacity,
                          zetl_row_t* rows, zetl_value_t* values, std::uint64_t* rowCount) noexcept {
    return guarded(channel, [&] { return evaluateWords(raw, count, names, capacity, rows, values, rowCount); });
}
template <log::Channel channel>
zetl_status_t layoutRow(const char*, const void* plan, std::uint64_t size, std::uint32_t count,
                        const char* const* names, zetl_field_t* fields, zetl_field_t* begin) noexcept {
    return guarded(channel, [&] { return describeWords(plan, size, count, names, fields, begin); });
}

}  // namespace zetl::provider
