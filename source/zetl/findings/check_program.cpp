#include "findings/check_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "files/output_file.h"
#include "findings/cuda_checks.h"
#include "findings/finding_files.h"
#include "findings/finding_page.h"
#include "findings/finding_text.h"
#include "findings/gathered.h"
#include "findings/progress.h"
#include "findings/stop_place.h"
#include "findings/suppressions.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "text/demangled.h"
#include "text/patterns.h"
#include "text/usage_error.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// The findings that the user wants to see, and how many there are of the others.
struct Wanted {
    std::vector<check::Finding> findings;
    std::size_t suppressed = 0;
    std::array<std::size_t, 3> byLevel{};
    std::size_t of(check::Level level) const { return byLevel[static_cast<std::size_t>(level)]; }
};

bool isOfKernels(const check::Finding& finding, const Patterns& kernels) {
    return kernels.empty() ||
           std::ranges::any_of(finding.sides, [&](const check::Side& side) { return kernels.match(side.kernel); });
}

Wanted wantedOf(const Gathered& all, const CheckOptions& options, Suppressions& suppressions) {
    Wanted wanted;
    const Patterns kernels(options.kernels.c_str());
    for (const check::Finding& finding : all.findings) {
        const check::Level level = check::levelOf(finding);
        if (level < options.level || !isOfKernels(finding, kernels)) continue;
        if (suppressions.suppress(finding)) {
            ++wanted.suppressed;
            continue;
        }
        ++wanted.byLevel[static_cast<std::size_t>(level)];
        wanted.findings.push_back(finding);
    }
    // Errors first; findings of one level stay in the order of their keys.
    std::ranges::stable_sort(wanted.findings, std::greater<>(),
                             [](const check::Finding& finding) { return check::levelOf(finding); });
    return wanted;
}

std::string line(const std::string& text) { return fmt::format("{}{}\n", kPrefix, text); }

std::string schedulesText(const CheckOptions& options) {
    if (options.schedules == 0) return {};
    return fmt::format(" under {} schedule{}", options.schedules, options.schedules == 1 ? "" : "s");
}

std::string summaryOf(const Gathered& all, const Wanted& wanted, const CheckOptions& options,
                      const Suppressions& suppressions) {
    std::string text;
    if (wanted.findings.size() > options.printLimit)
        text += line(fmt::format("{} more are not shown; --print-limit shows more",
                                 wanted.findings.size() - options.printLimit));
    if (all.tooMany > 0) text += line(fmt::format("{} more were found and are not listed", all.tooMany));
    if (all.unreadable > 0)
        text += line(fmt::format("{} lines of a process could not be read; it may have been killed while it wrote",
                                 all.unreadable));
    if (all.incomplete > 0)
        text +=
            line(fmt::format("{} process{} could not write all findings; is the disk full? Set TMPDIR to a directory "
                             "with more room",
                             all.incomplete, all.incomplete == 1 ? "" : "es"));
    for (const std::string& name : suppressions.unused())
        text += line(fmt::format("suppression {} matched nothing", printable(name)));
    if (all.processes == 0) return text + line("no process launched a kernel on the emulated GPU: nothing was checked");
    if (all.incomplete > 0 && all.findings.empty()) return text;  // not "no mistakes"
    text += line(fmt::format(
        "{} in {} process{} ({}){}",
        countsText(wanted.of(check::Level::error), wanted.of(check::Level::warning), wanted.of(check::Level::info)),
        all.processes, all.processes == 1 ? "" : "es", options.groups, schedulesText(options)));
    if (wanted.suppressed > 0) text += line(fmt::format("{} suppressed", wanted.suppressed));
    return text;
}

/// As people see it. Programs and suppressions have the names that compilers make.
check::Finding shownOf(check::Finding finding, bool mangled) {
    if (!mangled)
        for (check::Side& side : finding.sides) side.kernel = demangled(side.kernel);
    return finding;
}

std::vector<check::Finding> shownOf(const std::vector<check::Finding>& findings, bool mangled) {
    std::vector<check::Finding> shown;
    shown.reserve(findings.size());
    for (const check::Finding& each : findings) shown.push_back(shownOf(each, mangled));
    return shown;
}

std::string reportOf(const Gathered& all, const Wanted& wanted, const CheckOptions& options,
                     const Suppressions& suppressions) {
    std::string text;
    const std::size_t shown = std::min<std::size_t>(wanted.findings.size(), options.printLimit);
    for (std::size_t i = 0; i < shown; ++i) {
        text += blockOf(shownOf(wanted.findings[i], options.mangled));
        if (options.generateSuppressions) text += suppressionOf(wanted.findings[i]);
    }
    return text + summaryOf(all, wanted, options, suppressions);
}

/// The exit code if the program succeeded, but was not checked, or findings are missing.
constexpr int kNotChecked = 1;

/// A directory for each run; they exist.
std::vector<RunDirectory> plannedRuns(const fs::path& directory, const Choice& choice, const CheckOptions& options) {
    if (options.schedules == 0) return {{directory, choice.schedule}};
    const std::uint64_t first = choice.schedule.empty() ? 1 : std::stoull(choice.schedule);
    std::vector<RunDirectory> runs;
    for (std::uint64_t i = 0; i < options.schedules; ++i) {
        runs.push_back({directory / std::to_string(i), std::to_string(first + i)});
        fs::create_directory(runs.back().path);
    }
    return runs;
}

