// The zetl command: runs programs on the layer and the emulated GPU, and records what they call.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "binary_view.h"
#include "byte_count.h"
#include "command_line.h"
#include "debugging.h"
#include "doctor/doctor.h"
#include "emulated_device.h"
#include "environment.h"
#include "launch.h"
#include "metrics/commands.h"
#include "milliseconds.h"
#include "program_binaries.h"
#include "recording_format.h"
#include "standard_streams.h"
#include "trace.h"
#include "usage_error.h"

namespace {

using namespace zetl::command;

constexpr int kUsage = 2;
constexpr int kFailure = 1;

/// An option that turns off what is on. CLI11's own kind, "!--no-x", is shown as --no-x{false}.
void addNegation(CLI::App& command, const char* name, bool& on, const char* what) {
    command.add_flag_callback(
        name, [&on] { on = false; }, what);
}

CLI::Option* addDeviceOptions(CLI::App& command, Choice& choice) {
    auto* device = command.add_option("--device", choice.profile, "Profile of the emulated device, a name or a file");
    addNegation(command, "--no-layer", choice.layer, "Take no layer slot: only the driver's own zet functions");
    return device;
}

void addSwitches(CLI::App& command, Choice& choice) {
    command.add_flag("--metrics", choice.metrics, "ZET_ENABLE_METRICS=1");
    command.add_flag("--instrumentation", choice.instrumentation, "ZET_ENABLE_PROGRAM_INSTRUMENTATION=1");
    command.add_flag("--debugging", choice.debugging, "ZET_ENABLE_PROGRAM_DEBUGGING=1");
}

void addRun(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* command = app.add_subcommand("run", "Run a program on the emulated GPU, with the layer");
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
    if (!bytes) throw UsageError(fmt::format("--limit {}: not a number of bytes, such as 512KB or 2GB", text));
    if (*bytes < kSmallestRecording)
        throw UsageError(fmt::format("--limit {}: a recording takes at least {} bytes", text, kSmallestRecording));
    return *bytes;
}

std::uint64_t millisecondsFrom(const char* option, const std::string& text) {
    const auto time = milliseconds(text);
    if (!time) throw UsageError(fmt::format("{} {}: not a time, such as 500ms or 2s", option, text));
    return *time;
}

void addReportOptions(CLI::App& command, ReportOptions& options) {
    command
        .add_option("-o,--timeline", options.timeline,
                    "Where the timeline goes: JSON if it ends in .json, else Perfetto's format; '' for none")
        ->capture_default_str();
    command.add_option("--csv", options.csv, "Write the tables to this file, too ('-': standard output)");
    command.add_option("--json", options.json, "The same as JSON");
}

void addRecordingOptions(CLI::App& command, RecordingOptions& options) {
    command
        .add_option_function<std::string>(
            "--limit", [&](const std::string& text) { options.limit = limitFrom(text); },
            "Bytes recorded a process (512KB, 2GB)")
        ->default_str("256MB");
    command.add_option("--functions", options.functions, "Record calls of these alone ('zeMem*,zeKernel*')");
    command.add_option("--kernels", options.kernels, "Of what devices do, record these kernels alone");
    addNegation(command, "--no-device", options.device, "Record calls alone, not what devices do");
    command.add_flag("--paused", options.paused, "Record nothing before `zetl resume` (needs --recording)");
    command.add_option_function<std::string>(
        "--delay", [&](const std::string& text) { options.delay = millisecondsFrom("--delay", text); },
        "Record nothing of a process's first time (500ms, 2s)");
    command.add_option_function<std::string>(
        "--duration", [&](const std::string& text) { options.duration = millisecondsFrom("--duration", text); },
        "Record a process for so long");
}

void addTrace(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* command =
        app.add_subcommand("trace", "Run a program, record its Level Zero calls and what devices do for it");
    auto choice = std::make_shared<Choice>();
    auto options = std::make_shared<TraceOptions>();
    addReportOptions(*command, options->report);
    auto* emulated =
        command->add_flag("--emulated", choice->emulated, "On the emulated GPU instead of the system's devices");
    command->add_option("--recording", options->directory, "Keep the recording in this directory (zetl report)");
    addRecordingOptions(*command, options->recording);
    addDeviceOptions(*command, *choice)->needs(emulated);
    addSwitches(*command, *choice);
    command->prefix_command();
    command->callback([=, &line, &code] {
        options->program = programOf(*command, line);
        if (options->recording.paused && options->directory.empty())
            throw UsageError("trace: --paused needs --recording DIR, for `zetl resume DIR` to go on");
        requireDevice(installation, *choice);
        code = trace(installation, *choice, *options);
    });
}

void addReport(CLI::App& app, const CommandLine& line, int& code) {
    auto* command = app.add_subcommand("report", "Tables and timeline of a recording kept by `zetl trace --recording`");
    auto options = std::make_shared<ReportOptions>();
    auto directory = std::make_shared<std::string>();
    command->add_option("recording", *directory, "The directory")->required()->check(CLI::ExistingDirectory);
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
    command->add_option("recording", *directory, "The directory of `zetl trace --recording`")
        ->required()
        ->check(CLI::ExistingDirectory);
    command->allow_extras();
    command->callback([=, &line, &code] {
        requireNoMore(*command, line);
        code = setPaused(*directory, paused);
    });
}

/// A command that shows the native binary in a file, or those of a program: show(view) does.
CLI::App* addBinary(CLI::App& app, const char* name, const char* text, const Installation& installation,
                    const CommandLine& line, int& code, Show show, const std::shared_ptr<BinaryView>& view) {
    auto* command = app.add_subcommand(name, text);
    auto choice = std::make_shared<Choice>();
    command->add_option("file", view->file, "A native binary or a debug image; none: a program's, behind --")
        ->check(CLI::ExistingFile);
    command->add_flag("--json", view->json, "For programs");
    auto* emulated = command->add_flag("--emulated", choice->emulated, "The program runs on the emulated GPU");
    addDeviceOptions(*command, *choice)->needs(emulated);
    command->allow_extras();
    command->callback([=, &line, &code] {
        view->colours = isatty(STDOUT_FILENO) != 0;
        view->name = view->file;
        if (!view->file.empty() || !line.divided) {
            requireNoMore(*command, line);
            if (view->file.empty())
                throw UsageError(
                    fmt::format("{0}: no file given, and no program: zetl {0} FILE, zetl {0} -- program", name));
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
    addBinary(app, "kernels", "Kernels of a native binary, or of a program's modules, and the resources that they take",
              installation, line, code, showKernels, std::make_shared<BinaryView>());
    auto view = std::make_shared<BinaryView>();
    auto* disasm =
        addBinary(app, "disasm", "Machine code of a native binary, or of a program's, beside its source lines",
                  installation, line, code, showCode, view);
    disasm->add_option("--kernel", view->kernel, "Only this one");
    addNegation(*disasm, "--no-source", view->source, "Machine code alone");
    disasm->add_flag("--iga", view->iga, "In the words of Intel's disassembler, with scoreboard and messages");
}

void addEnv(CLI::App& app, const Installation& installation, const CommandLine& line) {
    auto* command = app.add_subcommand("env", "Print the exports for a shell: eval \"$(zetl env)\"");
    auto choice = std::make_shared<Choice>();
    auto* emulated = command->add_flag("--emulated,!--native", choice->emulated,
                                       "For the emulated GPU, or the system's devices (default)");
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
    auto* command = app.add_subcommand("doctor", "Check loader, layer, drivers, compiler, permissions; say what to do");
    auto patient = std::make_shared<Patient>();
    auto onlyTrouble = std::make_shared<bool>(false);
    command->add_flag("--native", patient->needsGpu, "An Intel GPU must be usable: having none is a problem");
    command->add_flag("-q,--quiet", *onlyTrouble, "Only notes and problems");
    command->allow_extras();
    command->callback([=, &line, &code] {
        requireNoMore(*command, line);
        patient->installation = installation;
        code = prescribe(examine(*patient), *onlyTrouble);
    });
}

}  // namespace

namespace {

int runCommand(int argc, char** argv) try {
    CLI::App app("Level Zero tools layer: run, trace, check", "zetl");
    app.failure_message([](const CLI::App* where, const CLI::Error& refusal) {
        return "zetl: " + CLI::FailureMessage::simple(where, refusal);
    });
    app.set_version_flag("--version", "zetl " ZETL_VERSION);
    int code = 0;
    CommandLine line(argc, argv);
    const auto installation = Installation::find();
    addRun(app, installation, line, code);
    addTrace(app, installation, line, code);
    addReport(app, line, code);
    addPause(app, "pause", "Stop recording in the processes of a running `zetl trace`", true, line, code);
    addPause(app, "resume", "Go on recording in them", false, line, code);
    addBinaries(app, installation, line, code);
    addDebug(app, installation, line, code);
    addGdbserver(app, installation, line, code);
    addEnv(app, installation, line);
    addDoctor(app, installation, line, code);
    addMetrics(app, installation, line, code);
    addStalls(app, installation, line, code);
    requireCommand(app, line);
    try {
        app.parse(line.ours);
    } catch (const CLI::ParseError& refusal) {
        return app.exit(refusal) == 0 ? 0 : kUsage;
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
