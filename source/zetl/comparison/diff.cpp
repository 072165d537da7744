#include "comparison/diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/personality.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "comparison/difference.h"
#include "files/file_content.h"
#include "recording/directory.h"
#include "run/emulated_device.h"
#include "run/launch.h"
#include "text/json.h"
#include "text/seed.h"
#include "text/usage_error.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunOutput = "output";

/// A way of executing kernels.
struct Schedule {
    const char* name;
    Variable variable;
};
const std::vector<Schedule>& schedules() {
    static const auto* const all = new std::vector<Schedule>{{"first", {"ZETL_EMULATOR_ORDER", "first"}},
                                                             {"last", {"ZETL_EMULATOR_ORDER", "last"}},
                                                             {"steps", {"ZETL_EMULATOR_TRANSLATE", "0"}},
                                                             {"filled", {"ZETL_EMULATOR_FILL", "170"}}};
    return *all;
}

/// What varies from run to run, and what to do if it decides.
struct Dimension {
    const char* name;
    const char* advice;
};
constexpr Dimension kDimensions[] = {
    {"device",
     "The devices decide: look at what the kernel asks of the device (sub-group size, atomics, local memory), "
     "and compare the code (zetl disasm)"},
    {"compiler",
     "The compilers decide: one of them is wrong, or the kernel relies on what the language leaves open "
     "(try -cl-opt-disable, and zetl disasm under both)"},
    {"schedule",
     "The schedules decide: the results depend on the order of work-groups, or on how code is executed; "
     "look for a race with zetl check; if filled decides, the kernel reads private memory that it has not written"},
    {"opencl",
     "OpenCL on the host decides: Intel's compiler or the emulated device is wrong, OpenCL on the host is, or the "
     "kernel "
     "relies on what the language leaves open (precision: --ulps; the order of work-items: zetl check)"}};
constexpr std::size_t kOpenCl = 3;

struct Run {
    std::array<std::string, std::size(kDimensions)> values;  ///< by dimension; empty: what zetl run takes
    fs::path directory;
    int code = 0;  ///< the reference's, if the launches are computed by the host's OpenCL
    RunResults results = {};
    std::optional<Difference> difference = {};  ///< from the first run
    bool differs = false;                       ///< in results or exit code

    bool byOpenCl() const { return !values[kOpenCl].empty(); }
    std::string name() const {
        std::vector<std::string> words;
        if (byOpenCl()) return values[kOpenCl];
        for (const std::string& value : values)
            if (!value.empty()) words.push_back(value);
        return fmt::format("{}", fmt::join(words, " "));
    }
};

Variable scheduleNamed(const std::string& name) {
    if (isSeed(name)) return {"ZETL_EMULATOR_ORDER", name};
    const auto found =
        std::ranges::find(schedules(), name, [](const Schedule& each) { return std::string(each.name); });
    if (found == schedules().end())
        throw UsageError(fmt::format("--schedule {}: not a schedule; there are {} and numbers", name, scheduleNames()));
    return found->variable;
}

std::vector<std::string> orOne(const std::vector<std::string>& values) {
    return values.empty() ? std::vector<std::string>{""} : values;
}

std::vector<Run> planned(const DiffOptions& options) {
    std::vector<std::string> chosen = options.schedules;
    if (chosen.empty() && options.devices.size() < 2 && options.compilers.size() < 2 && !options.opencl)
        for (const Schedule& each : schedules()) chosen.emplace_back(each.name);
    if (chosen.empty()) chosen.emplace_back(schedules().front().name);
    std::vector<Run> runs;
    for (const std::string& device : orOne(options.devices))
        for (const std::string& compiler : orOne(options.compilers))
            for (const std::string& schedule : chosen) runs.push_back({{device, compiler, schedule, ""}, {}});
    if (options.opencl) {
        runs.push_back(runs.front());
        runs.back().values[kOpenCl] = "opencl";
    }
    return runs;
}

/// The variables of one run. Throws UsageError for an unknown device or compiler.
Variables variablesOf(const Installation& installation, const Run& run, const DiffOptions& options) {
    Choice choice;
    choice.emulated = true;
    choice.profile = run.values[0];
    choice.compiler = run.values[1];
    requireDevice(installation, choice);
    Variables variables = variablesFor(installation, choice);
    variables.push_back(scheduleNamed(run.values[2]));
    variables.push_back({"ZETL_RESULTS", run.directory.native()});
    variables.push_back({"ZETL_RESULTS_LIMIT", std::to_string(options.limit)});
    if (options.opencl) variables.push_back({"ZETL_RESULTS_INPUTS", "1"});
    return variables;
}

