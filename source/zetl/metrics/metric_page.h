// What kernels cost, as sections of a page.
#pragma once

#include <map>
#include <string>

#include "metrics/kernel_table.h"
#include "metrics/top_stall.h"
#include "page/page.h"

namespace zetl::command {

/// Findings of the kernels that take longest; their speed of light and roofline, on devices with a model; and a table
/// of the counters. The page is bounded: of many kernels those that take longest are shown, which it says.
void addMetricSections(Page& page, const KernelTable& kernels, const std::map<std::string, TopStall>& stalls);

/// A page of these alone.
std::string metricPage(const KernelTable& kernels, const std::map<std::string, TopStall>& stalls);

}  // namespace zetl::command
