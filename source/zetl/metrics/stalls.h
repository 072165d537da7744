// `zetl stalls`: where the threads of a program's kernels wait, and for what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "environment.h"

namespace zetl::command {

struct StallsOptions {
    std::vector<std::string> program;
    std::optional<std::uint32_t> period;  ///< nanoseconds; none: adapted to what the device can keep
    std::string kernel;                   ///< only this one; empty: all
    bool code = false;                    ///< machine code, too
    // besides the tables on standard error; empty: nowhere, "-": standard output
    std::string csv;
    std::string json;
};

/// Runs the program with its instructions sampled, and prints a table by kernel and source line. Returns the program's
/// exit code, or 1 (with a line on standard error) where that is 0 and nothing was sampled or what is to be written
/// could not be. Throws UsageError, before the program runs, if a file cannot be written, std::runtime_error if the
/// installation is not complete.
int stalls(const Installation& installation, const Choice& choice, const StallsOptions& options);

}  // namespace zetl::command
