// The ready-made metric groups, as data: which columns they have and how a column follows from counters.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <cstdint>
#include <span>

namespace zetl::metrics {

/// How a column's value follows from an interval. C: clocks of the interval, N: engines, T: threads of an engine.
enum class Formula : std::uint8_t {
    counter,              ///< the counter itself
    nanoseconds,          ///< length of the interval
    megahertz,            ///< counter x 1000 / length in ns
    percentOfEngines,     ///< 100 x counter / (C x N)
    differenceOfEngines,  ///< 100 x (counter - lesser) / (C x N)
    percentOfThreads,     ///< 100 x counter / (C x N x T)
    endTime,              ///< time of the report that ends the interval, ns
    beginTime,            ///< time of the begin of the interval, ns
    reason,               ///< ReportReason of the report that ends the interval
    marker,               ///< value of the marker, if that is the reason
    interpolated,         ///< 1 if the counts of the report that ends the interval were interpolated
};

/// Which sampling types list a column.
enum class Access : std::uint8_t { both, event, time };

struct Column {
    const char* name;
    const char* description;
    const char* units;
    const char* component;
    zet_metric_type_t type;
    zet_value_type_t value;
    Formula formula;
    const char* counter = nullptr;  ///< in the device's catalogue; a device that lacks it does not list the column
    const char* lesser = nullptr;
    std::uint8_t tier = 1;
    Access access = Access::both;
};

struct GroupTemplate {
    const char* name;
    const char* description;
    std::uint32_t domain;  ///< groups of one domain exclude each other
    std::span<const Column> columns;
};

/// Name of the counter that is C above.
inline constexpr const char* kClocks = "GpuCoreClocks";

std::span<const GroupTemplate> groupTemplates() noexcept;

/// Columns that need no counter: time, and what a report says of itself.
std::span<const Column> columnsOfEveryGroup() noexcept;

}  // namespace zetl::metrics
