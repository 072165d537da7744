// `zetl metrics query`: what each kernel of a program cost.
#pragma once

#include "files/table_outputs.h"
#include "run/environment.h"

namespace zetl::command {

/// Below the directory of --recording: what was measured, the samples, and their directory.
inline constexpr const char* kMetricsPart = "metrics";
inline constexpr const char* kMeasuredFile = "kernels";
inline constexpr const char* kSamplesPart = "samples";

struct QueryOptions {
    std::vector<std::string> program;
    /// Event-based groups; empty: the first that exists of KernelSummary, ComputeBasic, NvidiaSpeedOfLight and
    /// NvidiaCompute.
    std::vector<std::string> groups;
    bool perLaunch = false;      ///< one row per launch, in their order
    std::uint32_t accuracy = 0;  ///< percent by which a sample's cycles may be off (timing model); 0: no sample
    TableOptions tables;         ///< what people read goes to standard error
    std::string html;            ///< a page to look at
    std::string directory;       ///< in which what was measured is kept for `zetl report`; empty: nowhere
};

/// Runs the program with a query around each of its launches and prints one row per kernel; for people, a report
/// (kernel_report.h) if it is known how near kernels are to what the device can do. Returns the program's exit code, or
/// 1 if that is 0 and nothing was measured or the table cannot be written. Throws, before the program runs,
/// std::runtime_error if the installation is incomplete, and UsageError if no device has the group.
int query(const Installation& installation, const Choice& choice, const QueryOptions& options);

}  // namespace zetl::command
