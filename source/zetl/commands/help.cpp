#include "commands/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "text/spelling.h"

namespace zetl::command {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 30;

/// What CLI11 does not know of a command.
struct CommandPage {
    std::string_view command;
    std::string_view usage;
    std::string_view examples;
};

constexpr CommandPage kPages[] = {
    {"zetl", "COMMAND [OPTIONS] [-- PROGRAM [ARGS...]]",
     "zetl run -- ./app               run a program on the emulated GPU\n"
     "zetl trace --emulated -- ./app  record its calls and what the GPU did"},
    {"zetl run", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl run -- ./vector_add\n"
     "zetl run --fail 'zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY' -- ./app\n"
     "zetl run --fail-sweep any=OUT_OF_HOST_MEMORY -- ./app\n"
     "zetl run --schedules 20 -- ./app"},
    {"zetl check", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl check -- ./vector_add\n"
     "zetl check --kinds memory,race --sarif findings.sarif -- ./app"},
    {"zetl diff", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl diff -- ./vector_add\n"
     "zetl diff --device max1550,b580,cri -- ./app\n"
     "zetl diff --opencl --ulps 4 -- ./app"},
    {"zetl coverage", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl coverage -o kernels.info -- ./app\n"
     "zetl coverage --append --html coverage --fail-under 80 -- ctest"},
    {"zetl baseline", "COMMAND [OPTIONS] FILE -- PROGRAM [ARGS...]",
     "zetl baseline save kernels.json -- ./app\n"
     "zetl baseline compare kernels.json -- ./app"},
    {"zetl baseline save", "[OPTIONS] FILE -- PROGRAM [ARGS...]",
     "zetl baseline save kernels.json -- ./app\n"
     "zetl baseline save --device small kernels.json -- ./app"},
    {"zetl baseline compare", "[OPTIONS] FILE -- PROGRAM [ARGS...]",
     "zetl baseline compare kernels.json -- ./app\n"
     "zetl baseline compare --tolerance 1 --markdown changes.md kernels.json -- ./app"},
    {"zetl trace", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl trace --emulated -- ./vector_add\n"
     "zetl trace --functions 'zeMem*' -o '' --csv calls.csv -- ./app"},
    {"zetl report", "[OPTIONS] DIR...",
     "zetl report run1 -o run1.pftrace\n"
     "zetl report run1 -o '' --json -"},
    {"zetl pause", "DIR",
     "zetl trace --recording run1 -- ./server &\n"
     "zetl pause run1"},
    {"zetl resume", "DIR",
     "zetl trace --recording run1 --paused -- ./server &\n"
     "zetl resume run1"},
    {"zetl kernels", "[OPTIONS] FILE | [OPTIONS] -- PROGRAM [ARGS...]",
     "zetl kernels module.bin\n"
     "zetl kernels --emulated -- ./vector_add"},
    {"zetl disasm", "[OPTIONS] FILE | [OPTIONS] -- PROGRAM [ARGS...]",
     "zetl disasm --kernel saxpy module.bin\n"
     "zetl disasm --emulated --iga -- ./vector_add"},
    {"zetl debug", "[OPTIONS] -- PROGRAM [ARGS...] | [OPTIONS] --pid PID",
     "zetl debug -- ./saxpy\n"
     "zetl debug --batch -e 'break saxpy' -e run -e where -- ./saxpy"},
    {"zetl gdbserver", "[OPTIONS] -- PROGRAM [ARGS...] | [OPTIONS] --pid PID",
     "gdb -ex 'target remote | zetl gdbserver -- ./saxpy'\n"
     "gdb -ex 'target remote | zetl gdbserver --pid 4711'"},
    {"zetl env", "[OPTIONS]",
     "eval \"$(zetl env --emulated)\"\n"
     "zetl env --metrics"},
    {"zetl devices", "[OPTIONS]",
     "zetl devices\n"
     "zetl devices --json"},
    {"zetl doctor", "[OPTIONS]",
     "zetl doctor\n"
     "zetl doctor --native --quiet"},
    {"zetl help", "[COMMAND...]",
     "zetl help trace\n"
     "zetl help metrics query"},
    {"zetl completion", "SHELL",
     "source <(zetl completion bash)\n"
     "zetl completion fish > ~/.config/fish/completions/zetl.fish"},
    {"zetl metrics", "COMMAND [OPTIONS] [-- PROGRAM [ARGS...]]",
     "zetl metrics list --emulated\n"
     "zetl metrics query --emulated -- ./vector_add"},
    {"zetl metrics list", "[OPTIONS]",
     "zetl metrics list\n"
     "zetl metrics list --emulated --json -"},
    {"zetl metrics info", "[OPTIONS] [GROUP]",
     "zetl metrics info --emulated ComputeBasic\n"
     "zetl metrics info --csv -"},
    {"zetl metrics query", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl metrics query --emulated -- ./vector_add\n"
     "zetl metrics query --group InstructionMix --csv mix.csv -- ./app"},
    {"zetl metrics stream", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl metrics stream --emulated -- ./vector_add\n"
     "zetl metrics stream --period 100us --csv counters.csv -- ./app"},
    {"zetl metrics calculate", "[OPTIONS] FILE",
     "zetl metrics calculate exported.bin\n"
     "zetl metrics calculate --csv values.csv exported.bin"},
    {"zetl stalls", "[OPTIONS] -- PROGRAM [ARGS...]",
     "zetl stalls --emulated -- ./vector_add\n"
     "zetl stalls --code --kernel saxpy --period 10us -- ./app"},
};

/// What an option takes, and the group of options that it belongs to.
struct OptionKind {
    std::string_view option;
    const char* value;
    std::string_view group;
};

constexpr std::string_view kDevices = "Device";
constexpr std::string_view kSwitches = "Tools API";
constexpr std::string_view kRecording = "What to record";
constexpr std::string_view kMeasuring = "What to measure";
constexpr std::string_view kChecking = "What to look for";
constexpr std::string_view kDebugging = "Debugging";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kOther = "Other";
constexpr std::string_view kGroups[] = {kDevices,  kSwitches,  kRecording, kMeasuring,
                                        kChecking, kDebugging, kOutput,    kOther};

constexpr OptionKind kKinds[] = {
    {"--device", "PROFILE", kDevices},
    {"--compiler", "COMPILER", kDevices},
    {"--emulated", "", kDevices},
    {"--native", "", kDevices},
    {"--gpu", "N", kDevices},
    {"--no-layer", "", kSwitches},
    {"--metrics", "", kSwitches},
    {"--instrumentation", "", kSwitches},
    {"--debugging", "", kSwitches},
    {"--functions", "PATTERNS", kRecording},
    {"--kernels", "PATTERNS", kRecording},
    {"--no-device", "", kRecording},
    {"--paused", "", kRecording},
    {"--lttng", "", kRecording},
    {"--attach", "PID", kRecording},
    {"--mpi", "", kRecording},
    {"--delay", "TIME", kRecording},
    {"--duration", "TIME", kRecording},
    {"--limit", "BYTES", kRecording},
    {"--ranks", "RANKS", kRecording},
    {"--group", "NAME", kMeasuring},
    {"--accuracy", "SHARE", kMeasuring},
    {"--period", "TIME", kMeasuring},
    {"--schedule", "SCHEDULE", kDevices},
    {"--fail", "RULE", kDevices},
    {"--fail-sweep", "RULE", kChecking},
    {"--fail-timeout", "SECONDS", kChecking},
    {"--fail-runs", "N", kChecking},
    {"--schedules", "N", kChecking},
    {"--ulps", "N", kChecking},
    {"--kinds", "LIST", kChecking},
    {"--progress", "SECONDS", kChecking},
    {"--level", "LEVEL", kChecking},
    {"--suppressions", "FILE", kChecking},
    {"--gen-suppressions", "", kChecking},
    {"--stop", "", kChecking},
    {"--stop-script", "FILE", kChecking},
    {"--by", "WHAT", kMeasuring},
    {"--sources", "PATTERNS", kMeasuring},
    {"--tolerance", "PERCENT", kMeasuring},
    {"--time-tolerance", "PERCENT", kMeasuring},
    {"--accept", "", kOutput},
    {"--markdown", "FILE", kOutput},
    {"--append", "", kOutput},
    {"--html", "PATH", kOutput},
    {"--sqlite", "FILE", kOutput},
    {"--otf2", "DIR", kOutput},
    {"--commands", "FILE", kOutput},
    {"--prometheus", "PORT", kOutput},
    {"--fail-under", "PERCENT", kOutput},
    {"--pid", "PID", kDebugging},
    {"--script", "FILE", kDebugging},
    {"--ex", "COMMAND", kDebugging},
    {"--args", "", kDebugging},
    {"--batch", "", kDebugging},
    {"--record", "", kDebugging},
    {"--dap", "", kDebugging},
    {"--directory", "DIR", kDebugging},
    {"--timeline", "FILE", kOutput},
    {"--recording", "DIR", kOutput},
    {"--output", "FILE", kOutput},
    {"--csv", "FILE", kOutput},
    {"--json", "FILE", kOutput},
    {"--format", "FORMAT", kOutput},
    {"--log-file", "FILE", kOutput},
    {"--sarif", "FILE", kOutput},
    {"--junit", "FILE", kOutput},
    {"--github", "", kOutput},
    {"--print-limit", "N", kOutput},
    {"--error-exitcode", "N", kOutput},
    {"--kernel", "NAME", kOutput},
    {"--code", "", kOutput},
    {"--no-source", "", kOutput},
    {"--iga", "", kOutput},
    {"--quiet", "", kOutput},
};

std::string longNameOf(const CLI::Option& option) {
    return option.get_lnames().empty() ? std::string() : "--" + option.get_lnames().front();
}

OptionKind kindOf(const CLI::Option& option) {
    const auto name = longNameOf(option);
    const auto found = std::ranges::find(kKinds, name, &OptionKind::option);
    return found != std::end(kKinds) ? *found : OptionKind{{}, "VALUE", kOther};
}

bool takesValue(const CLI::Option& option) { return option.get_expected_max() > 0; }

/// "-o, --timeline FILE".
std::string termOf(const CLI::Option& option) {
    std::string term;
    for (const auto& name : option.get_snames()) term += (term.empty() ? "-" : ", -") + name;
    if (term.empty()) term = "    ";
    for (const auto& name : option.get_lnames()) term += (term == "    " ? "--" : ", --") + name;
    return takesValue(option) ? term + ' ' + kindOf(option).value : term;
}

std::string descriptionOf(const CLI::Option& option) {
    auto text = option.get_description();
    const auto byDefault = takesValue(option) ? option.get_default_str() : std::string();
    if (!byDefault.empty()) text += fmt::format(" (default: {})", byDefault);
    for (const auto* needed : option.get_needs()) text += fmt::format(" (needs {})", longNameOf(*needed));
    return text;
}

/// A term, and beside it its text, in as many lines as that takes.
std::string entry(const std::string& term, const std::string& text) {
    std::string lines = fmt::format("  {:<{}}", term, kTextColumn - 2);
    std::size_t column = kTextColumn;
    if (term.size() + 4 > kTextColumn) lines += '\n' + std::string(kTextColumn, ' ');
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find(' ', begin), text.size());
        if (column > kTextColumn && column + 1 + end - begin > kWidth) {
            lines += '\n' + std::string(kTextColumn, ' ');
            column = kTextColumn;
        }
        if (column > kTextColumn) lines += ' ';
        lines += text.substr(begin, end - begin);
        column += end - begin + (column > kTextColumn ? 1 : 0);
        begin = end + 1;
    }
    return lines + '\n';
}

