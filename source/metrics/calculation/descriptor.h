// What turns the raw reports of one metric group into typed values: layout, symbols, equations. Data alone.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/calculation/counter_clock.h"

namespace zetl::metrics {

/// How values change from report to report.
enum class Kind : std::uint8_t {
    delta,  ///< a counter of `bits` bits that wraps; its value is the difference of two reports
    last,   ///< its value is the one in the report at the interval's end
};

/// Where reports hold a value, in little endian. The upper part of wide counters may be elsewhere.
struct Field {
    std::string name{};
    Kind kind = Kind::delta;
    std::uint32_t bits = 64;   ///< of the whole value, 1 to 64
    std::uint32_t offset = 0;  ///< of the lower part
    std::uint32_t bytes = 8;   ///< of the lower part: 1, 2, 4 or 8
    std::uint32_t highOffset = 0;
    std::uint32_t highBytes = 0;  ///< of the upper part: 0 (none), 1, 2 or 4
};

/// One column of the result.
struct Column {
    std::string name{};
    std::string description{};
    std::string units{};
    std::string component{};
    std::uint32_t tier = 1;
    zet_metric_type_t type = ZET_METRIC_TYPE_EVENT;
    zet_value_type_t value = ZET_VALUE_TYPE_UINT64;
    std::string equation{};  ///< metrics/calculation/equation.h
    std::string maximum{};   ///< equation of the greatest possible value; empty: the value itself
    std::string error{};     ///< the metric that says how far a value may be off, in its units; empty: none does
    bool modelled = false;   ///< by the device's timing model
};

/// A number that equations may name and that is the same for all rows, such as VectorEngineTotalCount.
struct Symbol {
    std::string name{};
    std::uint64_t value = 0;
};

/// Describes one group on one device. Together with raw reports it is all that a calculation needs.
struct Descriptor {
    std::string name{};
    std::string description{};
    std::string device{};  ///< name, for people, of the device on which it was collected
    std::uint32_t domain = 0;
    zet_metric_group_sampling_type_flag_t sampling = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
    /// True: a report is the state of the counters, and a row the difference of two. False: a report is a row.
    bool cumulative = false;
    /// Reports come from instruction sampling (sample_report.h); those of one instruction are summed up to one row.
    bool samples = false;
    std::uint32_t reportBytes = 0;
    CounterClock clock;
    Field time;                    ///< of the report, in ticks of the clock
    std::optional<Field> begin{};  ///< of the interval, in reports that are rows
    std::vector<Field> fields{};
    std::vector<Symbol> symbols{};
    std::vector<Column> columns{};
};

}  // namespace zetl::metrics
