#include "metrics/stream.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>

#include "files/output_file.h"
#include "files/standard_streams.h"
#include "metrics/collector.h"
#include "metrics/core_api_counters.h"
#include "metrics/counter_tables.h"
#include "metrics/prometheus_server.h"
#include "recording/alignment.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "text/usage_error.h"
#include "timeline/timeline.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

void writePieces(OutputFile& output, const CounterRecording& counters,
                 void (*write)(const CounterRecording&, const WriteText&)) {
    if (!output) return;
    write(counters, [&](const std::string& text) { output.write(text); });
    output.finish();
}

/// How many reports were interpolated or lost.
std::string honestly(const CounterTotals& totals) {
    return fmt::format("{} reports, {} interpolated (counted together with their neighbours), {} lost", totals.reports,
                       totals.interpolated, totals.lost);
}

/// False if nothing was counted.
bool present(const fs::path& directory, const fs::path& file, ReportOutputs& outputs) {
    const CounterRecording counters(file);
    const auto totals = totalsOf(counters);
    const auto summary = counterSummary(counters);
    outputs.tables.show(fmt::format("\n{}{}\n", counterText(summary), honestly(totals)), stderr);
    if (totals.reports == 0) fmt::print(stderr, "zetl: nothing was counted\n");
    writePieces(outputs.tables.csv, counters, writeCounterCsv);
    writePieces(outputs.tables.json, counters, writeCounterJson);
    writeAll(outputs.tables.markdown, summary.markdown());
    const auto recordings = openRecordings(directory);
    if (outputs.timeline) {
        writeTimeline(recordings, &counters, *outputs.timeline);
        fmt::print(stderr, "timeline: {} (open it at https://ui.perfetto.dev)\n", outputs.timeline->name());
    }
    return totals.reports > 0;
}

/// Counts commands for CoreApiOnly, which needs no metrics. False, with a line on standard error, if that fails.
bool countCommands(const fs::path& directory, std::uint32_t period, const fs::path& file) try {
    const auto recordings = openRecordings(directory);
    writeCoreApiCounters(recordings, period, file);
    if (const auto unknown = commandsUnknown(recordings))
        fmt::print(stderr, "zetl: {} commands are not counted because their times are unknown\n", unknown);
    return true;
} catch (const std::exception& failure) {
    fmt::print(stderr, "zetl: {}\n", failure.what());
    return false;
}

bool presentOrSay(const fs::path& directory, const fs::path& file, ReportOutputs& outputs) try {
    return present(directory, file, outputs);
} catch (const std::exception& failure) {
    if (isReaderGone(failure)) throw;
    fmt::print(stderr, "zetl: {}\n", failure.what());
    return false;
}

/// Null without --prometheus.
std::unique_ptr<PrometheusSocket> socketOf(const StreamOptions& options) {
    if (options.prometheus.empty()) return nullptr;
    if (options.group == kCoreApiGroup)
        throw UsageError(
            "--prometheus: the counts of CoreApiOnly are only known when the program has ended; choose another "
            "--group");
    auto socket = std::make_unique<PrometheusSocket>(options.prometheus);
    fmt::print(stderr, "counters: {}\n", socket->address());
    return socket;
}

}  // namespace

int stream(const Installation& installation, const Choice& choice, const StreamOptions& options) {
    requireFiles({installation.layer, installation.recorder});
    ReportOutputs outputs(options.report);
    const auto prometheus = socketOf(options);
    const RecordingDirectory directory("");
    directory.requireRoom(options.recording.limit);
    const auto file = directory.path() / "counters";
    const bool coreApi = options.group == kCoreApiGroup;
    std::optional<Collector> collector;
    if (!coreApi)
        collector.emplace(installation, choice,
                          CollectorOptions{options.group, options.period, file, prometheus.get()});
    apply(variablesFor(installation, choice));
    apply(recordingVariables(installation, directory.path(), options.recording));
    const int code = runToEnd(options.program, besides(outputs.all()));
    const bool whole = collector ? collector->finish() : countCommands(directory.path(), options.period, file);
    const bool shown = presentOrSay(directory.path(), file, outputs) && whole;
    return shown || code != 0 ? code : 1;
}

}  // namespace zetl::command
