// Breakpoints and their conditions, in `zetl debug`.
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "console_session.h"
#include "conversation.h"
#include "support/pattern.h"
#include "support/temporary_file.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Console, ABreakpointHasCommands) {
    const auto silent = debugged({"break scaled if $global_x == 37", "commands", "silent", "p value + 1000", "continue",
                                  "end", "info breakpoints", "run"},
                                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(silent.exitCode, 0) << silent;
    EXPECT_THAT(silent.output, HasSubstr("$1: value + 1000 = 1037\n"));
    EXPECT_THAT(silent.output, HasSubstr("        silent\n        p value + 1000\n        continue\n"));
    EXPECT_THAT(silent.output, Not(HasSubstr("Breakpoint 1, thread")));
    EXPECT_THAT(silent.output, HasSubstr("The program ended."));
    const auto once =
        debugged({"tbreak scaled if $global_x == 37", "break saxpy.cl:" + lineOf("y[i] +=") + " if i == 37",
                  "commands 1", "p value + 1000", "continue", "p 1", "end", "run", "p i"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(once.exitCode, 0) << once;
    EXPECT_THAT(once.output, HasSubstr("$1: value + 1000 = 1037\n"));
    EXPECT_THAT(once.output, HasSubstr("$2: i = 37\n")) << "what stands behind continue is left out";
    EXPECT_EQ(debugged({"break scaled", "commands", "p nothing", "end", "run"}, saxpyProgram(kUnoptimised)).exitCode,
              1);
    EXPECT_THAT(debugged({"end"}, saxpyProgram(kUnoptimised)).output, HasSubstr("there is no list of commands"));
}

/// 5, 37 and 69 are in three hardware threads.
TEST_F(Console, ABreakpointIgnoresHits) {
    const auto outcome = debugged({"break scaled if $global_x % 32 == 5", "ignore 1 2", "info breakpoints", "run",
                                   "info breakpoints", "continue"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("ignored 2 more times, 0 hits\n"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Breakpoint 1, thread(.|\n)*, 3 hits\n"));
    EXPECT_THAT(outcome.output, HasSubstr("The program ended."));
}

TEST_F(Console, ABreakpointKeepsItsNumberInTheNextRun) {
    const auto outcome = debugged({"tbreak saxpy", "break scaled if $global_x == 37", "ignore 2 7", "run", "kill",
                                   "info breakpoints", "delete 2"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output,
                HasSubstr("\n2   scaled if $global_x == 37, waiting for its module, ignored 7 more times"))
        << outcome;
}

/// Its code lies elsewhere then.
TEST_F(Console, ABreakpointAtAnAddressIsAtTheSameInstructionInTheNextRun) {
    const auto outcome = debugged({"tbreak saxpy", "run", "stepi 4", "info symbol $pc", "break *$pc", "tbreak *saxpy",
                                   "run", "continue", "info symbol $pc", "info breakpoints", "kill"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 137) << outcome;
    const auto symbols = matchesOf("\n(saxpy\\+0x[0-9a-f]+)\n", outcome.output);
    ASSERT_FALSE(symbols.empty()) << outcome;
    const std::string& symbol = symbols[0][1];
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 3, thread"));
    EXPECT_THAT(outcome.output, HasSubstr("\n" + symbol + "\n2   *" + symbol + ", at 0x")) << outcome;
}

TEST_F(Console, AddressesOfSymbolsWaitForTheirModuleAndAddressesOfDataAreRefused) {
    EXPECT_THAT(
        debugged({"tbreak *saxpy+0x10", "run", "tbreak saxpy", "continue", "break *x+4"}, saxpyProgram(kUnoptimised))
            .output,
        testing::AllOf(HasSubstr("Breakpoint 1 at *saxpy+0x10 is pending: no module has it yet.\n"),
                       HasSubstr("in saxpy "), HasSubstr("there is no code at 0x")));
}

TEST_F(Console, ContinuePassesOverHits) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "spin", ""};
    const auto outcome = debugged({"tbreak entry", "run", "stepi 30", "break *$pc", "continue", "info breakpoints",
                                   "continue 5", "info breakpoints", "kill"},
                                  program);
    std::vector<int> hits;
    for (const Match& counted : matchesOf(", ([0-9]+) hits?\n", outcome.output)) hits.push_back(std::stoi(counted[1]));
    ASSERT_THAT(hits, testing::SizeIs(2)) << outcome;
    EXPECT_GE(hits[1], hits[0] + 5) << outcome;
}

TEST_F(Console, ClearRemovesWhatIsThere) {
    const auto outcome = debugged({"break scaled", "break saxpy.cl:" + lineOf("float product"), "run", "where 1",
                                   "info registers pc", "clear", "info breakpoints", "continue"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Breakpoint 1, 2, thread(.|\n)*Deleted 1, 2\n"));
    EXPECT_THAT(outcome.output, HasSubstr("(and 1 more)\npc     0x"));
    EXPECT_THAT(outcome.output, HasSubstr("no breakpoints\n"));
}

TEST_F(Console, PlacesAreExpressions) {
    const auto barrier = lineOf("barrier(");
    const auto loop = lineOf("for (int k");
    const auto outcome = debugged({"tbreak saxpy if $global_x == 37",
                                   "run",
                                   "advance " + loop,
                                   "p i + 1000",
                                   "break *$pc",
                                   "tbreak *($pc + 0)",
                                   "info breakpoints",
                                   "info line " + barrier,
                                   "list 1,3",
                                   "list 20,",
                                   "list ,2",
                                   "list *$pc",
                                   "disassemble $pc",
                                   "display i",
                                   "delete",
                                   "until " + barrier,
                                   "undisplay 1",
                                   "thread apply all p $lane + 2000",
                                   "watch y[37]",
                                   "delete",
                                   "info watch",
                                   "continue"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("=> " + loop));
    EXPECT_THAT(outcome.output, HasSubstr("i + 1000 = 1037\n"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Breakpoint 3 at (0x[0-9a-f]+).*\nBreakpoint 4 at 0x"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("saxpy.cl:" + barrier + " has code at 0x[0-9a-f]+ <saxpy\\+"));
    EXPECT_THAT(outcome.output, HasSubstr("3         int first;\n"));
    EXPECT_THAT(outcome.output, HasSubstr("=> " + barrier));
    EXPECT_THAT(outcome.output, HasSubstr("1: i = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$lane + 2000 = 2000\n"));
    EXPECT_THAT(outcome.output, HasSubstr("The program ended.")) << "delete removes watches, too";
}

/// If threads stop at the same time for different reasons, the stops are reported one by one.
TEST_F(Console, NoStopIsLostBehindAnother) {
    const auto outcome = debugged(
        {"break saxpy if $global_x == 37", "start", "p $global_x + 1000", "continue", "p $global_x + 1000", "continue"},
        saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, HasSubstr("$global_x + 1000 = 1037\n")) << outcome;
}

TEST_F(Console, ADoorKeepsTheFirstKernelForTheDebugger) {
    const auto outcome = debugged({"break entry", "run", "threads", "threads places", "threads *$pc", "info kernels",
                                   "info breakpoints", "delete", "c", "echo over"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex("\n\\* [0-9]+ threads? at .*, such as 0\\.0\\.[0-9]+\\.[0-9]+\n"));
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, thread"));
    EXPECT_THAT(outcome.output, HasSubstr("items (0, 0, 0)..(15, 0, 0), 16 of 16 lanes active"));
    EXPECT_THAT(outcome.output, HasSubstr("saxpy at 0x"));
}

TEST_F(Console, TheDeviceEvaluatesConditions) {
    const auto place = "saxpy.cl:" + lineOf("if (i < n)");
    const auto stopped = [&](const std::string& condition) {
        const auto outcome =
            debugged({"break " + place + " if " + condition, "run", "p $global_x", "info breakpoints", "continue"},
                     saxpyProgram(kUnoptimised));
        EXPECT_EQ(outcome.exitCode, 0) << outcome;
        EXPECT_THAT(outcome.output, HasSubstr("work-item (37, 0, 0), lane 5")) << condition;
        EXPECT_THAT(outcome.output, HasSubstr("$global_x = 37\n")) << condition;
        EXPECT_THAT(outcome.output, HasSubstr(", 1 hit\n")) << condition;
        EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n")) << condition;
        return outcome.output;
    };
    const std::string byDevice = "(evaluated by the device)";
    for (const auto* condition :
         {"i == 37", "$global_x == 37", "$group_x == 1 && $local_x == 5", "both.first == 37 && both.second < 0.75",
          "x[i] == 37", "*(x + i) * 2 == 74.0f", "(int)x[i] % 128 == 37", "steps[i & 3] == 1 && i > 36 && i <= 37",
          "-i == -37", "i - 37 == 0 || (i > 1000 && x[1 << 30] == 0)", "!(i != 37)", "i >> 1 == 18 && i & 1"})
        EXPECT_THAT(stopped(condition), HasSubstr(byDevice)) << condition;
    EXPECT_THAT(stopped("i == 36 + sizeof(char)"), Not(HasSubstr(byDevice))) << "is not coded";
}

TEST_F(Console, ConditionsThatCannotBeEvaluatedStopAndSayWhy) {
    const auto outcome = debugged(
        {"break saxpy.cl:" + lineOf("if (i < n)") + " if i > 36 && x[1 << 30] == 0", "run", "info breakpoints"},
        saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, HasSubstr("cannot evaluate the condition 'i > 36 && x[1 << 30] == 0': ")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, "));
}

/// In a recorded launch, where the same threads come by again.
TEST_F(Console, TheDevicesConditionsFollowTheBreakpoints) {
    const auto place = "saxpy.cl:" + lineOf("if (i < n)");
    const auto outcome =
        debugged({"record", "break " + place + " if i == 37", "run", "condition 1 i == 36", "start-of-kernel",
                  "continue", "condition 1 i == 1000", "break " + place + " if i == 37", "start-of-kernel", "continue",
                  "delete", "continue"},
                 saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Breakpoint 1, .*work-item \\(37, 0, 0\\)(.|\n)*Breakpoint 1, .*"
                                                       "work-item \\(36, 0, 0\\)(.|\n)*Breakpoint 2, .*work-item "
                                                       "\\(37, 0, 0\\)"))
        << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
}

TEST_F(Console, BreakpointsAreSetByPatternSavedAndSetAgain) {
    const TemporaryFile kept({});
    const auto file = kept.name();
    const auto early = debugged({"rbreak sca"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(early.output, HasSubstr("no module is loaded yet")) << early;
    const auto saved = debugged({"start", "rbreak ^sca", "condition $bpnum first == 37", "disable $bpnum",
                                 "save breakpoints " + file, "rbreak ["},
                                saxpyProgram(kUnoptimised));
    EXPECT_THAT(saved.output, HasSubstr("Saved 1 breakpoint;")) << saved;
    EXPECT_THAT(saved.output, HasSubstr("rbreak [: "));
    const auto again = debugged({"source " + file, "info breakpoints"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(again.output, HasSubstr("Breakpoint 1 at scaled is pending")) << again;
    EXPECT_THAT(again.output, HasSubstr("first == 37"));
}

/// It is killed while it holds threads and the device has a condition, at which every later thread would come by.
TEST_F(Console, ADebuggerThatDiesTakesItsConditionsAlong) {
    setenv("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), 1);
    setenv("ZETL_EMULATED_DEVICE", "tiny", 1);
    setenv("ZET_ENABLE_PROGRAM_DEBUGGING", "1", 1);
    setenv("ZETL_DEBUG_WAIT", "100000", 1);
    auto words = saxpyProgram(kUnoptimised);
    for (const auto* each : {"0", "64"}) words.emplace_back(each);
    const Conversation program(words);
    for (const auto* each : {"ZET_ENABLE_PROGRAM_DEBUGGING", "ZETL_DEBUG_WAIT"}) unsetenv(each);
    std::unique_ptr<Conversation> debugger;
    std::string heard;
    const auto hearUntil = [&](const std::string& text) {
        while (heard.find(text) == std::string::npos) {
            const auto more = debugger->hear();
            if (more.empty()) return false;
            heard += more;
        }
        return true;
    };
    // At first, the program may not be ready to be debugged.
    EXPECT_TRUE(waitFor([&] {
        heard.clear();
        debugger = std::make_unique<Conversation>(std::vector<std::string>{
            inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--pid", std::to_string(program.pid())});
        debugger->say("echo attached or not\n");
        return hearUntil("attached or not") && heard.find("Stopped: no thread") != std::string::npos;
    })) << heard;
    const auto line = lineOf("if (i < n)");
    debugger->say("break saxpy.cl:" + line + " if x[i] == 77777\ntbreak saxpy.cl:" + lineOf("y[i] +=") +
                  " if i == 37\ncontinue\ninfo breakpoints\n");
    EXPECT_TRUE(hearUntil("(evaluated by the device)")) << heard;
    ASSERT_EQ(kill(debugger->pid(), SIGKILL), 0);
    EXPECT_THAT(program.hear(), HasSubstr("y[5] = 4, y[37] = 20"));
}

}  // namespace
}  // namespace zetl::test
