// The commands `zetl metrics` and `zetl stalls`.
#pragma once

#include <CLI/App.hpp>

#include "commands/command_line.h"
#include "run/installation.h"

namespace zetl::command {

void addMetrics(CLI::App& app, const Installation& installation, const CommandLine& line, int& code);

void addStalls(CLI::App& app, const Installation& installation, const CommandLine& line, int& code);

}  // namespace zetl::command
