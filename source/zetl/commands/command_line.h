// zetl's own words on the command line, and the program's after them.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace zetl::command {

using Words = std::vector<std::string>;

/// Split at the first "--", because CLI11 would also read the program's options.
struct CommandLine {
    Words ours;            // as CLI11 takes them: last first
    Words program;         // after the "--"
    bool divided = false;  // there was a "--"

    CommandLine(int argc, char** argv);
};

/// Throws UsageError if the first words are no command of the app's, and no command of that command's where it has
/// some.
void requireCommand(const CLI::App& app, const CommandLine& line);

/// The program to run: the words after "--", or from the first word that is not an option. In the latter case a "--"
/// belongs to the program. Throws UsageError if there is no program, or for an unknown option.
Words programOf(const CLI::App& command, const CommandLine& line);

/// For a command that runs no program: throws UsageError if there are words left.
void requireNoMore(const CLI::App& command, const CommandLine& line);

}  // namespace zetl::command
