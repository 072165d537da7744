#include "sweep/fail_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "failing/fail_rules.h"
#include "failure/rule.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "sweep/sweep_run.h"
#include "text/json.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// A run with a call that failed, and what it shows.
struct FailedRun {
    SweepRun run;
    Reaction reaction = Reaction::reported;

    bool isMistake() const { return reaction != Reaction::reported; }
};

struct Sweep {
    std::vector<FailedRun> runs;
    bool stopped = false;    ///< by the limit of runs
    bool cancelled = false;  ///< by the user
};

/// The sweep itself chooses the calls, and needs to see that they fail.
void requireSweepable(const std::string& rule) {
    (void)failList({rule});
    const failure::Rule read = *failure::ruleOf(rule);
    const bool chooses =
        read.first != 1 || read.last != std::numeric_limits<std::uint64_t>::max() || read.every != 1 || read.chance < 1;
    if (chooses)
        throw UsageError(fmt::format(
            "--fail-sweep {}: each call fails in a run of its own; leave out numbers of calls, every= and chance=",
            rule));
    if (read.effect != failure::Effect::code && read.effect != failure::Effect::lost)
        throw UsageError(fmt::format("--fail-sweep {}: write a result code or device-lost behind '='", rule));
}

class Sweeper {
  public:
    Sweeper(const Installation& installation, const Choice& choice, const SweepOptions& options)
        : options_(options), variables_(variablesFor(installation, choice)), directory_("") {
        if (choice.emulated) variables_.push_back({"ZETL_CHECK", "api"});
        if (std::getenv("ZETL_LOG") == nullptr) variables_.push_back({"ZETL_LOG", "error"});
    }

    /// `call` 0: none fails.
    SweepRun run(std::uint64_t call) const {
        const std::string rule = call == 0 ? std::string() : ruleForCall(options_.rule, call);
        Variables variables = variables_;
        variables.push_back({"ZETL_FAIL", rule});
        SweepRun made = sweepOnce(options_.program, variables, directory_.path() / std::to_string(call),
                                  std::chrono::seconds(options_.seconds));
        made.call = call;
        made.rule = rule;
        return made;
    }

    Sweep sweep(const SweepRun& usual) const {
        Sweep all;
        for (std::uint64_t call = 1;; ++call) {
            if (call > options_.most) {
                all.stopped = true;
                return all;
            }
            SweepRun made = run(call);
            all.cancelled = made.code && endsAllRuns(*made.code);
            if (all.cancelled || made.function.empty()) return all;
            subtract(made, usual);
            const Reaction reaction = reactionOf(made, usual);
            made.output.clear();
            all.runs.push_back({std::move(made), reaction});
        }
    }

  private:
    const SweepOptions& options_;
    Variables variables_;
    RecordingDirectory directory_;
};

std::size_t countOf(const Sweep& sweep, Reaction reaction) {
    return static_cast<std::size_t>(std::ranges::count(sweep.runs, reaction, &FailedRun::reaction));
}

std::string blockOf(const FailedRun& failed) {
    return fmt::format("{}, call {}: the program {}\n  again: zetl run --fail '{}'\n", failed.run.function,
                       failed.run.call, textOf(failed.run, failed.reaction), failed.run.rule);
}

std::string reportOf(const Sweep& sweep, const Choice& choice, const SweepOptions& options) {
    std::string text;
    for (const FailedRun& each : sweep.runs)
        if (each.isMistake()) text += blockOf(each);
    text += fmt::format("zetl run: {} calls failed, each in a run of its own:", sweep.runs.size());
    for (const Reaction each :
         {Reaction::reported, Reaction::ignored, Reaction::leaked, Reaction::crashed, Reaction::hung})
        text += fmt::format("{} {} {}", each == Reaction::reported ? "" : ",", countOf(sweep, each), nameOf(each));
    text += '\n';
    if (!choice.emulated) text += "zetl run: leaks are only found on the emulated GPU\n";
    if (sweep.stopped)
        text += fmt::format("zetl run: there may be more calls: {} were enough (--fail-runs)\n", options.most);
    if (sweep.cancelled) text += "zetl run: cancelled; there may be more calls\n";
    return text;
}

