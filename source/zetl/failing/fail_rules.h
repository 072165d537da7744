// What `--fail` says.
#pragma once

#include <string>
#include <vector>

namespace zetl::command {

/// The value of ZETL_FAIL for these rules. Throws UsageError for a rule that
/// cannot be understood, with the nearest known names.
std::string failList(const std::vector<std::string>& rules);

}  // namespace zetl::command
