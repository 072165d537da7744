// `zetl trace`: runs a program with its Level Zero calls recorded, then writes the timeline and prints the table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recording/options.h"
#include "run/environment.h"
#include "text/rank_choice.h"
#include "timeline/report_outputs.h"

namespace zetl::command {

struct TraceOptions {
    ReportOptions report;
    RecordingOptions recording;
    std::string directory;            // in which the recording is kept; empty: a temporary one
    std::optional<RankChoice> ranks;  // whose recordings are kept; of the others only summaries are
    std::vector<std::string> program;
    int attach = 0;  // not 0: record this running process in place of a program
};

/// Returns the program's exit code. If that is 0 and nothing was recorded or the timeline could not be written, returns
/// 1 with a line on standard error, and keeps the recording. Throws UsageError, before the program runs, if the
/// timeline or the recording cannot be opened.
int trace(const Installation& installation, const Choice& choice, const TraceOptions& options);

/// Prints the tables and writes the timeline of kept recordings, as if they were one.
int report(const std::vector<std::string>& recordings, const ReportOptions& options);

/// Pauses or resumes recording in the processes that record into the directory. Returns 1 (with a line) if there are
/// none.
int setPaused(const std::string& recording, bool paused);

}  // namespace zetl::command
