// `zetl metrics list` and `info`: the metric groups of the devices here, and their metrics.
#pragma once

#include <string>

#include "files/table_outputs.h"
#include "run/environment.h"

namespace zetl::command {

/// Prints the groups. Returns 1, with a line on standard error, if there are none. A child process queries the devices.
int listGroups(const Installation& installation, const Choice& choice, const TableOptions& tables);

/// Prints the metrics of the groups with that name, or of all groups. Throws UsageError if there is no such group.
int describeMetrics(const Installation& installation, const Choice& choice, const std::string& group,
                    const TableOptions& tables);

/// Throws UsageError, which lists the known groups, if devices have groups of that sampling ("time", "event") but none
/// of that name. If they have no such groups at all, the measurement itself reports the reason.
void requireGroup(const Installation& installation, Choice choice, const std::string& name, const char* sampling);

}  // namespace zetl::command
