// `zetl stalls`: where the threads of a program's kernels wait, and for what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/table_outputs.h"
#include "run/environment.h"

namespace zetl::command {

struct StallsOptions {
    std::vector<std::string> program;
    std::optional<std::uint32_t> period;  ///< nanoseconds; none: adapted to what the device can keep
    std::string kernel;                   ///< show only this one; empty: all
    bool code = false;                    ///< show machine code, too
    bool mangled = false;                 ///< show kernels' names as compilers make them
    TableOptions tables;                  ///< one row per kernel and source line
    std::string html;                     ///< a page to look at
};

/// Runs the program with its instructions sampled, and prints a table by kernel and source line. Returns the program's
/// exit code; if that is 0 and nothing was sampled or an output could not be written, returns 1 with a line on standard
/// error. Throws UsageError, before the program runs, if a file cannot be written, and std::runtime_error if the
/// installation is incomplete.
int stalls(const Installation& installation, const Choice& choice, const StallsOptions& options);

}  // namespace zetl::command
