#include "commands/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "commands/help.h"

namespace zetl::command {
namespace {

/// What follows an option.
enum class Value { none, file, directory, word };

struct OptionWords {
    std::vector<std::string> names;  // "-o", "--timeline"
    std::string text;
    Value value = Value::none;
};

/// One command: "zetl metrics query".
struct CommandWords {
    std::string path;
    std::string text;
    std::vector<OptionWords> options;
    std::vector<std::string> commands;  // below it
    Value argument = Value::none;
};

Value valueOf(const std::string& kind) {
    if (kind.find("FILE") != std::string::npos || kind == "PATH" || kind == "PROFILE") return Value::file;
    return kind == "DIR" ? Value::directory : Value::word;
}

OptionWords wordsOf(const CLI::Option& option) {
    OptionWords words;
    for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
    words.text = option.get_description();
    if (option.get_expected_max() > 0) words.value = valueOf(option.get_type_name());
    return words;
}

void collect(const CLI::App& command, std::vector<CommandWords>& all) {
    CommandWords words{nameOf(command), command.get_description(), {}, commandNames(command), Value::none};
    for (const auto* option : command.get_options([](const CLI::Option*) { return true; }))
        if (option->nonpositional())
            words.options.push_back(wordsOf(*option));
        else
            words.argument = valueOf(option->get_name(true));
    all.push_back(std::move(words));
    for (const auto* each : command.get_subcommands([](const CLI::App*) { return true; })) collect(*each, all);
}

std::vector<CommandWords> allCommands(const CLI::App& app) {
    std::vector<CommandWords> all;
    collect(app, all);
    return all;
}

/// In single quotes, for any of the shells.
std::string quoted(std::string_view text, std::string_view quote) {
    std::string result = "'";
    for (const char each : text) result += each == '\'' ? std::string(quote) : std::string(1, each);
    return result + "'";
}

constexpr std::string_view kPosixQuote = "'\\''";
constexpr std::string_view kFishQuote = "\\'";

/// All command paths but "zetl", as patterns of `case`.
std::string pathPatterns(const std::vector<CommandWords>& all) {
    std::vector<std::string> paths;
    for (const auto& each : all)
        if (each.path.find(' ') != std::string::npos) paths.push_back(quoted(each.path, kPosixQuote));
    return fmt::format("{}", fmt::join(paths, "|"));
}

/// "'zetl run '--device|..." : patterns of `case` for the options of a command that take such a value.
std::string valuePatterns(const CommandWords& command, Value value) {
    std::vector<std::string> patterns;
    for (const auto& option : command.options)
        for (const auto& name : option.names)
            if (option.value == value) patterns.push_back(quoted(command.path + ' ' + name, kPosixQuote));
    return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string valueCases(const std::vector<CommandWords>& all, Value value, std::string_view action) {
    std::string lines;
    for (const auto& each : all)
        if (const auto patterns = valuePatterns(each, value); !patterns.empty())
            lines += fmt::format("    {}) {}; return ;;\n", patterns, action);
    return lines;
}

std::string bash(const std::vector<CommandWords>& all) {
    std::string choices;
    for (const auto& each : all) {
        std::vector<std::string> words = each.commands;
        for (const auto& option : each.options) words.insert(words.end(), option.names.begin(), option.names.end());
        choices += fmt::format("    {}) words={} ;;\n", quoted(each.path, kPosixQuote),
                               quoted(fmt::format("{}", fmt::join(words, " ")), kPosixQuote));
    }
    return fmt::format(R"(# bash completion for zetl, written by `zetl completion bash`
_zetl() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path=zetl words= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${{COMP_WORDS[i]}} == -- ]]; then
            if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
            return
        fi
        case "$path ${{COMP_WORDS[i]}}" in
        {0}) path+=" ${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$path $before" in
{1}{2}{3}    esac
    case $path in
{4}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ $path == zetl || $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _zetl zetl
)",
                       pathPatterns(all), valueCases(all, Value::file, R"(COMPREPLY=($(compgen -f -- "$current")))"),
                       valueCases(all, Value::directory, R"(COMPREPLY=($(compgen -d -- "$current")))"),
                       valueCases(all, Value::word, "COMPREPLY=()"), choices);
}