std::string argumentList(const CLI::App& command) {
    std::string text;
    for (const auto* each : command.get_options([](const CLI::Option* option) { return option->get_positional(); }))
        text += entry(each->get_name(true), descriptionOf(*each));
    return text.empty() ? text : "\nArguments:\n" + text;
}

std::string optionList(const CLI::App& command) {
    std::string text;
    for (const auto group : kGroups) {
        const auto options = command.get_options(
            [&](const CLI::Option* option) { return option->nonpositional() && kindOf(*option).group == group; });
        if (!options.empty()) text += fmt::format("\n{}:\n", group);
        for (const auto* each : options) text += entry(termOf(*each), descriptionOf(*each));
    }
    return text;
}

std::string commandList(const CLI::App& command) {
    std::string text;
    for (const auto* each : command.get_subcommands([](const CLI::App*) { return true; }))
        text += entry(each->get_name(), each->get_description());
    return text.empty() ? text : fmt::format("\nCommands:\n{}", text);
}

std::string exampleList(const CommandPage& page) {
    std::string text = "\nExamples:\n";
    for (std::size_t begin = 0; begin < page.examples.size();) {
        const auto end = std::min(page.examples.find('\n', begin), page.examples.size());
        text += fmt::format("  {}\n", page.examples.substr(begin, end - begin));
        begin = end + 1;
    }
    return text;
}

