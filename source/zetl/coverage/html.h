// Pages that show coverage where there is no genhtml.
#pragma once

#include <filesystem>

#include "coverage/report.h"

namespace zetl::command {

/// Writes index.html and a page for each source file, which shows its lines if it can be read. The directory exists.
/// Throws std::runtime_error if a page cannot be written.
void writeCoveragePages(const std::filesystem::path& directory, const Sources& sources);

}  // namespace zetl::command
