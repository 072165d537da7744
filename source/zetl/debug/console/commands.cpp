// Running, stopping, breakpoints. Inspection is in inspect.cpp and values.cpp.
#include "console/commands.h"

#include <wordexp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <tuple>

#include "console/console.h"
#include "console/images.h"
#include "console/inspect.h"
#include "console/many_breakpoints.h"
#include "console/schedules.h"
#include "console/settings.h"
#include "console/values.h"
#include "core/address.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

unsigned numberIn(const std::string& text, const char* what) {
    if (text.empty()) fail("the number of a {} is missing; type it behind the command", what);
    const auto number = numberFrom(text);
    if (!number || *number > UINT32_MAX) fail("{}: not the number of a {}; type digits only", text, what);
    return static_cast<unsigned>(*number);
}

void requireAlive(Console& console) {
    if (!console.session().isAlive()) fail("{}", kNothingDebugged);
}

void run(Console& console, const std::string& arguments) {
    const auto words = shellWords(arguments);
    endFormerRun(console);
    if (!words.empty()) console.session().setArguments(words);
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
    console.print("Detached from process {}.\n", pid);
}

void kill(Console& console, const std::string&) { console.session().kill(); }

void layout(Console&, const std::string&) {
    fail(
        "layout: libedit, by which zetl edits lines, has no windows; list shows source lines, display shows values at "
        "every stop, and an editor (zetl debug --dap) shows both in windows");
}

void quit(Console& console, const std::string&) { console.end(); }

