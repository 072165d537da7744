// `zetl run` and `zetl env`: the emulated GPU for a program, and for a shell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "run/emulated_device.h"
#include "run/environment.h"
#include "run/launch.h"
#include "sweep/fail_sweep.h"

namespace zetl::command {
namespace {

/// --fail-sweep, and what belongs to it.
void addSweep(CLI::App& command, SweepOptions& sweep) {
    auto* rule =
        command.add_option("--fail-sweep", sweep.rule,
                           "Run the program once for each call of FUNCTION[:CONDITION...]=EFFECT, which fails");
    rule->excludes("--fail");
    const auto belongs = [rule](CLI::Option* option) { option->needs(rule); };
    belongs(command.add_option("--fail-timeout", sweep.seconds, "A run that takes so many seconds hangs")
                ->check(CLI::Range(1u, 1'000'000u))
                ->capture_default_str());
    belongs(command.add_option("--fail-runs", sweep.most, "Let at most so many calls fail")
                ->check(CLI::Range(1u, 1'000'000u))
                ->capture_default_str());
    addTableOptions(command, sweep.tables, "the runs", "the report");
    for (const char* const name : {"--output", "--csv", "--json", "--markdown"}) belongs(command.get_option(name));
    belongs(command.add_option("--junit", sweep.junit,
                               "Also write the runs to this file as JUnit test results (-: standard output)"));
}

}  // namespace

void addRun(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("run", "Run a program on the emulated GPU, with the tools layer");
    auto choice = std::make_shared<Choice>();
    choice->emulated = true;
    addDeviceOptions(*command, *choice);
    addSchedule(*command, *choice);
    addFailures(*command, *choice);
    auto sweep = std::make_shared<SweepOptions>();
    addSweep(*command, *sweep);
    addSwitches(*command, *choice);
    command->add_flag_callback(
        "--native", [choice] { choice->emulated = false; }, "Use the system's devices instead of the emulated GPU");
    command->prefix_command();
    command->callback([=] {
        const auto wanted = programOf(*command, call.line);
        if (!choice->failures.empty()) requireLayerFor("--fail", *choice);
        if (!sweep->rule.empty()) requireLayerFor("--fail-sweep", *choice);
        requireDevice(call.installation, *choice);
        if (!sweep->rule.empty()) {
            sweep->program = wanted;
            call.code = sweepFailures(call.installation, *choice, *sweep);
            return;
        }
        apply(variablesFor(call.installation, *choice));
        call.code = become(wanted);
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
