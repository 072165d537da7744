/// @file
/// Comma-separated values (RFC 4180), and the recorders' tab-separated ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zetl::command {

/// A value as it stands in a line of CSV, in quotes if it needs them.
std::string csvText(std::string_view text);

/// The fields of a line, which are separated by tabs.
std::vector<std::string> fieldsOf(const std::string& line);

}  // namespace zetl::command
