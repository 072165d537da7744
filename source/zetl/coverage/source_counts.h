// From executed instructions to source lines.
#pragma once

#include <string>
#include <vector>

#include "coverage/report.h"
#include "executed/reader.h"
#include "text/patterns.h"

namespace zetl::command {

struct KernelCounts {
    KernelCoverage kernel;
    Sources sources;
};

/// Which kernels and source files are wanted.
struct CoverageFilter {
    Patterns kernels{nullptr};
    Patterns sources{nullptr};
};

/// The kernels of a module, in the order of its code. Throws std::runtime_error if its image cannot be read.
std::vector<KernelCounts> kernelsOf(const executed::ModuleCounts& module, const CoverageFilter& filter);

}  // namespace zetl::command
