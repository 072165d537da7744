// `zetl metrics query`: what each kernel of a program cost.
#pragma once

#include "metrics/table.h"
#include "run/environment.h"

namespace zetl::command {

struct QueryOptions {
    std::vector<std::string> program;
    std::string group;  ///< event-based; empty: the first that exists of KernelSummary, ComputeBasic and NvidiaCompute
    bool perLaunch = false;  ///< one row per launch, in their order
    /// File for the table; "-": standard output; empty: standard output for csv and json, standard error for a table.
    std::string output;
    Format format = Format::table;
};

/// Runs the program with a query around each of its launches and prints one row per kernel. Returns the program's exit
/// code, or 1 if that is 0 and nothing was measured or the table cannot be written. Throws, before the program runs,
/// std::runtime_error if the installation is incomplete, and UsageError if no device has the group.
int query(const Installation& installation, const Choice& choice, const QueryOptions& options);

/// The rows that libzetl_queries.so wrote, with derived columns: hit rates, and float instructions per byte of device
/// memory for a roofline plot, whose other axis is the float pipe's share of the cycles.
Table kernelTable(const std::string& written);

}  // namespace zetl::command
