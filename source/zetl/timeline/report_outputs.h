// The files for the tables and the timeline of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/otf2_archive.h"
#include "files/output_file.h"
#include "files/sqlite.h"
#include "files/table_outputs.h"
#include "files/timeline_file.h"

namespace zetl::command {

/// Outputs besides the tables on standard error. Empty: none; "-": standard output.
struct ReportOptions {
    static constexpr const char* kTimeline =
        "timeline.pftrace";            // where a process is writing it: timeline.<pid>.pftrace
    std::string timeline = kTimeline;  // JSON if it ends in .json, else Perfetto's format
    TableOptions tables;
    std::string commands;  ///< a row per command of devices
    std::string html;      ///< a page to look at
    std::string sqlite;    ///< a database of all records
    std::string otf2;      ///< a directory for a trace in the Open Trace Format
    bool mangled = false;  ///< the table shows kernels' names as compilers make them
};

/// All outputs, opened before the program runs.
struct ReportOutputs {
    explicit ReportOutputs(const ReportOptions& options);
    std::vector<const OutputFile*> all() const;
    TableOutputs tables;
    OutputFile commands;
    OutputFile html;
    OutputFile sqlite;
    std::unique_ptr<SqliteDatabase> database;  ///< null without `sqlite`
    std::unique_ptr<Otf2Archive> otf2;         ///< null without `otf2`
    std::unique_ptr<TimelineFile> timeline;    ///< null: no timeline
    bool mangled;
};

}  // namespace zetl::command
