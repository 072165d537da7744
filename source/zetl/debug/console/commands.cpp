// Running, stopping, breakpoints. What is looked at: commands_inspect.cpp.
#include "console/commands.h"

#include <algorithm>
#include <fstream>

#include "console/console.h"
#include "console/inspect.h"
#include "core/address.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

unsigned numberIn(const std::string& text, const char* what) {
    const auto number = numberFrom(text);
    if (!number || *number > UINT32_MAX) fail("{}: no number of a {}", text, what);
    return static_cast<unsigned>(*number);
}

void requireAlive(Console& console) {
    if (!console.session().isAlive()) fail("nothing is being debugged: run, or attach PID");
}

void run(Console& console, const std::string&) {
    if (!console.session().start())
        return console.print("The program ended before it could be debugged, with code {}.\n",
                             console.session().exitCode());
    console.report(console.session().proceed());
}

void attach(Console& console, const std::string& arguments) {
    console.session().attach(numberIn(arguments, "process"));
    console.report(console.session().interrupt());
}

void detach(Console& console, const std::string&) {
    const auto pid = console.session().pid();
    console.session().detach();
    console.print("Process {} goes on alone.\n", pid);
}

void kill(Console& console, const std::string&) { console.session().kill(); }

void quit(Console& console, const std::string&) { console.end(); }

void proceed(Console& console, const std::string&) {
    requireAlive(console);
    console.report(console.session().proceed());
}

void interrupt(Console& console, const std::string&) {
    requireAlive(console);
    console.report(console.session().interrupt());
}

template <Step how>
void step(Console& console, const std::string& arguments) {
    requireAlive(console);
    const auto times = arguments.empty() ? 1 : numberIn(arguments, "step");
    for (unsigned i = 0; i < times; ++i) {
        const auto stop = console.session().step(how);
        const bool isLast = i + 1 == times || stop.kind != Stop::Kind::step;
        if (isLast) return console.report(stop);
    }
}

void addBreakpoint(Console& console, const std::string& arguments, bool temporary) {
    const auto cut = (" " + arguments).find(" if ");
    auto place = arguments.substr(0, cut == std::string::npos ? cut : cut > 0 ? cut - 1 : 0);
    place.resize(place.find_last_not_of(' ') + 1);
    auto& session = console.session();
    if (place.empty() && session.isAlive()) place = fmt::format("*{:#x}", session.frame().address);
    auto& breakpoint = session.control().breakpoints().add(place, session.file(), temporary);
    if (cut != std::string::npos) breakpoint.condition = arguments.substr(cut + 3);
    if (breakpoint.addresses.empty())
        return console.print("Breakpoint {} at {} waits for a module that has it.\n", breakpoint.number, place);
    for (const auto address : breakpoint.addresses) {
        const auto line = session.control().modules().lineAt(address);
        console.print("Breakpoint {} at {:#x}{}\n", breakpoint.number, address,
                      line ? fmt::format(": {}:{}", line.file, line.line) : "");
    }
}
void breakAt(Console& console, const std::string& arguments) { addBreakpoint(console, arguments, false); }
void breakOnce(Console& console, const std::string& arguments) { addBreakpoint(console, arguments, true); }

void condition(Console& console, const std::string& arguments) {
    const auto [number, expression] = firstWord(arguments);
    console.session().control().breakpoints().at(numberIn(number, "breakpoint")).condition = expression;
}

void removeBreakpoint(Console& console, const std::string& arguments) {
    auto& control = console.session().control();
    const auto [first, rest] = firstWord(arguments);
    if (first == "watch") return control.unwatch(numberIn(rest, "watch"));
    if (first.empty()) return control.breakpoints().removeAll();
    control.breakpoints().remove(numberIn(first, "breakpoint"));
}

void enable(Console& console, const std::string& arguments) {
    console.session().control().breakpoints().enable(numberIn(arguments, "breakpoint"), true);
}
void disable(Console& console, const std::string& arguments) {
    console.session().control().breakpoints().enable(numberIn(arguments, "breakpoint"), false);
}

struct Watched {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool isLocal = false;
};

/// "*0x7f00 16" and "local:12 4", with 4 bytes where no number is given; else an expression.
Watched watchedBy(Session& session, const std::string& arguments) {
    constexpr std::string_view kGlobal = "*";
    constexpr std::string_view kLocal = "local:";
    constexpr std::uint64_t kWord = 4;
    const bool isLocal = arguments.starts_with(kLocal);
    const auto [place, length] = firstWord(arguments);
    const auto bytes = [&, &words = length] { return words.empty() ? kWord : numberIn(words, "byte"); };
    if (isLocal || arguments.starts_with("*0x")) {
        const auto address = numberFrom(std::string_view(place).substr((isLocal ? kLocal : kGlobal).size()));
        if (!address) fail("{}: no address", place);
        return {*address, bytes(), isLocal};
    }
    auto inspector = session.inspector();
    const auto value = evaluateExpression(arguments, inspector);
    if (!value.missing.empty()) fail("{}", value.missing);
    const auto address = asBits(scalarOf(inspector.addressOf(value)));
    const bool isOfGroup = value.place && value.place->isLocal;
    return {isOfGroup ? address & kLocalOffset : address, value.data.size(), isOfGroup};
}

// "watch sum[3]", "watch *0x7f00 16", or "watch local:12".
void watch(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& control = session.control();
    const auto what = watchedBy(session, arguments);
    const auto number = what.isLocal ? control.watchLocal(arguments, session.thread(), what.address, what.bytes)
                                     : control.watch(arguments, what.address, what.bytes);
    console.print("Watch {}: {} bytes at {:#x}{}; threads run one instruction at a time now\n", number, what.bytes,
                  what.address, what.isLocal ? " of the work-group's local memory" : "");
}

