#include "commands/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "commands/help.h"
#include "text/spelling.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

bool isOption(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

Words optionsOf(const CLI::App& command) {
    Words names;
    for (const auto* option : command.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// Throws if the first word that CLI11 could not place is an option, which the command then does not have.
void requireNoOption(const CLI::App& command, const Words& unplaced) {
    if (unplaced.empty() || !isOption(unplaced.front())) return;
    const auto name = unplaced.front().substr(0, unplaced.front().find('='));
    const auto meant = suggestion(nearest(name, optionsOf(command)));
    throw UsageError(fmt::format("{}unknown option {}{}; `{} --help` lists the options", titleOf(command),
                                 unplaced.front(), meant, nameOf(command)));
}

}  // namespace

CommandLine::CommandLine(int argc, char** argv) {
    const Words all(argv + 1, argv + argc);
    const auto cut = std::find(all.begin(), all.end(), "--");
    ours.assign(std::make_reverse_iterator(cut), all.rend());
    divided = cut != all.end();
    if (divided) program.assign(cut + 1, all.end());
}

void requireCommand(const CLI::App& app, const CommandLine& line) {
    const auto* command = &app;
    std::string path;
    for (auto word = line.ours.rbegin(); !commandNames(*command).empty(); ++word) {
        const auto names = commandNames(*command);
        if (word == line.ours.rend())
            throw UsageError(fmt::format("{}no command was given; the commands are {}; `zetl {}--help` describes them",
                                         titleOf(*command), fmt::join(names, ", "), path));
        if (isOption(*word)) return;  // CLI11 knows what it means, or refuses it
        if (std::find(names.begin(), names.end(), *word) == names.end())
            throw UsageError(
                fmt::format("{}unknown command {}{}", titleOf(*command), *word, alternatives(*word, names)));
        path += *word + " ";
        command = command->get_subcommand(*word);
    }
}

namespace {

/// What the command needs in front of the program: " FILE", or nothing.
std::string argumentNames(const CLI::App& command) {
    std::string names;
    for (const auto* option : command.get_options([](const CLI::Option* each) { return each->get_positional(); }))
        names += ' ' + option->get_single_name();
    return names;
}

}  // namespace

Words programOf(const CLI::App& command, const CommandLine& line) {
    Words words = command.remaining();
    requireNoOption(command, words);
    if (!words.empty() && line.divided) words.emplace_back("--");
    words.insert(words.end(), line.program.begin(), line.program.end());
    if (words.empty())
        throw UsageError(fmt::format("{}no program was given; type {}{} -- PROGRAM [ARGS...]", titleOf(command),
                                     nameOf(command), argumentNames(command)));
    return words;
}

void requireNoMore(const CLI::App& command, const CommandLine& line) {
    const auto words = command.remaining();
    requireNoOption(command, words);
    if (!words.empty()) throw UsageError(fmt::format("{}unexpected argument {}", titleOf(command), words.front()));
    if (line.divided)
        throw UsageError(fmt::format("{}no program is run; leave out -- and the words after it", titleOf(command)));
}

}  // namespace zetl::command
