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
    : tables(options.tables),
      commands(options.commands, "table", "choose another file with --commands"),
      html(options.html, "page", "choose another file with --html"),
      sqlite(options.sqlite, "database", "choose another file with --sqlite"),
      database(options.sqlite.empty() ? nullptr : std::make_unique<SqliteDatabase>()),
      otf2(options.otf2.empty() ? nullptr : std::make_unique<Otf2Archive>(options.otf2)),
      mangled(options.mangled) {
    if (!options.timeline.empty()) timeline = timelineOf(options.timeline);
    requireApart(all());
    for (const auto* one : all())
        if (one->file() && timeline) requireApart(*one->file(), *timeline);
}

std::vector<const OutputFile*> ReportOutputs::all() const {
    auto outputs = tables.all();
    outputs.insert(outputs.end(), {&commands, &html, &sqlite});
    return outputs;
}

}  // namespace zetl::command
