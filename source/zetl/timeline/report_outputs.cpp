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
      mangled(options.mangled) {
    if (!options.timeline.empty()) timeline = timelineOf(options.timeline);
    requireApart(csv, json);
    requireApart(csv, html);
    requireApart(json, html);
    for (const auto* each : {csv.file(), json.file(), html.file()})
        if (each && timeline) requireApart(*each, *timeline);
}

}  // namespace zetl::command
