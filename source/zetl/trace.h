// `zetl trace`: runs a program with its Level Zero calls recorded, then writes the timeline and prints the table.
#pragma once

#include <string>
#include <vector>

#include "environment.h"

namespace zetl::command {

struct TraceOptions {
    std::string timeline = "timeline.json";  // empty: none
    std::string recording;                   // directory to keep the recording in; empty: a temporary one
    std::uint64_t limit = 256u << 20;        // bytes recorded a process
    std::vector<std::string> program;
};

/// The program's exit code, or 1 (with a line on standard error) where that is 0 and nothing was recorded or the
/// timeline could not be written; the recording is then kept. Throws UsageError, before the program runs, if timeline
/// or recording cannot go where they are to go.
int trace(const Installation& installation, const Choice& choice, const TraceOptions& options);

/// Table and timeline of a recording that was kept.
int report(const std::string& recording, const std::string& timeline);

}  // namespace zetl::command
