#include "commands/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "attaching/attached_process.h"
#include "commands/report_page.h"
#include "files/output_file.h"
#include "files/standard_streams.h"
#include "recording/alignment.h"
#include "recording/clocks.h"
#include "recording/directory.h"
#include "recording/format.h"
#include "recording/functions.h"
#include "run/launch.h"
#include "run/probe.h"
#include "text/patterns.h"
#include "text/rank.h"
#include "text/spelling.h"
#include "text/usage_error.h"
#include "timeline/command_rows.h"
#include "timeline/database.h"
#include "timeline/otf2.h"
#include "timeline/reduced_rank.h"
#include "timeline/summary.h"
#include "timeline/timeline.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

struct Shown {
    bool any = false;          // something was recorded
    bool initialised = false;  // and zeInit succeeded
};

/// Throws UsageError for a pattern that matches no function.
void requireFunctions(const Patterns& patterns) {
    std::vector<std::string> names;
    for (const auto& function : functions()) names.emplace_back(function.name);
    for (const auto* list : {&patterns.each(), &patterns.excluded()})
        for (const auto& pattern : *list)
            if (std::ranges::none_of(names, [&](const auto& name) { return Patterns::matches(pattern, name); }))
                throw UsageError(fmt::format("trace: --functions {}: no traceable function matches{}", pattern,
                                             suggestion(nearest(pattern, names))));
}

/// A recorded name of the maximum length may be the beginning of a longer one.
bool mayMatch(const std::string& pattern, const std::string& name) {
    return Patterns::matches(pattern, name) || name.size() >= kMostNameWords * sizeof(std::uint64_t) - 1;
}

/// Names the patterns that match no kernel: they are probably misspelt.
void sayWhichMatchNothing(const Patterns& kernels, const Summary& summary) {
    const std::vector<std::string> names(summary.kernelNames().begin(), summary.kernelNames().end());
    for (const auto& pattern : kernels.each())
        if (std::ranges::none_of(names, [&](const auto& name) { return mayMatch(pattern, name); }))
            fmt::print(stderr, "zetl: --kernels {}: the program created no such kernel{}\n", pattern,
                       alternatives(pattern, names));
}

/// Whether the recording is one of those that are kept.
bool isKept(const RecordingFile& recording, const std::optional<RankChoice>& ranks) {
    const auto rank = recording.header().rank;
    return !ranks || rank < 0 || ranks->has(rank);
}

struct Chosen {
    std::vector<RecordingFile> recordings;
    std::size_t otherRanks = 0;
};

Chosen chosenOf(std::vector<RecordingFile> recordings, const std::optional<RankChoice>& ranks) {
    Chosen chosen;
    std::set<std::int32_t> others;
    for (auto& each : recordings)
        if (isKept(each, ranks))
            chosen.recordings.push_back(std::move(each));
        else
            others.insert(each.header().rank);
    chosen.otherRanks = others.size();
    return chosen;
}

/// Of ranks that were reduced to their totals, a timeline shows nothing.
void writeTimelineOf(std::span<const RecordingFile> recordings, std::size_t reduced, TimelineFile& timeline) {
    if (recordings.empty()) {
        fmt::print(stderr, "no timeline: only summaries of ranks were kept (--ranks keeps recordings)\n");
        return;
    }
    writeTimeline(recordings, nullptr, timeline);
    fmt::print(stderr, "timeline: {} (open it at https://ui.perfetto.dev)\n", timeline.name());
    if (reduced != 0)
        fmt::print(stderr, "the timeline leaves out {} rank{}, of which only summaries are kept\n", reduced,
                   reduced == 1 ? "" : "s");
}

bool holdRecordings(std::span<const fs::path> directories) {
    return std::ranges::any_of(directories, [](const fs::path& each) { return !recordingsIn(each).empty(); });
}

