// zetl's commands. Each function declares one, with its options, and what is called if the command line has it.
#pragma once

#include <CLI/App.hpp>

#include "commands/command_line.h"
#include "run/installation.h"

namespace zetl::command {

/// What the called command sees of zetl itself. Lives as long as the app.
struct Invocation {
    const Installation& installation;
    const CommandLine& line;
    int& code;  ///< the exit code of zetl
};

/// All of them.
void addCommands(CLI::App& app, const Invocation& call);

void addRun(CLI::App& app, const Invocation& call);
void addDiff(CLI::App& app, const Invocation& call);
void addCheck(CLI::App& app, const Invocation& call);
void addTrace(CLI::App& app, const Invocation& call);
void addCoverage(CLI::App& app, const Invocation& call);
void addBaseline(CLI::App& app, const Invocation& call);
void addReport(CLI::App& app, const Invocation& call);
void addPause(CLI::App& app, const Invocation& call);
void addResume(CLI::App& app, const Invocation& call);
void addKernels(CLI::App& app, const Invocation& call);
void addDisasm(CLI::App& app, const Invocation& call);
void addDebug(CLI::App& app, const Invocation& call);
void addGdbserver(CLI::App& app, const Invocation& call);
void addEnv(CLI::App& app, const Invocation& call);
void addDeviceList(CLI::App& app, const Invocation& call);
void addDoctor(CLI::App& app, const Invocation& call);
void addMetrics(CLI::App& app, const Invocation& call);
void addStalls(CLI::App& app, const Invocation& call);
void addHelpCommand(CLI::App& app, const Invocation& call);
void addCompletion(CLI::App& app, const Invocation& call);

}  // namespace zetl::command