/// Returns the exit code of the first run that failed, or 0.
int runAll(const std::vector<RunDirectory>& runs, const CheckOptions& options, ProgramOutput output) {
    int first = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs.size() > 1 && options.progress != 0)
            fmt::print(stderr, "{}schedule {}: run {} of {}\n", kPrefix, runs[i].schedule, i + 1, runs.size());
        apply({{"ZETL_CHECK_OUTPUT", runs[i].path.native()}});
        if (!runs[i].schedule.empty()) apply({{"ZETL_EMULATOR_ORDER", runs[i].schedule}});
        const Progress progress(runs[i].path, std::chrono::seconds(options.progress));
        const int code = runToEnd(options.program, output);
        if (first == 0) first = code;
        if (endsAllRuns(code)) break;
    }
    return first;
}

/// What a run leaves to the caller.
struct Outcome {
    int code = 0;
    std::vector<std::string> stop;  ///< the debugger's commands; empty: there is nowhere to stop
    std::string schedule;           ///< under which it was found
};

Outcome checkOnce(const Installation& installation, const Choice& choice, const CheckOptions& options) {
    const auto groups = check::Groups::named(options.groups);
    if (!groups)
        throw UsageError(
            fmt::format("--kinds {}: not a list of checks; there are {}", options.groups, check::groupNames()));
    Suppressions suppressions;
    for (const std::string& file : options.suppressions) suppressions.add(file);
    OutputFile stopScript(options.stopScript, "commands", "choose another file with --stop-script");
    OutputFile html(options.html, "page", "choose another file with --html");
    ReportFiles reports(options.reports, "findings", {&stopScript, &html});

    const RecordingDirectory directory("");
    std::optional<RecordingDirectory> kept;
    if (!options.directory.empty()) kept.emplace(options.directory, kCheckPart);
    const std::string otherDriver = nvidiaDriver();  // the next line replaces it
    apply(variablesFor(installation, choice));
    apply({{"ZETL_CHECK", options.groups}});
    const std::vector<RunDirectory> runs = plannedRuns(directory.path(), choice, options);
    const int code = runAll(runs, options, besides(reports.takesStandardOutput()));

    const Gathered all = gather(runs);
    const Wanted wanted = wantedOf(all, options, suppressions);
    std::string report = reportOf(all, wanted, options, suppressions);
    if (!otherDriver.empty()) report += cudaChecksText(otherDriver, options.program, *groups);
    reports.tables().show(report, stderr);
    reports.tables().write(findingTable(wanted.findings), jsonLines(wanted.findings));
    reports.write(findingReport(wanted.findings, *groups, options.program.front(), fs::current_path().native()));
    if (html)
        writeAll(html, findingPage(shownOf(wanted.findings, options.mangled), options.program.front(),
                                   summaryOf(all, wanted, options, suppressions)));
    if (kept) {
        OutputFile file((kept->path() / "findings.jsonl").native(), "findings", "choose another directory");
        writeAll(file, jsonLines(wanted.findings));
    }
    Outcome outcome;
    for (const check::Finding& finding : wanted.findings) {
        outcome.stop = stopCommands(finding);
        outcome.schedule = finding.schedules ? finding.schedules->first : choice.schedule;
        if (!outcome.stop.empty()) break;
    }
    writeAll(stopScript, fmt::format("{}\n", fmt::join(outcome.stop, "\n")));
    const bool isWrong = wanted.of(check::Level::error) > 0 && options.errorExitCode != 0;
    if (isWrong)
        outcome.code = static_cast<int>(options.errorExitCode);
    else
        outcome.code = code == 0 && (all.processes == 0 || all.incomplete > 0) ? kNotChecked : code;
    return outcome;
}

/// Returns only if that fails.
int debugAt(const Outcome& outcome, const Installation& installation, const Choice& choice,
            const std::vector<std::string>& program) {
    std::vector<std::string> words{installation.executable.native(), "debug"};
    if (!choice.profile.empty()) words.insert(words.end(), {"--device", choice.profile});
    for (const std::string& command : outcome.stop) words.insert(words.end(), {"--ex", command});
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    if (!outcome.schedule.empty()) apply({{"ZETL_EMULATOR_ORDER", outcome.schedule}});
    for (const Variable& each : variablesFor(installation, choice))
        if (each.name == "ZETL_COMPILER") apply({each});
    std::fflush(stdout);  // the program that this process becomes has another buffer
    return become(words);
}

}  // namespace

int checkProgram(const Installation& installation, const Choice& choice, const CheckOptions& options) {
    const SavedEnvironment environment;
    const Outcome outcome = checkOnce(installation, choice, options);
    if (!options.stop) return outcome.code;
    if (outcome.stop.empty()) {
        fmt::print(stderr, "{}", line("--stop: nothing was found in a kernel"));
        return outcome.code;
    }
    environment.restore();
    return debugAt(outcome, installation, choice, options.program);
}

}  // namespace zetl::command
