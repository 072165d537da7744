#include "report/report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "text/usage_error.h"

namespace zetl::command {

ReportFiles::ReportFiles(const ReportChoice& choice, const char* what, const std::vector<const OutputFile*>& others)
    : tables_(choice.tables, what),
      sarif_(choice.sarif, what, "choose another file with --sarif"),
      junit_(choice.junit, what, "choose another file with --junit"),
      github_(choice.github),
      version_(choice.version) {
    std::vector<const OutputFile*> all = tables_.all();
    all.insert(all.end(), {&sarif_, &junit_});
    all.insert(all.end(), others.begin(), others.end());
    requireApart(all);
    standard_ = std::ranges::any_of(all, [](const OutputFile* each) { return each->isStandard(); });
    if (github_ && standard_) throw UsageError("--github prints on standard output: write the other outputs to files");
}

void ReportFiles::write(const Report& report) {
    const std::string root = std::filesystem::current_path().native();
    if (sarif_) writeAll(sarif_, sarifText(report, root, version_));
    if (junit_) writeAll(junit_, junitText(report));
    if (github_) fmt::print("{}", githubText(report, root));
}

}  // namespace zetl::command
