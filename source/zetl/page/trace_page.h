// What `zetl trace` and `zetl report` show, as a page.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "page/page.h"
#include "recording/reader.h"
#include "timeline/summary.h"

namespace zetl::command {

/// The findings of a recording, its timeline and its tables.
void addTraceSections(Page& page, std::span<const RecordingFile> recordings, const Summary& summary, bool mangled);
/// Names of the programs that were recorded.
std::string programsOf(std::span<const RecordingFile> recordings);
/// For Page::addEnvironment().
std::vector<std::pair<std::string, std::string>> factsOf(std::span<const RecordingFile> recordings);

/// The findings of a recording, its timeline, tables and environment, in one HTML file of a few megabytes at most.
std::string tracePage(std::span<const RecordingFile> recordings, const Summary& summary, bool mangled);

}  // namespace zetl::command
