// A table for people to read on a terminal.
#pragma once

#include <string>

#include "metrics/table.h"

namespace zetl::command {

/// Aligned columns, numbers to the right; of headings as `GpuTime[ns]` durations, bytes and shares with their unit in
/// the cell. Columns that do not fit a screen become lines, with as many rows beside each other as fit.
std::string screenTable(const Table& table);

}  // namespace zetl::command
