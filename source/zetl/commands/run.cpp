// `zetl run` and `zetl env`: the emulated GPU for a program, and for a shell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "run/emulated_device.h"
#include "run/environment.h"
#include "run/launch.h"
#include "sweep/fail_sweep.h"
#include "sweep/schedule_runs.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// Lets `zetl trace --attach` record the program. A value that the user has set stays.
constexpr const char* kAttachVariable = "ZETL_ATTACH";

/// --fail-sweep, and what belongs to it.
CLI::Option* addSweep(CLI::App& command, SweepOptions& sweep) {
    auto* rule =
        command.add_option("--fail-sweep", sweep.rule,
                           "Run the program once for each call of FUNCTION[:CONDITION...]=EFFECT, which fails");
    rule->excludes("--fail");
    const auto belongs = [rule](CLI::Option* option) { option->needs(rule); };
    belongs(command
                .add_option("--fail-timeout", sweep.seconds,
                            "End a run that takes longer than this, and report that it hangs")
                ->check(CLI::Range(1u, 1'000'000u))
                ->capture_default_str());
    belongs(command.add_option("--fail-runs", sweep.most, "Let at most so many calls fail")
                ->check(CLI::Range(1u, 1'000'000u))
                ->capture_default_str());
    return rule;
}

/// What the command does with several runs.
struct Runs {
    SweepOptions sweep;
    ScheduleOptions schedules;
    ReportChoice reports;

    bool several() const { return !sweep.rule.empty() || schedules.schedules != 0; }
};

/// Options of which several runs alone make sense.
void addRuns(CLI::App& command, Choice& choice, Runs& runs) {
    runs.schedules.schedules = 0;
    auto* rule = addSweep(command, runs.sweep);
    auto* schedules = addSchedules(command, choice, runs.schedules.schedules);
    schedules->excludes(rule);
    addReports(command, runs.reports, "the runs");
}

void requireFitting(const CLI::App& command, const Choice& choice, const Runs& runs) {
    if (!choice.failures.empty()) requireLayerFor("--fail", choice);
    if (!runs.sweep.rule.empty()) requireLayerFor("--fail-sweep", choice);
    if (!choice.emulated && runs.schedules.schedules != 0)
        throw UsageError("--schedules works on the emulated GPU; leave out --native");
    requireNumber(choice, runs.schedules.schedules);
    if (runs.several()) return;
    for (const char* const option : {"--output", "--csv", "--json", "--markdown", "--sarif", "--junit", "--github"})
        if (command.count(option) != 0) throw UsageError(fmt::format("{} is for --fail-sweep and --schedules", option));
}

int runAs(const Invocation& call, const Choice& choice, Runs& runs, const std::vector<std::string>& program) {
    if (!runs.sweep.rule.empty()) {
        runs.sweep.program = program;
        runs.sweep.reports = runs.reports;
        return sweepFailures(call.installation, choice, runs.sweep);
    }
    if (runs.schedules.schedules != 0) {
        runs.schedules.program = program;
        runs.schedules.reports = runs.reports;
        return runSchedules(call.installation, choice, runs.schedules);
    }
    apply(variablesFor(call.installation, choice));
    if (choice.layer) setenv(kAttachVariable, "1", 0);
    return become(program);
}

}  // namespace

void addRun(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("run", "Run a program on the emulated GPU, with the tools layer");
    auto choice = std::make_shared<Choice>();
    choice->emulated = true;
    addDeviceOptions(*command, *choice);
    addFailures(*command, *choice);
    auto runs = std::make_shared<Runs>();
    addRuns(*command, *choice, *runs);
    addSwitches(*command, *choice);
    command->add_flag_callback(
        "--native", [choice] { choice->emulated = false; }, "Use the system's devices instead of the emulated GPU");
    command->prefix_command();
    command->callback([=] {
        const auto wanted = programOf(*command, call.line);
        requireFitting(*command, *choice, *runs);
        requireDevice(call.installation, *choice);
        call.code = runAs(call, *choice, *runs, wanted);
    });
}

void addEnv(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("env", "Print shell commands that set up the environment");
    auto choice = std::make_shared<Choice>();
    auto* emulated = command->add_flag("--emulated,!--native", choice->emulated,
                                       "For the emulated GPU, or for the system's devices (the default)");
    addDeviceOptions(*command, *choice, emulated);
    addFailures(*command, *choice);
    addSwitches(*command, *choice);
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        if (!choice->failures.empty()) requireLayerFor("--fail", *choice);
        requireDevice(call.installation, *choice);
        fmt::print("{}", exports(variablesFor(call.installation, *choice)));
    });
}

}  // namespace zetl::command
