#include "timeline/report_outputs.h"

namespace zetl::command {

namespace {

/// Two commands without -o in one directory do not write to one file.
std::unique_ptr<TimelineFile> timelineOf(const std::string& name) try {
    return std::make_unique<TimelineFile>(name);
} catch (const OutputTaken&) {
    if (name != ReportOptions::kTimeline) throw;
    return std::make_unique<TimelineFile>("timeline.%p.pftrace");
}

}  // namespace

ReportOutputs::ReportOutputs(const ReportOptions& options)
    : csv(options.csv, "table", "choose another file with --csv"),
      json(options.json, "table", "choose another file with --json"),
      html(options.html, "page", "choose another file with --html"),
      sqlite(options.sqlite, "database", "choose another file with --sqlite"),
      database(options.sqlite.empty() ? nullptr : std::make_unique<SqliteDatabase>()),
      mangled(options.mangled) {
    if (!options.timeline.empty()) timeline = timelineOf(options.timeline);
    const OutputFile* const all[] = {&csv, &json, &html, &sqlite};
    for (const auto* one : all) {
        for (const auto* other = all; *other != one; ++other) requireApart(**other, *one);
        if (one->file() && timeline) requireApart(*one->file(), *timeline);
    }
}

}  // namespace zetl::command
