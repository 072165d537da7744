// `zetl trace`, `report`, `pause` and `resume` on the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "commands/trace.h"
#include "files/pattern_files.h"
#include "recording/format.h"
#include "run/emulated_device.h"
#include "text/byte_count.h"
#include "text/milliseconds.h"
#include "text/rank_choice.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

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
    addTableOptions(command, options.tables, "the tables");
    command.add_option("--commands", options.commands,
                       "Also write a table with one row per command that devices executed to this file, as CSV");
    command.add_option("--html", options.html, "Also write an HTML page: one file that needs no network");
    command.add_option("--sqlite", options.sqlite, "Also write all records to this file, as an SQLite database");
    command.add_option("--otf2", options.otf2,
                       "Also write a trace in the Open Trace Format 2 into this directory, for Vampir");
    command.add_flag("--mangled", options.mangled, "Show the names of C++ kernels as the compiler made them");
}

void addRecordingOptions(CLI::App& command, RecordingOptions& options) {
    command
        .add_option_function<std::string>(
            "--limit", [&](const std::string& text) { options.limit = limitFrom(text); },
            "Record at most this much per process, such as 512KB or 2GB")
        ->default_str("256MB");
    command.add_option_function<std::string>(
        "--functions", [&](const std::string& text) { options.functions = withPatternFiles("--functions", text); },
        "Record only calls of these functions, such as 'zeMem*,!zeMemFree' or @FILE");
    command.add_option_function<std::string>(
        "--kernels", [&](const std::string& text) { options.kernels = withPatternFiles("--kernels", text); },
        "Of the device's work, record only these kernels, such as 'gemm*,!*_tail' or @FILE");
    addNegation(command, "--no-device", options.device, "Record only calls, not what devices do");
    command.add_flag("--lttng", options.lttng, "Also send records to LTTng while the program runs");
    command.add_flag("--mpi", options.mpi, "Also record calls of MPI and oneCCL");
    command.add_flag("--paused", options.paused, "Record nothing until `zetl resume DIR` (needs --recording)");
    command.add_option_function<std::string>(
        "--delay", [&](const std::string& text) { options.delay = millisecondsFrom("--delay", text); },
        "Start recording this long after a process starts, such as 500ms");
    command.add_option_function<std::string>(
        "--duration", [&](const std::string& text) { options.duration = millisecondsFrom("--duration", text); },
        "Stop recording a process after this long, such as 2s");
}

/// For --attach: refuses what only the start of a program can have.
void requireRunning(const CLI::App& command, const CommandLine& line) {
    requireNoMore(command, line);
    for (const char* const option : {"--emulated", "--device", "--compiler", "--schedule", "--no-layer", "--metrics",
                                     "--instrumentation", "--debugging", "--ranks", "--mpi"})
        if (command.get_option_no_throw(option) && command.count(option) != 0)
            throw UsageError(
                fmt::format("trace: {} belongs to the start of a program, and the process of --attach runs already; "
                            "leave it out",
                            option));
}

RankChoice ranksFrom(const std::string& text) {
    const auto ranks = RankChoice::from(text);
    if (!ranks) throw UsageError(fmt::format("--ranks {}: not a list of ranks; write 0,17 or 0,100-103 or none", text));
    return *ranks;
}

void addPausing(CLI::App& app, const char* name, const char* text, bool paused, const Invocation& call) {
    auto* command = app.add_subcommand(name, text);
    auto directory = std::make_shared<std::string>();
    command->add_option("DIR", *directory, "The directory given to `zetl trace --recording`")
        ->required()
        ->check(CLI::ExistingDirectory);
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        call.code = setPaused(*directory, paused);
    });
}

}  // namespace

void addTrace(CLI::App& app, const Invocation& call) {
    auto* command =
        app.add_subcommand("trace", "Run a program and record its Level Zero calls and what its devices do");
    auto choice = std::make_shared<Choice>();
    auto options = std::make_shared<TraceOptions>();
    addReportOptions(*command, options->report);
    auto* emulated =
        command->add_flag("--emulated", choice->emulated, "Use the emulated GPU instead of the system's devices");
    command->add_option("--recording", options->directory, "Keep the recording in this directory, for `zetl report`");
    command->add_option_function<std::string>(
        "--ranks", [=](const std::string& text) { options->ranks = ranksFrom(text); },
        "Of an MPI program, keep recordings of these ranks, such as 0,17 or 0-3 or none, and summaries of all (needs "
        "--recording)");
    command->add_option("--attach", options->attach, "Record this running process, until Ctrl-C or --duration")
        ->check(CLI::PositiveNumber);
    addRecordingOptions(*command, options->recording);
    addDeviceOptions(*command, *choice, emulated);
    addSwitches(*command, *choice);
    command->prefix_command();
    command->callback([=] {
        if (command->count("--attach") == 0)
            options->program = programOf(*command, call.line);
        else
            requireRunning(*command, call.line);
        if (options->recording.paused && options->directory.empty())
            throw UsageError("trace: --paused needs --recording DIR, so that `zetl resume DIR` can start recording");
        if (options->ranks && options->directory.empty())
            throw UsageError("trace: --ranks needs --recording DIR, where the summaries of all ranks are kept");
        requireDevice(call.installation, *choice);
        call.code = trace(call.installation, *choice, *options);
    });
}

void addReport(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand(
        "report", "Print the tables and write the timeline of kept recordings, such as those of ranks");
    auto options = std::make_shared<ReportOptions>();
    auto directories = std::make_shared<std::vector<std::string>>();
    command->add_option("DIR", *directories, "The directories given to `zetl trace --recording`")->required();
    addReportOptions(*command, *options);
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        call.code = report(*directories, *options);
    });
}

void addPause(CLI::App& app, const Invocation& call) {
    addPausing(app, "pause", "Pause recording in the processes of a running `zetl trace`", true, call);
}

void addResume(CLI::App& app, const Invocation& call) {
    addPausing(app, "resume", "Resume recording in the processes of a running `zetl trace`", false, call);
}

}  // namespace zetl::command
