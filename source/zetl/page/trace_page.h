// What `zetl trace` and `zetl report` show, as a page.
#pragma once

#include <span>
#include <string>

#include "recording/reader.h"
#include "timeline/summary.h"

namespace zetl::command {

/// The findings of a recording, its timeline, tables and environment, in one HTML file of a few megabytes at most.
std::string tracePage(std::span<const RecordingFile> recordings, const Summary& summary, bool mangled);

}  // namespace zetl::command
