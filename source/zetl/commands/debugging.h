// The commands `zetl debug` and `zetl gdbserver`.
#pragma once

#include <CLI/App.hpp>

#include "commands/command_line.h"
#include "run/installation.h"

namespace zetl::command {

void addDebug(CLI::App& app, const Installation& installation, const CommandLine& line, int& code);
void addGdbserver(CLI::App& app, const Installation& installation, const CommandLine& line, int& code);

}  // namespace zetl::command
