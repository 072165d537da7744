// `zetl metrics query`: what each kernel of a program cost.
#pragma once

#include "environment.h"
#include "metrics/table.h"

namespace zetl::command {

struct QueryOptions {
    std::vector<std::string> program;
    std::string group;   ///< event-based; empty: the first that exists of KernelSummary, ComputeBasic and NvidiaCompute
    std::string output;  ///< file for the table; empty: standard error
    Format format = Format::table;
};

/// Runs the program with a query around each of its launches and prints one row per kernel. Returns the program's exit
/// code, or 1 if that is 0 and nothing was measured. Throws std::runtime_error if the installation is incomplete.
int query(const Installation& installation, const Choice& choice, const QueryOptions& options);

/// The rows that libzetl_queries.so wrote, with derived columns: hit rates, and float instructions per byte of device
/// memory for a roofline plot, whose other axis is the float pipe's share of the cycles.
Table kernelTable(const std::string& written);

}  // namespace zetl::command
