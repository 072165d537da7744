// What `zetl check` found, as a page.
#pragma once

#include <span>
#include <string>

#include "check/finding.h"
#include "page/page.h"

namespace zetl::command {

/// The findings as a list, and each with its report. Names the bounds where it leaves something out.
void addFindingSections(Page& page, std::span<const check::Finding> findings);

/// The findings as a list, and each with its report. `summary` are the lines below the report.
std::string findingPage(std::span<const check::Finding> findings, const std::string& program,
                        const std::string& summary);

}  // namespace zetl::command
