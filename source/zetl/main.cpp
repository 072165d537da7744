// The zetl command: runs programs on the layer and the emulated GPU, and records what they call.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>

#include "doctor/doctor.h"
#include "environment.h"
#include "launch.h"
#include "trace.h"

namespace {

using namespace zetl::command;

using Words = std::vector<std::string>;

/// The command line, cut at "--": what is ours, and the program behind it. CLI11 would read the program's options too.
struct CommandLine {
    Words ours, program;

    CommandLine(int argc, char** argv) {
        const Words all(argv + 1, argv + argc);
        const auto cut = std::find(all.begin(), all.end(), "--");
        ours.assign(std::make_reverse_iterator(cut), all.rend());  // CLI11 takes them last first
        if (cut != all.end()) program.assign(cut + 1, all.end());
    }
};

/// Without "--" the program starts at the first word that is no option of ours.
Words programOf(const CLI::App& command, const Words& program) {
    const auto& words = program.empty() ? command.remaining() : program;
    if (words.empty())
        throw CLI::ValidationError("program",
                                   fmt::format("none given; zetl {} -- program arguments", command.get_name()));
    return words;
}

void addDeviceOptions(CLI::App& command, Choice& choice) {
    command.add_option("--device", choice.profile, "Profile of the emulated device, a name or a file");
    command.add_flag("!--no-layer", choice.layer, "Take no layer slot: only the driver's own zet functions");
}

void addSwitches(CLI::App& command, Choice& choice) {
    command.add_flag("--metrics", choice.metrics, "ZET_ENABLE_METRICS=1");
    command.add_flag("--instrumentation", choice.instrumentation, "ZET_ENABLE_PROGRAM_INSTRUMENTATION=1");
    command.add_flag("--debugging", choice.debugging, "ZET_ENABLE_PROGRAM_DEBUGGING=1");
}

void addRun(CLI::App& app, const Installation& installation, const Words& program, int& code) {
    auto* command = app.add_subcommand("run", "Run a program on the emulated GPU, with the layer");
    auto choice = std::make_shared<Choice>();
    choice->emulated = true;
    addDeviceOptions(*command, *choice);
    command->prefix_command();
    command->callback([=, &program, &code] {
        const auto wanted = programOf(*command, program);
        apply(variablesFor(installation, *choice));
        code = become(wanted);
    });
}

void addTrace(CLI::App& app, const Installation& installation, const Words& program, int& code) {
    auto* command = app.add_subcommand("trace", "Run a program, record its Level Zero calls: a table and a timeline");
    auto choice = std::make_shared<Choice>();
    auto options = std::make_shared<TraceOptions>();
    command->add_option("-o,--timeline", options->timeline, "Where the timeline goes; '' for none")
        ->capture_default_str();
    command->add_flag("--emulated", choice->emulated, "On the emulated GPU instead of the system's devices");
    command->add_option("--recording", options->recording, "Keep the recording in this directory (zetl report)");
    command->add_option("--limit", options->limit, "Bytes recorded a process (256MB, 2GB)")
        ->capture_default_str()
        ->transform(CLI::AsSizeValue(false));
    addDeviceOptions(*command, *choice);
    addSwitches(*command, *choice);
    command->prefix_command();
    command->callback([=, &program, &code] {
        options->program = programOf(*command, program);
        code = trace(installation, *choice, *options);
    });
}

void addReport(CLI::App& app, int& code) {
    auto* command = app.add_subcommand("report", "Table and timeline of a recording kept by `zetl trace --recording`");
    auto options = std::make_shared<TraceOptions>();
    command->add_option("recording", options->recording, "The directory")->required();
    command->add_option("-o,--timeline", options->timeline, "Where the timeline goes; '' for none")
        ->capture_default_str();
    command->callback([=, &code] { code = report(options->recording, options->timeline); });
}

void addEnv(CLI::App& app, const Installation& installation) {
    auto* command = app.add_subcommand("env", "Print the exports for a shell: eval \"$(zetl env)\"");
    auto choice = std::make_shared<Choice>();
    command->add_flag("--emulated,!--native", choice->emulated,
                      "For the emulated GPU, or the system's devices (default)");
    addDeviceOptions(*command, *choice);
    addSwitches(*command, *choice);
    command->callback([=] { fmt::print("{}", exports(variablesFor(installation, *choice))); });
}

void addDoctor(CLI::App& app, const Installation& installation, int& code) {
    auto* command = app.add_subcommand("doctor", "Check loader, layer, drivers, compiler, permissions; say what to do");
    auto patient = std::make_shared<Patient>();
    auto onlyTrouble = std::make_shared<bool>(false);
    command->add_flag("--native", patient->needsGpu, "An Intel GPU must be usable: having none is a problem");
    command->add_flag("-q,--quiet", *onlyTrouble, "Only notes and problems");
    command->callback([=, &code] {
        patient->installation = installation;
        code = prescribe(examine(*patient), *onlyTrouble);
    });
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("Level Zero tools layer: run, trace, check", "zetl");
    app.require_subcommand(1);
    int code = 0;
    CommandLine line(argc, argv);
    const auto installation = Installation::find();
    addRun(app, installation, line.program, code);
    addTrace(app, installation, line.program, code);
    addReport(app, code);
    addEnv(app, installation);
    addDoctor(app, installation, code);
    try {
        app.parse(line.ours);
    } catch (const CLI::ParseError& refusal) {
        return app.exit(refusal);
    }
    return code;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "zetl: %s\n", failure.what());
    return 1;
}
