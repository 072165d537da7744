#include "timeline/report_outputs.h"

namespace zetl::command {

ReportOutputs::ReportOutputs(const ReportOptions& options)
    : csv(options.csv, "table", "choose another file with --csv"),
      json(options.json, "table", "choose another file with --json"),
      mangled(options.mangled) {
    if (!options.timeline.empty()) timeline = std::make_unique<TimelineFile>(options.timeline);
    requireApart(csv, json);
    for (const auto* each : {csv.file(), json.file()})
        if (each && timeline) requireApart(*each, *timeline);
}

}  // namespace zetl::command