void directory(Console& console, const std::string& arguments) { console.session().source().addDirectory(arguments); }

void sourceScript(Console& console, const std::string& arguments) {
    std::ifstream in(arguments);
    if (!in) fail("{} cannot be read", arguments);
    for (std::string line; !console.isOver() && std::getline(in, line);)
        if (!console.execute(line)) fail("{}: the rest is left out", arguments);
}

void echo(Console& console, const std::string& arguments) { console.print("{}\n", arguments); }

void help(Console& console, const std::string& arguments) {
    for (const auto& each : commands()) {
        if (!arguments.empty() && &each != &commandFor(arguments)) continue;
        const auto name = each.shortName ? fmt::format("{}, {}", each.name, each.shortName) : each.name;
        console.print("{:<16}{:<26}{}\n", name, each.arguments, each.help);
    }
}

}  // namespace

std::pair<std::string, std::string> firstWord(const std::string& text) {
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    const auto end = std::min(text.find_first_of(" \t", begin), text.size());
    const auto rest = std::min(text.find_first_not_of(" \t", end), text.size());
    const auto last = text.find_last_not_of(" \t\r");
    return {text.substr(begin, end - begin), rest < text.size() ? text.substr(rest, last + 1 - rest) : ""};
}

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"run", "r", "", "Start the program and stop at the first breakpoint", run},
        {"attach", nullptr, "PID", "Debug a process that runs already", attach},
        {"detach", nullptr, "", "Let the debuggee go on alone", detach},
        {"kill", nullptr, "", "End the program that was started here", kill},
        {"quit", "q", "", "End the debugger", quit},
        {"continue", "c", "", "Let all threads run; Ctrl-C stops them", proceed},
        {"interrupt", nullptr, "", "Stop what runs on the device", interrupt},
        {"step", "s", "[TIMES]", "To the next line of this work-item, into functions", step<Step::intoLine>},
        {"next", "n", "[TIMES]", "To the next line of this work-item, over functions", step<Step::overLine>},
        {"stepi", "si", "[TIMES]", "One instruction", step<Step::instruction>},
        {"nexti", "ni", "[TIMES]", "One instruction, over calls", step<Step::overInstruction>},
        {"finish", nullptr, "", "To the end of this function", step<Step::out>},
        {"break", "b", "PLACE [if CONDITION]", "Stop at KERNEL, FILE:LINE, LINE, *ADDRESS, or entry: at every kernel",
         breakAt},
        {"tbreak", nullptr, "PLACE [if CONDITION]", "The same, once", breakOnce},
        {"condition", nullptr, "NUMBER [CONDITION]", "When the breakpoint is to stop, for a lane", condition},
        {"delete", "d", "[NUMBER | watch NUMBER]", "Remove a breakpoint, or all, or a watch", removeBreakpoint},
        {"enable", nullptr, "NUMBER", "Let the breakpoint stop again", enable},
        {"disable", nullptr, "NUMBER", "Let the breakpoint not stop", disable},
        {"watch", nullptr, "EXPRESSION | *ADDRESS [BYTES] | local:OFFSET [BYTES]",
         "Stop when global or local memory changes", watch},
        {"where", "bt", "", "The chain of calls, with those that are inlined", printFrames},
        {"frame", "f", "[NUMBER]", "Select a frame", selectFrame},
        {"up", nullptr, "", "Select the caller", selectCaller},
        {"down", nullptr, "", "Select the function called", selectCalled},
        {"list", "l", "[PLACE]", "Source around a place, or where the last list ended", list},
        {"disassemble", nullptr, "[PLACE]", "Instructions of the line, or from a place", disassemble},
        {"threads", nullptr, "", "Threads that stand still, by work-group", printThreads},
        {"thread", "t", "[S.SS.EU.T]", "Select a hardware thread", selectThread},
        {"item", nullptr, "X [Y [Z]]", "Select a work-item by its global id", selectItem},
        {"lane", nullptr, "[NUMBER]", "Select a lane of the thread", selectLane},
        {"print", "p", "[/FORMAT] EXPRESSION", "A variable, $register, or expression; assignments change it", print},
        {"set", nullptr, "VARIABLE = EXPRESSION", "Change a variable", assign},
        {"x", nullptr, "[/COUNT FORMAT SIZE] ADDRESS", "Memory; local:OFFSET for the work-group's", examine},
        {"info", "i", "WHAT", "breakpoints, threads, locals, args, registers, kernels, modules, devices, source, watch",
         info},
        {"directory", nullptr, "PATH", "Look for sources there, too", directory},
        {"source", nullptr, "FILE", "Carry out the commands of a file", sourceScript},
        {"echo", nullptr, "TEXT", "Print the text", echo},
        {"help", "h", "[COMMAND]", "This list", help},
    };
    return all;
}

const Command& commandFor(const std::string& typed) {
    const auto word = typed == "backtrace" ? "where" : typed.substr(0, typed.find('/'));
    const Command* found = nullptr;
    for (const auto& each : commands()) {
        if (word == each.name || (each.shortName && word == each.shortName)) return each;
        if (!std::string_view(each.name).starts_with(word)) continue;
        if (found) fail("{}: {} or {}?", word, found->name, each.name);
        found = &each;
    }
    if (!found) fail("{} is no command; help lists them", word);
    return *found;
}

}  // namespace zetl::debugger
