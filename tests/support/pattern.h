// Regular expressions. They are compiled here alone: <regex> costs each source that includes it seconds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace zetl::test {

/// A place that an expression matches.
struct Match {
    std::size_t position = 0;
    std::vector<std::string> groups;  ///< the whole first
    const std::string& operator[](std::size_t group) const { return groups.at(group); }
};

/// Expressions are ECMAScript's. The places in a text, from its begin on; none overlaps another.
std::vector<Match> matchesOf(const std::string& expression, const std::string& text);

}  // namespace zetl::test
