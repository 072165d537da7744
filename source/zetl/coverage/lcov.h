// Trace files of LCOV, the format that coverage tools exchange.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coverage/report.h"

namespace zetl::command {

/// Versions 1 and 2 of LCOV read it. Files and lines are in ascending order.
std::string lcovText(const std::vector<CoverageOfTest>& tests);

/// Adds what a trace file says. Records that coverage does not have, such as checksums and versions, are passed over.
/// Throws UsageError for text that is no trace file; `name` is that of the file.
void readLcov(std::string_view text, const std::string& name, std::vector<CoverageOfTest>& tests);

/// The test of that name, which is added if there is none.
CoverageOfTest& testOf(std::vector<CoverageOfTest>& tests, const std::string& name);

/// A name as those of tests may be: letters, digits and underscores.
std::string testName(const std::string& kernel);

}  // namespace zetl::command
