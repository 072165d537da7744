#include "commands/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "commands/command_line.h"
#include "failing/fail_rules.h"
#include "text/seed.h"
#include "text/usage_error.h"

namespace zetl::command {

void addNegation(CLI::App& command, const char* name, bool& on, const char* what) {
    command.add_flag_callback(
        name, [&on] { on = false; }, what);
}

void addTableOptions(CLI::App& command, TableOptions& tables, const std::string& what, const char* text,
                     JsonOption json) {
    const auto described = [&](const char* how) {
        return fmt::format("Also write {} to this file{} (-: standard output)", what, how);
    };
    if (text != nullptr)
        command.add_option("-o,--output", tables.text, fmt::format("Write {} to this file (-: standard output)", text));
    command.add_option("--csv", tables.csv, described(""));
    if (json == JsonOption::file)
        command.add_option("--json", tables.json, described(" as JSON"));
    else
        command
            .add_flag("--json", tables.json,
                      "Print JSON instead of a table; --json=FILE writes it to this file, beside the table")
            ->transform([](const std::string& value) { return value == "true" ? std::string("-") : value; });
    command.add_option("--markdown", tables.markdown, described(" as a Markdown table"));
}

void addReports(CLI::App& command, ReportChoice& reports, const std::string& what) {
    reports.version = ZETL_VERSION;
    addTableOptions(command, reports.tables, what, "the report");
    const auto text = [&what](const char* format) {
        return fmt::format("Also write {} to this file as {} (-: standard output)", what, format);
    };
    command.add_option("--sarif", reports.sarif, text("SARIF 2.1.0"));
    command.add_option("--junit", reports.junit, text("JUnit test results"));
    command.add_flag("--github", reports.github,
                     fmt::format("Also print {} on standard output as annotations of GitHub Actions", what));
}

void addKeptPart(CLI::App& command, std::string& directory) {
    command.add_option("--recording", directory, "Keep the data in this directory, for the page of `zetl report`");
}

void addDeviceOptions(CLI::App& command, Choice& choice, CLI::Option* emulated) {
    auto* device =
        command.add_option("--device", choice.profile, "Emulated device: the name of a profile, or a .yaml file");
    auto* compiler =
        command.add_option("--compiler", choice.compiler,
                           "Compiler for the emulated device: newest (the default), system, or a directory");
    if (emulated != nullptr)
        for (auto* option : {device, compiler}) option->needs(emulated);
    addNegation(command, "--no-layer", choice.layer,
                "Do not load the tools layer; the driver's own zet functions answer");
}

void addSchedule(CLI::App& command, Choice& choice) {
    command.add_option_function<std::string>(
        "--schedule",
        [&choice](const std::string& text) {
            if (text != "first" && text != "last" && !isSeed(text))
                throw UsageError(fmt::format(
                    "--schedule {}: not a schedule; write first, last, or a number that chooses one", text));
            choice.schedule = text;
        },
        "Order of work-groups and threads: first, last, or a number that chooses a shuffled one");
}

CLI::Option* addSchedules(CLI::App& command, Choice& choice, std::uint32_t& schedules) {
    constexpr std::uint32_t kMost = 1'000'000;
    addSchedule(command, choice);
    return command
        .add_option(
            "--schedules", schedules,
            "Run the program under this many shuffled schedules, from the one that --schedule chooses (default: 1)")
        ->check(CLI::Range(1u, kMost));
}

void requireNumber(const Choice& choice, std::uint32_t schedules) {
    if (schedules != 0 && (choice.schedule == "first" || choice.schedule == "last"))
        throw UsageError(fmt::format("--schedule {}: --schedules needs the number of the first", choice.schedule));
    if (schedules == 0 || choice.schedule.empty()) return;
    const std::uint64_t following = std::numeric_limits<std::uint64_t>::max() - std::stoull(choice.schedule);
    if (schedules - 1 > following)
        throw UsageError(
            fmt::format("--schedule {}: fewer than --schedules {} numbers begin there", choice.schedule, schedules));
}

void addFailures(CLI::App& command, Choice& choice) {
    command
        .add_option_function<Words>(
            "--fail", [&choice](const Words& rules) { choice.failures = failList(rules); },
            "Let calls fail on purpose: FUNCTION[:CONDITION...]=EFFECT (may be repeated)")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void requireLayerFor(const char* option, const Choice& choice) {
    if (!choice.layer) throw UsageError(fmt::format("{} works through the tools layer; leave out --no-layer", option));
}

void addSwitches(CLI::App& command, Choice& choice) {
    command.add_flag("--metrics", choice.metrics, "Set ZET_ENABLE_METRICS=1");
    command.add_flag("--instrumentation", choice.instrumentation, "Set ZET_ENABLE_PROGRAM_INSTRUMENTATION=1");
    command.add_flag("--debugging", choice.debugging,
                     "Set ZET_ENABLE_PROGRAM_DEBUGGING=1, which lets debuggers attach");
}

}  // namespace zetl::command
