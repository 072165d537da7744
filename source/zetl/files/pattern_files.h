/// @file
/// Lists of patterns that stand in files.
#pragma once

#include <string>

namespace zetl::command {

/// The list with each "@FILE" replaced by the lines of that file. Blank lines, and lines that begin with '#', are left
/// out; "!@FILE" puts '!' in front of each line. Throws UsageError, with the option's name, if a file cannot be read or
/// is longer than lists may be.
std::string withPatternFiles(const char* option, const std::string& list);

}  // namespace zetl::command