/// Continues to the given hit of the breakpoints that stopped the program, by ignoring the hits before.
void proceed(Console& console, const std::string& arguments) {
    requireAlive(console);
    const auto times = arguments.empty() ? 1 : numberIn(arguments, "hit");
    if (times > 1 && console.stoppedBy.empty())
        fail("continue {}: the program did not stop at a breakpoint, whose hits the number counts; type continue",
             times);
    for (const auto number : console.stoppedBy)
        if (times > 1) console.session().control().breakpoints().at(number).ignored = times - 1;
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

template <Step how>
void stepBack(Console& console, const std::string& arguments) {
    requireAlive(console);
    const auto times = arguments.empty() ? 1 : numberIn(arguments, "step");
    for (unsigned i = 0; i < times; ++i) {
        const auto stop = console.session().stepBack(how);
        const bool isLast = i + 1 == times || stop.kind != Stop::Kind::step;
        if (isLast) return console.report(stop);
    }
}

void proceedBack(Console& console, const std::string&) {
    requireAlive(console);
    console.report(console.session().proceedBack());
}

void goToBeginning(Console& console, const std::string&) {
    requireAlive(console);
    console.report(console.session().toBeginning());
}

void goToPresent(Console& console, const std::string&) {
    requireAlive(console);
    console.report(console.session().toPresent());
}

void record(Console& console, const std::string&) {
    auto& session = console.session();
    session.record();
    if (session.isAlive()) console.print("The launches of the next run are recorded.\n");
}

void addBreakpoint(Console& console, const std::string& arguments, bool temporary) {
    const auto cut = (" " + arguments).find(" if ");
    auto place = arguments.substr(0, cut == std::string::npos ? cut : cut > 0 ? cut - 1 : 0);
    place.resize(place.find_last_not_of(' ') + 1);
    auto& session = console.session();
    if (place.empty() && session.isAlive()) place = "*$pc";
    place = placeWithAddress(console, place);
    auto& breakpoint = session.control().breakpoints().add(place, session.file(), temporary);
    if (cut != std::string::npos) breakpoint.condition = arguments.substr(cut + 3);
    if (breakpoint.addresses.empty())
        return console.print("Breakpoint {} at {} is pending: no module has it yet.\n", breakpoint.number, place);
    for (const auto address : breakpoint.addresses) {
        const auto line = session.control().modules().lineAt(address);
        console.print("Breakpoint {} at {:#x}{}\n", breakpoint.number, address,
                      line ? fmt::format(": {}:{}", line.file, line.line) : "");
    }
}
void breakAt(Console& console, const std::string& arguments) { addBreakpoint(console, arguments, false); }
void breakOnce(Console& console, const std::string& arguments) { addBreakpoint(console, arguments, true); }

void start(Console& console, const std::string& arguments) {
    endFormerRun(console);
    breakOnce(console, "entry");
    run(console, arguments);
}

/// Runs all threads until the selected work-item reaches the place.
void advance(Console& console, const std::string& arguments) {
    requireAlive(console);
    auto& session = console.session();
    const auto* item = session.items().at(session.lane());
    if (!item || !session.items().known)
        fail("the work-item of this thread is unknown; give the place a condition instead");
    const auto place = placeWithAddress(console, arguments);
    auto& added = session.control().breakpoints().add(place, session.file(), true);
    const auto number = added.number;
    if (added.addresses.empty()) {
        session.control().breakpoints().remove(number);
        fail("cannot find {}", place);
    }
    added.condition = fmt::format("$global_x == {} && $global_y == {} && $global_z == {}", item->global[0],
                                  item->global[1], item->global[2]);
    auto stop = session.proceed();
    auto& breakpoints = session.control().breakpoints();
    const auto left = std::ranges::find(breakpoints.all(), number, &Breakpoint::number);
    if (left != breakpoints.all().end()) breakpoints.remove(number);
    // The breakpoint is nobody's: it is an arrival, like that of a step.
    const bool isArrival = std::erase(stop.breakpoints, number) > 0 && stop.breakpoints.empty();
    if (isArrival) {
        stop.kind = Stop::Kind::step;
        stop.others = 0;
    }
    console.report(stop);
}

/// Without a place, like next, but not back to the beginning of a loop.
void until(Console& console, const std::string& arguments) {
    if (!arguments.empty()) return advance(console, arguments);
    requireAlive(console);
    auto& session = console.session();
    const auto from = session.frame();
    const auto depth = session.frames().size();
    for (;;) {
        const auto stop = session.step(Step::overLine);
        const bool isBack = stop.kind == Stop::Kind::step && session.frames().size() == depth &&
                            session.frame().function == from.function && session.frame().line.line <= from.line.line;
        if (!isBack) return console.report(stop);
    }
}

void condition(Console& console, const std::string& arguments) {
    const auto [number, expression] = firstWord(arguments);
    console.session().control().breakpoints().at(breakpointIn(console, number)).condition = expression;
}

void ignore(Console& console, const std::string& arguments) {
    const auto [number, count] = firstWord(arguments);
    auto& breakpoint = console.session().control().breakpoints().at(breakpointIn(console, number));
    breakpoint.ignored = numberIn(count, "hit");
    console.print("Breakpoint {} stops after {} more hits.\n", breakpoint.number, breakpoint.ignored);
}

/// Without a number, for the breakpoint that was set last.
void setCommands(Console& console, const std::string& arguments) {
    auto& breakpoints = console.session().control().breakpoints();
    if (arguments.empty() && breakpoints.all().empty()) fail("{}", kNoBreakpoint);
    const auto number = arguments.empty() ? breakpoints.all().back().number : breakpointIn(console, arguments);
    console.collectCommandsOf(breakpoints.at(number).number);
}

/// `end` outside of a list of commands.
void endCommands(Console&, const std::string&) {
    fail("there is no list of commands to end; commands NUMBER begins one");
}

void removeBreakpoint(Console& console, const std::string& arguments) {
    auto& control = console.session().control();
    auto [first, rest] = firstWord(arguments);
    if (first == "watch") return control.unwatch(numberIn(rest, "watch"));
    if (first == "display") return undisplay(console, rest);
    if (first.empty()) {
        control.unwatchAll();
        return control.breakpoints().removeAll();
    }
    for (; !first.empty(); std::tie(first, rest) = firstWord(rest))
        control.breakpoints().remove(breakpointIn(console, first));
}

/// Deletes the breakpoints at a place, or at the selected frame.
void clear(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& breakpoints = session.control().breakpoints();
    const auto place = placeWithAddress(console, arguments.empty() ? "*$pc" : arguments);
    std::set<unsigned> numbers;
    for (const auto address : session.control().modules().resolve(place, session.file()))
        for (const auto* each : breakpoints.hitAt(address)) numbers.insert(each->number);
    if (numbers.empty())
        fail("there is no breakpoint at {}; type info breakpoints for a list",
             arguments.empty() ? "this place" : arguments);
    for (const auto number : numbers) breakpoints.remove(number);
    console.print("Deleted {}\n", fmt::join(numbers, ", "));
}

/// Breakpoints by number, or all of them.
template <bool on>
void enable(Console& console, const std::string& arguments) {
    auto& breakpoints = console.session().control().breakpoints();
    if (arguments.empty())
        for (const auto& each : breakpoints.all()) breakpoints.enable(each.number, on);
    for (auto [first, rest] = firstWord(arguments); !first.empty(); std::tie(first, rest) = firstWord(rest))
        breakpoints.enable(breakpointIn(console, first), on);
}

struct Watched {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool isLocal = false;
    const Type* type = nullptr;
    std::shared_ptr<const Type> made{};  ///< owns the type, if an expression made it
};

/// "*0x7f00 16" and "local:12 4", with 4 bytes by default; otherwise an expression.
Watched watchedBy(Session& session, const std::string& arguments) {
    constexpr std::string_view kGlobal = "*";
    constexpr std::string_view kLocal = "local:";
    constexpr std::uint64_t kWord = 4;
    const bool isLocal = arguments.starts_with(kLocal);
    const auto [place, length] = firstWord(arguments);
    const auto bytes = [&, &words = length] { return words.empty() ? kWord : numberIn(words, "byte"); };
    if (isLocal || arguments.starts_with("*0x")) {
        const auto address = numberFrom(std::string_view(place).substr((isLocal ? kLocal : kGlobal).size()));
        if (!address) fail("{}: not an address; type 0x and hexadecimal digits", place);
        return {*address, bytes(), isLocal, nullptr, {}};
    }
    auto inspector = session.inspector();
    const auto value = evaluateExpression(arguments, inspector);
    if (!value.missing.empty()) fail("{}", value.missing);
    const auto address = asBits(scalarOf(inspector.addressOf(value)));
    const bool isOfGroup = value.place && value.place->isLocal;
    return {isOfGroup ? address & kLocalOffset : address, value.data.size(), isOfGroup, value.type, value.made};
}

// "watch sum[3]", "watch *0x7f00 16", or "watch local:12".
void watch(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& control = session.control();
    const auto what = watchedBy(session, arguments);
    const auto number = what.isLocal
                            ? control.watchLocal(arguments, session.thread(), what.address, what.bytes, what.type)
                            : control.watch(arguments, what.address, what.bytes, what.type);
    console.print("Watch {}: {} bytes at {:#x}{}{}\n", number, what.bytes, what.address,
                  what.isLocal ? " of the work-group's local memory" : "",
                  control.watchesItself() ? "" : "; threads now run one instruction at a time");
}

/// Checks begin with the program.
void check(Console& console, const std::string& arguments) {
    if (!console.checks) fail("check: this debugger has no checks; use zetl debug with the emulated GPU");
    const auto [word, kinds] = firstWord(arguments);
    if (word != "on" && (word != "off" || !kinds.empty()))
        fail("{}: type check on [KINDS], or check off", asTyped("check", arguments));
    console.session().setVariables(word == "on" ? console.checks->on(kinds) : console.checks->off());
    if (console.session().isAlive()) console.print("Type run to start the program again with this.\n");
}

/// As a value of the type, or byte by byte.
std::string shownBytes(const Bytes& bytes, const Type* type) {
    if (type != nullptr) return textOf(Value{type, bytes, std::nullopt, false, ""});
    return fmt::format("{:02x}", fmt::join(bytes, " "));
}

/// "who wrote sum", "who read *0x7f00 16", "who wrote local:12".
void who(Console& console, const std::string& arguments) {
    const auto [verb, what] = firstWord(arguments);
    const bool reads = verb == "read";
    if ((!reads && verb != "wrote") || what.empty()) fail("type who wrote EXPRESSION, or who read EXPRESSION");
    requireAlive(console);
    auto& session = console.session();
    const auto watched = watchedBy(session, what);
    const auto valueNow = [&] {
        const auto& memory = session.control().memory();
        const auto data = watched.isLocal ? memory.readLocal(session.thread(), watched.address, watched.bytes)
                                          : memory.read(watched.address, watched.bytes);
        return data ? shownBytes(*data, watched.type) : std::string("unknown");
    };
    const auto later = valueNow();
    const auto stop = session.toAccess(watched.address, watched.bytes, watched.isLocal, reads);
    console.report(stop);
    console.print("{}: {} before this, {} where you asked\n", what, valueNow(), later);
}

void directory(Console& console, const std::string& arguments) {
    if (arguments.empty()) fail("type directory PATH");
    console.session().source().addDirectory(arguments);
}

/// A script that is run by another one.
class NestedScript {
  public:
    NestedScript(Console& console, const std::string& file) : depth_(console.scripts) {
        if (depth_ == kDeepest) fail("scripts are nested too deeply: does {} lead to itself?", file);
        ++depth_;
    }
    ~NestedScript() { --depth_; }
    NestedScript(const NestedScript&) = delete;
    NestedScript& operator=(const NestedScript&) = delete;

  private:
    static constexpr unsigned kDeepest = 32;
    unsigned& depth_;
};

void sourceScript(Console& console, const std::string& arguments) {
    if (arguments.empty()) fail("type source FILE");
    const NestedScript nested(console, arguments);
    std::ifstream in(arguments);
    if (!in) fail("cannot read {}: {}", arguments, std::strerror(errno));
    for (std::string line; !console.isOver() && std::getline(in, line);)
        if (!console.execute(line)) fail("{}: the remaining commands are skipped", arguments);
}

void echo(Console& console, const std::string& arguments) { console.print("{}\n", arguments); }

void help(Console& console, const std::string& arguments) {
    for (const auto& each : commands()) {
        if (!arguments.empty() && &each != &commandFor(arguments)) continue;
        const auto name = each.shortName ? fmt::format("{}, {}", each.name, each.shortName) : each.name;
        console.print("{:<15} {:<25} {}\n", name, each.arguments, each.help);
    }
}

constexpr Command kCommands[] = {
    {.name = "run",
     .shortName = "r",
     .arguments = "[ARGUMENTS]",
     .help = "Start the program (with new arguments, if given) and run to the first breakpoint",
     .run = run,
     .forGuests = false},
    {.name = "start",
     .arguments = "[ARGUMENTS]",
     .help = "Start the program and stop at its first kernel",
     .run = start,
     .forGuests = false},
    {.name = "attach", .arguments = "PID", .help = "Attach to a running process", .run = attach, .forGuests = false},
    {.name = "detach", .help = "Detach from the program and let it run", .run = detach, .forGuests = false},
    {.name = "kill", .help = "End the program", .run = kill, .forGuests = false},
    {.name = "quit", .shortName = "q", .help = "Leave the debugger", .run = quit, .forGuests = false},
    {.name = "continue",
     .shortName = "c",
     .arguments = "[TIMES]",
     .help = "Let all threads run until the next breakpoint hit, or the given number of hits; Ctrl-C stops them",
     .run = proceed},
    {.name = "interrupt", .help = "Stop the threads on the device", .run = interrupt},
    {.name = "step",
     .shortName = "s",
     .arguments = "[TIMES]",
     .help = "Run this work-item to its next line, stepping into calls",
     .run = step<Step::intoLine>},
    {.name = "next",
     .shortName = "n",
     .arguments = "[TIMES]",
     .help = "Run this work-item to its next line, stepping over calls",
     .run = step<Step::overLine>},
    {.name = "stepi",
     .shortName = "si",
     .arguments = "[TIMES]",
     .help = "Execute one instruction",
     .run = step<Step::instruction>},
    {.name = "nexti",
     .shortName = "ni",
     .arguments = "[TIMES]",
     .help = "Execute one instruction, stepping over calls",
     .run = step<Step::overInstruction>},
    {.name = "finish", .help = "Run until the selected frame returns", .run = step<Step::out>},
    {.name = "until",
     .shortName = "u",
     .arguments = "[PLACE]",
     .help = "Like next, but never back in a loop; with PLACE, like advance",
     .run = until},
    {.name = "advance", .arguments = "PLACE", .help = "Run until this work-item reaches the place", .run = advance},
    {.name = "record", .help = "Record launches from the next run on, so that they can be taken back", .run = record},
    {.name = "reverse-step",
     .shortName = "rs",
     .arguments = "[TIMES]",
     .help = "Go back to the beginning of this line, or of the one before, also in called functions",
     .run = stepBack<Step::intoLine>},
    {.name = "reverse-next",
     .shortName = "rn",
     .arguments = "[TIMES]",
     .help = "The same, past called functions",
     .run = stepBack<Step::overLine>},
    {.name = "reverse-stepi",
     .shortName = "rsi",
     .arguments = "[TIMES]",
     .help = "Take back one instruction",
     .run = stepBack<Step::instruction>},
    {.name = "reverse-finish", .help = "Go back to the call of the selected function", .run = stepBack<Step::out>},
    {.name = "reverse-continue",
     .shortName = "rc",
     .help = "Go back to the last hit of a breakpoint or watch",
     .run = proceedBack},
    {.name = "start-of-kernel", .help = "Go back to the beginning of the launch", .run = goToBeginning},
    {.name = "present", .help = "Return to the latest time that was recorded", .run = goToPresent},
    {.name = "who",
     .arguments = "wrote|read EXPRESSION | *ADDRESS [BYTES] | local:OFFSET [BYTES]",
     .help = "Go back to before the last write (or access) to memory, and show its work-item, line and values",
     .run = who},
    {.name = "schedules",
     .arguments = "COUNT [FIRST]",
     .help = "Run the program under so many schedules, and debug the first that stops, ends or prints differently",
     .run = searchSchedules,
     .forGuests = false},
    {.name = "break",
     .shortName = "b",
     .arguments = "PLACE [if CONDITION]",
     .help = "Stop at KERNEL, FILE:LINE, LINE, *EXPRESSION or *KERNEL+OFFSET, or at the entry of every kernel (entry)",
     .run = breakAt},
    {.name = "tbreak", .arguments = "PLACE [if CONDITION]", .help = "Like break, but stop only once", .run = breakOnce},
    {.name = "rbreak",
     .arguments = "REGEX",
     .help = "Stop in every function whose name matches the extended regular expression",
     .run = breakByPattern},
    {.name = "save",
     .arguments = "breakpoints FILE",
     .help = "Write commands to a file that set the breakpoints again (source FILE)",
     .run = save},
    {.name = "condition",
     .arguments = "NUMBER [CONDITION]",
     .help = "Stop only where the condition holds for a lane; without it, always",
     .run = condition},
    {.name = "ignore",
     .arguments = "NUMBER COUNT",
     .help = "Ignore the next COUNT hits of a breakpoint",
     .run = ignore},
    {.name = "commands",
     .arguments = "[NUMBER]",
     .help = "Run commands at each stop: type one per line, then end; silent hides the stop itself",
     .run = setCommands,
     .forGuests = false},
    {.name = "end", .help = "End a list of commands", .run = endCommands},
    {.name = "delete",
     .shortName = "d",
     .arguments = "[NUMBER... | watch NUMBER]",
     .help = "Delete a breakpoint or a watch, or all of them",
     .run = removeBreakpoint},
    {.name = "clear", .arguments = "[PLACE]", .help = "Delete the breakpoints at a place", .run = clear},
    {.name = "enable",
     .shortName = "en",
     .arguments = "[NUMBER...]",
     .help = "Enable breakpoints, or all of them",
     .run = enable<true>},
    {.name = "disable",
     .arguments = "[NUMBER...]",
     .help = "Disable breakpoints, or all of them",
     .run = enable<false>},
    {.name = "watch",
     .arguments = "EXPRESSION | *ADDRESS [BYTES] | local:OFFSET [BYTES]",
     .help = "Stop when global or local memory changes",
     .run = watch},
    {.name = "where",
     .shortName = "bt",
     .arguments = "[NUMBER]",
     .help = "Show the call stack, including inlined calls; with NUMBER, only the innermost frames",
     .run = printFrames},
    {.name = "frame", .shortName = "f", .arguments = "[NUMBER]", .help = "Select a frame", .run = selectFrame},
    {.name = "up", .help = "Select the caller", .run = selectCaller},
    {.name = "down", .help = "Select the called function", .run = selectCalled},
    {.name = "list",
     .shortName = "l",
     .arguments = "[PLACE | FIRST,LAST | -]",
     .help = "Show source lines around a place, after the last list, or (-) before it",
     .run = list},
    {.name = "layout",
     .arguments = "src",
     .help = "There are no windows; says what shows the source instead",
     .run = layout},
    {.name = "disassemble",
     .arguments = "[PLACE]",
     .help = "Show the instructions of the current line, or from a place",
     .run = disassemble},
    {.name = "threads",
     .arguments = "[all | places | PLACE]",
     .help = "List the stopped threads by work-group; many are counted by their places",
     .run = printThreads},
    {.name = "thread",
     .shortName = "t",
     .arguments = "[S.SS.EU.T | apply all COMMAND]",
     .help = "Select a hardware thread, or run a command for every one",
     .run = selectThread},
    {.name = "item", .arguments = "X [Y [Z]]", .help = "Select a work-item by its global id", .run = selectItem},
    {.name = "lane", .arguments = "[NUMBER]", .help = "Select a lane of the thread", .run = selectLane},
    {.name = "print",
     .shortName = "p",
     .arguments = "[/FORMAT] EXPRESSION",
     .help = "Print a variable, $register, expression or earlier value ($3, $, $$, $$2); an assignment changes it",
     .run = print},
    {.name = "ptype",
     .arguments = "EXPRESSION",
     .help = "Show the type of an expression, with its members",
     .run = printWholeType},
    {.name = "whatis",
     .arguments = "EXPRESSION",
     .help = "Show the name of the type of an expression",
     .run = printType},
    {.name = "display",
     .arguments = "[[/FORMAT] EXPRESSION]",
     .help = "Print an expression at every stop",
     .run = display},
    {.name = "undisplay", .arguments = "[NUMBER]", .help = "Stop printing it", .run = undisplay},
    {.name = "set",
     .arguments = "VARIABLE = EXPRESSION | args [ARGUMENTS] | scheduler-locking auto|off|on|step | schedule "
                  "NUMBER|first|last|off | pagination on|off | trust-locations on|off",
     .help = "Change a variable; choose the arguments of the next run, which other threads run with the selected one, "
             "the next run's schedule, whether long output waits at a prompt, or whether variables of optimised code "
             "are shown that are not to "
             "be trusted",
     .run = set},
    {.name = "show", .arguments = "[SETTING]", .help = "Show what was set, other than variables", .run = show},
    {.name = "x",
     .arguments = "[/COUNT FORMAT SIZE] ADDRESS",
     .help = "Show memory; local:OFFSET is the work-group's local memory",
     .run = examine},
    {.name = "texels",
     .arguments = "IMAGE [X[,Y[,Z]]] [COLUMNSxROWS]",
     .help = "Show texels of an image argument as kernels read them: 4x4 from the first on, or a part",
     .run = printTexels},
    {.name = "info",
     .shortName = "i",
     .arguments = "WHAT",
     .help = "breakpoints, threads, items, locals, args, registers, kernels, functions, modules, devices, source, "
             "line, symbol, scope, watch, display, frame, values",
     .run = info},
    {.name = "check",
     .arguments = "on [KINDS] | off",
     .help = "Look for mistakes in kernels, like zetl check, when the program is started next",
     .run = check},
    {.name = "directory", .arguments = "PATH", .help = "Also look for source files there", .run = directory},
    {.name = "source", .arguments = "FILE", .help = "Run the commands of a file", .run = sourceScript},
    {.name = "echo", .arguments = "TEXT", .help = "Print the text", .run = echo},
    {.name = "help",
     .shortName = "h",
     .arguments = "[COMMAND]",
     .help = "List the commands, or describe one",
     .run = help},
};

/// Names of commands in other debuggers.
struct OtherName {
    const char* other;
    const char* name;
};
constexpr OtherName kOtherNames[] = {{"backtrace", "where"}, {"call", "print"}, {"inspect", "print"}};

}  // namespace