std::string jsonOf(const Sweep& sweep, const SweepOptions& options) {
    auto runs = Json::array();
    for (const auto& [run, reaction] : sweep.runs) {
        auto findings = Json::array();
        for (const check::Finding& each : run.findings) findings.push_back(each.message);
        Json one{{"call", run.call}, {"function", run.function}, {"rule", run.rule}, {"reaction", nameOf(reaction)}};
        if (run.code) one["exitCode"] = *run.code;
        one["findings"] = findings;
        runs.push_back(std::move(one));
    }
    const Json all{{"rule", options.rule}, {"complete", !sweep.stopped && !sweep.cancelled}, {"runs", runs}};
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Table runTable(const Sweep& sweep) {
    Table table{{"call", "function", "reaction", "exit code", "findings", "rule"}, {}};
    for (const auto& [run, reaction] : sweep.runs)
        table.rows.push_back({run.call, run.function, nameOf(reaction), run.code ? Json(*run.code) : Json(""),
                              run.findings.size(), run.rule});
    return table;
}

/// A test for each call, and a problem for each that shows a mistake.
Report sweepReport(const Sweep& sweep, const std::string& program) {
    Report report{"zetl run --fail-sweep",
                  program,
                  {{"sweep/ignored", "the program ignores a call that fails"},
                   {"sweep/leaked", "the program leaves something behind if a call fails"},
                   {"sweep/crashed", "the program crashes if a call fails"},
                   {"sweep/hung", "the program hangs if a call fails"}}};
    for (const FailedRun& each : sweep.runs) {
        TestCase test{each.run.function, fmt::format("call {}", each.run.call)};
        if (each.isMistake()) {
            Problem problem;
            problem.rule = static_cast<std::size_t>(each.reaction) - static_cast<std::size_t>(Reaction::ignored);
            problem.text = blockOf(each);
            problem.text.pop_back();  // the end of the line
            problem.key = fmt::format("{} {}", nameOf(each.reaction), each.run.rule);
            test.failure = Failure{report.rules[problem.rule].name, std::string(nameOf(each.reaction)), problem.text};
            report.problems.push_back(std::move(problem));
        }
        report.cases.push_back(std::move(test));
    }
    return report;
}

/// Why a sweep makes no sense; empty if it does.
std::string obstacleOf(const SweepRun& usual) {
    if (!usual.code) return "the program did not end without a failure (--fail-timeout)";
    if (*usual.code != 0) return fmt::format("the program ended with {} although nothing failed", *usual.code);
    return {};
}

}  // namespace

int sweepFailures(const Installation& installation, const Choice& choice, const SweepOptions& options) {
    requireSweepable(options.rule);
    ReportFiles reports(options.reports, "runs");
    const Sweeper sweeper(installation, choice, options);
    const SweepRun usual = sweeper.run(0);
    fmt::print(stderr, "{}", usual.output);
    if (const std::string obstacle = obstacleOf(usual); !obstacle.empty()) {
        fmt::print(stderr, "zetl run: {}: no call was let fail\n", obstacle);
        return usual.code.value_or(1);
    }
    const Sweep sweep = sweeper.sweep(usual);
    reports.tables().show(reportOf(sweep, choice, options), stderr);
    reports.tables().write(runTable(sweep), jsonOf(sweep, options));
    reports.write(sweepReport(sweep, options.program.front()));
    if (std::ranges::any_of(sweep.runs, &FailedRun::isMistake)) return kMistakeShown;
    if (!sweep.runs.empty()) return 0;
    fmt::print(stderr, "zetl run: the program made no call of '{}'\n", options.rule);
    return 1;
}

}  // namespace zetl::command
