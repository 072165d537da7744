#include "output_file.h"

#include <fmt/format.h>

#include "usage_error.h"

namespace zetl::command {

OutputFile::OutputFile(const std::string& path, const char* what, const char* option) : standard_(path == "-") {
    if (!path.empty() && !standard_) file_ = std::make_unique<TimelineFile>(path, what, option);
}

void OutputFile::write(const std::string& text) {
    if (standard_) fmt::print("{}", text);
    if (file_) file_->write(text);
}

void OutputFile::finish() {
    if (file_) file_->finish();
}

void writeAll(OutputFile& output, const std::string& text) {
    if (!output) return;
    output.write(text);
    output.finish();
}

ProgramOutput besides(const OutputFile& table) {
    return table.isStandard() ? ProgramOutput::standardError : ProgramOutput::standardOutput;
}

void requireApart(const OutputFile& one, const OutputFile& other) {
    if (one.isStandard() && other.isStandard()) throw UsageError("only one table can go to standard output");
    if (one.file() && other.file()) requireApart(*one.file(), *other.file());
}

ProgramOutput besides(const OutputFile& csv, const OutputFile& json) {
    return csv.isStandard() || json.isStandard() ? ProgramOutput::standardError : ProgramOutput::standardOutput;
}

ReportOutputs::ReportOutputs(const ReportOptions& options)
    : csv(options.csv, "table", "choose another file with --csv"),
      json(options.json, "table", "choose another file with --json") {
    if (!options.timeline.empty()) timeline = std::make_unique<TimelineFile>(options.timeline);
    requireApart(csv, json);
    for (const auto* each : {csv.file(), json.file()})
        if (each && timeline) requireApart(*each, *timeline);
}

}  // namespace zetl::command
