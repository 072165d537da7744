#include "report/report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "text/usage_error.h"

namespace zetl::command {

ReportFiles::ReportFiles(const ReportChoice& options, const char* what, std::vector<const OutputFile*> others)
    : json_(options.json, what, "choose another file with --json"),
      sarif_(options.sarif, what, "choose another file with --sarif"),
      junit_(options.junit, what, "choose another file with --junit"),
      github_(options.github),
      version_(options.version) {
    others.insert(others.end(), {&json_, &sarif_, &junit_});
    for (std::size_t i = 0; i < others.size(); ++i)
        for (std::size_t k = i + 1; k < others.size(); ++k) requireApart(*others[i], *others[k]);
    standard_ = std::ranges::any_of(others, &OutputFile::isStandard);
    if (github_ && standard_)
        throw UsageError("--github prints on standard output: write the other outputs to files");
}

void ReportFiles::write(const Report& report, const std::string& json) {
    const std::string root = std::filesystem::current_path().native();
    writeAll(json_, json);
    if (sarif_) writeAll(sarif_, sarifText(report, root, version_));
    if (junit_) writeAll(junit_, junitText(report));
    if (github_) fmt::print("{}", githubText(report, root));
}

}  // namespace zetl::command
