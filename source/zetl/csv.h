/// @file
/// Comma-separated values (RFC 4180), and the recorders' tab-separated ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zetl::command {

/// A value as a line of CSV holds it: in quotes where it needs them.
std::string csvText(std::string_view text);

/// What the tabs of a recorder's line separate.
std::vector<std::string> fieldsOf(const std::string& line);

}  // namespace zetl::command
