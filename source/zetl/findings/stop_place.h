// How the debugger gets to the place of a finding.
#pragma once

#include <string>
#include <vector>

#include "check/finding.h"

namespace zetl::command {

/// The commands of `zetl debug` that stop a program before the instruction that was found first, in its work-group and
/// work-item. Empty if no thread of a kernel is to blame.
std::vector<std::string> stopCommands(const check::Finding& finding);

}  // namespace zetl::command
