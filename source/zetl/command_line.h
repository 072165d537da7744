// zetl's own words on the command line, and the program's behind them.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace zetl::command {

using Words = std::vector<std::string>;

/// Cut at the first "--". CLI11 would read the program's options too.
struct CommandLine {
    Words ours;            // as CLI11 takes them: last first
    Words program;         // behind the "--"
    bool divided = false;  // there was one

    CommandLine(int argc, char** argv);
};

/// Throws UsageError if the first words are no command of the app's, and no command of that command's where it has
/// some.
void requireCommand(const CLI::App& app, const CommandLine& line);

/// The program that a command is to run: behind "--", or from the first word that is no option; from there on "--" is
/// the program's, too. Throws UsageError if there is none, or for an option that the command does not know.
Words programOf(const CLI::App& command, const CommandLine& line);

/// For a command that runs none: throws UsageError if there are words that it does not know.
void requireNoMore(const CLI::App& command, const CommandLine& line);

}  // namespace zetl::command