/// Prints the tables and writes the outputs. Says so if there is nothing to show. `kernels` are the patterns of the
/// kernels that were to be recorded. Tables have all ranks, the other outputs the chosen ones.
Shown present(std::span<const fs::path> directories, ReportOutputs& outputs, const Patterns& kernels,
              const std::optional<RankChoice>& ranks = {}) {
    auto run = openRun(directories);
    Summary summary(run.recordings);
    for (const auto& each : run.ranks) summary.add(each);
    const auto [recordings, unchosen] = chosenOf(std::move(run.recordings), ranks);
    if (summary.empty() && outputs.html && std::ranges::any_of(directories, hasOtherParts)) {
        writeAll(outputs.html, reportPage(directories, recordings, summary, outputs.mangled));
        if (outputs.html.file()) fmt::print(stderr, "page: {}\n", outputs.html.file()->name());
        return {true, true};
    }
    if (summary.empty() && recordings.empty() && holdRecordings(directories)) {
        fmt::print(stderr, "zetl: no recording could be read\n");
        return {};
    }
    if (summary.empty()) {
        fmt::print(
            stderr,
            "zetl: no Level Zero call was recorded. Either the program made none, or --functions, --delay, --duration "
            "or --paused excluded them all, or the program is set-user-id or uses a loader that opens no layers; "
            "`zetl doctor` checks the loader\n");
        return {};
    }
    outputs.tables.show('\n' + summary.table(Terminal::of(STDERR_FILENO), outputs.mangled), stderr);
    if (const auto clocks = clocksText(recordings); !clocks.empty()) fmt::print(stderr, "{}\n", clocks);
    sayWhichMatchNothing(kernels, summary);
    const bool asRows = outputs.tables.csv || outputs.tables.markdown;
    outputs.tables.write(asRows ? summary.asTable() : Table(), outputs.tables.json ? summary.json() : std::string());
    if (outputs.html) {
        writeAll(outputs.html, reportPage(directories, recordings, summary, outputs.mangled));
        if (outputs.html.file()) fmt::print(stderr, "page: {}\n", outputs.html.file()->name());
    }
    if (outputs.commands) {
        writeCommands(recordings, [&](const std::string& text) { outputs.commands.write(text); });
        outputs.commands.finish();
    }
    if (outputs.sqlite) {
        fillDatabase(recordings, *outputs.database);
        writeAll(outputs.sqlite, outputs.database->bytes());
        if (outputs.sqlite.file()) fmt::print(stderr, "database: {}\n", outputs.sqlite.file()->name());
    }
    if (outputs.otf2) {
        writeOtf2(recordings, *outputs.otf2);
        fmt::print(stderr, "trace: {}/traces.otf2\n", outputs.otf2->directory());
    }
    if (outputs.timeline) {
        writeTimelineOf(recordings, run.ranks.size() + unchosen, *outputs.timeline);
    }
    return {true, summary.initialised()};
}

/// Without a device nothing of interest was recorded, so suggest the emulated GPU.
void offerEmulated(const std::vector<std::string>& program) {
    const auto here = initialise({{kDirectoryVariable, ""}});
    if (!here.failure.empty() || !here.devices.empty()) return;
    fmt::print(stderr,
               "zetl: no Level Zero device was found; to use the emulated GPU, type: zetl trace --emulated -- {}\n",
               fmt::join(program, " "));
}

/// The recordings of ranks whose summaries suffice.
void removeUnchosen(const fs::path& directory, const std::optional<RankChoice>& ranks) {
    if (!ranks) return;
    for (const auto& each : openRecordings(directory))
        if (!isKept(each, ranks)) fs::remove(each.path());
}

/// Like present(), but keeps the recording if it fails.
Shown presentOrKeep(RecordingDirectory& directory, ReportOutputs& outputs, const TraceOptions& options) try {
    const Patterns kernels(options.recording.kernels.c_str());
    const auto shown = present(std::span(&directory.path(), 1), outputs, kernels, options.ranks);
    if (directory.kept()) removeUnchosen(directory.path(), options.ranks);
    return shown;
} catch (const std::exception& failure) {
    if (isReaderGone(failure)) throw;
    directory.keep();
    fmt::print(stderr, "zetl: {}\n", failure.what());
    return {};
}

/// become() has said why.
bool isNotStarted(int code, const fs::path& directory) {
    return (code == kNoSuchProgram || code == kNotExecutable) && recordingsIn(directory).empty();
}

/// This process is a rank of which only a summary is kept.
bool isReduced(const TraceOptions& options) {
    const auto rank = currentRank();
    return options.ranks && rank.any() && !options.ranks->has(rank.number);
}

/// A rank of many that writes its summary and what was asked for by name: no timeline, page or database, and no tables
/// on the terminal.
ReportOptions quiet(ReportOptions report) {
    report.timeline.clear();
    report.commands.clear();
    report.html.clear();
    report.sqlite.clear();
    report.otf2.clear();
    report.tables.shown = false;
    return report;
}

