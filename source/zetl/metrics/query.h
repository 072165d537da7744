// `zetl metrics query`: what each kernel of a program cost.
#pragma once

#include "environment.h"
#include "metrics/table.h"

namespace zetl::command {

struct QueryOptions {
    std::vector<std::string> program;
    std::string group;  ///< event-based; empty: KernelSummary, ComputeBasic or NvidiaCompute, the first that there is
    /// of the table; "-": standard output; empty: that for csv and json, and the standard error stream for people
    std::string output;
    Format format = Format::table;
};

/// Runs the program with a query around each of its launches and prints a row a kernel. Returns the program's exit
/// code; 1 if that is 0 and nothing was measured, or the table cannot be written. Throws, before the program runs,
/// std::runtime_error if the installation is not complete, and UsageError if no device has the group.
int query(const Installation& installation, const Choice& choice, const QueryOptions& options);

/// The rows of what libzetl_queries.so wrote, with what follows from them: hit rates, and a kernel's place in a
/// roofline plot (instructions of the float pipe a byte of device memory; the pipe's share of the cycles is a column).
Table kernelTable(const std::string& written);

}  // namespace zetl::command
