// A table for people to read on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "text/table.h"

namespace zetl::command {

/// Aligned columns, with numbers to the right. Under headings like `GpuTime[ns]`, cells of durations, bytes and shares
/// contain their unit. If the columns do not fit the screen, texts that are the same in every row are said once above
/// them, and a last column of texts takes several lines. If that does not do, columns become lines, with as many rows
/// side by side as fit.
std::string screenTable(const Table& table);

/// A heading without a unit that its values name, and a value as that table shows it.
std::string screenHeading(std::string_view heading);
std::string screenValue(std::string_view heading, const Json& value);

}  // namespace zetl::command
