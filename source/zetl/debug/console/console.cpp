#include "console/console.h"

#include <algorithm>

#include "console/commands.h"
#include "console/values.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

const char* reasonOf(Stop::Kind kind) {
    switch (kind) {
        case Stop::Kind::fault:
            return "stopped: page fault";
        case Stop::Kind::illegal:
            return "stopped: illegal instruction";
        case Stop::Kind::software:
            return "stopped: software exception";
        case Stop::Kind::interrupted:
            return "stopped: interrupted";
        default:
            return "";
    }
}

std::string numbers(const std::vector<unsigned>& breakpoints) {
    return fmt::format("{}", fmt::join(breakpoints, ", "));
}

/// "thread 0.1.2.3, work-group (0, 0, 0), work-item (5, 0, 0), lane 5".
std::string whoOf(Session& session) {
    const auto& items = session.items();
    auto text = fmt::format("thread {}, work-group {}", textOf(session.thread()), textOf(items.group));
    const auto* item = items.at(session.lane());
    if (items.known && item) text += fmt::format(", work-item {}", textOf(item->global));
    return text + fmt::format(", lane {}", session.lane());
}

/// A frame has no room for reasons.
std::string brief(Value value) {
    if (value.missing.starts_with(kNotTrusted)) value.missing = "not trusted";
    return textOf(value, 4);
}

/// "n=100", as gdb writes it.
std::vector<std::string> argumentsOf(Session& session, const Frame& frame) {
    std::vector<std::string> all;
    const auto inspector = session.inspectorOf(frame);
    for (const auto& each : inspector.variables())
        if (each.isParameter) all.push_back(fmt::format("{}={}", each.name, brief(inspector.read(each))));
    return all;
}

}  // namespace

Console::Console(Options options, std::function<void(const std::string&)> write, std::function<bool()> wantsInterrupt)
    : own_(std::make_unique<Session>(std::move(options),
                                     Observer{std::move(wantsInterrupt), [] { return false; },
                                              [this](const std::string& news) { print("{}\n", news); }})),
      session_(*own_),
      write_(std::move(write)) {}

Console::Console(Session& session, std::function<void(const std::string&)> write,
                 std::function<void(const Stop&)> onStop)
    : session_(session), write_(std::move(write)), onStop_(std::move(onStop)) {}

bool Console::execute(const std::string& line) { return carryOut(line) && carryOutDue(); }

/// A command that runs the debuggee replaces the pending commands by those of the next stop.
bool Console::carryOutDue() {
    while (!due_.empty() && !over_) {
        const auto line = std::move(due_.front());
        due_.pop_front();
        if (carryOut(line)) continue;
        due_.clear();
        return false;
    }
    return true;
}

bool Console::makeDue(const Stop& stop) {
    constexpr const char* kSilent = "silent";
    due_.clear();
    bool isTold = true;
    for (const auto number : stop.breakpoints)
        for (const auto& line : commands_[number]) {
            isTold &= line != kSilent;
            if (line != kSilent) due_.push_back(line);
        }
    return isTold;
}

void Console::collectCommandsOf(unsigned breakpoint) {
    commands_[breakpoint].clear();
    collecting_ = breakpoint;
}

bool Console::carryOut(const std::string& line) try {
    if (isCollecting()) {
        const auto [first, rest] = firstWord(line);
        if (first == "end")
            collecting_ = 0;
        else if (!first.empty())
            commands_[collecting_].push_back(rest.empty() ? first : first + " " + rest);
        return true;
    }
    const auto [word, arguments] = firstWord(line);
    if (word.empty() || word.front() == '#') return true;
    const auto slash = word.find('/');  // a format goes to the command: "p/x i"
    const bool hasFormat = slash != std::string::npos && slash > 0;
    const auto& command = commandFor(word);
    if (onStop_ && !command.forGuests)
        fail("{}: use the editor's own command, or zetl debug at a prompt", command.name);
    command.run(*this, hasFormat ? word.substr(slash) + " " + arguments : arguments);
    return true;
} catch (const Failure& failure) {
    if (const auto end = session_.endSince())
        report(*end);
    else
        print("{}\n", failure.what());
    return false;
}

void Console::printSourceLine(const SourceLine& line, bool isCurrent) {
    const auto text = session_.source().line(line.file, line.line);
    if (!text.empty() || session_.source().lines(line.file) > 0)
        print("{:>2} {:<6}{}\n", isCurrent ? "=>" : "", line.line, text);
}

void Console::printFrame(std::size_t number) {
    const auto& frame = session_.frames().at(number);
    const auto where = frame.line ? fmt::format(" at {}:{}", frame.line.file, frame.line.line) : "";
    const auto arguments = frame.line ? fmt::format(" ({})", fmt::join(argumentsOf(session_, frame), ", ")) : "";
    print("#{:<3}{:#x} in {}{}{}{}\n", number, frame.address, frame.function, arguments, where,
          frame.isInlined ? " (inlined)" : "");
}

void Console::report(const Stop& stop) {
    listing = {};
    stoppedBy = stop.breakpoints;
    if (onStop_) return onStop_(stop);
    print("{}", session_.output());
    if (makeDue(stop)) sayWhy(stop);
    if (checks) print("{}", checks->news());
}

void Console::sayWhy(const Stop& stop) {
    if (stop.kind == Stop::Kind::exited)
        return print("The program ended{}.\n",
                     session_.exitCode() ? fmt::format(" with code {}", session_.exitCode()) : "");
    if (stop.kind == Stop::Kind::idle) return print("Stopped: no thread is on the device.\n");
    if (stop.kind == Stop::Kind::breakpoint)
        print("Breakpoint {}, {}", numbers(stop.breakpoints), whoOf(session_));
    else if (stop.kind == Stop::Kind::access)
        print("{} {} it", whoOf(session_), stop.text);
    else if (stop.kind == Stop::Kind::moment || stop.kind == Stop::Kind::watch)
        print("{}\n{}", stop.text, whoOf(session_));
    else if (const std::string reason = reasonOf(stop.kind); !reason.empty())
        print("{}, {}", whoOf(session_), reason);
    else if (!stop.text.empty())
        print("{}", stop.text);
    if (stop.others > 0 && stop.kind == Stop::Kind::access)
        print(" (and {} more of its lanes)", stop.others);
    else if (stop.others > 0)
        print(" (and {} more threads)", stop.others);
    if (stop.kind != Stop::Kind::step || !stop.text.empty()) print("\n");
    const bool hasMore = stop.kind == Stop::Kind::fault || stop.kind == Stop::Kind::interrupted;
    if (hasMore && !stop.text.empty()) print("{}\n", stop.text);
    const auto& frame = session_.frame();
    const bool isLine = frame.line && session_.source().lines(frame.line.file) > 0;
    if (stop.kind != Stop::Kind::step || !isLine) printFrame(0);
    if (isLine) printSourceLine(frame.line, true);
    if (frame.module) warnOf(*frame.module);
    showDisplays(*this);
}

void Console::warnOf(const Module& module) {
    const bool isSilent = session_.link().architecture().silence().whyNoVariables() != nullptr;
    if (isSilent || !known_.insert(module.number()).second) return;
    if (module.debug().empty())
        print(
            "There are no source lines here: the module was built without -g, or with several kernels or constants "
            "by a compiler that then writes none.\n");
    else if (module.isOptimised())
        print(
            "This code is optimised: variables may be missing, and those that are known to be wrong are not shown. "
            "-cl-opt-disable keeps them.\n");
}

}  // namespace zetl::debugger
