// Level Zero's kinds of metrics and types of values, by their names in data files.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <optional>
#include <string_view>

namespace zetl::metrics {

/// "DURATION", "EVENT", ...; "IP", and the kinds of traced events: "EVENT_TIMESTAMP", "EVENT_START", "EVENT_END".
std::optional<zet_metric_type_t> metricTypeFrom(std::string_view name) noexcept;
std::string_view nameOf(zet_metric_type_t type) noexcept;

/// "UINT32", "UINT64", "FLOAT32", "FLOAT64", "BOOL8".
std::optional<zet_value_type_t> valueTypeFrom(std::string_view name) noexcept;
std::string_view nameOf(zet_value_type_t type) noexcept;

/// "event", "time", "tracer".
std::optional<zet_metric_group_sampling_type_flag_t> samplingFrom(std::string_view name) noexcept;
std::string_view nameOf(zet_metric_group_sampling_type_flag_t sampling) noexcept;

}  // namespace zetl::metrics
