// What `zetl stalls` shows, as a page.
#pragma once

#include <string>
#include <vector>

#include "metrics/stall_profile.h"
#include "page/page.h"
#include "timeline/source_lines.h"

namespace zetl::command {

/// A flame graph over the source, and a section for each of the kernels with the most samples: its source lines with
/// share, reasons and text, the annotated source, and machine code. Names the bounds where it leaves something out.
void addStallSections(Page& page, const StallProfile& profile, const std::vector<const StalledKernel*>& kernels,
                      bool mangled, SourceLines& sources);

/// A page of these alone.
std::string stallPage(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, bool mangled,
                      SourceLines& sources);

}  // namespace zetl::command
