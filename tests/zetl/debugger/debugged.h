// What the debugger's tests debug.
#pragma once

#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/process.h"

namespace zetl::test {

inline constexpr const char* kUnoptimised = "-g -cl-opt-disable";

inline std::vector<std::string> saxpyProgram(const std::string& options) {
    return {inBuildTree("tests/zetl/debugged_program"), "saxpy", options};
}

/// Reads far behind an allocation.
inline std::vector<std::string> faultyProgram() {
    auto words = saxpyProgram(kUnoptimised);
    words.emplace_back("268435456");
    return words;
}
/// A kernel whose first instruction is none.
inline std::vector<std::string> illegalProgram() {
    return {inBuildTree("tests/zetl/debugged_program"), "illegal", "-g"};
}

/// Number of the first line of the file that has the text.
inline std::string lineIn(const std::string& source, const std::string& text) {
    std::ifstream file(source);
    int number = 1;
    for (std::string line; std::getline(file, line); ++number)
        if (line.find(text) != std::string::npos) return std::to_string(number);
    ADD_FAILURE() << text << " is not in " << source;
    return "0";
}
/// The same of saxpy.cl.
inline std::string lineOf(const std::string& text) { return lineIn(ZETL_TEST_SOURCE, text); }

}  // namespace zetl::test
