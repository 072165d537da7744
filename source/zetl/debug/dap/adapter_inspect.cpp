// Threads, frames, variables and memory, of adapter.h.
#include <algorithm>
#include <filesystem>

#include "console/commands.h"
#include "core/address.h"
#include "core/failure.h"
#include "dap/adapter.h"

namespace zetl::debugger::dap {
namespace {

constexpr std::size_t kMostParts = 1000;
constexpr std::size_t kMostData = 4096;  ///< variables that a client asks about
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::uint64_t addressIn(const Json& arguments) {
    const auto text = arguments.at("memoryReference").get<std::string>();
    const auto address = numberFrom(text);
    if (!address) fail("{}: not an address; give 0x and hexadecimal digits", text);
    return *address + static_cast<std::uint64_t>(arguments.value("offset", std::int64_t{0}));
}

}  // namespace

ThreadId Adapter::threadOf(const Json& arguments) {
    const auto number = arguments.at("threadId").get<std::uint64_t>();
    if (number == 0 || number > session_.link().shape().count())
        fail("there is no thread {}; ask for threads again", number);
    return session_.link().shape().at(number - 1);
}

void Adapter::select(const Reference& reference) {
    if (reference.thread != session_.thread()) session_.select(reference.thread);
    session_.selectFrame(reference.frame);
}

int Adapter::refer(Reference reference) {
    references_.push_back(std::move(reference));
    return static_cast<int>(references_.size());
}

const Adapter::Reference& Adapter::referred(const Json& arguments, const char* field) {
    const auto number = arguments.at(field).get<std::size_t>();
    if (number == 0 || number > references_.size())
        fail("{} {} belongs to an earlier stop; ask for it again", field, number);
    return references_[number - 1];
}

Json Adapter::threads(const Json&) {
    Json list = Json::array();
    auto& control = session_.control();
    for (const auto& id : control.threads()) {
        const auto items = control.itemsOf(id);
        auto name = fmt::format("{} group {}", textOf(id), textOf(items.group));
        if (items.known && !items.items.empty())
            name += fmt::format(" items {}..{}", textOf(items.items.front().global), textOf(items.items.back().global));
        list.push_back({{"id", session_.link().shape().indexOf(id) + 1}, {"name", name}});
    }
    return {{"threads", list}};
}

Json Adapter::stackTrace(const Json& arguments) {
    const auto id = threadOf(arguments);
    const auto frames = session_.control().framesOf(id);
    Json list = Json::array();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto& frame = frames[i];
        Json entry = {{"id", refer({Reference::Kind::locals, id, i, {}})},
                      {"name", frame.function},
                      {"line", frame.line.line},
                      {"column", 0},
                      {"instructionPointerReference", fmt::format("{:#x}", frame.address)}};
        if (frame.line) {
            const auto path = session_.source().pathOf(frame.line.file);
            entry["source"] = {{"name", std::filesystem::path(frame.line.file).filename().string()},
                               {"path", path.empty() ? frame.line.file : std::filesystem::absolute(path).string()}};
        }
        list.push_back(std::move(entry));
    }
    return {{"stackFrames", list}, {"totalFrames", frames.size()}};
}

Json Adapter::scopes(const Json& arguments) {
    const auto frame = referred(arguments, "frameId");
    const auto scope = [&](const char* name, Reference::Kind kind, bool expensive) {
        return Json{{"name", name},
                    {"variablesReference", refer({kind, frame.thread, frame.frame, {}})},
                    {"expensive", expensive}};
    };
    return {
        {"scopes",
         {scope("Arguments", Reference::Kind::arguments, false), scope("Locals", Reference::Kind::locals, false),
          scope("Work-item", Reference::Kind::workItem, false), scope("Registers", Reference::Kind::registers, true)}}};
}

