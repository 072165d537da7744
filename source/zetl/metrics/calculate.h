// `zetl metrics calculate`: the values in exported metric data, on a machine with no GPU and no driver.
#pragma once

#include <string>

#include "installation.h"
#include "metrics/table.h"

namespace zetl::command {

/// Prints a row for each interval, in front of it the tile it is of. The layer's library calculates; nothing else of
/// Level Zero is needed. Throws std::runtime_error for a file that cannot be read or is no exported data.
int calculate(const Installation& installation, const std::string& file, Format format);

}  // namespace zetl::command
