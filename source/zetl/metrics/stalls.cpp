#include "metrics/stalls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "files/output_file.h"
#include "files/standard_streams.h"
#include "metrics/stall_listing.h"
#include "metrics/stall_page.h"
#include "metrics/stall_profile.h"
#include "metrics/stalled_lines.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "text/demangled.h"
#include "text/json.h"
#include "text/spelling.h"
#include "text/table.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// One row per kernel and line: its samples, in total and by reason.
Table lineTable(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, SourceLines& sources) {
    Table table{{"kernel", "line", "samples"}, {}};
    table.headings.insert(table.headings.end(), profile.reasons().begin(), profile.reasons().end());
    table.headings.emplace_back("source");
    for (const auto* kernel : kernels)
        for (const auto& line : linesOf(*kernel)) {
            std::vector<Json> row{printable(kernel->name), printable(whereOf(line.place)), sumOf(line.samples)};
            row.insert(row.end(), line.samples.begin(), line.samples.end());
            row.emplace_back(printable(sources.line(line.place)));
            table.rows.push_back(std::move(row));
        }
    return table;
}

Json countsOf(const StallProfile& profile, const StallCounts& samples) {
    auto counts = Json::object();
    for (std::size_t i = 0; i < samples.size(); ++i) counts[profile.reasons()[i]] = samples[i];
    return counts;
}

Json placed(const correlation::Place& place) {
    return {{"function", place.function}, {"file", place.file}, {"line", place.line}};
}

Json described(const StallProfile& profile, const StalledKernel& kernel) {
    Json made{{"name", kernel.name},
              {"samples", sumOf(kernel.samples)},
              {"reasons", countsOf(profile, kernel.samples)},
              {"lines", Json::array()},
              {"instructions", Json::array()}};
    for (const auto& line : linesOf(kernel)) {
        auto object = placed(line.place);
        object["samples"] = sumOf(line.samples);
        object["reasons"] = countsOf(profile, line.samples);
        made["lines"].push_back(std::move(object));
    }
    for (const auto& each : kernel.code) {
        Json object{{"offset", each.instruction.offset},
                    {"text", each.instruction.text},
                    {"source", Json::array()},
                    {"samples", sumOf(each.samples)},
                    {"reasons", countsOf(profile, each.samples)}};
        for (const auto& place : each.places) object["source"].push_back(placed(place));
        made["instructions"].push_back(std::move(object));
    }
    return made;
}