/// Throws std::runtime_error if results are missing: a comparison without them would say that runs differ.
void requireResults(const Run& run) {
    if (std::ranges::none_of(run.results, &results::Process::incomplete)) return;
    throw std::runtime_error(
        fmt::format("the results of run {} could not all be written to {}: is the disk full? Set TMPDIR, or use "
                    "--recording DIR, to keep them where there is room; a smaller --limit needs less",
                    run.name(), run.directory.native()));
}

void executeIn(Run& run, const Variables& variables, const std::vector<std::string>& program) {
    fs::create_directories(run.directory);
    const std::string output = (run.directory / kRunOutput).native();
    run.code = runToEnd(program, [&] {
        // Addresses that are the same in each run make fewer differences that mean nothing. It may be forbidden.
        personality(ADDR_NO_RANDOMIZE);
        apply(variables);
        capture(output);
    });
    run.results = results::readProcesses(run.directory);
    requireResults(run);
}

/// Throws std::runtime_error if there is no OpenCL on the host, or no room for the results.
void computeByOpenCl(Run& run, const Run& reference, const Installation& installation, std::uint64_t limit) {
    fs::create_directories(run.directory);
    const std::string output = (run.directory / kRunOutput).native();
    const int code = runToEnd({installation.opencl, reference.directory, run.directory, std::to_string(limit)},
                              [&] { capture(output); });
    if (code != 0) throw std::runtime_error(fmt::format("--opencl: {}", contentOf(output).value_or("no output")));
    run.code = reference.code;
    run.results = results::readProcesses(run.directory);
    requireResults(run);
}

void compareWith(Run& run, const Run& reference, std::uint64_t ulps) {
    run.difference = difference(reference.results, run.results, ulps);
    run.differs = run.difference || run.code != reference.code;
}

std::string comparisonTable(const std::vector<Run>& runs) {
    std::size_t width = 3;
    for (const Run& run : runs) width = std::max(width, run.name().size());
    std::string text = fmt::format("{:<{}}  exit  launches  results\n", "run", width);
    for (const Run& run : runs)
        text += fmt::format("{:<{}}  {:>4}  {:>8}  {}\n", run.name(), width, run.code, launchesOf(run.results),
                            &run == runs.data() ? "the reference"
                            : run.differs       ? "differ"
                                                : "the same");
    for (const Run& run : runs)
        for (const auto& [reason, count] : leftOutOf(run.results))
            text += fmt::format("{}: {} {} left out: {}\n", run.name(), count, count == 1 ? "launch" : "launches",
                                printable(reason));
    return text;
}

std::string partingOf(const Run& run, const Run& reference) {
    std::string text = fmt::format("\n{} differs from {}:\n", run.name(), reference.name());
    if (run.code != reference.code)
        text += fmt::format("  the program ended with {}, not {}: {}\n", run.code, reference.code,
                            (run.directory / kRunOutput).native());
    if (!run.difference) return text;
    const Difference& first = *run.difference;
    if (!first.kernel.empty()) {
        const std::string process = reference.results.size() > 1 ? fmt::format("process {}, ", first.process) : "";
        const std::string number = first.launch != 0 ? fmt::format("launch {} of {}, ", first.launch,
                                                                   reference.results[first.process - 1].launches.size())
                                                     : "";
        text += fmt::format("  {}{}number {} of kernel {}: {}\n", process, number, first.occurrence, first.kernel,
                            first.place);
    }
    return text + fmt::format("  {}\n", first.what);
}

/// The dimension of which one value alone has all the runs that differ, and no other run.
const Dimension* deciding(const std::vector<Run>& runs) {
    for (std::size_t i = 0; i < std::size(kDimensions); ++i) {
        const std::string& usual = runs.front().values[i];
        const bool decides = std::ranges::all_of(
            runs, [&](const Run& run) { return run.differs == (run.values[i] != usual) || runs.size() == 1; });
        if (decides) return &kDimensions[i];
    }
    return nullptr;
}

Json comparisonJson(const Run& run) {
    Json json{{"device", run.values[0]}, {"compiler", run.values[1]},           {"schedule", run.values[2]},
              {"exitCode", run.code},    {"launches", launchesOf(run.results)}, {"same", !run.differs}};
    if (run.byOpenCl()) json["opencl"] = true;
    for (const auto& [reason, count] : leftOutOf(run.results)) json["leftOut"][reason] = count;
    if (!run.difference) return json;
    const Difference& first = *run.difference;
    Json difference{{"process", first.process},       {"kernel", first.kernel}, {"launch", first.launch},
                    {"occurrence", first.occurrence}, {"place", first.place},   {"what", first.what}};
    if (first.argument) difference["argument"] = *first.argument;
    if (first.element) {
        difference["element"] = *first.element;
        difference["elements"] = first.differing;
        difference["found"] = first.found;
        difference["expected"] = first.expected;
    }
    json["difference"] = difference;
    return json;
}