/// "name:text" for _describe, where a colon in the name or text would divide.
std::string described(const std::string& name, const std::string& text) {
    std::string plain;
    for (const char each : text) plain += each == ':' ? std::string("\\:") : std::string(1, each);
    return quoted(name + ':' + plain, kPosixQuote);
}

std::string textOf(const std::vector<CommandWords>& all, const std::string& path) {
    for (const auto& each : all)
        if (each.path == path) return each.text;
    return {};
}

std::string zsh(const std::vector<CommandWords>& all) {
    std::string choices;
    for (const auto& each : all) {
        std::vector<std::string> commands;
        for (const auto& name : each.commands) commands.push_back(described(name, textOf(all, each.path + ' ' + name)));
        std::vector<std::string> options;
        for (const auto& option : each.options)
            for (const auto& name : option.names) options.push_back(described(name, option.text));
        choices += fmt::format("    {}) commands=({}); options=({}) ;;\n", quoted(each.path, kPosixQuote),
                               fmt::join(commands, " "), fmt::join(options, " "));
    }
    return fmt::format(R"(#compdef zetl
# zsh completion for zetl, written by `zetl completion zsh`
_zetl() {{
    local at=zetl word i
    local -a commands options
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        if [[ $word == -- ]]; then
            shift $i words
            ((CURRENT -= i))
            _normal
            return
        fi
        case "$at $word" in
        {0}) at+=" $word" ;;
        esac
    done
    case "$at $words[CURRENT-1]" in
{1}{2}{3}    esac
    case $at in
{4}    esac
    if [[ $words[CURRENT] == -* ]]; then
        _describe -o option options
        return
    fi
    (($#commands)) && _describe command commands
    [[ $at == zetl ]] || _files
}}
if [[ $funcstack[1] == _zetl ]]; then _zetl "$@"; else compdef _zetl zetl; fi
)",
                       pathPatterns(all), valueCases(all, Value::file, "_files"),
                       valueCases(all, Value::directory, "_files -/"), valueCases(all, Value::word, "_message value"),
                       choices);
}

std::string fishOption(const CommandWords& command, const OptionWords& option) {
    std::string names;
    for (const auto& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    constexpr const char* kValues[] = {"", " -r -F", " -x -a '(__fish_complete_directories)'", " -x"};
    return fmt::format("complete -c zetl -n '__zetl_at {}'{}{} -d {}\n", command.path, names,
                       kValues[static_cast<int>(option.value)], quoted(option.text, kFishQuote));
}

std::string fish(const std::vector<CommandWords>& all) {
    std::vector<std::string> paths;
    std::string rules;
    for (const auto& each : all) {
        if (each.path.find(' ') != std::string::npos) paths.push_back(quoted(each.path, kFishQuote));
        for (const auto& name : each.commands)
            rules += fmt::format("complete -c zetl -n '__zetl_at {}' -f -a {} -d {}\n", each.path, name,
                                 quoted(textOf(all, each.path + ' ' + name), kFishQuote));
        for (const auto& option : each.options) rules += fishOption(each, option);
    }
    return fmt::format(R"(# fish completion for zetl, written by `zetl completion fish`
function __zetl_at
    set -l at zetl
    for word in (commandline -opc)[2..-1]
        if test "$word" = --
            return 1
        end
        if contains -- "$at $word" {0}
            set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete -c zetl -n '__zetl_at zetl' -f
{1})",
                       fmt::join(paths, " "), rules);
}

}  // namespace

std::vector<std::string> completedShells() { return {"bash", "zsh", "fish"}; }

std::string completionFor(const CLI::App& app, const std::string& shell) {
    if (shell == "bash") return bash(allCommands(app));
    if (shell == "zsh") return zsh(allCommands(app));
    if (shell == "fish") return fish(allCommands(app));
    return {};
}

}  // namespace zetl::command
