// `zetl metrics stream`: counters of the devices beside what a program calls and what they do for it.
#pragma once

#include "environment.h"
#include "trace.h"

namespace zetl::command {

struct StreamOptions {
    ReportOptions report;  ///< csv and json: a row a report
    RecordingOptions recording;
    std::string group = "ComputeBasic";  ///< time-based
    std::uint32_t period = 1'000'000;    ///< nanoseconds
    std::vector<std::string> program;
};

/// Runs the program while its devices' counters are read; prints what they were, and writes them beside its calls into
/// the timeline. The program's exit code, or 1 (with a line on standard error) where that is 0 and nothing was counted
/// or what is to be written could not be. Throws UsageError, before the program runs, if there is no such group or a
/// file cannot be written, std::runtime_error if there is nothing to count.
int stream(const Installation& installation, const Choice& choice, const StreamOptions& options);

}  // namespace zetl::command