std::string usageLines(const CLI::App& command, const CommandPage& page) {
    std::string text;
    for (std::size_t begin = 0; begin < page.usage.size();) {
        constexpr std::string_view kOr = " | ";
        const auto end = std::min(page.usage.find(kOr, begin), page.usage.size());
        text += fmt::format("{} {} {}\n", text.empty() ? "Usage:" : "      ", nameOf(command),
                            page.usage.substr(begin, end - begin));
        begin = end + kOr.size();
    }
    return text;
}

class HelpFormatter : public CLI::FormatterBase {
  public:
    std::string make_help(const CLI::App* command, std::string, CLI::AppFormatMode) const override {
        const auto found = std::ranges::find(kPages, nameOf(*command), &CommandPage::command);
        const CommandPage page = found != std::end(kPages) ? *found : CommandPage{{}, "[OPTIONS]", {}};
        auto text = usageLines(*command, page) + '\n' + command->get_description() + ".\n";
        text += commandList(*command) + argumentList(*command) + optionList(*command);
        if (!page.examples.empty()) text += exampleList(page);
        const bool hasCommands = !command->get_subcommands([](const CLI::App*) { return true; }).empty();
        return hasCommands ? text + fmt::format("\n`{} COMMAND --help` describes one command.\n", nameOf(*command))
                           : text;
    }
};

