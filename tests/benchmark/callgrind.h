// Instructions of a process, counted by callgrind: the same on any machine and under any load.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/pattern.h"
#include "support/process.h"

namespace zetl::test {

/// `valgrind`: the program.
inline double instructionsOf(const char* valgrind, Process process) {
    const auto outcome =
        process.under({valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"}).run(std::chrono::seconds(120));
    const auto counted = matchesOf("Collected : (\\d+)", outcome.output);
    if (outcome.good() && !counted.empty()) return std::stod(counted[0][1]);
    ADD_FAILURE() << outcome;
    return 1e18;
}

}  // namespace zetl::test
