// The zetl command: parses the command line and calls the command.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "commands/binary_view.h"
#include "commands/command_line.h"
#include "commands/commit.h"
#include "commands/completion.h"
#include "commands/debugging.h"
#include "commands/help.h"
#include "commands/metrics.h"
#include "commands/program_binaries.h"
#include "commands/trace.h"
#include "doctor/doctor.h"
#include "files/standard_streams.h"
#include "recording/format.h"
#include "run/emulated_device.h"
#include "run/environment.h"
#include "run/launch.h"
#include "text/byte_count.h"
#include "text/milliseconds.h"
#include "text/spelling.h"
#include "text/usage_error.h"

namespace {

using namespace zetl::command;

constexpr int kUsage = 2;
constexpr int kFailure = 1;

/// An option that turns something off. CLI11 would show its own kind, "!--no-x", as --no-x{false}.
void addNegation(CLI::App& command, const char* name, bool& on, const char* what) {
    command.add_flag_callback(
        name, [&on] { on = false; }, what);
}

CLI::Option* addDeviceOptions(CLI::App& command, Choice& choice) {
    auto* device =
        command.add_option("--device", choice.profile, "Emulated device: the name of a profile, or a .yaml file");
    addNegation(command, "--no-layer", choice.layer,
                "Do not load the tools layer; the driver's own zet functions answer");
    return device;
}

void addSwitches(CLI::App& command, Choice& choice) {
    command.add_flag("--metrics", choice.metrics, "Set ZET_ENABLE_METRICS=1");
    command.add_flag("--instrumentation", choice.instrumentation, "Set ZET_ENABLE_PROGRAM_INSTRUMENTATION=1");
    command.add_flag("--debugging", choice.debugging,
                     "Set ZET_ENABLE_PROGRAM_DEBUGGING=1, which lets debuggers attach");
}

void addRun(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* command = app.add_subcommand("run", "Run a program on the emulated GPU, with the tools layer");
    auto choice = std::make_shared<Choice>();
    choice->emulated = true;
    addDeviceOptions(*command, *choice);
    addSwitches(*command, *choice);
    command->prefix_command();
    command->callback([=, &line, &code] {
        const auto wanted = programOf(*command, line);
        requireDevice(installation, *choice);
        apply(variablesFor(installation, *choice));
        code = become(wanted);
    });
}

std::uint64_t limitFrom(const std::string& text) {
    const auto bytes = byteCount(text);
    if (!bytes) throw UsageError(fmt::format("--limit {}: not a number of bytes; write 512KB or 2GB", text));
    if (*bytes < kSmallestRecording)
        throw UsageError(fmt::format("--limit {}: a recording needs at least {} bytes", text, kSmallestRecording));
    return *bytes;
}

std::uint64_t millisecondsFrom(const char* option, const std::string& text) {
    const auto time = milliseconds(text);
    if (!time) throw UsageError(fmt::format("{} {}: not a time; write 500ms or 2s", option, text));
    return *time;
}

void addReportOptions(CLI::App& command, ReportOptions& options) {
    command
        .add_option("-o,--timeline", options.timeline,
                    "Write the timeline to this file, as JSON if its name ends in .json, else in Perfetto's format; '' "
                    "writes none")
        ->capture_default_str();
    command.add_option("--csv", options.csv, "Also write the tables to this file (-: standard output)");
    command.add_option("--json", options.json, "Also write the tables to this file as JSON (-: standard output)");
}

void addRecordingOptions(CLI::App& command, RecordingOptions& options) {
    command
        .add_option_function<std::string>(
            "--limit", [&](const std::string& text) { options.limit = limitFrom(text); },
            "Record at most this much per process, such as 512KB or 2GB")
        ->default_str("256MB");
    command.add_option("--functions", options.functions,
                       "Record only calls of these functions, such as 'zeMem*,zeKernel*'");
    command.add_option("--kernels", options.kernels, "Of the device's work, record only these kernels");
    addNegation(command, "--no-device", options.device, "Record only calls, not what devices do");
    command.add_flag("--paused", options.paused, "Record nothing until `zetl resume DIR` (needs --recording)");
    command.add_option_function<std::string>(
        "--delay", [&](const std::string& text) { options.delay = millisecondsFrom("--delay", text); },
        "Start recording this long after a process starts, such as 500ms");
    command.add_option_function<std::string>(
        "--duration", [&](const std::string& text) { options.duration = millisecondsFrom("--duration", text); },
        "Stop recording a process after this long, such as 2s");
}

void addTrace(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* command =
        app.add_subcommand("trace", "Run a program and record its Level Zero calls and what its devices do");
    auto choice = std::make_shared<Choice>();
    auto options = std::make_shared<TraceOptions>();
    addReportOptions(*command, options->report);
    auto* emulated =
        command->add_flag("--emulated", choice->emulated, "Use the emulated GPU instead of the system's devices");
    command->add_option("--recording", options->directory, "Keep the recording in this directory, for `zetl report`");
    addRecordingOptions(*command, options->recording);
    addDeviceOptions(*command, *choice)->needs(emulated);
    addSwitches(*command, *choice);
    command->prefix_command();
    command->callback([=, &line, &code] {
        options->program = programOf(*command, line);
        if (options->recording.paused && options->directory.empty())
            throw UsageError("trace: --paused needs --recording DIR, so that `zetl resume DIR` can start recording");
        requireDevice(installation, *choice);
        code = trace(installation, *choice, *options);
    });
}

void addReport(CLI::App& app, const CommandLine& line, int& code) {
    auto* command = app.add_subcommand("report", "Print the tables and write the timeline of a kept recording");
    auto options = std::make_shared<ReportOptions>();
    auto directory = std::make_shared<std::string>();
    command->add_option("DIR", *directory, "The directory given to `zetl trace --recording`")
        ->required()
        ->check(CLI::ExistingDirectory);
    addReportOptions(*command, *options);
    command->allow_extras();
    command->callback([=, &line, &code] {
        requireNoMore(*command, line);
        code = report(*directory, *options);
    });
}

void addPause(CLI::App& app, const char* name, const char* text, bool paused, const CommandLine& line, int& code) {
    auto* command = app.add_subcommand(name, text);
    auto directory = std::make_shared<std::string>();
    command->add_option("DIR", *directory, "The directory given to `zetl trace --recording`")
        ->required()
        ->check(CLI::ExistingDirectory);
    command->allow_extras();
    command->callback([=, &line, &code] {
        requireNoMore(*command, line);
        code = setPaused(*directory, paused);
    });
}

/// A command that shows the native binary in a file or those of a program, with show(view).
CLI::App* addBinary(CLI::App& app, const char* name, const char* text, const Installation& installation,
                    const CommandLine& line, int& code, Show show, const std::shared_ptr<BinaryView>& view) {
    auto* command = app.add_subcommand(name, text);
    auto choice = std::make_shared<Choice>();
    command->add_option("FILE", view->file, "A native binary or a debug image")->check(CLI::ExistingFile);
    command->add_flag("--json", view->json, "Print JSON");
    auto* emulated = command->add_flag("--emulated", choice->emulated, "Run the program on the emulated GPU");
    addDeviceOptions(*command, *choice)->needs(emulated);
    command->allow_extras();
    command->callback([=, &line, &code] {
        view->colours = isatty(STDOUT_FILENO) != 0;
        view->name = view->file;
        if (!view->file.empty() || !line.divided) {
            requireNoMore(*command, line);
            if (view->file.empty())
                throw UsageError(fmt::format(
                    "{0}: no file or program was given; type zetl {0} FILE or zetl {0} -- PROGRAM [ARGS...]", name));
            code = showFile(*view, show);
            return;
        }
        const auto program = programOf(*command, line);
        requireDevice(installation, *choice);
        code = showProgram(installation, *choice, program, *view, show);
    });
    return command;
}

void addBinaries(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    addBinary(app, "kernels", "List the kernels of a native binary or of a program, and what each needs", installation,
              line, code, showKernels, std::make_shared<BinaryView>());
    auto view = std::make_shared<BinaryView>();
    auto* disasm =
        addBinary(app, "disasm", "Show the machine code of a native binary or of a program, with source lines",
                  installation, line, code, showCode, view);
    disasm->add_option("--kernel", view->kernel, "Show only this kernel");
    addNegation(*disasm, "--no-source", view->source, "Show machine code only, without source lines");
    disasm->add_flag("--iga", view->iga, "Use Intel's disassembler, which also shows scoreboard and messages");
}

void addEnv(CLI::App& app, const Installation& installation, const CommandLine& line) {
    auto* command = app.add_subcommand("env", "Print shell commands that set up the environment");
    auto choice = std::make_shared<Choice>();
    auto* emulated = command->add_flag("--emulated,!--native", choice->emulated,
                                       "For the emulated GPU, or for the system's devices (the default)");
    addDeviceOptions(*command, *choice)->needs(emulated);
    addSwitches(*command, *choice);
    command->allow_extras();
    command->callback([=, &line] {
        requireNoMore(*command, line);
        requireDevice(installation, *choice);
        fmt::print("{}", exports(variablesFor(installation, *choice)));
    });
}

void addDoctor(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* command = app.add_subcommand("doctor", "Check the installation and the system, and say how to fix problems");
    auto patient = std::make_shared<Patient>();
    auto onlyTrouble = std::make_shared<bool>(false);
    command->add_flag("--native", patient->needsGpu, "Report a problem if no Intel GPU can be used");
    command->add_flag("-q,--quiet", *onlyTrouble, "Print only notes and problems");
    command->allow_extras();
    command->callback([=, &line, &code] {
        requireNoMore(*command, line);
        patient->installation = installation;
        code = prescribe(examine(*patient), *onlyTrouble);
    });
}

/// `zetl help COMMAND`, as people know it from other tools.
void addHelpCommand(CLI::App& app, const CommandLine& line) {
    auto* command = app.add_subcommand("help", "Show the help of zetl or of a command");
    auto words = std::make_shared<Words>();
    command->add_option("COMMAND", *words, "A command, such as `trace` or `metrics query`");
    command->allow_extras();
    command->callback([=, &app, &line] {
        requireNoMore(*command, line);
        const CLI::App* described = &app;
        for (const auto& word : *words) {
            const auto names = commandNames(*described);
            if (std::find(names.begin(), names.end(), word) == names.end())
                throw UsageError(fmt::format("help: {} has no command {}{}", nameOf(*described), word,
                                             suggestion(nearest(word, names))));
            described = described->get_subcommand(word);
        }
        // CLI11 would show that of the command it has just read.
        fmt::print("{}", described->get_formatter()->make_help(described, "", CLI::AppFormatMode::Normal));
    });
}

void addCompletion(CLI::App& app, const CommandLine& line) {
    auto* command = app.add_subcommand("completion", "Print a shell's completion script for zetl");
    auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
    command->allow_extras();
    command->callback([=, &app, &line] {
        requireNoMore(*command, line);
        const auto script = completionFor(app, *shell);
        if (script.empty())
            throw UsageError(fmt::format("completion: there is none for {}; the shells are {}", *shell,
                                         fmt::join(completedShells(), ", ")));
        fmt::print("{}", script);
    });
}

std::string versionText() {
    const std::string commit = kCommit;
    return commit.empty() ? "zetl " ZETL_VERSION : fmt::format("zetl " ZETL_VERSION " (commit {})", commit);
}

}  // namespace