void addHelp(CLI::App& command, const std::shared_ptr<HelpFormatter>& formatter) {
    command.formatter(formatter);
    command.set_help_flag("-h,--help", "Show this help");
    for (auto* option : command.get_options([](const CLI::Option* each) { return each->nonpositional(); }))
        if (takesValue(*option)) option->type_name(kindOf(*option).value);
    for (auto* each : command.get_subcommands([](const CLI::App*) { return true; })) addHelp(*each, formatter);
}

std::string missingCommand(const CLI::App& command) {
    const auto words = command.remaining();
    const auto names = commandNames(command);
    if (words.empty()) return fmt::format("no command was given; the commands are {}", fmt::join(names, ", "));
    if (words.front().starts_with('-')) return fmt::format("unknown option {}", words.front());
    const auto meant = suggestion(nearest(words.front(), names));
    return fmt::format("unknown command {}{}", words.front(), meant);
}

/// The text after the mark; empty if there is no mark.
std::string after(const std::string& text, std::string_view mark) {
    const auto at = text.find(mark);
    return at == std::string::npos ? std::string() : text.substr(at + mark.size());
}

/// What a number has to be, by CLI11's words: "300 not in range 0 to 255". Ranges without an end go to 1.8e308.
std::string rangeText(const std::string& value) {
    constexpr double kEndless = 1e300;
    double low = 0;
    double high = 0;
    if (std::sscanf(after(value, "not in range ").c_str(), "%lf to %lf", &low, &high) != 2) return "possible";
    if (high < kEndless) return fmt::format("a number from {:.10g} to {:.10g}", low, high);
    return "a positive number";
}

/// What CLI11 says, as a person would.
std::string reasonOf(const CLI::App& command, const CLI::ParseError& refusal) {
    std::string text = refusal.what();
    const auto kind = refusal.get_name();
    const auto name = text.substr(0, text.find(": "));
    if (kind == "RequiredError" && !commandNames(command).empty()) return missingCommand(command);
    if (kind == "RequiredError") return fmt::format("{} is missing", text.substr(0, text.find(' ')));
    if (const auto* option = command.get_option_no_throw(name); kind == "ArgumentMismatch" && option)
        return fmt::format("{0} needs a value: {0} {1}", name, option->nonpositional() ? kindOf(*option).value : "");
    if (const auto words = after(text, "Could not convert: "); !words.empty())
        return fmt::format("{} {}: not a number", words.substr(0, words.find(' ')), after(words, " = "));
    if (const auto other = after(text, " excludes "); !other.empty())
        return fmt::format("{} and {} cannot be used together", text.substr(0, text.find(' ')), other);
    if (const auto value = after(text, ": Value "); !value.empty())
        return fmt::format("{} {}: not {}", name, value.substr(0, value.find(' ')), rangeText(value));
    if (const auto file = after(text, "File does not exist: "); !file.empty()) return file + ": no such file";
    if (const auto file = after(text, "File is actually a directory: "); !file.empty())
        return file + ": a directory, not a file";
    if (const auto file = after(text, "Directory does not exist: "); !file.empty()) return file + ": no such directory";
    return text;
}

}  // namespace

void addHelp(CLI::App& app) { addHelp(app, std::make_shared<HelpFormatter>()); }

std::string nameOf(const CLI::App& command) {
    const auto* const parent = command.get_parent();
    return parent ? nameOf(*parent) + ' ' + command.get_name() : command.get_name();
}

std::string titleOf(const CLI::App& command) {
    const auto name = nameOf(command);
    const auto blank = name.find(' ');
    return blank == std::string::npos ? std::string() : name.substr(blank + 1) + ": ";
}

std::vector<std::string> commandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::string refusalText(const CLI::App& app, const CLI::ParseError& refusal) {
    const auto* command = &app;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return fmt::format("{}{}; `{} --help` lists what is possible", titleOf(*command), reasonOf(*command, refusal),
                       nameOf(*command));
}

}  // namespace zetl::command
