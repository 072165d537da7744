// How a run of a program ended, and what it printed.
#pragma once

#include <string>

namespace zetl::command {

struct RunEnd {
    int code = 0;
    std::string output{};
};

/// What a person should know of the second run; empty if it ended in the same way and printed the same.
std::string differenceOf(const RunEnd& expected, const RunEnd& found);

}  // namespace zetl::command