std::string asJson(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels) {
    Json all{{"period_ns", profile.period()}, {"longest_period_ns", profile.longestPeriod()},
             {"mapped", profile.mapped()},    {"unmapped", profile.unmapped()},
             {"lost", profile.lost()},        {"lost_uncounted", profile.moreLost()},
             {"kernels", Json::array()}};
    for (const auto* each : kernels) all["kernels"].push_back(described(profile, *each));
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<const StalledKernel*> chosen(const StallProfile& profile, const std::string& name) {
    std::vector<const StalledKernel*> kernels;
    for (const auto& each : profile.kernels())
        if (name.empty() || each.name == name) kernels.push_back(&each);
    return kernels;
}

std::vector<std::string> namesOf(const StallProfile& profile) {
    std::vector<std::string> names;
    for (const auto& each : profile.kernels())
        if (std::ranges::find(names, each.name) == names.end()) names.push_back(printable(each.name));
    return names;
}

std::string lostOf(const StallProfile& profile) {
    if (!profile.moreLost()) return fmt::format("{} lost", profile.lost());
    return profile.lost() == 0 ? "more were lost, which the device does not count"
                               : fmt::format("more than {} lost", profile.lost());
}

/// Notes on what the numbers do not include.
void sayWhatIsMissing(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels) {
    fmt::print(
        stderr, "{} samples, one per thread every {} ns: {} mapped, {} not mapped (code of no known module); {}\n",
        profile.mapped() + profile.unmapped(), profile.period(), profile.mapped(), profile.unmapped(), lostOf(profile));
    if (profile.lost() > 0)
        fmt::print(
            stderr,
            "zetl: samples are lost when the device's buffer is full; the samples read with them count for them, "
            "too; a longer --period loses fewer\n");
    if (profile.moreLost())
        fmt::print(stderr,
                   "zetl: the device does not say how many samples it lost, so busy kernels have too few; a longer "
                   "--period loses fewer\n");
    if (profile.longestPeriod() > profile.period())
        fmt::print(stderr,
                   "zetl: while samples were lost, the device looked only every {} ns; each of these samples counts as "
                   "{:.3g}\n",
                   profile.longestPeriod(),
                   static_cast<double>(profile.longestPeriod()) / static_cast<double>(profile.period()));
    for (const auto* each : kernels)
        if (!each->withoutLines.empty())
            fmt::print(stderr, "zetl: {}: no source lines: {}\n", printable(each->name), each->withoutLines);
}

struct Outputs {
    TableOutputs tables;
    OutputFile html;

    std::vector<const OutputFile*> all() const {
        auto outputs = tables.all();
        outputs.push_back(&html);
        return outputs;
    }
};

/// False if there is nothing to show.
bool present(const fs::path& directory, const StallsOptions& options, Outputs& outputs) {
    const StallProfile profile(directory);
    const auto kernels = chosen(profile, options.kernel);
    SourceLines sources;
    outputs.tables.write(lineTable(profile, kernels, sources), asJson(profile, kernels));
    if (outputs.html) writeAll(outputs.html, stallPage(profile, kernels, options.mangled, sources));
    if (profile.period() == 0) {
        fmt::print(
            stderr,
            "zetl: nothing was sampled. Either the program created no module, or it is set-user-id, or the device "
            "cannot sample instructions; `zetl metrics list` lists the groups\n");
        return false;
    }
    const auto terminal = outputs.tables.text ? Terminal() : Terminal::of(STDERR_FILENO);
    std::string listing;
    for (const auto* each : kernels) listing += '\n' + stallListing(profile, *each, options.mangled, sources, terminal);
    for (const auto* each : kernels)
        if (options.code) listing += stallCode(profile, *each, options.mangled, sources);
    outputs.tables.show(listing, stderr);
    sayWhatIsMissing(profile, kernels);
    if (options.code && !profile.withoutSass().empty())
        fmt::print(stderr, "zetl: instructions are shown as words: {}\n", printable(profile.withoutSass()));
    if (kernels.empty() && !options.kernel.empty())
        fmt::print(stderr, "zetl: no sample belongs to a kernel {}{}\n", options.kernel,
                   alternatives(options.kernel, namesOf(profile)));
    if (kernels.empty() && options.kernel.empty())
        fmt::print(stderr, "zetl: no kernel finished, or none ran for as long as one period\n");
    return !kernels.empty();
}

bool presentOrSay(const fs::path& directory, const StallsOptions& options, Outputs& outputs) try {
    return present(directory, options, outputs);
} catch (const std::exception& failure) {
    if (isReaderGone(failure)) throw;
    fmt::print(stderr, "zetl: {}\n", failure.what());
    return false;
}

}  // namespace

int stalls(const Installation& installation, const Choice& choice, const StallsOptions& options) {
    requireFiles({installation.layer, installation.queries});
    Outputs outputs{TableOutputs(options.tables), {options.html, "page", "choose another file with --html"}};
    requireApart(outputs.all());
    const RecordingDirectory directory(options.directory, kStallsPart);
    apply(variablesFor(installation, choice));
    apply(stallsVariables(installation, directory.path(), options.period));
    const int code = runToEnd(options.program, besides(outputs.all()));
    if (code > 128)
        fmt::print(stderr,
                   "zetl: a signal ended the program; samples of its last 20 ms, or last hundredth, may be missing\n");
    const bool shown = presentOrSay(directory.path(), options, outputs);
    return shown || code != 0 ? code : 1;
}

}  // namespace zetl::command
