// `zetl debug` and `zetl gdbserver` on the command line.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <string>

#include "commands/commands.h"
#include "commands/debug_checks.h"
#include "debug/console/console.h"
#include "debug/core/failure.h"
#include "debug/dap/adapter.h"
#include "debug/gdb/server.h"
#include "run/emulated_device.h"
#include "run/environment.h"
#include "sweep/run_end.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// How long the first kernel of a program that we start waits for the debugger.
constexpr const char* kDoorVariable = "ZETL_DEBUG_WAIT";
constexpr const char* kRecordVariable = "ZETL_EMULATOR_RECORD";
constexpr const char* kDoorMs = "10000";

struct DebugOptions {
    Choice choice;
    debugger::ConsoleOptions console;
    bool native = false;
    bool record = false;
    bool dap = false;
};

void chooseGpu(const std::string& text, debugger::Options& session) {
    session.allDevices = text == "all";
    if (session.allDevices) return;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), session.device);
    if (error != std::errc() || end != text.data() + text.size())
        throw CLI::ValidationError("--gpu", text + ": not the number of a device, nor all");
}

void addTargetOptions(CLI::App& command, DebugOptions& options) {
    command.add_option("--pid", options.console.session.pid, "Attach to this running process")
        ->check(CLI::PositiveNumber);
    auto* native = command.add_flag("--native", options.native, "Use the system's devices instead of the emulated GPU");
    command.add_option("--device", options.choice.profile, "Emulated device: the name of a profile, or a .yaml file")
        ->excludes(native);
    command.add_flag("--record", options.record, "Record launches, so that they can be taken back")->excludes(native);
    command.add_option_function<std::string>(
        "--gpu", [&options](const std::string& text) { chooseGpu(text, options.console.session); },
        "Number of the device to debug, among those that can be debugged (default: 0), or all");
    command
        .add_option("-d,--directory", options.console.session.directories,
                    "Also look for source files in this directory (may be repeated)")
        ->allow_extra_args(false);
    command.prefix_command();
}

/// This process gets only the variables for the driver. The program gets those of `zetl run --debugging`, and waits at
/// its first kernel.
void prepare(const Installation& installation, DebugOptions& options) {
    auto& choice = options.choice;
    choice.emulated = !options.native;
    requireDevice(installation, choice);
    choice.debugging = true;
    auto& added = options.console.session.program.environment;
    for (const auto& each : variablesFor(installation, choice)) {
        const char* former = each.isPath ? std::getenv(each.name.c_str()) : nullptr;
        added.emplace_back(each.name, former && *former ? each.value + ":" + former : each.value);
    }
    added.emplace_back(kDoorVariable, kDoorMs);
    using debugger::ProgramEnd;
    if (!options.native)
        options.console.session.differenceOf = [](const ProgramEnd& expected, const ProgramEnd& found) {
            return differenceOf({expected.code, expected.output}, {found.code, found.output});
        };
    if (options.record) added.emplace_back(kRecordVariable, "1");
    choice.debugging = choice.layer = false;
    apply(variablesFor(installation, choice));
    unsetenv("ZET_ENABLE_PROGRAM_DEBUGGING");  // the debugger itself is not debugged
}

void takeProgram(const CLI::App& command, const CommandLine& line, DebugOptions& options) {
    auto& session = options.console.session;
    if (session.pid != 0) return requireNoMore(command, line);
    session.program.words = programOf(command, line);
}

/// A failure of the debugger before there is a session is a usage error of the command.
template <class F>
int orUsageError(F&& run) try {
    return run();
} catch (const debugger::Failure& failure) {
    throw UsageError(failure.what());
}

}  // namespace

void addDebug(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("debug", "Debug a program's kernels with breakpoints, steps and variables");
    auto options = std::make_shared<DebugOptions>();
    addTargetOptions(*command, *options);
    command
        ->add_option("-x,--script", options->console.scripts,
                     "Run the debugger commands in this file first (may be repeated)")
        ->check(CLI::ExistingFile)
        ->allow_extra_args(false);
    command->add_option("-e,--ex", options->console.commands, "Run this debugger command first (may be repeated)")
        ->allow_extra_args(false);
    command->add_flag_callback(
        "--args", [] {}, "The next word is the program, and all words behind it are its arguments (as in gdb)");
    command->add_flag("--batch", options->console.batch, "Exit after the commands of -x and -e");
    command->add_flag("--dap", options->dap,
                      "Speak the Debug Adapter Protocol on standard input and output, for editors");
    command->callback([=] {
        const bool isNamedLater =
            options->dap && command->remaining_size() == 0 && call.line.program.empty();  // the editor names it
        if (!isNamedLater) takeProgram(*command, call.line, *options);
        prepare(call.installation, *options);
        options->console.session.program.capturesOutput = options->dap;
        if (!options->native) options->console.checks = makeDebugChecks();
        if (options->dap) {
            call.code = orUsageError([&] { return debugger::dap::runAdapter(options->console.session); });
            return;
        }
        call.code = orUsageError([&] { return debugger::runConsole(options->console); });
    });
}

void addGdbserver(CLI::App& app, const Invocation& call) {
    auto* command =
        app.add_subcommand("gdbserver", "Debug a program over GDB's remote protocol on standard input and output");
    auto options = std::make_shared<DebugOptions>();
    addTargetOptions(*command, *options);
    command->callback([=] {
        takeProgram(*command, call.line, *options);
        prepare(call.installation, *options);
        options->console.session.program.capturesOutput = true;  // standard output carries the protocol
        call.code = orUsageError([&] { return debugger::gdb::runServer(options->console.session); });
    });
}

}  // namespace zetl::command