std::vector<std::pair<std::string, Value>> Adapter::partsOf(const Reference& reference) {
    select(reference);
    auto inspector = session_.inspector();
    std::vector<std::pair<std::string, Value>> parts;
    const auto add = [&](const std::string& name, const auto& get) {
        try {
            parts.emplace_back(name, get());
        } catch (const Failure& failure) {
            parts.emplace_back(name, Value{nullptr, {}, std::nullopt, false, failure.what()});
        }
    };
    switch (reference.kind) {
        case Reference::Kind::arguments:
        case Reference::Kind::locals:
            for (const auto& each : inspector.variables())
                if (each.isParameter == (reference.kind == Reference::Kind::arguments))
                    parts.emplace_back(each.name, inspector.read(each));
            break;
        case Reference::Kind::workItem:
            for (const auto* name : {"lane", "global_x", "global_y", "global_z", "local_x", "local_y", "local_z",
                                     "group_x", "group_y", "group_z"})
                add(name, [&] { return inspector.special(name); });
            break;
        case Reference::Kind::registers:
            for (int i = 0; i < 128; ++i) {
                const auto name = fmt::format("r{}", i);
                add(name, [&] { return inspector.special(name); });
            }
            break;
        case Reference::Kind::value: {
            const auto& whole = reference.value;
            if (whole.type->kind == Type::Kind::structure)
                for (const auto& each : whole.type->members)
                    add(each.name, [&] { return inspector.member(whole, each.name); });
            else if (whole.type->kind == Type::Kind::pointer)
                add("*", [&] { return inspector.target(whole); });
            else
                for (std::size_t i = 0; i < std::min<std::size_t>(whole.type->count, kMostParts); ++i)
                    add(fmt::format("[{}]", i), [&] { return inspector.element(whole, static_cast<std::int64_t>(i)); });
        }
    }
    return parts;
}

Json Adapter::describe(const std::string& name, const Value& value, const Reference& owner) {
    Json result = {{"name", name}, {"value", textOf(value)}, {"variablesReference", 0}};
    if (!value.type) return result;
    result["type"] = debugger::nameOf(value.type);
    const auto kind = value.type->kind;
    const bool hasParts = kind == Type::Kind::structure || kind == Type::Kind::array ||
                          (kind == Type::Kind::pointer && value.type->element);
    if (hasParts && value.missing.empty())
        result["variablesReference"] = refer({Reference::Kind::value, owner.thread, owner.frame, value});
    if (kind == Type::Kind::pointer && value.missing.empty() && !value.leadsToLocal)
        result["memoryReference"] = fmt::format("{:#x}", bitsOf(value.data, 0, 64));
    return result;
}

Json Adapter::variables(const Json& arguments) {
    const auto reference = referred(arguments, "variablesReference");
    Json list = Json::array();
    for (const auto& [name, value] : partsOf(reference)) list.push_back(describe(name, value, reference));
    return {{"variables", list}};
}

Json Adapter::setVariable(const Json& arguments) {
    const auto reference = referred(arguments, "variablesReference");
    const auto name = arguments.at("name").get<std::string>();
    for (const auto& [each, value] : partsOf(reference)) {
        if (each != name) continue;
        auto inspector = session_.inspector();
        inspector.assign(value, evaluateExpression(arguments.at("value").get<std::string>(), inspector));
        return describe(name, inspector.at(*value.type, *value.place), reference);
    }
    fail("there is no variable {}; ask for variables again", name);
}

namespace {

bool isCommand(const std::string& typed) try {
    commandFor(firstWord(typed).first);
    return true;
} catch (const Failure&) {
    return false;
}

}  // namespace

/// In the debug console also a command: what is an expression here stays one, because editors send variables by it.
Json Adapter::evaluate(const Json& arguments) {
    const auto text = arguments.at("expression").get<std::string>();
    const bool isTyped = arguments.value("context", "") == "repl";
    try {
        return valueOf(arguments, text);
    } catch (const Failure&) {
        if (!isTyped || !isCommand(text)) throw;
    }
    return carryOut(arguments, text);
}

Json Adapter::carryOut(const Json& arguments, const std::string& command) {
    if (arguments.contains("frameId")) select(referred(arguments, "frameId"));
    said_.clear();
    const bool good = console_.execute(command);
    auto said = std::exchange(said_, {});
    if (said.ends_with('\n')) said.pop_back();
    if (!good) fail("{}", said);
    return {{"result", said}, {"variablesReference", 0}};
}

