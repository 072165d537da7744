// What --help prints, and what zetl says of a command line that it cannot read.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace zetl::command {

/// Gives the app and all its commands zetl's --help: usage, options by group with their defaults, examples.
void addHelp(CLI::App& app);

/// "zetl metrics query".
std::string nameOf(const CLI::App& command);

/// What an error about a command begins with: "metrics query: ", and nothing for zetl itself.
std::string titleOf(const CLI::App& command);

/// The names of an app's commands.
std::vector<std::string> commandNames(const CLI::App& app);

/// A refusal of CLI11's in zetl's words: what is wrong, and where to look it up.
std::string refusalText(const CLI::App& app, const CLI::ParseError& refusal);

}  // namespace zetl::command
