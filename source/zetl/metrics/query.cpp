#include "metrics/query.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "files/file_content.h"
#include "files/output_file.h"
#include "metrics/kernel_report.h"
#include "metrics/kernel_table.h"
#include "metrics/listing.h"
#include "metrics/metric_page.h"
#include "metrics/screen_table.h"
#include "metrics/top_stall.h"
#include "recording/directory.h"
#include "run/launch.h"

namespace zetl::command {
namespace {

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& each : names) all += (all.empty() ? "" : ",") + each;
    return all;
}

std::string textOf(const KernelTable& kernels, const QueryOptions& options,
                   const std::map<std::string, TopStall>& stalls) {
    if (!isReportable(kernels)) return screenTable(kernels.table);
    return options.perLaunch ? launchReport(kernels) : kernelReport(kernels, stalls);
}

}  // namespace

int query(const Installation& installation, const Choice& choice, const QueryOptions& options) {
    requireFiles({installation.layer, installation.queries});
    for (const auto& group : options.groups) requireGroup(installation, choice, group, "event");
    TableOutputs outputs(options.tables);
    OutputFile html(options.html, "page", "choose another file with --html");
    auto files = outputs.all();
    files.push_back(&html);
    requireApart(files);
    const RecordingDirectory directory(options.directory, kMetricsPart);
    const auto file = directory.path() / kMeasuredFile;
    const auto samples = directory.path() / kSamplesPart;
    // Lines are shown with the limits, and only the summary has these. To look for them, all work-groups are modelled.
    const bool sampled = choice.emulated && options.groups.empty() && !options.perLaunch && options.tables.shown &&
                         options.accuracy == 0;
    apply(variablesFor(installation, choice));
    if (options.accuracy != 0) apply({{"ZETL_TIMING_MODEL", fmt::format("sampled:{}%", options.accuracy)}});
    apply(queryingVariables(installation, file, joined(options.groups), options.perLaunch));
    if (sampled) {
        std::filesystem::create_directory(samples);
        apply(stallsVariables(installation, samples, std::nullopt));
    }
    const int code = runToEnd(options.program, besides(files));
    const auto kernels = kernelTable(contentOf(file).value_or(""));
    if (kernels.table.rows.empty()) {
        fmt::print(
            stderr,
            "zetl: no kernel was measured. Either the program launched none, or it ended by _exit or a signal, or "
            "it is set-user-id, or the device has no event-based metrics; `zetl metrics list` lists the groups\n");
        return code != 0 ? code : 1;
    }
    outputs.write(kernels.table);
    const auto stalls = sampled ? topStalls(samples) : std::map<std::string, TopStall>();
    if (html) writeAll(html, metricPage(kernels, stalls));
    if (!outputs.shown) return code;
    const auto text = textOf(kernels, options, stalls);
    outputs.show(outputs.text ? text : '\n' + text, stderr);
    return code;
}

}  // namespace zetl::command
