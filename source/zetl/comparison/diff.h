// What `zetl diff` does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report_files.h"
#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

/// Exit codes.
inline constexpr int kSameResults = 0;
inline constexpr int kOtherResults = 99;  ///< as `zetl check` has it
inline constexpr int kNothingCompared = 1;

struct DiffOptions {
    std::vector<std::string> program;
    std::vector<std::string> devices;    ///< profiles; empty: the one that `zetl run` takes
    std::vector<std::string> compilers;  ///< as --compiler of `zetl run`; empty: the one that it takes
    std::vector<std::string>
        schedules;           ///< of scheduleNames(); empty: all, unless several devices or compilers are given
    bool opencl = false;     ///< compute each launch of the reference by the host's OpenCL, too
    std::uint64_t ulps = 0;  ///< units in the last place that make no difference
    std::uint64_t limit = 1ull << 30;  ///< bytes of contents per process and run
    ReportChoice reports;              ///< one row per run
    std::string directory;             ///< for what the runs left; empty: a temporary one
};

/// "first, last, steps, filled".
std::string scheduleNames();

/// Runs the program once in each way, compares what its kernels left in memory, and reports. Returns the exit code.
int diffProgram(const Installation& installation, const DiffOptions& options);

}  // namespace zetl::command
