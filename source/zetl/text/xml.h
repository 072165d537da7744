/// @file
/// XML as reports of tests have it.
#pragma once

#include <cstddef>
#include <string>

namespace zetl::command {

/// Text of XML: escaped, and without the characters that XML does not have.
std::string xmlText(const std::string& text);

/// A file of JUnit with one suite, whose cases are XML.
std::string junitText(const char* suite, std::size_t tests, std::size_t failures, const std::string& cases);

}  // namespace zetl::command
