// `zetl debug --dap`, by a client that does what an editor does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "conversation.h"
#include "dap/messages.h"
#include "debugged.h"

namespace zetl::test {
namespace {

using debugger::dap::Json;

class Client {
  public:
    explicit Client(const std::vector<std::string>& program, const std::vector<std::string>& options = {})
        : adapter_(commandFor(program, options)) {}

    /// Sends a request and waits for its response; events that come meanwhile are kept.
    Json ask(const std::string& command, const Json& arguments = Json::object()) {
        adapter_.say(debugger::dap::framed(
            {{"type", "request"}, {"seq", ++sequence_}, {"command", command}, {"arguments", arguments}}));
        for (;;) {
            const auto message = next();
            if (message.is_null()) return message;
            if (message["type"] == "response" && message["request_seq"] == sequence_) return message;
            events_.push_back(message);
        }
    }
    Json await(const std::string& event) {
        for (auto each = events_.begin(); each != events_.end(); ++each)
            if ((*each)["event"] == event) {
                const auto found = (*each)["body"];
                events_.erase(each);
                return found;
            }
        for (;;) {
            const auto message = next();
            if (message.is_null()) return message;
            if (message["type"] == "event" && message["event"] == event) return message["body"];
            events_.push_back(message);
        }
    }
    void raw(const std::string& bytes) { adapter_.say(bytes); }
    int wait() { return adapter_.wait(); }

  private:
    static std::vector<std::string> commandFor(const std::vector<std::string>& program,
                                               const std::vector<std::string>& options) {
        std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--dap"};
        words.insert(words.end(), options.begin(), options.end());
        if (!program.empty()) words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return words;
    }
    Json next() {
        for (;;) {
            if (auto message = reader_.next()) return *message;
            const auto bytes = adapter_.hear();
            if (bytes.empty()) {
                ADD_FAILURE() << "the adapter says nothing";
                return nullptr;
            }
            reader_.add(bytes);
        }
    }

