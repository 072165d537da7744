// `zetl metrics list` and `info`: the metric groups of the devices here, and their metrics.
#pragma once

#include <string>

#include "environment.h"
#include "metrics/table.h"

namespace zetl::command {

/// Prints them; 1, with a line on standard error, if there are none. Devices are asked in a child process.
int listGroups(const Installation& installation, const Choice& choice, Format format);

/// The metrics of the groups of that name, or of all; UsageError if no group has it.
int describeMetrics(const Installation& installation, const Choice& choice, const std::string& group, Format format);

/// Throws UsageError, which names those that there are, if devices have groups of that sampling ("time", "event") and
/// none of that name. Without any, what measures says why.
void requireGroup(const Installation& installation, Choice choice, const std::string& name, const char* sampling);

}  // namespace zetl::command
