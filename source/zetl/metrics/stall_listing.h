// Where kernels wait, for people: source lines with their share of the samples and their main reasons.
#pragma once

#include <string>

#include "metrics/stall_profile.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"

namespace zetl::command {

/// One row per source line, the one with the most samples first: its share of the kernel's samples as a number and a
/// bar, its number, the two main reasons with their shares of its samples, and its text. Reasons are named without the
/// "Stall" at their end. Fits the width of the terminal. The kernel's name
/// is that of its source, unless `mangled`.
std::string stallListing(const StallProfile& profile, const StalledKernel& kernel, bool mangled, SourceLines& sources,
                         const Terminal& terminal);

/// Machine code: each instruction with its samples before it, and the main reason after it.
std::string stallCode(const StallProfile& profile, const StalledKernel& kernel, bool mangled, SourceLines& sources);

/// "scoreboard 62 %, pipe 20 %": the main reasons among the samples.
std::string mainReasons(const StallProfile& profile, const StallCounts& samples);

}  // namespace zetl::command
