// `zetl trace`: runs a program with its Level Zero calls recorded, then writes the timeline and prints the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "environment.h"

namespace zetl::command {

/// Where what a recording comes to goes, besides the table on standard error. Empty: nowhere; "-": standard output.
struct ReportOptions {
    std::string timeline = "timeline.pftrace";  // JSON if it ends in .json, else Perfetto's format
    // the tables
    std::string csv;
    std::string json;
};

/// What of a program is recorded.
struct RecordingOptions {
    std::uint64_t limit = 256u << 20;  // bytes a process
    // patterns with commas between; empty: all
    std::string functions;
    std::string kernels;
    bool device = true;   // what devices do, too
    bool paused = false;  // until `zetl resume`
    // milliseconds of a process
    std::optional<std::uint64_t> delay;
    std::optional<std::uint64_t> duration;
};

struct TraceOptions {
    ReportOptions report;
    RecordingOptions recording;
    std::string directory;  // to keep the recording in; empty: a temporary one
    std::vector<std::string> program;
};

/// The program's exit code, or 1 (with a line on standard error) where that is 0 and nothing was recorded or the
/// timeline could not be written; the recording is then kept. Throws UsageError, before the program runs, if timeline
/// or recording cannot go where they are to go.
int trace(const Installation& installation, const Choice& choice, const TraceOptions& options);

/// Table and timeline of a recording that was kept.
int report(const std::string& recording, const ReportOptions& options);

/// Stops or goes on recording in the processes that record into the directory. 1 (with a line) if there are none.
int setPaused(const std::string& recording, bool paused);

}  // namespace zetl::command
