// Calls of built-in functions behind functions that are not inlined: a compiler that sees neither where an argument
// comes from nor what is done with the result has nothing to make simpler. A program that agrees then differed by that.
#pragma once

#include <string>
#include <vector>

namespace zetl::random_kernels {

/// Conversions of all types, as one function.
inline constexpr const char* kConversions = "convert";
/// Whatever the source calls and can be hidden.
inline constexpr const char* kAll = "all";

/// The functions that the source of kernels calls and that can be hidden.
std::vector<std::string> hidable(const std::string& source);

/// A module's source, behind whose prelude the functions are hidden. Throws on a function that cannot be.
std::string withHiddenCalls(const std::string& source, const std::vector<std::string>& functions);

}  // namespace zetl::random_kernels
