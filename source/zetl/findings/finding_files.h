// Findings as other programs read them.
#pragma once

#include <span>
#include <string>

#include "check/finding.h"

namespace zetl::command {

/// One object per line: the finding, with `schema` and `key`.
std::string jsonLines(std::span<const check::Finding> findings);

/// SARIF 2.1.0. Files below `root` are named relative to it, as code scanning wants them.
std::string sarif(std::span<const check::Finding> findings, const std::string& root, const char* version);

/// Workflow commands of GitHub Actions, one per line: annotations of the source lines. Files below `root` are named
/// relative to it, as GitHub wants them.
std::string githubAnnotations(std::span<const check::Finding> findings, const std::string& root);

/// JUnit: a failing test case per finding, and a passing one for each kind of the groups that was not found.
std::string junit(std::span<const check::Finding> findings, check::Groups groups);

}  // namespace zetl::command
