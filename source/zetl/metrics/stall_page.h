// What `zetl stalls` shows, as a page.
#pragma once

#include <string>
#include <vector>

#include "metrics/stall_profile.h"
#include "timeline/source_lines.h"

namespace zetl::command {

/// A section for each of the kernels with the most samples: its source lines with share, reasons and text.
std::string stallPage(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, bool mangled,
                      SourceLines& sources);

}  // namespace zetl::command
