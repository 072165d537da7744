// `zetl check`: finds mistakes in a program's kernels.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "findings/check_program.h"
#include "run/emulated_device.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

void addOutputs(CLI::App& command, CheckOptions& options) {
    addReports(command, options.reports, "the findings");
    command.add_option("--log-file", options.reports.tables.text, "The same as -o");
    command.add_option("--html", options.html, "Also write an HTML page: one file that needs no network");
    command.add_flag("--mangled", options.mangled, "Show the names of C++ kernels as the compiler made them");
}

void addLevel(CLI::App& command, CheckOptions& options) {
    command
        .add_option_function<std::string>(
            "--level",
            [&options](const std::string& text) {
                static const std::map<std::string, check::Level> kLevels{
                    {"info", check::Level::info}, {"warning", check::Level::warning}, {"error", check::Level::error}};
                const auto found = kLevels.find(text);
                if (found == kLevels.end())
                    throw UsageError(fmt::format("--level {}: not a level; write info, warning or error", text));
                options.level = found->second;
            },
            "Show findings of this level and above: info, warning or error")
        ->default_str("warning");
}

}  // namespace

void addCheck(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("check", "Run a program on the emulated GPU and find mistakes in its kernels");
    auto choice = std::make_shared<Choice>();
    choice->emulated = true;
    auto options = std::make_shared<CheckOptions>();
    constexpr std::uint32_t kOnATerminal = 30;
    options->progress = isatty(STDERR_FILENO) != 0 ? kOnATerminal : 0;
    command
        ->add_option("--kinds", options->groups,
                     "Look for these: " + std::string(check::groupNames()) + ", separated by commas")
        ->capture_default_str();
    addLevel(*command, *options);
    command->add_option("--kernels", options->kernels, "Report only kernels that match these patterns");
    command
        ->add_option("--error-exitcode", options->errorExitCode,
                     "Exit code if an error was found; 0: the program's own")
        ->check(CLI::Range(0, 255))
        ->capture_default_str();
    command->add_option("--print-limit", options->printLimit, "Show at most this many findings")->capture_default_str();
    command
        ->add_option("--progress", options->progress,
                     "Print every so many seconds how much was found so far (0: never; on a terminal 30)")
        ->check(CLI::Range(0, 86400));
    command->add_option("--suppressions", options->suppressions, "Do not report what the blocks of this file match")
        ->allow_extra_args(false);
    command->add_flag("--gen-suppressions", options->generateSuppressions,
                      "Print a block for --suppressions behind each finding");
    command->add_flag("--stop", options->stop, "Then debug the program, stopped at the first finding");
    command->add_option("--stop-script", options->stopScript,
                        "Write the commands for that to this file, for zetl debug --script (-: standard output)");
    addKeptPart(*command, options->directory);
    addOutputs(*command, *options);
    addDeviceOptions(*command, *choice);
    addSchedules(*command, *choice, options->schedules);
    command->prefix_command();
    command->callback([=] {
        options->program = programOf(*command, call.line);
        requireDevice(call.installation, *choice);
        requireNumber(*choice, options->schedules);
        call.code = checkProgram(call.installation, *choice, *options);
    });
}

}  // namespace zetl::command
