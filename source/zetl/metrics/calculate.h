// `zetl metrics calculate`: the values in exported metric data, on a machine with no GPU and no driver.
#pragma once

#include <string>

#include "files/table_outputs.h"
#include "run/installation.h"

namespace zetl::command {

/// Prints one row per interval, starting with the tile. Only the layer's library is needed. Throws std::runtime_error
/// for a file that cannot be read or is not exported data.
int calculate(const Installation& installation, const std::string& file, const TableOptions& tables);

}  // namespace zetl::command