namespace {

int runCommand(int argc, char** argv) try {
    CLI::App app("Run, trace, measure, debug and check Level Zero programs", "zetl");
    app.require_subcommand(0, 1);  // the words after a command are its own, also if they are named like another
    app.set_version_flag("--version", versionText(), "Show zetl's version and the commit it was built from");
    int code = 0;
    CommandLine line(argc, argv);
    const auto installation = Installation::find();
    addRun(app, installation, line, code);
    addTrace(app, installation, line, code);
    addReport(app, line, code);
    addPause(app, "pause", "Pause recording in the processes of a running `zetl trace`", true, line, code);
    addPause(app, "resume", "Resume recording in the processes of a running `zetl trace`", false, line, code);
    addBinaries(app, installation, line, code);
    addDebug(app, installation, line, code);
    addGdbserver(app, installation, line, code);
    addEnv(app, installation, line);
    addDoctor(app, installation, line, code);
    addMetrics(app, installation, line, code);
    addStalls(app, installation, line, code);
    addHelpCommand(app, line);
    addCompletion(app, line);
    addHelp(app);
    requireCommand(app, line);
    try {
        app.parse(line.ours);
    } catch (const CLI::ParseError& refusal) {
        if (refusal.get_exit_code() == 0) return app.exit(refusal);
        throw UsageError(refusalText(app, refusal));
    }
    return code;
} catch (const UsageError& refusal) {
    std::fprintf(stderr, "zetl: %s\n", refusal.what());
    return kUsage;
} catch (const std::exception& failure) {
    if (isReaderGone(failure)) return kReaderGone;
    std::fprintf(stderr, "zetl: %s\n", failure.what());
    return kFailure;
}

}  // namespace

int main(int argc, char** argv) {
    prepareStandardStreams();
    return finishStandardOutput(runCommand(argc, argv));
}
