#include "baseline/baseline_program.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "files/file_content.h"
#include "files/output_file.h"
#include "metrics/kernel_table.h"
#include "recording/directory.h"
#include "run/compilers.h"
#include "run/launch.h"
#include "run/probe.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// The summary has the modelled time, and the other what was executed.
constexpr const char* kGroups = "KernelSummary,InstructionMix";

std::string environmentValue(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// The one that the program's driver will take (source/compiler/start.cpp).
std::string identityOfCompiler(const Installation& installation) {
    const std::string choice = environmentValue("ZETL_COMPILER");
    const bool named = !choice.empty() && choice != "system" && choice != "newest";
    const std::filesystem::path bundle = named ? std::filesystem::path(choice) : installation.bundle;
    const bool system = choice == "system" || !environmentValue("ZETL_COMPILER_LIBRARY").empty() || !hasBundle(bundle);
    const Compiler used = system ? askSystemsCompiler(installation) : askBundledCompiler(installation, bundle);
    // Where it lies differs from host to host.
    return used.isUsable() ? used.identity.substr(used.identity.rfind('/') + 1) : "none";
}

/// Who measures, without kernels. Puts the environment of the program in place.
Baseline measuring(const Installation& installation, const Choice& choice, const BaselineOptions& options,
                   const std::filesystem::path& costs) {
    requireFiles({installation.layer, installation.queries});
    apply(variablesFor(installation, choice));
    apply(queryingVariables(installation, costs, kGroups, false));
    const std::string device = environmentValue("ZETL_EMULATED_DEVICE");
    return {options.version, device.empty() ? "max1550" : device, identityOfCompiler(installation), {}};
}

/// Runs the program; returns its exit code, or 1 if that is 0 and no kernel was measured.
int measure(Baseline& here, const BaselineOptions& options, const std::filesystem::path& costs, ProgramOutput output) {
    const int code = runToEnd(options.program, output);
    here.kernels = costsIn(kernelTable(contentOf(costs).value_or("")).table);
    if (code != 0 || !here.kernels.empty()) return code;
    fmt::print(stderr, "zetl baseline: no kernel was measured: the program launched none, or ended by _exit\n");
    return 1;
}

}  // namespace

int saveBaseline(const Installation& installation, const Choice& choice, const BaselineOptions& options) {
    OutputFile file(options.file, "baseline", "name another file");
    const RecordingDirectory directory("");
    const std::filesystem::path costs = directory.path() / "kernels";
    Baseline here = measuring(installation, choice, options, costs);
    const int code = measure(here, options, costs, besides(file));
    if (code != 0) return code;
    writeAll(file, baselineText(here));
    fmt::print(stderr, "zetl baseline: saved the costs of {}\n", kernelsText(here.kernels.size()));
    return 0;
}

int compareBaseline(const Installation& installation, const Choice& choice, const BaselineOptions& options) {
    const auto text = contentOf(options.file);
    if (!text) throw UsageError(fmt::format("{} cannot be read; zetl baseline save makes a baseline", options.file));
    const Baseline there = readBaseline(*text, options.file);
    OutputFile accepted(options.accept ? options.file : std::string(), "baseline", "name another file");
    ReportFiles reports(options.reports, "changes", {&accepted});
    TableOutputs& tables = reports.tables();
    const RecordingDirectory directory("");
    const std::filesystem::path costs = directory.path() / "kernels";
    Baseline here = measuring(installation, choice, options, costs);
    // --accept is how a baseline comes to another device, compiler or version.
    if (const std::string why = mismatch(there, here); !why.empty() && !options.accept)
        throw UsageError(fmt::format("{} cannot be compared: {}; --accept measures anew", options.file, why));
    const int code = measure(here, options, costs, besides(reports.takesStandardOutput()));
    if (code != 0) return code;

    const auto changes = changesBetween(there, here, options.tolerance);
    const auto counts = fmt::format("zetl baseline: {} change{} in {}\n", changes.size(),
                                    changes.size() == 1 ? "" : "s", kernelsText(here.kernels.size()));
    tables.show((changes.empty() ? "" : changesText(changes)) + counts, stderr);
    const auto table = changesTable(changes);
    if (tables.csv) writeAll(tables.csv, table.csv());
    if (tables.json) writeAll(tables.json, table.json());
    if (tables.markdown) writeAll(tables.markdown, changesMarkdown(changes, here.kernels.size()));
    reports.write(changesReport(changes, there, here, {options.file, *text}, options.accept));
    writeAll(accepted, baselineText(here));
    return changes.empty() || options.accept ? 0 : kOtherCosts;
}

}  // namespace zetl::command