Json Adapter::valueOf(const Json& arguments, const std::string& expression) {
    Reference reference{Reference::Kind::value, session_.thread(), session_.frameNumber(), {}};
    if (arguments.contains("frameId")) reference = referred(arguments, "frameId");
    select(reference);
    const bool isSeenInPassing = arguments.value("context", "") == "hover";
    auto inspector = session_.inspectorOf(session_.frame(), !isSeenInPassing);
    const auto value = evaluateExpression(expression, inspector);
    auto described = describe("", value, reference);
    described["result"] = described["value"];
    described.erase("name");
    described.erase("value");
    return described;
}

/// A variable of a scope or value, or an expression.
Json Adapter::dataBreakpointInfo(const Json& arguments) {
    const auto name = arguments.at("name").get<std::string>();
    Value value;
    if (arguments.contains("variablesReference")) {
        for (auto& [each, part] : partsOf(referred(arguments, "variablesReference")))
            if (each == name) value = std::move(part);
    } else {
        if (arguments.contains("frameId")) select(referred(arguments, "frameId"));
        auto inspector = session_.inspector();
        value = evaluateExpression(name, inspector);
    }
    const auto refused = [](const std::string& why) { return Json{{"dataId", nullptr}, {"description", why}}; };
    if (!value.missing.empty()) return refused(fmt::format("{}: {}", name, value.missing));
    if (!value.type) return refused(fmt::format("{}: no such variable", name));
    Data data{name, 0, value.data.size(), std::nullopt};
    try {
        auto inspector = session_.inspector();
        data.address = asBits(scalarOf(inspector.addressOf(value)));
    } catch (const Failure& failure) {
        return refused(failure.what());
    }
    if (value.place && value.place->isLocal) {
        data.address &= kLocalOffset;
        data.local = session_.thread();
    }
    const auto id = fmt::format("{}{:#x} {}", data.local ? "local:" : "*", data.address, data.bytes);
    if (data_.size() < kMostData || data_.contains(id)) data_[id] = data;
    return {{"dataId", id}, {"description", name}, {"accessTypes", {"write"}}, {"canPersist", false}};
}

Json Adapter::setDataBreakpoints(const Json& arguments) {
    auto& control = session_.control();
    for (const auto number : std::exchange(watches_, {})) control.unwatch(number);
    Json list = Json::array();
    for (const auto& each : arguments.value("breakpoints", Json::array())) try {
            const auto id = each.at("dataId").get<std::string>();
            const auto found = data_.find(id);
            if (found == data_.end()) fail("{}: not an id that this debugger gave", id);
            if (each.value("accessType", "write") != "write")
                fail("only writes can be watched; choose Break on Value Change");
            const auto& data = found->second;
            watches_.push_back(data.local ? control.watchLocal(data.name, *data.local, data.address, data.bytes)
                                          : control.watch(data.name, data.address, data.bytes));
            list.push_back({{"verified", true}});
        } catch (const Failure& failure) {
            list.push_back({{"verified", false}, {"message", failure.what()}});
        }
    return {{"breakpoints", list}};
}

Json Adapter::readMemory(const Json& arguments) {
    const auto address = addressIn(arguments);
    const auto count = std::min(arguments.at("count").get<std::size_t>(), kMostBytes);
    const auto data = session_.control().memory().read(address, count);
    Json result = {{"address", fmt::format("{:#x}", address)}};
    if (data)
        result["data"] = base64(*data);
    else
        result["unreadableBytes"] = count;
    return result;
}

Json Adapter::writeMemory(const Json& arguments) {
    const auto address = addressIn(arguments);
    const auto data = fromBase64(arguments.at("data").get<std::string>());
    if (!session_.control().memory().write(address, data))
        fail("cannot write memory at {:#x}; no allocation that may be written is there", address);
    return {{"bytesWritten", data.size()}};
}

Json Adapter::disassemble(const Json& arguments) {
    auto address = addressIn(arguments);
    const auto count = std::min<std::size_t>(arguments.at("instructionCount").get<std::size_t>(), 10'000);
    Json list = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        const auto instruction = session_.control().memory().instruction(address);
        const auto line = session_.control().modules().lineAt(address);
        Json entry = {{"address", fmt::format("{:#x}", address)},
                      {"instruction", instruction ? session_.link().architecture().textOf(*instruction) : "??"}};
        if (line) entry["line"] = line.line;
        list.push_back(std::move(entry));
        address += instruction ? instruction->bytes : 16;
    }
    return {{"instructions", list}};
}

}  // namespace zetl::debugger::dap