/// One row per run, with its first difference from the reference.
Table runTable(const std::vector<Run>& runs) {
    Table table{
        {"run", "device", "compiler", "schedule", "exit code", "launches", "same", "kernel", "place", "difference"},
        {}};
    for (const Run& run : runs) {
        const Difference first = run.difference.value_or(Difference{});
        table.rows.push_back({run.name(), run.values[0], run.values[1], run.values[2], run.code,
                              launchesOf(run.results), run.differs ? "no" : "yes", first.kernel, first.place,
                              first.what});
    }
    return table;
}

/// A test for each run but the reference.
Report comparisonReport(const std::vector<Run>& runs, const std::string& program) {
    Report report{"zetl diff", program, {{"diff/results", "a run comes to other results than the first"}}};
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const Run& run = runs[i];
        TestCase test{"diff", run.name()};
        if (run.differs) {
            Problem problem;
            problem.text = partingOf(run, runs.front());
            problem.text = problem.text.substr(1, problem.text.size() - 2);  // lines of a report begin and end with one
            if (run.difference) problem.function = printable(run.difference->kernel);
            problem.key = fmt::format("{} {}", run.name(), problem.function);
            test.failure = Failure{report.rules.front().name, report.rules.front().summary, problem.text};
            report.problems.push_back(std::move(problem));
        }
        report.cases.push_back(std::move(test));
    }
    return report;
}

fs::path directoryOf(std::size_t run, const fs::path& all) { return all / fmt::format("run-{}", run + 1); }

/// Throws UsageError: launches of an earlier comparison would count as those of this one.
void requireNoRuns(const fs::path& directory) {
    if (fs::exists(directoryOf(0, directory)))
        throw UsageError(
            fmt::format("{} holds the runs of an earlier zetl diff; choose another directory with "
                        "--recording, or remove this one",
                        directory.native()));
}

/// Whether the reference itself comes to other results when it is run again.
bool isUnsteady(const Run& reference, const Installation& installation, const DiffOptions& options) {
    Run again = reference;
    again.directory += "-again";
    executeIn(again, variablesOf(installation, again, options), options.program);
    compareWith(again, reference, options.ulps);
    return again.differs;
}

std::string verdictOf(const std::vector<Run>& runs, bool unsteady) {
    if (unsteady)
        return "\nThe reference differs from itself when it runs again: the results depend on time, on addresses or on "
               "a race (zetl check).\n";
    const Dimension* const dimension = deciding(runs);
    return dimension != nullptr ? fmt::format("\n{}.\n", dimension->advice) : std::string();
}

}  // namespace

std::string scheduleNames() {
    std::vector<std::string> names;
    for (const Schedule& each : schedules()) names.emplace_back(each.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

int diffProgram(const Installation& installation, const DiffOptions& options) {
    ReportFiles reports(options.reports, "comparison");
    std::vector<Run> runs = planned(options);
    RecordingDirectory directory(options.directory);
    requireNoRuns(directory.path());
    std::vector<Variables> variables;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].directory = directoryOf(i, directory.path());
        variables.push_back(variablesOf(installation, runs[i], options));
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].byOpenCl())
            computeByOpenCl(runs[i], runs[0], installation, options.limit);
        else
            executeIn(runs[i], variables[i], options.program);
        if (i == 0)
            fmt::print(stderr, "{}", contentOf(runs[0].directory / kRunOutput).value_or(""));
        else
            compareWith(runs[i], runs[0], options.ulps);
    }
    const bool differ = std::ranges::any_of(runs, &Run::differs);
    const bool unsteady = differ && isUnsteady(runs[0], installation, options);
    std::string report = comparisonTable(runs);
    for (const Run& run : runs)
        if (run.differs) report += partingOf(run, runs[0]);
    if (differ) report += verdictOf(runs, unsteady);
    if (differ && !options.directory.empty())
        report += fmt::format("\nWhat the runs left is in {}.\n", directory.path().native());
    reports.tables().show(report, stderr);
    auto all = Json::array();
    for (const Run& run : runs) all.push_back(comparisonJson(run));
    const Json json{{"runs", all}, {"unsteady", unsteady}};
    reports.tables().write(runTable(runs), json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
    reports.write(comparisonReport(runs, options.program.front()));
    if (differ) return kOtherResults;
    if (launchesOf(runs[0].results) > 0) return kSameResults;
    fmt::print(stderr, "zetl diff: no kernel was launched on the emulated GPU: nothing was compared\n");
    return kNothingCompared;
}

}  // namespace zetl::command
