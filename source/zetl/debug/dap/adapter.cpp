// Sessions, breakpoints and runs. Inspection is in adapter_inspect.cpp.
#include "dap/adapter.h"

#include <algorithm>

#include "console/values.h"
#include "core/failure.h"

namespace zetl::debugger::dap {
namespace {

const char* reasonOf(Stop::Kind kind) {
    switch (kind) {
        case Stop::Kind::breakpoint:
            return "breakpoint";
        case Stop::Kind::step:
        case Stop::Kind::moment:
        case Stop::Kind::access:
            return "step";
        case Stop::Kind::watch:
            return "data breakpoint";
        case Stop::Kind::interrupted:
        case Stop::Kind::idle:
            return "pause";
        default:
            return "exception";
    }
}

const char* nameOf(Stop::Kind kind) {
    switch (kind) {
        case Stop::Kind::fault:
            return "page fault";
        case Stop::Kind::illegal:
            return "illegal instruction";
        case Stop::Kind::software:
            return "software exception";
        default:
            return "";
    }
}

/// The text of a field; empty if there is none, because the input is not trusted.
std::string wordIn(const Json& message, const char* field) {
    const auto found = message.find(field);
    return found != message.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Requests that must not wait while the debuggee runs.
bool endsRun(const Json& request) {
    const auto command = wordIn(request, "command");
    return command == "pause" || command == "disconnect" || command == "terminate";
}
bool isUrgent(const Json& request) {
    const auto command = wordIn(request, "command");
    return endsRun(request) || command == "setBreakpoints" || command == "setFunctionBreakpoints" ||
           command == "setInstructionBreakpoints" || command == "setDataBreakpoints" || command == "threads";
}

WantedBreakpoint wantedAt(std::string place, const Json& breakpoint) {
    return {std::move(place), breakpoint.value("condition", ""), breakpoint.value("hitCondition", "")};
}

/// "3", or ">= 3": the third hit stops.
unsigned ignoredFor(const std::string& hitCondition) {
    if (hitCondition.empty()) return 0;
    std::string_view text = hitCondition;
    if (text.starts_with(">=")) text.remove_prefix(2);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto hit = numberFrom(text);
    if (!hit || *hit == 0 || *hit > UINT32_MAX) fail("{}: not a hit count (a number from 1)", hitCondition);
    return static_cast<unsigned>(*hit - 1);
}

}  // namespace

Adapter::Adapter(Options options, Channel channel)
    : channel_(std::move(channel)),
      session_(std::move(options), {[this] { return wantsInterrupt(); }, [] { return false; },
                                    [this](const std::string& news) {
                                        event("output", {{"category", "console"}, {"output", news + "\n"}});
                                    }}),
      console_(
          session_, [this](const std::string& text) { said_ += text; }, [this](const Stop& stop) { arrived(stop); }) {}

void Adapter::send(Json message) {
    message["seq"] = ++sequence_;
    channel_.write(framed(message));
}

void Adapter::event(const char* name, Json body) {
    send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void Adapter::forwardOutput() {
    if (session_.keepsOutput()) return;  // it is compared first
    if (const auto text = session_.output(); !text.empty()) event("output", {{"category", "stdout"}, {"output", text}});
}

bool Adapter::receive(bool wait) {
    const auto bytes = channel_.read(wait);
    if (!bytes) return false;
    reader_.add(*bytes);
    while (auto message = reader_.next()) requests_.push_back(*std::move(message));
    return true;
}

bool Adapter::wantsInterrupt() {
    forwardOutput();
    if (!closed_) closed_ = !receive(false);
    if (closed_) return true;
    const bool urgent = std::ranges::any_of(requests_, goesBack_ ? endsRun : isUrgent);
    interruptsForRequest_ =
        urgent && std::ranges::none_of(requests_, [](const Json& each) { return wordIn(each, "command") == "pause"; });
    return urgent;
}

/// A way back begins anew when it is interrupted: other requests wait for its end.
void Adapter::runBack(std::function<Stop()> go) {
    run([this, go = std::move(go)] {
        goesBack_ = true;
        auto stop = go();
        goesBack_ = false;
        return stop;
    });
}

/// A step that is not possible ends where it began.
Stop Adapter::go() try { return go_(); } catch (const Failure& failure) {
    goesBack_ = false;
    if (!session_.isAlive()) throw;
    event("output", {{"category", "stderr"}, {"output", std::string(failure.what()) + "\n"}});
    return {Stop::Kind::step, session_.thread(), session_.lane(), {}, 0, failure.what()};
}

int Adapter::serve() try {
    while (!over_ && !closed_) {
        while (requests_.empty() && receive(true)) {
        }
        if (requests_.empty()) break;
        const auto request = std::move(requests_.front());
        requests_.pop_front();
        handle(request);
        if (!go_ || !requests_.empty()) continue;
        const auto stop = go();
        // Interrupted only to carry out a request; then the run goes on.
        if (stop.kind == Stop::Kind::interrupted || stop.kind == Stop::Kind::idle) {
            if (std::exchange(interruptsForRequest_, false)) {
                go_ = [this] { return session_.proceed(); };
                continue;
            }
        }
        go_ = nullptr;
        report(stop);
    }
    return session_.exitCode();
} catch (const Failure& failure) {
    event("output", {{"category", "stderr"}, {"output", std::string(failure.what()) + "\n"}});
    return 1;
}

void Adapter::handle(const Json& request) {
    if (wordIn(request, "type") != "request") return;
    const auto command = wordIn(request, "command");
    const auto number = request.contains("seq") ? request["seq"] : Json(0);
    Json response = {{"type", "response"}, {"request_seq", number}, {"command", command}};
    try {
        const auto handler = std::ranges::find(handlers(), command, &Handler::command);
        if (handler == handlers().end()) fail("{}: not supported", command);
        const auto arguments = request.contains("arguments") ? request["arguments"] : Json::object();
        response["body"] = (this->*handler->answer)(arguments);
        response["success"] = true;
    } catch (const Failure& failure) {
        response["success"] = false;
        response["message"] = failure.what();
    } catch (const Json::exception& failure) {
        response["success"] = false;
        response["message"] = fmt::format("invalid arguments: {}", failure.what());
    }
    const bool begins = response["success"] == true && (command == "launch" || command == "attach");
    send(std::move(response));
    if (begins) event("initialized");
}

Json Adapter::initialize(const Json&) {
    return {{"supportsConfigurationDoneRequest", true},
            {"supportsFunctionBreakpoints", true},
            {"supportsConditionalBreakpoints", true},
            {"supportsHitConditionalBreakpoints", true},
            {"supportsSetVariable", true},
            {"supportsInstructionBreakpoints", true},
            {"supportsDataBreakpoints", true},
            {"supportsEvaluateForHovers", true},
            {"supportsReadMemoryRequest", true},
            {"supportsWriteMemoryRequest", true},
            {"supportsDisassembleRequest", true},
            {"supportsSteppingGranularity", true},
            {"supportsStepBack", session_.records()},
            {"supportsTerminateRequest", true},
            {"supportTerminateDebuggee", true}};
}

/// If the command line names no program, the editor's configuration does.
Json Adapter::launch(const Json& arguments) {
    if (arguments.contains("program")) {
        std::vector<std::string> words = {arguments["program"].get<std::string>()};
        for (const auto& each : arguments.value("args", Json::array())) words.push_back(each.get<std::string>());
        std::vector<std::pair<std::string, std::string>> variables;
        const auto environment = arguments.value("env", Json::object());
        for (const auto& [name, value] : environment.items()) variables.emplace_back(name, value.get<std::string>());
        session_.setProgram(std::move(words), arguments.value("cwd", ""), variables);
    }
    if (arguments.value("record", false) && !session_.records()) {
        session_.record();
        event("capabilities", {{"capabilities", {{"supportsStepBack", true}}}});
    }
    if (!session_.start()) fail("the program ended before it could be debugged; run it without a debugger to see why");
    event("process", {{"name", session_.options().program.words.front()}, {"systemProcessId", session_.pid()}});
    return nullptr;
}

Json Adapter::attach(const Json& arguments) {
    session_.attach(arguments.value("pid", session_.options().pid));
    return nullptr;
}

Json Adapter::configurationDone(const Json&) {
    run([this] { return session_.proceed(); });
    return nullptr;
}

Json Adapter::describe(const Breakpoint& breakpoint) {
    Json result = {{"id", breakpoint.number}, {"verified", !breakpoint.addresses.empty()}};
    if (breakpoint.addresses.empty()) return result;
    const auto line = session_.control().modules().lineAt(breakpoint.addresses.front());
    if (line) result["line"] = line.line;
    result["instructionReference"] = fmt::format("{:#x}", breakpoint.addresses.front());
    return result;
}

Json Adapter::replaceBreakpoints(const std::string& owner, const std::vector<WantedBreakpoint>& wanted) {
    auto& breakpoints = session_.control().breakpoints();
    for (const auto number : std::exchange(breakpoints_[owner], {})) {
        breakpoints.remove(number);
        verified_.erase(number);
    }
    Json list = Json::array();
    for (const auto& each : wanted) try {
            const auto ignored = ignoredFor(each.hitCondition);
            auto& added = breakpoints.add(each.place, "");
            added.condition = each.condition;
            added.ignored = ignored;
            breakpoints_[owner].push_back(added.number);
            verified_[added.number] = !added.addresses.empty();
            list.push_back(describe(added));
        } catch (const Failure& failure) {
            list.push_back({{"verified", false}, {"message", failure.what()}});
        }
    return {{"breakpoints", list}};
}

Json Adapter::setBreakpoints(const Json& arguments) {
    const auto& source = arguments.at("source");
    const auto file =
        source.contains("path") ? source["path"].get<std::string>() : source.at("name").get<std::string>();
    std::vector<WantedBreakpoint> wanted;
    for (const auto& each : arguments.value("breakpoints", Json::array()))
        wanted.push_back(wantedAt(fmt::format("{}:{}", file, each.at("line").get<int>()), each));
    return replaceBreakpoints(file, wanted);
}

Json Adapter::setFunctionBreakpoints(const Json& arguments) {
    std::vector<WantedBreakpoint> wanted;
    for (const auto& each : arguments.value("breakpoints", Json::array()))
        wanted.push_back(wantedAt(each.at("name").get<std::string>(), each));
    return replaceBreakpoints("functions", wanted);
}

Json Adapter::setInstructionBreakpoints(const Json& arguments) {
    std::vector<WantedBreakpoint> wanted;
    for (const auto& each : arguments.value("breakpoints", Json::array())) {
        const auto address = numberFrom(each.at("instructionReference").get<std::string>());
        if (!address) fail("{}: not an address; disassemble again", each["instructionReference"].get<std::string>());
        const auto offset = static_cast<std::uint64_t>(each.value("offset", std::int64_t{0}));
        wanted.push_back(wantedAt(fmt::format("*{:#x}", *address + offset), each));
    }
    return replaceBreakpoints("instructions", wanted);
}

/// For requests that are handled elsewhere, such as pause, which interrupts the run, or that need nothing.
Json Adapter::nothing(const Json&) { return Json::object(); }

Json Adapter::proceed(const Json&) {
    run([this] { return session_.proceed(); });
    return {{"allThreadsContinued", true}};
}

Json Adapter::step(const Json& arguments, Step how) {
    const auto id = threadOf(arguments);
    if (id != session_.thread()) session_.select(id);
    session_.selectFrame(0);
    const bool byInstruction = arguments.value("granularity", "") == "instruction";
    if (byInstruction && how == Step::intoLine) how = Step::instruction;
    if (byInstruction && how == Step::overLine) how = Step::overInstruction;
    run([this, how] { return session_.step(how); });
    return Json::object();
}
/// To the beginning of the line, or of the one before, past called functions; or one instruction back.
Json Adapter::stepBack(const Json& arguments) {
    const auto id = threadOf(arguments);
    if (id != session_.thread()) session_.select(id);
    session_.selectFrame(0);
    const auto how = arguments.value("granularity", "") == "instruction" ? Step::instruction : Step::overLine;
    runBack([this, how] { return session_.stepBack(how); });
    return Json::object();
}
Json Adapter::proceedBack(const Json&) {
    runBack([this] { return session_.proceedBack(); });
    return Json::object();
}
Json Adapter::next(const Json& arguments) { return step(arguments, Step::overLine); }
Json Adapter::stepIn(const Json& arguments) { return step(arguments, Step::intoLine); }
Json Adapter::stepOut(const Json& arguments) { return step(arguments, Step::out); }

Json Adapter::disconnect(const Json& arguments) {
    over_ = true;
    go_ = nullptr;
    if (!session_.isAlive()) return nullptr;
    if (session_.debuggee()->isOurs() && arguments.value("terminateDebuggee", true))
        session_.kill();
    else
        session_.detach();
    return nullptr;
}

void Adapter::announceBreakpoints() {
    for (const auto& each : session_.control().breakpoints().all()) {
        auto& known = verified_[each.number];
        if (known == !each.addresses.empty()) continue;
        known = !each.addresses.empty();
        event("breakpoint", {{"reason", "changed"}, {"breakpoint", describe(each)}});
    }
}

void Adapter::arrived(const Stop& stop) {
    if (stop.thread.single())
        event("continued",
              {{"threadId", session_.link().shape().indexOf(stop.thread) + 1}, {"allThreadsContinued", true}});
    run([stop] { return stop; });
}

void Adapter::report(const Stop& stop) {
    references_.clear();
    forwardOutput();
    console_.listing = {};
    console_.stoppedBy = stop.breakpoints;
    if (stop.kind == Stop::Kind::exited) {
        event("exited", {{"exitCode", session_.exitCode()}});
        return event("terminated");
    }
    announceBreakpoints();
    Json body = {{"reason", reasonOf(stop.kind)}, {"allThreadsStopped", true}};
    if (stop.thread.single()) body["threadId"] = session_.link().shape().indexOf(stop.thread) + 1;
    if (!stop.breakpoints.empty()) body["hitBreakpointIds"] = stop.breakpoints;
    if (const std::string name = nameOf(stop.kind); !name.empty()) body["description"] = name;
    if (!stop.text.empty()) body["text"] = stop.text;
    event("stopped", std::move(body));
    if (console_.displays.empty()) return;
    showDisplays(console_);
    event("output", {{"category", "console"}, {"output", std::exchange(said_, {})}});
}

const std::vector<Adapter::Handler>& Adapter::handlers() {
    static const std::vector<Handler> all = {{"initialize", &Adapter::initialize},
                                             {"launch", &Adapter::launch},
                                             {"attach", &Adapter::attach},
                                             {"configurationDone", &Adapter::configurationDone},
                                             {"setBreakpoints", &Adapter::setBreakpoints},
                                             {"setFunctionBreakpoints", &Adapter::setFunctionBreakpoints},
                                             {"setInstructionBreakpoints", &Adapter::setInstructionBreakpoints},
                                             {"dataBreakpointInfo", &Adapter::dataBreakpointInfo},
                                             {"setDataBreakpoints", &Adapter::setDataBreakpoints},
                                             {"setExceptionBreakpoints", &Adapter::nothing},
                                             {"threads", &Adapter::threads},
                                             {"stackTrace", &Adapter::stackTrace},
                                             {"scopes", &Adapter::scopes},
                                             {"variables", &Adapter::variables},
                                             {"setVariable", &Adapter::setVariable},
                                             {"evaluate", &Adapter::evaluate},
                                             {"continue", &Adapter::proceed},
                                             {"next", &Adapter::next},
                                             {"stepIn", &Adapter::stepIn},
                                             {"stepOut", &Adapter::stepOut},
                                             {"stepBack", &Adapter::stepBack},
                                             {"reverseContinue", &Adapter::proceedBack},
                                             {"pause", &Adapter::nothing},
                                             {"readMemory", &Adapter::readMemory},
                                             {"writeMemory", &Adapter::writeMemory},
                                             {"disassemble", &Adapter::disassemble},
                                             {"disconnect", &Adapter::disconnect},
                                             {"terminate", &Adapter::disconnect}};
    return all;
}

int runAdapter(const Options& options) { return Adapter(options, standardChannel()).serve(); }

}  // namespace zetl::debugger::dap
