// Tables of the counters recorded while a program ran.
#pragma once

#include <functional>
#include <string>

#include "recording/counters.h"
#include "text/table.h"

namespace zetl::command {

/// One row per device and metric: the lowest, mean and highest value of a report.
Table counterSummary(const CounterRecording& counters);

/// The summary for people: one line per metric below each device; metrics that are 0 throughout are only counted.
std::string counterText(const Table& summary);

struct CounterTotals {
    std::uint64_t reports = 0;
    std::uint64_t interpolated = 0;
    std::uint64_t lost = 0;
};
CounterTotals totalsOf(const CounterRecording& counters);

/// Passes the text to write() piece by piece, because there may be many reports: a CSV file (RFC 4180) with one row per
/// report, or a JSON array with one object per report. The columns are those of the first device; they are empty for
/// devices that lack them.
using WriteText = std::function<void(const std::string&)>;
void writeCounterCsv(const CounterRecording& counters, const WriteText& write);
void writeCounterJson(const CounterRecording& counters, const WriteText& write);

}  // namespace zetl::command