    Conversation adapter_;
    debugger::dap::MessageReader reader_;
    int sequence_ = 0;
    std::vector<Json> events_;
};

Json named(const Json& list, const std::string& name) {
    for (const auto& each : list)
        if (each["name"] == name) return each;
    ADD_FAILURE() << name << " is not in " << list;
    return {};
}

TEST(Dap, ASessionFromLaunchToEnd) {
    Client client(saxpyProgram(kUnoptimised));
    EXPECT_TRUE(client.ask("initialize")["body"]["supportsConfigurationDoneRequest"].get<bool>());
    EXPECT_TRUE(client.ask("launch")["success"].get<bool>());
    client.await("initialized");
    const Json where = {
        {"source", {{"path", ZETL_TEST_SOURCE}}},
        {"breakpoints", {{{"line", std::stoi(lineOf("float product"))}, {"condition", "$global_x == 37"}}}}};
    EXPECT_EQ(client.ask("setBreakpoints", where)["body"]["breakpoints"].size(), 1u);
    client.ask("setExceptionBreakpoints", {{"filters", Json::array()}});
    client.ask("configurationDone");
    const auto stopped = client.await("stopped");
    EXPECT_EQ(stopped["reason"], "breakpoint");
    const auto thread = stopped["threadId"];
    EXPECT_GE(client.ask("threads")["body"]["threads"].size(), 1u);

    const auto frames = client.ask("stackTrace", {{"threadId", thread}})["body"]["stackFrames"];
    ASSERT_GE(frames.size(), 2u);
    EXPECT_EQ(frames[0]["name"], "scaled");
    EXPECT_EQ(frames[0]["source"]["path"], ZETL_TEST_SOURCE);
    EXPECT_EQ(frames[1]["name"], "saxpy");

    const auto scopes = client.ask("scopes", {{"frameId", frames[1]["id"]}})["body"]["scopes"];
    const auto locals =
        client.ask("variables", {{"variablesReference", named(scopes, "Locals")["variablesReference"]}});
    EXPECT_EQ(named(locals["body"]["variables"], "i")["value"], "37");
    const auto both = named(locals["body"]["variables"], "both");
    const auto members = client.ask("variables", {{"variablesReference", both["variablesReference"]}});
    EXPECT_EQ(named(members["body"]["variables"], "first")["value"], "37");
    const auto items =
        client.ask("variables", {{"variablesReference", named(scopes, "Work-item")["variablesReference"]}});
    EXPECT_EQ(named(items["body"]["variables"], "global_x")["value"], "37");

    EXPECT_EQ(client.ask("evaluate", {{"expression", "factor + 1"}, {"frameId", frames[0]["id"]}})["body"]["result"],
              "1.5");
    EXPECT_FALSE(client.ask("evaluate", {{"expression", "nothing"}})["success"].get<bool>());
    const auto code = client.ask(
        "disassemble", {{"memoryReference", frames[0]["instructionPointerReference"]}, {"instructionCount", 4}});
    EXPECT_EQ(code["body"]["instructions"].size(), 4u);
    const auto memory =
        client.ask("readMemory", {{"memoryReference", frames[0]["instructionPointerReference"]}, {"count", 16}});
    EXPECT_EQ(memory["body"]["data"].get<std::string>().size(), 24u);

    client.ask("next", {{"threadId", thread}});
    EXPECT_EQ(client.await("stopped")["reason"], "step");
    client.ask("stepOut", {{"threadId", thread}});
    EXPECT_EQ(client.await("stopped")["reason"], "step");
    client.ask("continue", {{"threadId", thread}});
    EXPECT_EQ(client.await("exited")["exitCode"], 0);
    client.await("terminated");
    client.ask("disconnect");
    EXPECT_EQ(client.wait(), 0);
}

TEST(Dap, TheDebugConsoleTakesCommands) {
    Client client(saxpyProgram(kUnoptimised));
    const auto type = [&client](const std::string& text, const Json& frame = nullptr) {
        Json arguments = {{"expression", text}, {"context", "repl"}};
        if (!frame.is_null()) arguments["frameId"] = frame;
        return client.ask("evaluate", arguments);
    };
    client.ask("launch");
    client.await("initialized");
    EXPECT_THAT(
        type("break saxpy.cl:" + lineOf("float product") + " if $global_x == 37")["body"]["result"].get<std::string>(),
        testing::HasSubstr("Breakpoint 1"));
    client.ask("configurationDone");
    const auto stopped = client.await("stopped");
    EXPECT_EQ(stopped["reason"], "breakpoint");
    const auto frames = client.ask("stackTrace", {{"threadId", stopped["threadId"]}})["body"]["stackFrames"];

    EXPECT_EQ(type("factor", frames[0]["id"])["body"]["result"], "0.5");  // a variable, as before
    EXPECT_EQ(type("p factor + 1", frames[0]["id"])["body"]["result"], "$1: factor + 1 = 1.5");
    EXPECT_THAT(type("display factor")["body"]["result"].get<std::string>(), testing::HasSubstr("factor = 0.5"));
    EXPECT_THAT(type("info breakpoints")["body"]["result"].get<std::string>(), testing::HasSubstr("$global_x == 37"));
    EXPECT_FALSE(client.ask("evaluate", {{"expression", "p factor"}, {"context", "hover"}})["success"].get<bool>());
    EXPECT_EQ(client.ask("evaluate", {{"expression", "scaled(2, 3)"}, {"context", "watch"}})["body"]["result"], "6");
    EXPECT_FALSE(client.ask("evaluate", {{"expression", "scaled(2, 3)"}, {"context", "hover"}})["success"].get<bool>())
        << "nobody asked for a call";
    for (const auto* each : {"run", "kill", "detach", "quit", "commands", "thread apply all kill"}) {
        const auto refused = type(each);
        EXPECT_FALSE(refused["success"].get<bool>()) << each;
        EXPECT_THAT(refused["message"].get<std::string>(), testing::HasSubstr("the editor's own command")) << each;
    }
    EXPECT_FALSE(type("nonsense 3")["success"].get<bool>());
    EXPECT_FALSE(type("")["success"].get<bool>());

    EXPECT_TRUE(type("next")["success"].get<bool>());
    EXPECT_EQ(client.await("continued")["threadId"], stopped["threadId"]);
    EXPECT_EQ(client.await("stopped")["reason"], "step");
    EXPECT_THAT(client.await("output")["output"].get<std::string>(), testing::HasSubstr("factor = 0.5"));
    EXPECT_TRUE(type("continue")["success"].get<bool>());
    EXPECT_EQ(client.await("exited")["exitCode"], 0);
    client.await("terminated");
    EXPECT_FALSE(type("next")["success"].get<bool>());
    client.ask("disconnect");
    EXPECT_EQ(client.wait(), 0);
}

/// VS Code runs what the description of the extension says, and passes its attributes on.
TEST(Dap, TheExtensionForVsCodeNamesThisAdapter) {
    const auto root = std::filesystem::path(ZETL_TEST_SOURCE).parent_path() / "../../..";
    std::ifstream in(root / "scripts/editors/vscode/package.json");
    const auto description = Json::parse(in, nullptr, false);
    ASSERT_TRUE(description.is_object());
    const auto& debugger = description.at("contributes").at("debuggers").at(0);
    EXPECT_EQ(debugger.at("runtime"), "zetl");
    EXPECT_EQ(debugger.at("args"), Json({"debug", "--dap"}));
    std::set<std::string> attributes;
    for (const auto& [request, each] : debugger.at("configurationAttributes").items())
        for (const auto& [name, property] : each.at("properties").items()) attributes.insert(name);
    EXPECT_EQ(attributes, (std::set<std::string>{"args", "cwd", "env", "pid", "program", "record"}))
        << "those that launch and attach read";
}

TEST(Dap, ADataBreakpointStopsTheWorkItemThatWrites) {
    Client client(saxpyProgram(kUnoptimised));
    EXPECT_TRUE(client.ask("initialize")["body"]["supportsDataBreakpoints"].get<bool>());
    client.ask("launch");
    client.ask("setFunctionBreakpoints", {{"breakpoints", {{{"name", "saxpy"}, {"condition", "$global_x == 0"}}}}});
    client.ask("configurationDone");
    client.await("stopped");
    client.ask("setFunctionBreakpoints", {{"breakpoints", Json::array()}});
    EXPECT_TRUE(client.ask("dataBreakpointInfo", {{"name", "nothing"}})["success"] == false);
    EXPECT_TRUE(client.ask("dataBreakpointInfo", {{"name", "$lane"}})["body"]["dataId"].is_null());
    const auto info = client.ask("dataBreakpointInfo", {{"name", "y[3]"}})["body"];
    ASSERT_TRUE(info["dataId"].is_string()) << info;
    const auto set =
        client.ask("setDataBreakpoints", {{"breakpoints", {{{"dataId", info["dataId"]}}, {{"dataId", "*0x10 4"}}}}});
    EXPECT_TRUE(set["body"]["breakpoints"][0]["verified"].get<bool>()) << set;
    EXPECT_FALSE(set["body"]["breakpoints"][1]["verified"].get<bool>()) << set;
    client.ask("continue", {{"threadId", 1}});
    const auto stopped = client.await("stopped");
    EXPECT_EQ(stopped["reason"], "data breakpoint");
    EXPECT_NE(stopped["text"].get<std::string>().find("y[3] changed at saxpy+"), std::string::npos) << stopped;
    EXPECT_EQ(client.ask("evaluate", {{"expression", "$global_x"}})["body"]["result"], "3");
    client.ask("setDataBreakpoints", {{"breakpoints", Json::array()}});
    client.ask("continue", {{"threadId", 1}});
    EXPECT_EQ(client.await("exited")["exitCode"], 0);
}

TEST(Dap, ADataBreakpointInLocalMemoryStopsTheWorkItemThatWrites) {
    Client client(saxpyProgram(kUnoptimised));
    client.ask("initialize");
    client.ask("launch");
    const Json where = {{"line", std::stoi(lineOf("scratch[l] = x[i]"))}, {"condition", "$global_x == 37"}};
    client.ask("setBreakpoints", {{"source", {{"path", ZETL_TEST_SOURCE}}}, {"breakpoints", Json::array({where})}});
    client.ask("configurationDone");
    EXPECT_EQ(client.await("stopped")["reason"], "breakpoint");
    const Json info = client.ask("dataBreakpointInfo", {{"name", "*(local float *)20"}});
    ASSERT_TRUE(info.value("success", false)) << info;
    const Json data = {{"dataId", info["body"]["dataId"]}};
    client.ask("setDataBreakpoints", {{"breakpoints", Json::array({data})}});
    client.ask("continue", {{"threadId", 1}});
    EXPECT_EQ(client.await("stopped")["reason"], "data breakpoint");
    EXPECT_EQ(client.ask("evaluate", {{"expression", "$global_x"}})["body"]["result"], "37");
    client.ask("disconnect");
    client.wait();
}

/// Of optimised code: no request shows or changes it, and each says why.
TEST(Dap, ARefusedVariableSaysWhy) {
    Client client({inBuildTree("tests/zetl/debugged_program"), "reused", "-g"});
    client.ask("initialize");
    client.ask("launch");
    const std::string source = ZETL_TEST_REUSED_SOURCE;
    const Json where = {{"line", std::stoi(lineIn(source, "int result"))}, {"condition", "size == 5"}};
    client.ask("setBreakpoints", {{"source", {{"path", source}}}, {"breakpoints", Json::array({where})}});
    client.ask("configurationDone");
    const auto stopped = client.await("stopped");
    const auto said = [](const Json& text) { return text.get<std::string>().find("not trusted") != std::string::npos; };
    EXPECT_TRUE(said(client.await("output")["output"])) << "the condition";
    const auto frame =
        client.ask("stackTrace", {{"threadId", stopped["threadId"]}})["body"]["stackFrames"][0]["id"].get<int>();
    const auto scopes = client.ask("scopes", {{"frameId", frame}})["body"]["scopes"];
    const auto locals = named(scopes, "Locals")["variablesReference"];
    const auto size = named(client.ask("variables", {{"variablesReference", locals}})["body"]["variables"], "size");
    EXPECT_TRUE(said(size["value"])) << size;
    EXPECT_EQ(size["variablesReference"], 0);
    for (const auto* const context : {"watch", "hover", "repl"}) {
        const Json asked = {{"expression", "size"}, {"frameId", frame}, {"context", context}};
        EXPECT_TRUE(said(client.ask("evaluate", asked)["body"]["result"])) << context;
    }
    const auto sum = client.ask("evaluate", {{"expression", "size + 1"}, {"frameId", frame}});
    EXPECT_TRUE(sum["success"] == false && said(sum["message"])) << sum;
    const auto set = client.ask("setVariable", {{"variablesReference", locals}, {"name", "size"}, {"value", "3"}});
    EXPECT_TRUE(set["success"] == false && said(set["message"])) << set;
    const auto info = client.ask("dataBreakpointInfo", {{"variablesReference", locals}, {"name", "size"}})["body"];
    EXPECT_TRUE(info["dataId"].is_null() && said(info["description"])) << info;
    client.ask("setBreakpoints", {{"source", {{"path", source}}}, {"breakpoints", Json::array()}});
    client.ask("continue", {{"threadId", 1}});
    EXPECT_EQ(client.await("exited")["exitCode"], 0);
}

TEST(Dap, ARecordedLaunchIsTakenBack) {
    Client client(saxpyProgram(kUnoptimised), {"--record"});
    EXPECT_TRUE(client.ask("initialize")["body"]["supportsStepBack"].get<bool>());
    client.ask("launch");
    const Json where = {{"source", {{"path", ZETL_TEST_SOURCE}}},
                        {"breakpoints",
                         {{{"line", std::stoi(lineOf("float product"))}, {"condition", "$global_x == 37"}},
                          {{"line", std::stoi(lineOf("y[i] +="))}, {"condition", "$global_x == 37"}}}}};
    client.ask("setBreakpoints", where);
    client.ask("configurationDone");
    const auto thread = client.await("stopped")["threadId"];
    client.ask("continue", {{"threadId", thread}});
    client.await("stopped");
    const auto lineNow = [&] {
        return client.ask("stackTrace", {{"threadId", thread}})["body"]["stackFrames"][0]["line"].get<int>();
    };
    EXPECT_EQ(lineNow(), std::stoi(lineOf("y[i] +=")));
    EXPECT_TRUE(client.ask("stepBack", {{"threadId", thread}})["success"].get<bool>());
    EXPECT_EQ(client.await("stopped")["reason"], "step");
    EXPECT_EQ(lineNow(), std::stoi(lineOf("float v = scaled")));
    EXPECT_TRUE(client.ask("stepBack", {{"threadId", thread}, {"granularity", "instruction"}})["success"].get<bool>());
    EXPECT_EQ(client.await("stopped")["reason"], "step");
    EXPECT_TRUE(client.ask("reverseContinue", {{"threadId", thread}})["success"].get<bool>());
    client.await("stopped");
    client.ask("continue", {{"threadId", thread}});
    EXPECT_EQ(client.await("stopped")["reason"], "breakpoint");
    client.ask("disconnect");
    client.wait();
}

/// The reason that an editor shows, and the words beside it.
std::pair<std::string, std::string> stopOf(const std::vector<std::string>& program) {
    Client client(program);
    client.ask("initialize");
    client.ask("launch");
    client.ask("configurationDone");
    const auto stopped = client.await("stopped");
    EXPECT_TRUE(stopped.contains("threadId")) << stopped;
    EXPECT_TRUE(client.ask("disconnect", {{"terminateDebuggee", true}})["success"].get<bool>());
    client.wait();
    return {stopped.value("reason", ""), stopped.value("description", "")};
}

TEST(Dap, AFaultAndAnIllegalInstructionAreExceptionsOfTheirOwn) {
    EXPECT_EQ(stopOf(faultyProgram()), std::pair(std::string("exception"), std::string("page fault")));
    EXPECT_EQ(stopOf(illegalProgram()), std::pair(std::string("exception"), std::string("illegal instruction")));
}

/// Seven hardware threads come by.
TEST(Dap, ABreakpointStopsFromAHitOn) {
    for (const auto& [condition, expected] : {std::pair{">= 7", "stopped"}, {"8", "terminated"}}) {
        Client client(saxpyProgram(kUnoptimised));
        client.ask("initialize");
        client.ask("launch");
        client.ask("setFunctionBreakpoints", {{"breakpoints", {{{"name", "scaled"}, {"hitCondition", condition}}}}});
        client.ask("configurationDone");
        EXPECT_FALSE(client.await(expected).is_null()) << condition;
        client.ask("disconnect", {{"terminateDebuggee", true}});
        client.wait();
    }
}

TEST(Dap, PausesWhatSpins) {
    Client client({inBuildTree("tests/zetl/debugged_program"), "spin", kUnoptimised});
    client.ask("initialize");
    client.ask("launch");
    client.ask("configurationDone");
    Json stopped;
    for (int tries = 0; tries < 200 && !stopped.contains("threadId"); ++tries) {  // until the kernel is on the device
        client.ask("pause", {{"threadId", 1}});
        stopped = client.await("stopped");
        if (!stopped.contains("threadId")) client.ask("continue", {{"threadId", 1}});
    }
    ASSERT_TRUE(stopped.contains("threadId"));
    const auto frames = client.ask("stackTrace", {{"threadId", stopped["threadId"]}})["body"]["stackFrames"];
    EXPECT_TRUE(frames[0]["name"].get<std::string>().starts_with("spin"));
    EXPECT_TRUE(client.ask("disconnect", {{"terminateDebuggee", true}})["success"].get<bool>());
    client.wait();
}

/// As launch.json of an editor has it, and with the breakpoints of a disassembly.
TEST(Dap, TheEditorNamesTheProgram) {
    Client client({});
    client.ask("initialize");
    EXPECT_FALSE(client.ask("launch")["success"].get<bool>()) << "nobody named one";
    const auto words = saxpyProgram(kUnoptimised);
    const Json configuration = {{"program", words[0]},
                                {"args", std::vector(words.begin() + 1, words.end())},
                                {"env", {{"ZETL_DEBUG_WAIT", "20000"}}},
                                {"cwd", "/"}};
    EXPECT_TRUE(client.ask("launch", configuration)["success"].get<bool>());
    client.ask("setFunctionBreakpoints", {{"breakpoints", {{{"name", "saxpy"}}}}});
    client.ask("configurationDone");
    const auto thread = client.await("stopped")["threadId"];

    const auto frames = client.ask("stackTrace", {{"threadId", thread}})["body"]["stackFrames"];
    const auto code = client.ask(
        "disassemble", {{"memoryReference", frames[0]["instructionPointerReference"]}, {"instructionCount", 3}});
    const auto third = code["body"]["instructions"][2]["address"];
    client.ask("setFunctionBreakpoints", {{"breakpoints", Json::array()}});
    const auto set = client.ask("setInstructionBreakpoints", {{"breakpoints", {{{"instructionReference", third}}}}});
    EXPECT_TRUE(set["body"]["breakpoints"][0]["verified"].get<bool>()) << set;
    client.ask("continue", {{"threadId", thread}});
    const auto there = client.await("stopped")["threadId"];
    EXPECT_EQ(client.ask("stackTrace", {{"threadId", there}})["body"]["stackFrames"][0]["instructionPointerReference"],
              third);

    client.ask("stepOut", {{"threadId", there}});
    const auto stayed = client.await("stopped");
    EXPECT_EQ(stayed["threadId"], there) << "nobody called a kernel: the step ends where it began";
    EXPECT_THAT(stayed["text"].get<std::string>(), testing::HasSubstr("it has no caller"));
    client.ask("setInstructionBreakpoints", {{"breakpoints", Json::array()}});
    client.ask("continue", {{"threadId", there}});
    EXPECT_EQ(client.await("exited")["exitCode"], 0);
    client.ask("disconnect");
    client.wait();
}

TEST(Dap, RequestsThatMakeNoSenseAreRefused) {
    Client client(saxpyProgram(kUnoptimised));
    EXPECT_FALSE(client.ask("fly")["success"].get<bool>());
    EXPECT_FALSE(client.ask("setBreakpoints", {{"source", 5}})["success"].get<bool>());
    EXPECT_FALSE(client.ask("stackTrace", {{"threadId", "x"}})["success"].get<bool>());
    EXPECT_FALSE(client.ask("variables", {{"variablesReference", 99}})["success"].get<bool>());
    EXPECT_FALSE(client.ask("readMemory", {{"memoryReference", "0x10"}, {"count", -1}})["body"].contains("data"));
    EXPECT_FALSE(client.ask("next", {{"threadId", 0}})["success"].get<bool>());
    const Json never = {{"breakpoints", {{{"name", "scaled"}, {"hitCondition", "never"}}}}};
    EXPECT_FALSE(client.ask("setFunctionBreakpoints", never)["body"]["breakpoints"][0]["verified"].get<bool>());
    client.raw("Content-Length: -5\r\n\r\n{}");
    EXPECT_EQ(client.wait(), 1) << "a stream that cannot be read ends the session";
}

}  // namespace
}  // namespace zetl::test
