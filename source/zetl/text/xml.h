/// @file
/// XML as reports of tests have it.
#pragma once

#include <string>

namespace zetl::command {

/// Text of XML: escaped, and without the characters that XML does not have.
std::string xmlText(const std::string& text);

}  // namespace zetl::command
