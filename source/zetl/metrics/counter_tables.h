// What was counted while a program ran, in tables.
#pragma once

#include <functional>
#include <string>

#include "counter_recording.h"
#include "metrics/table.h"

namespace zetl::command {

/// A row a device and metric: lowest, mean and highest value of a report.
Table counterSummary(const CounterRecording& counters);

struct CounterTotals {
    std::uint64_t reports = 0;
    std::uint64_t interpolated = 0;
    std::uint64_t lost = 0;
};
CounterTotals totalsOf(const CounterRecording& counters);

/// Piece by piece, since there may be many: what write() takes is a CSV file (RFC 4180) with a row a report, or a JSON
/// array with an object a report. Columns are those of the first device; one that another device has not is empty.
using WriteText = std::function<void(const std::string&)>;
void writeCounterCsv(const CounterRecording& counters, const WriteText& write);
void writeCounterJson(const CounterRecording& counters, const WriteText& write);

}  // namespace zetl::command
