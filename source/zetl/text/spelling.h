// Suggestions for misspelt words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace zetl::command {

/// The candidate that differs from `word` by the fewest letters, if those are few for a word of that length; otherwise
/// empty.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean X?", or nothing if X is empty.
std::string suggestion(const std::string& nearest);

/// What may be said instead of `word`: the nearest candidate, and the candidates, the first thirty at most.
std::string alternatives(std::string_view word, std::span<const std::string> candidates);

}  // namespace zetl::command
