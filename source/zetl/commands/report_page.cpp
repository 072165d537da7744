#include "commands/report_page.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "files/file_content.h"
#include "findings/check_program.h"
#include "findings/finding_page.h"
#include "findings/gathered.h"
#include "metrics/metric_page.h"
#include "metrics/query.h"
#include "metrics/stall_page.h"
#include "metrics/stalls.h"
#include "page/page.h"
#include "page/trace_page.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

void addMetrics(Page& page, const fs::path& directory) {
    const auto measured = contentOf(directory / kMetricsPart / kMeasuredFile);
    if (!measured) return;
    const auto samples = directory / kMetricsPart / kSamplesPart;
    addMetricSections(page, kernelTable(*measured),
                      fs::is_directory(samples) ? topStalls(samples) : std::map<std::string, TopStall>());
}

void addStalls(Page& page, const fs::path& directory, bool mangled) {
    if (!fs::is_directory(directory / kStallsPart)) return;
    const StallProfile profile(directory / kStallsPart);
    std::vector<const StalledKernel*> kernels;
    kernels.reserve(profile.kernels().size());
    for (const auto& each : profile.kernels()) kernels.push_back(&each);
    SourceLines sources;
    addStallSections(page, profile, kernels, mangled, sources);
}

void addChecks(Page& page, const fs::path& directory) {
    if (!fs::is_directory(directory / kCheckPart)) return;
    const auto all = gather({{directory / kCheckPart, ""}});
    addFindingSections(page, all.findings);
    if (all.unreadable != 0)
        page.addFinding(Page::Level::warning, fmt::format("{} lines of findings could not be read.", all.unreadable));
}

}  // namespace

bool hasOtherParts(const fs::path& directory) {
    return fs::exists(directory / kMetricsPart / kMeasuredFile) || fs::is_directory(directory / kStallsPart) ||
           fs::is_directory(directory / kCheckPart);
}

std::string reportPage(std::span<const fs::path> directories, std::span<const RecordingFile> recordings,
                       const Summary& summary, bool mangled) {
    Page page("zetl report", recordings.empty() ? directories.front().native() : programsOf(recordings));
    if (!summary.empty()) addTraceSections(page, recordings, summary, mangled);
    for (const auto& each : directories) {
        addMetrics(page, each);
        addStalls(page, each, mangled);
        addChecks(page, each);
    }
    page.addEnvironment(factsOf(recordings));
    return page.html();
}

}  // namespace zetl::command
