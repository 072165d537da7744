// Findings as other programs read them.
#pragma once

#include <span>
#include <string>

#include "check/finding.h"
#include "report/report.h"

namespace zetl::command {

/// One object per line: the finding, with `schema` and `key`.
std::string jsonLines(std::span<const check::Finding> findings);

/// A problem and a failing test per finding, and a passing test for each kind of the groups that was not found in
/// the program. Files below `root` are named relative to it.
Report findingReport(std::span<const check::Finding> findings, check::Groups groups, const std::string& program,
                     const std::string& root);

}  // namespace zetl::command
