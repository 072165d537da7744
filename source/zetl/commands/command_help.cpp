// `zetl help` and `zetl completion`: what is said of the other commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "commands/commands.h"
#include "commands/completion.h"
#include "commands/help.h"
#include "text/spelling.h"
#include "text/usage_error.h"

namespace zetl::command {

/// `zetl help COMMAND`, as people know it from other tools.
void addHelpCommand(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("help", "Show the help of zetl or of a command");
    auto words = std::make_shared<Words>();
    command->add_option("COMMAND", *words, "A command, such as `trace` or `metrics query`");
    command->allow_extras();
    command->callback([=, &app] {
        requireNoMore(*command, call.line);
        const CLI::App* described = &app;
        for (const auto& word : *words) {
            const auto names = commandNames(*described);
            if (std::find(names.begin(), names.end(), word) == names.end())
                throw UsageError(fmt::format("help: {} has no command {}{}", nameOf(*described), word,
                                             suggestion(nearest(word, names))));
            described = described->get_subcommand(word);
        }
        // CLI11 would show that of the command it has just read.
        fmt::print("{}", described->get_formatter()->make_help(described, "", CLI::AppFormatMode::Normal));
    });
}

void addCompletion(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("completion", "Print a shell's completion script for zetl");
    auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
    command->allow_extras();
    command->callback([=, &app] {
        requireNoMore(*command, call.line);
        const auto script = completionFor(app, *shell);
        if (script.empty())
            throw UsageError(fmt::format("completion: there is none for {}; the shells are {}", *shell,
                                         fmt::join(completedShells(), ", ")));
        fmt::print("{}", script);
    });
}

}  // namespace zetl::command