std::pair<std::string, std::string> firstWord(const std::string& text) {
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    const auto end = std::min(text.find_first_of(" \t", begin), text.size());
    const auto rest = std::min(text.find_first_not_of(" \t", end), text.size());
    const auto last = text.find_last_not_of(" \t\r");
    return {text.substr(begin, end - begin), rest < text.size() ? text.substr(rest, last + 1 - rest) : ""};
}

std::string asTyped(const std::string& command, const std::string& arguments) {
    return arguments.empty() ? command : command + " " + arguments;
}

std::vector<std::string> shellWords(const std::string& text) {
    wordexp_t found{};
    const int failure = wordexp(text.c_str(), &found, WRDE_NOCMD | WRDE_UNDEF);
    std::vector<std::string> words(found.we_wordv, found.we_wordv + (failure == 0 ? found.we_wordc : 0));
    if (failure == 0 || failure == WRDE_NOSPACE) wordfree(&found);
    if (failure != 0) fail("{}: cannot split this into arguments; quote characters that are special to a shell", text);
    return words;
}

void endFormerRun(Console& console) {
    auto* const debuggee = console.session().debuggee();
    if (!debuggee) return;
    if (!debuggee->isOurs()) fail("process {} is being debugged; type detach, then run", debuggee->pid());
    console.print("Process {} is ended, and the program starts again.\n", debuggee->pid());
    console.session().kill();
}

std::span<const Command> commands() { return kCommands; }

const Command& commandFor(const std::string& typed) {
    auto word = typed.substr(0, typed.find('/'));
    for (const auto& each : kOtherNames)
        if (word == each.other) word = each.name;
    if (word.empty()) fail("unknown command {}; type help for a list", typed);  // every name begins with nothing
    const Command* found = nullptr;
    for (const auto& each : commands())
        if (word == each.name || (each.shortName && word == each.shortName)) return each;
    for (const auto& each : commands()) {
        if (!std::string_view(each.name).starts_with(word)) continue;
        if (found) fail("{} is ambiguous: {} or {}?", word, found->name, each.name);
        found = &each;
    }
    if (!found) fail("unknown command {}; type help for a list", word);
    return *found;
}

}  // namespace zetl::debugger
