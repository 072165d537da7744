// Findings as people read them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "check/finding.h"
#include "text/table.h"

namespace zetl::command {

/// What begins each line of the report, as compute-sanitizer has it.
inline constexpr const char* kPrefix = "========= ";

/// A block of lines. Control characters of names are replaced: they come from the program.
std::string blockOf(const check::Finding& finding);

/// One row per finding: level, kind, message, where, and how often it was seen.
Table findingTable(std::span<const check::Finding> findings);

/// "2 errors, 1 warning"; "no mistakes".
std::string countsText(std::size_t errors, std::size_t warnings, std::size_t infos);

}  // namespace zetl::command
