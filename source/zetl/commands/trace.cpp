#include "commands/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <stdexcept>

#include "files/output_file.h"
#include "files/standard_streams.h"
#include "page/trace_page.h"
#include "recording/alignment.h"
#include "recording/directory.h"
#include "recording/format.h"
#include "recording/functions.h"
#include "run/launch.h"
#include "run/probe.h"
#include "text/patterns.h"
#include "text/spelling.h"
#include "text/usage_error.h"
#include "timeline/database.h"
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
    for (const auto& pattern : patterns.each())
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

/// Prints the tables and writes the outputs. Says so if there is nothing to show. `kernels` are the patterns of the
/// kernels that were to be recorded.
Shown present(std::span<const fs::path> directories, ReportOutputs& outputs, const Patterns& kernels) {
    const auto recordings = openRecordings(directories);
    const Summary summary(recordings);
    if (summary.empty()) {
        fmt::print(
            stderr,
            "zetl: no Level Zero call was recorded. Either the program made none, or --functions, --delay, --duration "
            "or --paused excluded them all, or the program is set-user-id or uses a loader that opens no layers; "
            "`zetl doctor` checks the loader\n");
        return {};
    }
    outputs.tables.show('\n' + summary.table(Terminal::of(STDERR_FILENO), outputs.mangled), stderr);
    sayWhichMatchNothing(kernels, summary);
    outputs.tables.write(summary.asTable(), summary.json());
    if (outputs.html) {
        writeAll(outputs.html, tracePage(recordings, summary, outputs.mangled));
        if (outputs.html.file()) fmt::print(stderr, "page: {}\n", outputs.html.file()->name());
    }
    if (outputs.sqlite) {
        fillDatabase(recordings, *outputs.database);
        writeAll(outputs.sqlite, outputs.database->bytes());
        if (outputs.sqlite.file()) fmt::print(stderr, "database: {}\n", outputs.sqlite.file()->name());
    }
    if (outputs.timeline) {
        writeTimeline(recordings, nullptr, *outputs.timeline);
        fmt::print(stderr, "timeline: {} (open it at https://ui.perfetto.dev)\n", outputs.timeline->name());
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

/// Like present(), but keeps the recording if it fails.
Shown presentOrKeep(RecordingDirectory& directory, ReportOutputs& outputs, const Patterns& kernels) try {
    return present(std::span(&directory.path(), 1), outputs, kernels);
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

}  // namespace

int trace(const Installation& installation, const Choice& choice, const TraceOptions& options) {
    requireFunctions(Patterns(options.recording.functions.c_str()));
    requireFiles({installation.layer, installation.recorder});
    ReportOutputs outputs(options.report);
    RecordingDirectory directory(options.directory);
    directory.requireRoom(options.recording.limit);
    apply(variablesFor(installation, choice));
    apply(recordingVariables(installation, directory.path(), options.recording));
    const int code = runToEnd(options.program, besides(outputs.all()));
    if (isNotStarted(code, directory.path())) return code;
    const auto shown = presentOrKeep(directory, outputs, Patterns(options.recording.kernels.c_str()));
    if (directory.kept())
        fmt::print(stderr, "recording: {0} (show it again with: zetl report {0} -o FILE)\n", directory.path().native());
    if (!shown.initialised && !choice.emulated) offerEmulated(options.program);
    return shown.any || code != 0 ? code : 1;
}

int report(const std::vector<std::string>& recordings, const ReportOptions& options) {
    for (const auto& recording : recordings) {
        if (!fs::is_directory(recording)) throw UsageError(fmt::format("report: {}: no such directory", recording));
        if (recordingsIn(recording).empty())
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
