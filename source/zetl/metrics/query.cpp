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
    if (!kernels.device) return screenTable(kernels.table);
    return options.perLaunch ? launchReport(kernels) : kernelReport(kernels, stalls);
}

}  // namespace

int query(const Installation& installation, const Choice& choice, const QueryOptions& options) {
    requireFiles({installation.layer, installation.queries});
    for (const auto& group : options.groups) requireGroup(installation, choice, group, "event");
    TableOutputs outputs(options.tables);
    const RecordingDirectory directory("");
    const auto file = directory.path() / "kernels";
    const auto samples = directory.path() / "samples";
    // Lines are shown with the limits, and only the summary has these.
    const bool sampled = choice.emulated && options.groups.empty() && !options.perLaunch && options.tables.shown;
    apply(variablesFor(installation, choice));
    apply(queryingVariables(installation, file, joined(options.groups), options.perLaunch));
    if (sampled) {
        std::filesystem::create_directory(samples);
        apply(stallsVariables(installation, samples, std::nullopt));
    }
    const int code = runToEnd(options.program, besides(outputs.all()));
    const auto kernels = kernelTable(contentOf(file).value_or(""));
    if (kernels.table.rows.empty()) {
        fmt::print(
            stderr,
            "zetl: no kernel was measured. Either the program launched none, or it ended by _exit or a signal, or "
            "it is set-user-id, or the device has no event-based metrics; `zetl metrics list` lists the groups\n");
        return code != 0 ? code : 1;
    }
    outputs.write(kernels.table);
    if (!outputs.shown) return code;
    const auto text = textOf(kernels, options, sampled ? topStalls(samples) : std::map<std::string, TopStall>());
    outputs.show(outputs.text ? text : '\n' + text, stderr);
    return code;
}

}  // namespace zetl::command
