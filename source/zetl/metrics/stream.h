// `zetl metrics stream`: the devices' counters beside a program's calls and the devices' work.
#pragma once

#include "recording/options.h"
#include "run/environment.h"
#include "timeline/report_outputs.h"

namespace zetl::command {

struct StreamOptions {
    ReportOptions report;  ///< csv and json have one row per report
    RecordingOptions recording;
    std::string group = "ComputeBasic";  ///< time-based
    std::uint32_t period = 1'000'000;    ///< nanoseconds
    std::string prometheus;              ///< port, or address and port, where Prometheus reads; empty: none
    std::vector<std::string> program;
};

/// Runs the program while its devices' counters are read, prints them, and writes them beside the calls into the
/// timeline. Returns the program's exit code; if that is 0 and nothing was counted or an output could not be written,
/// returns 1 with a line on standard error. Throws UsageError, before the program runs, if there is no such group or a
/// file cannot be written, and std::runtime_error if there is nothing to count.
int stream(const Installation& installation, const Choice& choice, const StreamOptions& options);

}  // namespace zetl::command