/// Beside the recording, or instead of it.
void keepSummaries(const fs::path& recordings, const fs::path& directory) try {
    keepReduced(reduced(openRecordings(recordings)), directory);
} catch (const std::exception& failure) {
    fmt::print(stderr, "zetl: {}\n", failure.what());
}

/// How long the process records; nothing: until the user or its end ends the recording.
std::optional<std::chrono::milliseconds> timeOf(const RecordingOptions& options) {
    if (!options.duration) return std::nullopt;
    return std::chrono::milliseconds(*options.duration + options.delay.value_or(0));
}

/// The process keeps its mapping of a recording as long as it lives, and so the blocks of a file that has no name
/// any more.
void freeBlocks(const fs::path& directory) {
    for (const auto& path : recordingsIn(directory)) {
        const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0) continue;
        fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, lseek(file, 0, SEEK_END));
        close(file);
    }
}

int traceAttached(const Installation& installation, const TraceOptions& options, RecordingDirectory& directory,
                  ReportOutputs& outputs) {
    AttachedProcess process(options.attach, recordingVariables(installation, directory.path(), options.recording));
    fmt::print(stderr, "zetl: recording process {}; Ctrl-C ends the recording\n", options.attach);
    process.recordUntilEnd(timeOf(options.recording));
    if (directory.kept()) keepSummaries(directory.path(), directory.path());
    const auto shown = presentOrKeep(directory, outputs, options);
    if (directory.kept())
        fmt::print(stderr, "recording: {0} (show it again with: zetl report {0} -o FILE)\n", directory.path().native());
    else
        freeBlocks(directory.path());
    return shown.any ? 0 : 1;
}

}  // namespace

int trace(const Installation& installation, const Choice& choice, const TraceOptions& options) {
    requireFunctions(Patterns(options.recording.functions.c_str()));
    requireFiles({installation.layer, installation.recorder});
    if (options.recording.mpi) requireFiles({installation.mpi});
    const bool onlySummary = isReduced(options);
    ReportOutputs outputs(onlySummary ? quiet(options.report) : options.report);
    RecordingDirectory kept(options.directory);
    // Not where all ranks keep theirs: such file systems are shared and slow.
    const auto temporary = onlySummary ? std::make_unique<RecordingDirectory>("") : nullptr;
    auto& directory = temporary ? *temporary : kept;
    directory.requireRoom(options.recording.limit);
    if (options.attach != 0) return traceAttached(installation, options, directory, outputs);
    apply(variablesFor(installation, choice));
    apply(recordingVariables(installation, directory.path(), options.recording));
    const int code = runToEnd(options.program, besides(outputs.all()));
    if (isNotStarted(code, directory.path())) return code;
    if (kept.kept()) keepSummaries(directory.path(), kept.path());
    const auto shown = presentOrKeep(directory, outputs, options);
    if (directory.kept())
        fmt::print(stderr, "recording: {0} (show it again with: zetl report {0} -o FILE)\n", directory.path().native());
    if (!shown.initialised && !choice.emulated) offerEmulated(options.program);
    return shown.any || code != 0 ? code : 1;
}

int report(const std::vector<std::string>& recordings, const ReportOptions& options) {
    for (const auto& recording : recordings) {
        if (!fs::is_directory(recording)) throw UsageError(fmt::format("report: {}: no such directory", recording));
        if (recordingsIn(recording).empty() && rankSummariesIn(recording).empty() &&
            !(hasOtherParts(recording) && !options.html.empty()))
            throw UsageError(
                fmt::format("{} holds no recording: the program made no Level Zero call, or it is not the directory of "
                            "`zetl trace --recording`",
                            recording));
    }
    ReportOutputs outputs(options);
    const std::vector<fs::path> directories(recordings.begin(), recordings.end());
    return present(directories, outputs, Patterns(nullptr)).any ? 0 : 1;
}

int setPaused(const std::string& recording, bool paused) {
    unsigned processes = 0;
    for (const auto& path : recordingsIn(recording)) try {
            processes += RecordingFile::setPaused(path, paused) ? 1 : 0;
        } catch (const std::exception& failure) {
            fmt::print(stderr, "zetl: {}\n", failure.what());
        }
    if (processes != 0) return 0;
    fmt::print(stderr, "zetl: {0}: no process is recording there yet; start one with zetl trace --recording {0}\n",
               recording);
    return 1;
}

}  // namespace zetl::command
