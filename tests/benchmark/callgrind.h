// Instructions of a process, counted by callgrind: the same on any machine and under any load.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>

#include "support/process.h"

namespace zetl::test {

/// `valgrind`: the program.
inline double instructionsOf(const char* valgrind, Process process) {
    const auto outcome =
        process.under({valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"}).run(std::chrono::seconds(120));
    std::smatch match;
    if (outcome.good() && std::regex_search(outcome.output, match, std::regex("Collected : (\\d+)")))
        return std::stod(match[1]);
    ADD_FAILURE() << outcome;
    return 1e18;
}

}  // namespace zetl::test
