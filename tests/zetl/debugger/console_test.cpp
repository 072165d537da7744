// `zetl debug` as a user runs it: scripts of commands, a fresh process, the stock loader.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "conversation.h"
#include "debugged.h"
#include "support/pattern.h"
#include "support/temporary_file.h"
#include "support/wait_for.h"
#include "unit/module/compiled.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Console : public testing::Test {
  protected:
    /// A process that this one has started; 0 if there is none.
    static pid_t childOf(pid_t parent) {
        for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(parent) + "/task")) {
            pid_t child = 0;
            if (std::ifstream(thread.path() / "children") >> child) return child;
        }
        return 0;
    }
    /// What it says to the commands, with the program behind `--`.
    static Outcome debugged(const std::vector<std::string>& commands, const std::vector<std::string>& program) {
        std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--batch"};
        for (const auto& each : commands) words.insert(words.end(), {"-e", each});
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return Process(words).run(std::chrono::seconds(120));
    }
};

TEST_F(Console, BreaksWhereAWorkItemIsAndShowsWhatItSees) {
    const auto outcome =
        debugged({"break scaled if $global_x == 37", "run", "where", "p factor", "p value * 2", "up", "p i", "p both",
                  "p steps[3]", "p *(x + 3)", "info args", "p $local_x + 100 * $group_x", "x/4fw local:0", "continue"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("work-group (1, 0, 0), work-item (37, 0, 0), lane 5"));
    EXPECT_THAT(outcome.output, HasSubstr("float product = factor * value;"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#1 .* in saxpy \\(x=.*, n=100, .*\\) at .*saxpy.cl:" +
                                                       lineOf("float v = scaled")));
    EXPECT_THAT(outcome.output, HasSubstr("factor = 0.5\n"));
    EXPECT_THAT(outcome.output, HasSubstr("value * 2 = 74\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": i = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr("both = {first = 37, second = 0.5}\n"));
    EXPECT_THAT(outcome.output, HasSubstr("steps[3] = 3\n"));
    EXPECT_THAT(outcome.output, HasSubstr("*(x + 3) = 3\n"));
    EXPECT_THAT(outcome.output, HasSubstr("\nn = 100\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$local_x + 100 * $group_x = 105\n"));
    EXPECT_THAT(outcome.output, HasSubstr("0x0: 32 33 34 35\n"));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n")) << "the program is as it was";
    EXPECT_THAT(outcome.output, HasSubstr("The program ended."));
}

TEST_F(Console, ChecksWhatItDebugs) {
    const std::vector<std::string> program{inBuildTree("tests/zetl/mistaken_program"), "beyond"};
    const auto on = debugged({"check on memory", "run", "check off", "run"}, program);
    const std::size_t found = on.output.find("ERROR memory/global: write of 4 bytes at 0x");
    ASSERT_NE(found, std::string::npos) << on;
    EXPECT_EQ(on.output.find("memory/global", found + 10), std::string::npos) << "once: the second run is not checked";
    for (const char* wrong : {"check", "check on memory,rice", "check off memory"})
        EXPECT_EQ(debugged({wrong}, program).exitCode, 1) << wrong;
}

/// The compiler calls the text that it is given module.cl.
TEST_F(Console, PatchTokensAreDebuggedAsZebinsAre) {
    std::ifstream file(ZETL_TEST_SOURCE);
    const std::string source((std::istreambuf_iterator<char>(file)), {});
    const TemporaryFile binary(emulator::module::compiled(source, "-cl-std=CL2.0 -g -cl-opt-disable", false));
    const auto line = lineOf("float product");
    const auto outcome = debugged({"break module.cl:" + line + " if $global_x == 37", "run", "where", "p value * 2",
                                   "up", "p both", "info args", "p $local_x + 100 * $group_x", "continue"},
                                  saxpyProgram("native:" + binary.name()));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("work-group (1, 0, 0), work-item (37, 0, 0), lane 5"));
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex("#0 .* in scaled \\(factor=0.5, value=37\\) at .*module.cl:" + line));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#1 .* in saxpy \\(.*, n=100, .*\\) at .*module.cl:" +
                                                       lineOf("float v = scaled")));
    EXPECT_THAT(outcome.output, HasSubstr("value * 2 = 74\n"));
    EXPECT_THAT(outcome.output, HasSubstr("both = {first = 37, second = 0.5}\n"));
    EXPECT_THAT(outcome.output, HasSubstr("\nn = 100\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$local_x + 100 * $group_x = 105\n"));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
}

/// Of one work-group, which is there as a whole: others may have ended.
TEST_F(Console, ThreadsAreChosenByWorkItemAndLane) {
    const auto outcome = debugged(
        {"tbreak saxpy if $global_x == 37", "run", "item 40 0 0", "p $global_x", "lane 2", "p $global_x + 1000",
         "item 50 0 0", "p $global_x", "p $local_x + 2000", "info registers", "continue"},
        saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("$global_x = 40\n"));
    EXPECT_THAT(outcome.output, HasSubstr("lane 2, work-item (34, 0, 0)\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$global_x + 1000 = 1034\n"));
    EXPECT_THAT(outcome.output, HasSubstr("group (1, 0, 0) items (48, 0, 0)..(63, 0, 0)"));
    EXPECT_THAT(outcome.output, HasSubstr("$global_x = 50\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$local_x + 2000 = 2018\n"));
    EXPECT_THAT(debugged({"break entry", "run", "item 900 0 0"}, saxpyProgram(kUnoptimised)).output,
                HasSubstr("(900, 0, 0)"));
}

TEST_F(Console, StepsThroughBranchesBarriersAndCalls) {
    const auto barrier = lineOf("barrier(");
    const auto call = lineOf("float v = scaled");
    const auto outcome = debugged(
        {"tbreak saxpy if $global_x == 37", "run", "tbreak " + barrier + " if i == 37", "continue", "next", "next",
         "step", "where", "finish", "next", "p v", "set v = 7.5", "p v", "stepi", "nexti 2", "continue"},
        saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    const auto steps = outcome.output.substr(outcome.output.find("=> " + barrier));
    const auto at = [&](const std::string& text) { return steps.find(text); };
    EXPECT_LT(at("=> " + lineOf("if (i < n)")), at("=> " + call)) << outcome;
    EXPECT_LT(at("=> " + call), at("=> " + lineOf("float product"))) << "step enters";
    EXPECT_LT(at("=> " + lineOf("float product")), at("=> " + lineOf("y[i] +="))) << "finish leaves";
    EXPECT_LT(at("v = 18.5"), at("v = 7.5")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 9\n")) << "what was set is what is computed with";
}

TEST_F(Console, ShowsTheChainOfInlinedCallsAndTheirVariables) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "inlined", kUnoptimised};
    const auto outcome = debugged({"break inlined.cl:3 if $global_x == 37", "run", "p number", "where", "up",
                                   "p number", "up", "p i", "set i = 38", "p i", "p squares[3]", "delete", "continue"},
                                  program);
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex("#0 .* in keep \\(.*\\) at .*inlined.cl:3 \\(inlined\\)\n"
                                       "#1 .* in keepSquare \\(.*, number=37\\) at .*inlined.cl:6 \\(inlined\\)\n"
                                       "#2 .* in inlined \\(.*\\) at .*inlined.cl:10\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": number = 1369\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": number = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": i = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": i = 38\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": squares[3] = "));
    EXPECT_THAT(outcome.output, HasSubstr("squares[37] = 1369\n"));
}

TEST_F(Console, NextPassesInlinedCallsAndFinishLeavesThem) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "passed", kUnoptimised};
    const auto next = debugged({"break passed.cl:7 if $global_x == 37", "run", "next", "where", "kill"}, program);
    EXPECT_THAT(next.output, testing::ContainsRegex("\n=> 8 .*\n#0 .* in passed .*:8\n")) << next;
    const auto step = debugged({"break passed.cl:7 if $global_x == 37", "run", "step", "where", "kill"}, program);
    EXPECT_THAT(step.output, testing::ContainsRegex("\n=> 3 .*\n#0 .* in keep .*:3 .inlined.\n")) << step;
    const auto finish = debugged({"break passed.cl:3 if $global_x == 37", "run", "finish", "where", "finish"}, program);
    EXPECT_THAT(finish.output, testing::ContainsRegex("\n#0 .* in passed .*\nthis is the kernel itself")) << finish;
    const auto call = debugged({"break scaled if $global_x == 37", "run", "up", "finish"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(call.output, HasSubstr("this is the kernel itself")) << "the selected frame, not the innermost one";
}

TEST_F(Console, ExpressionsHaveTypes) {
    const auto outcome =
        debugged({"tbreak saxpy.cl:" + lineOf("if (i < n)") + " if $global_x == 37", "run", "p *x@4", "p x[1]@2",
                  "whatis &y[2]", "p *&x[2] + 1", "ptype both", "p sizeof(int) + sizeof both", "p (float)i / 2",
                  "p (int)-2.7", "p *(global uint *)(x + 1)", "p (unsigned char)300", "p (i)",
                  "p *(local float *)0 @ 2", "info symbol $pc", "p *x@0"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 1) << "the last is refused" << outcome;
    for (const auto* each :
         {"*x@4 = {0, 1, 2, 3}\n", "x[1]@2 = {1, 2}\n", "type = float *\n", "*&x[2] + 1 = 3\n",
          "type = pair {\n    int first;\n    float second;\n}\n", "sizeof(int) + sizeof both = 12\n",
          "(float)i / 2 = 18.5\n", "(int)-2.7 = -2\n", "*(global uint *)(x + 1) = 1065353216\n",
          "(unsigned char)300 = 44 ','\n", "(i) = 37\n", "*(local float *)0 @ 2 = {32, 33}\n", "\nsaxpy+0x"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
    EXPECT_THAT(outcome.output, HasSubstr("an array of 0 elements"));
}

TEST_F(Console, PrintedValuesStayWhatTheyWere) {
    const auto outcome =
        debugged({"break scaled if $global_x == 37", "run", "p factor", "p value * 2", "p $ + $1", "p $$2 * 10", "up",
                  "p both", "set both.first = 1", "p $5.first + 100", "p both.first", "p x", "p *($ + 3)", "p/x $2",
                  "p steps", "p $[3]", "kill", "info values", "p $99"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 1) << "the last is refused" << outcome;
    for (const auto* each : {"$1: factor = 0.5\n", "$2: value * 2 = 74\n", "$3: $ + $1 = 74.5\n", "$4: $$2 * 10 = 5\n",
                             "$5: both = {first = 37, second = 0.5}\n", "$6: $5.first + 100 = 137\n",
                             "$7: both.first = 1\n", "$9: *($ + 3) = 3\n", "$10: $2 = 0x4a\n", "$12: $[3] = 3\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
    EXPECT_THAT(outcome.output, HasSubstr("\n$5 = {first = 37, second = 0.5}\n")) << "their types outlive the program";
}

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

TEST_F(Console, RunTakesArgumentsAndRefusesWhatAShellWouldNotPassOn) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "spin", "-g"};
    const auto outcome = debugged({"start", "run saxpy '-g -cl-opt-disable'", "run saxpy > /dev/null"}, program);
    EXPECT_THAT(outcome.output, testing::ContainsRegex("in spin(.|\n)*starts again(.|\n)*y\\[37\\] = 20\n")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("saxpy > /dev/null: cannot split this into arguments"));
    EXPECT_EQ(outcome.exitCode, 1);
}

TEST_F(Console, ListGoesBack) {
    const auto outcome = debugged({"break saxpy", "run", "list scaled", "list -", "kill"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("   2  (.|\n)*   1     // What")) << outcome;
}

TEST_F(Console, InfoFrameTellsTheCallerAndTheCalled) {
    const auto outcome = debugged({"break scaled if $global_x == 37", "run", "info frame", "up", "info frame", "kill"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#0 .* in scaled .*\ncalled by frame 1, saxpy at 0x"))
        << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#1 .* in saxpy .*\ncaller of frame 0, scaled\n"));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("registers with their own values in this frame: r[0-9]+"));
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

/// Kernels that call nothing, or have local memory of their own, have lists of locations in DWARF 5.
TEST_F(Console, ShowsVectorsAndStructures) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "shapes", kUnoptimised};
    const auto outcome = debugged({"tbreak shapes.cl:39 if i == 37",
                                   "run",
                                   "info locals",
                                   "p v.s3",
                                   "p v.xyz",
                                   "p v.lo",
                                   "p v.even",
                                   "p/x v",
                                   "p/x w.parts[1]",
                                   "p w.parts[1].pos.x",
                                   "p grid[1][2]",
                                   "p sizeof(struct inner) + sizeof(float3)",
                                   "p offsetof(whole, parts[1].id)",
                                   "p *(global float4*)(out + 32)@2",
                                   "p ((global body*)(out + 32))->id",
                                   "p *((local int*)0 + 3)",
                                   "x/4dw (local int*)0",
                                   "x/2s text",
                                   "p out@2",
                                   "set v.y = 99",
                                   "p v",
                                   "set v = (float4)(v.xy, 1, 2)",
                                   "p v.wzyx",
                                   "set w.parts[1].id = 77",
                                   "p w.parts[1]",
                                   "ptype &w",
                                   "whatis grid",
                                   "whatis struct inner",
                                   "info scope corner",
                                   "break corner if $global_x == 37",
                                   "continue",
                                   "p which->pos.y",
                                   "p shift.w + 2",
                                   "delete",
                                   "continue",
                                   "echo over"},
                                  program);
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    for (const auto* each : {

             "narrow = {1, 2, 255}\n",
             "wide = {0.5, -0.25}\n",
             "eight = {0, 1, 2, 3, 4, 5, 6, -7}\n",
             "v.s3 = 40\n",
             "v.xyz = {37, 38, 39}\n",
             "v.lo = {37, 38}\n",
             "v.even = {37, 39}\n",
             "v = {0x25, 0x26, 0x27, 0x28}\n",
             "{pos = {0x28, 0x27, 0x26, 0x25}, id = 0x8}\n",
             "pos.x = 40\n",
             "grid[1][2] = 6\n",
             "sizeof(float3) = 112\n",
             "id) = 64\n",
             "(out + 32)@2 = {{0, 0, 0, 0}, {0, 0, 0, 0}}\n",
             "->id = 0\n",
             "*((local int*)0 + 3) = 19\n",

             "0x0: 16 17 18 19\n",

             ": \"seven \\x07 words\"\n",
             "out@2 = {(float *) 0x",
             "v = {37, 99, 39, 40}\n",
             "v.wzyx = {2, 1, 99, 37}\n",
             "{pos = {40, 39, 38, 37}, id = 77}\n",
             "    body [2] parts;\n    float * link;\n} *\n",
             "type = int [2][3]\n",
             "type = inner\n",
             "shift: argument of type float4, 16 bytes\n",
             "which->pos.y = 39\n",
             "shift.w + 2 = 4\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
}

/// Debian 12's compiler does not describe it.
/// Debian 12's compiler does not describe arrays in local memory.
TEST_F(Console, ShowsLocalMemoryByName) {
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    setenv("ZETL_COMPILER", "newest", 1);
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "shapes", kUnoptimised};
    const auto outcome = debugged({"tbreak shapes.cl:39 if i == 37", "run", "p counts", "p rows", "p *(counts + 3)",
                                   "p &counts[3]", "x/4dw counts", "p scratch[3]@4", "x/4fw scratch", "kill"},
                                  program);
    unsetenv("ZETL_COMPILER");
    for (const auto* each : {"counts = {16, 17, 18, 19, 20,", "rows = {{0, 1, 2, 3}, {1, 1, 2, 3}, ",
                             "*(counts + 3) = 19\n", "&counts[3] = (local int *) 0x1000000c\n", "0x0: 16 17 18 19\n",
                             "scratch[3]@4 = {6, 8, 10, 12}\n", "0x80: 0 2 4 6\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
}

/// Xe2 has images, and no other compiler than the newest. Commands come from standard input, so that wrong ones do not
/// end the session.
TEST_F(Console, ShowsImagesAsNumbers) {
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    const std::string commands =
        "tbreak picture.cl:8\\nrun\\np from\\ninfo args\\ntexels from 1,2 2x2\\ntexels deep 6,1,1\\n"
        "texels from 7,3 9x9\\ntexels to 0,0 1x1\\ntexels\\ntexels seen\\ntexels none 0,0\\ntexels from 8,0\\n"
        "texels from 0,0,1\\ntexels from 0,0 1000x1000\\ntexels from 1,2,3,4\\ntexels from 1, 2x2\\nkill\\n";
    const auto outcome = Process({"/bin/sh", "-c",
                                  "printf '" + commands + "' | ZETL_COMPILER=newest " + inBuildTree("bin/zetl") +
                                      " debug --device b580-small -- " + inBuildTree("tests/zetl/debugged_program") +
                                      " picture '" + kUnoptimised + "'"})
                             .run(std::chrono::seconds(120));
    for (const auto* each :
         {"from = 2D image of 8 x 4 texels, R8G8B8A8 UNORM, at 0x",
          "\nto = 2D image of 8 x 4 texels, R8G8B8A8 UNORM, at",
          "\ndeep = 3D image of 8 x 2 x 2 texels, R32 FLOAT, at 0x", "seen = (float4 *) 0x",
          "(1, 2): {0.26666668, 0.27058825, 0.27450982, 0.2784314} {0.28235295, ", "\n(1, 3): {0.39215687, ",
          "(6, 1, 1): {15, 0, 0, 1} {15.5, 0, 0, 1}\n", "(7, 3): {0.4862745, 0.49019608, 0.49411765, 0.49803922}\n",
          // As the kernel wrote it: backwards.
          "(0, 0): {0.011764706, 0.007843138, 0.003921569, 0}\n",
          // Refusals.
          "name an image", "seen is no image argument", "none is no image argument",
          "begins outside of a 2D image of 8 x 4", "1000 x 1000 texels are too much", "at most 3 coordinates",
          "not a number"})
        EXPECT_THAT(outcome.output, HasSubstr(each)) << outcome;
}

TEST_F(Console, AFaultStopsWithLineLaneAddressAndNeighbour) {
    const auto outcome = debugged({"run", "kill"}, faultyProgram());
    EXPECT_THAT(outcome.output, HasSubstr("stopped: page fault")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("=> " + lineOf("y[i] +=")));
    EXPECT_THAT(outcome.output,
                testing::ContainsRegex("lane [0-9]+ reads 4 bytes at 0x[0-9a-f]+, which is not mapped"));
    EXPECT_THAT(outcome.output, HasSubstr("that x points into"));
}

TEST_F(Console, AnIllegalInstructionStopsAndSaysThatItIsOne) {
    const auto outcome = debugged({"run", "where", "kill"}, illegalProgram());
    EXPECT_THAT(outcome.output, HasSubstr("stopped: illegal instruction")) << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("#0 .*spin"));
}

TEST_F(Console, WatchStopsAtTheInstructionThatWrites) {
    const auto outcome =
        debugged({"tbreak saxpy if $global_x == 0", "run", "watch y[3]", "continue", "delete watch 1", "continue"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("y[3] changed at saxpy+"));
    EXPECT_THAT(outcome.output, HasSubstr(": 1 -> 4\n")) << "from 1 to 4";
    EXPECT_THAT(outcome.output, HasSubstr("work-item (3, 0, 0), lane 3")) << "the one that wrote is selected";
    EXPECT_THAT(outcome.output, Not(HasSubstr("one instruction at a time"))) << "the device looks at writes";
}

/// By address: code of compiler 22.43 keeps no value of `scratch` at these lines.
TEST_F(Console, WatchesLocalAndPrivateMemory) {
    const auto outcome =
        debugged({"tbreak saxpy.cl:" + lineOf("for (int k") + " if $global_x == 37", "run", "watch *(local float *)20",
                  "watch steps[2]", "continue", "continue", "p $global_x", "delete", "continue"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("steps\\[2\\] changed at saxpy.*-> 2\n(.|\n)*"
                                                       "float \\*\\)20 changed at saxpy.*: 0 -> 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr("work-item (37, 0, 0), lane 5"));
    EXPECT_THAT(outcome.output, HasSubstr(": $global_x = 37\n"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("one instruction at a time"))) << "the device looks at writes";
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n")) << "nothing was disturbed";
}

TEST_F(Console, AWatchOfLocalMemoryGoesBack) {
    const auto outcome = debugged({"record", "break saxpy.cl:" + lineOf("y[i] +=") + " if $global_x == 37", "run",
                                   "watch *(local float *)20", "reverse-continue", "p x[i]"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, HasSubstr("watch 1: *(local float *)20 is about to be written")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("x[i] = 37"));
}

/// Its result is the order of its work-groups.
TEST_F(Console, FindsTheScheduleThatDiffers) {
    const std::vector<std::string> ordered = {inBuildTree("tests/zetl/debugged_program"), "ordered", kUnoptimised};
    const auto outcome = debugged({"schedules 20", "show schedule", "set schedule off", "show", "continue"}, ordered);
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Schedule ([0-9]+) of 1 to 20 differs from the first: line 1 "
                                                       "is: order: [0-3 ]*\n *instead of: order: "));
    EXPECT_THAT(outcome.output, HasSubstr("type set schedule off.\nBreakpoint 1, ")) << "it stops at its first kernel";
    EXPECT_THAT(outcome.output, testing::ContainsRegex("schedule: [0-9]+\n"));
    EXPECT_THAT(outcome.output, HasSubstr("schedule: off\nscheduler-locking: auto\n"));
    const auto stopped = debugged({"record", "break ordered.cl:5 if place == 2", "schedules 20 7", "p place",
                                   "who wrote place", "p place", "present", "delete", "continue"},
                                  ordered);
    EXPECT_EQ(stopped.exitCode, 0) << stopped;
    EXPECT_THAT(stopped.output, HasSubstr("Schedule 7 of 7 to 26 stops:\n"));
    EXPECT_THAT(stopped.output, HasSubstr("$1: place = 2\n"));
    EXPECT_THAT(stopped.output, HasSubstr("int place = atomic_inc(count);")) << "a shuffled launch goes back";
    EXPECT_THAT(stopped.output, HasSubstr("order: ")) << "its output is shown";
    const auto same = debugged({"schedules 3", "schedules 0"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(same.output, HasSubstr("The schedules 1 to 3 stopped nowhere, and all ended in the same way.\n"));
    EXPECT_THAT(same.output, HasSubstr("schedules 0: type schedules COUNT [FIRST]"));
}

TEST_F(Console, OtherThreadsRunAsTheUserWants) {
    const auto at = [](const std::string& text) { return "saxpy.cl:" + lineOf(text); };
    const auto outcome = debugged({"start", "item 37", "set scheduler-locking on", "advance " + at("if (i < n)"),
                                   "item 37", "set scheduler-locking auto", "break scaled if $group_x == 2", "next",
                                   "p $global_x", "continue", "delete", "continue"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("it waits for other threads, which stay stopped"));
    EXPECT_THAT(outcome.output, HasSubstr(": $global_x = 37\n")) << "the selected item stays selected";
    EXPECT_THAT(outcome.output, testing::ContainsRegex("\nBreakpoint [0-9]+, .*work-group .2, 0, 0."));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
    for (const char* locking : {"off", "step"}) {
        const auto steps = debugged(
            {"tbreak " + at("if (i < n)") + " if $global_x == 37", "run",
             std::string("set scheduler-locking ") + locking, "next", "next", "p $global_x", "delete", "continue"},
            saxpyProgram(kUnoptimised));
        EXPECT_EQ(steps.exitCode, 0) << steps;
        EXPECT_THAT(steps.output, HasSubstr("y[i] += v")) << locking;
        EXPECT_THAT(steps.output, HasSubstr(": $global_x = 37\n")) << locking;
        EXPECT_THAT(steps.output, HasSubstr("y[5] = 4, y[37] = 20\n")) << locking;
    }
    EXPECT_THAT(debugged({"set scheduler-locking maybe"}, saxpyProgram(kUnoptimised)).output,
                HasSubstr("type auto, off, on or step"));
}

TEST_F(Console, DebugsWhatAScriptStarts) {
    std::string words;
    for (const auto& each : saxpyProgram(kUnoptimised)) words += "'" + each + "' ";
    const auto outcome = debugged({"break scaled if $global_x == 37", "run", "p value", "continue"},
                                  {"sh", "-c", "true; " + words + "; echo behind it; exit 7"});
    EXPECT_EQ(outcome.exitCode, 7) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("$1: value = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\nbehind it\n"));
    EXPECT_THAT(outcome.output, HasSubstr("The program ended with code 7."));
}

TEST_F(Console, DebugsSeveralDevicesInOneSession) {
    const auto outcome = Process({inBuildTree("bin/zetl"),
                                  "debug",
                                  "--device",
                                  "two-devices",
                                  "--gpu",
                                  "all",
                                  "--batch",
                                  "-e",
                                  "break scaled if $global_x == 37",
                                  "-e",
                                  "run",
                                  "-e",
                                  "info devices",
                                  "-e",
                                  "p value",
                                  "-e",
                                  "continue",
                                  "-e",
                                  "p value",
                                  "-e",
                                  "up",
                                  "-e",
                                  "watch y[40]",
                                  "-e",
                                  "continue",
                                  "-e",
                                  "continue",
                                  "--",
                                  inBuildTree("tests/zetl/debugged_program"),
                                  "both",
                                  kUnoptimised})
                             .run(std::chrono::seconds(120));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Breakpoint 1, thread 0\\.(.|\n)*\n\\* 0(.|\n)*\n\\* 1(.|\n)*"
                                                       "value = 37(.|\n)*Breakpoint 1, thread [1-9][0-9]*\\."))
        << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("$2: value = 37\n"));
    EXPECT_THAT(outcome.output, HasSubstr("y[40] changed at saxpy+"));
    EXPECT_THAT(outcome.output, HasSubstr("work-item (40, 0, 0), lane 8"));
    EXPECT_THAT(outcome.output, HasSubstr("The program ended."));
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

TEST_F(Console, TheUsersOwnScriptIsRunUnlessOthersMayWriteToIt) {
    const TemporaryFile mark({});
    const std::filesystem::path home = mark.name() + ".home";
    std::filesystem::create_directory(home);
    const auto script = home / ".zetldebugrc";
    std::ofstream(script) << "echo from the own script\n";
    std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "tiny",  "-e",
                                      "echo second",           "-e",    "quit",     "--args"};
    for (const auto& each : saxpyProgram("--batch")) words.push_back(each);
    const auto run = [&] { return Process(words).with("HOME", home.string()).run(std::chrono::seconds(60)); };
    using std::filesystem::perms;
    std::filesystem::permissions(script, perms::owner_read | perms::owner_write);
    const auto own = run();
    EXPECT_THAT(own.output, HasSubstr("from the own script\nsecond\n")) << "--batch is the program's: " << own;
    std::filesystem::permissions(script, perms::group_write, std::filesystem::perm_options::add);
    const auto others = run();
    EXPECT_THAT(others.output, HasSubstr("is not run: it belongs to somebody else, or others can write to it"))
        << others;
    EXPECT_THAT(others.output, Not(HasSubstr("from the own script")));
    std::filesystem::remove_all(home);
}

TEST_F(Console, BreakpointsAreSetByPatternSavedAndSetAgain) {
    const TemporaryFile kept({});
    const auto file = kept.name();
    const auto early = debugged({"rbreak sca"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(early.output, HasSubstr("no module is loaded yet")) << early;
    const auto saved = debugged({"start", "rbreak ^sca", "condition $bpnum first == 37", "disable $bpnum",
                                 "save breakpoints " + file, "rbreak ["},
                                saxpyProgram(kUnoptimised));
    EXPECT_THAT(saved.output, HasSubstr("Saved 1 breakpoints")) << saved;
    EXPECT_THAT(saved.output, HasSubstr("rbreak [: "));
    const auto again = debugged({"source " + file, "info breakpoints"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(again.output, HasSubstr("Breakpoint 1 at scaled is pending")) << again;
    EXPECT_THAT(again.output, HasSubstr("first == 37"));
}

TEST_F(Console, OptimisedAwayIsSaidAndCodeWithoutDebugInformationCanBeStopped) {
    const auto optimised = debugged({"break entry", "run", "info locals", "delete", "c"}, saxpyProgram("-g"));
    // Debian's compiler names variables of the inlined function here, newer ones those of the kernel.
    EXPECT_THAT(optimised.output, testing::ContainsRegex("(product|both) = <optimised away>")) << optimised;
    const auto plain = debugged({"break entry", "run", "where", "disassemble", "stepi 3", "info modules", "kill"},
                                {inBuildTree("tests/zetl/debugged_program"), "spin", "-cl-opt-disable"});
    EXPECT_EQ(plain.exitCode, 128 + SIGKILL) << plain;
    EXPECT_THAT(plain.output, HasSubstr("in spin+0x"));
    EXPECT_THAT(plain.output, HasSubstr("no debug information (build with -g)"));
}

/// The system's devices are what the loader gives it: here the emulated GPU as a driver of the system, and then none.
TEST_F(Console, NativeTakesTheDevicesOfTheSystem) {
    const auto program = saxpyProgram(kUnoptimised);
    std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--native", "--batch"};
    for (const auto* each : {"break scaled if $global_x == 37", "run", "p value", "continue"})
        words.insert(words.end(), {"-e", each});
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    const auto driver = inBuildTree("lib/libze_emulated_gpu.so.1");
    const auto there = Process(words)
                           .with("ZE_ENABLE_ALT_DRIVERS", driver)
                           .with("ZETL_EMULATED_DEVICE", "tiny")
                           .run(std::chrono::seconds(120));
    EXPECT_EQ(there.exitCode, 0) << there;
    EXPECT_THAT(there.output, HasSubstr(": value = 37\n"));
    EXPECT_THAT(there.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
    const auto absent = Process(words).with("ZE_ENABLE_ALT_DRIVERS", "/nonexistent/driver.so").run();
    EXPECT_EQ(absent.exitCode, 1) << absent;
    EXPECT_THAT(absent.output, HasSubstr("zetl doctor"));
}

TEST_F(Console, RefusesWithWordsAndGoesOnOrEnds) {
    for (const auto& [command, words] :
         {std::pair("frobnicate", "unknown command frobnicate"), std::pair("break *0x10", "there is no code at 0x10"),
          std::pair("continue", "nothing is being debugged"), std::pair("thread 1.2", "1.2: no such thread"),
          std::pair("attach 4000000", "there is no process 4000000"), std::pair("p i", "no thread is stopped"),
          std::pair("delete 7", "there is no breakpoint 7"), std::pair("source /nowhere", "cannot read /nowhere"),
          std::pair("info nonsense", "type info and one of")}) {
        const auto outcome = debugged({command}, saxpyProgram(kUnoptimised));
        EXPECT_EQ(outcome.exitCode, 1) << outcome;
        EXPECT_THAT(outcome.output, HasSubstr(words));
    }
    const auto stopped = debugged({"break scaled", "run", "thread apply all p nothing"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(stopped.output, testing::ContainsRegex("p nothing failed in [0-9]+ of [0-9]+ threads: 0\\.0\\."));
    EXPECT_THAT(stopped.output, HasSubstr("there is no variable nothing here"));
    EXPECT_THAT(stopped.output, Not(HasSubstr("y[5]"))) << "a program started by a batch ends with it";
    const auto absent = debugged({"run"}, {"/nonexistent/program"});
    EXPECT_THAT(absent.output, HasSubstr("/nonexistent/program: No such file or directory"));
}

TEST_F(Console, AScriptThatCarriesItselfOutEnds) {
    const std::string path = testing::TempDir() + "zetl_endless." + std::to_string(getpid());
    std::ofstream(path) << "source " << path << "\n";
    const auto outcome = debugged({"source " + path}, saxpyProgram(kUnoptimised));
    std::remove(path.c_str());
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("nested too deeply"));
}

TEST_F(Console, AttachesToAProcessThatRuns) {
    setenv("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), 1);
    setenv("ZETL_EMULATED_DEVICE", "tiny", 1);
    setenv("ZET_ENABLE_PROGRAM_DEBUGGING", "1", 1);
    setenv("ZETL_DEBUG_WAIT", "100000", 1);
    const Conversation program(saxpyProgram(kUnoptimised));
    for (const auto* each : {"ZET_ENABLE_PROGRAM_DEBUGGING", "ZETL_DEBUG_WAIT"}) unsetenv(each);
    std::vector<std::string> words = {inBuildTree("bin/zetl"),      "debug", "--device", "tiny", "--batch", "--pid",
                                      std::to_string(program.pid())};
    for (const auto* each : {"tbreak scaled if $global_x == 37", "continue", "where", "p factor", "detach"})
        words.insert(words.end(), {"-e", each});
    Outcome outcome;
    EXPECT_TRUE(waitFor([&] {
        outcome = Process(words).run(std::chrono::seconds(120));
        return outcome.output.find("not yet") == std::string::npos;
    }));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("work-item (37, 0, 0)"));
    EXPECT_THAT(outcome.output, HasSubstr("factor = 0.5"));
    EXPECT_THAT(program.hear(), HasSubstr("y[5] = 4, y[37] = 20")) << "it goes on alone";
}

TEST_F(Console, DetachLetsTheProgramGoOn) {
    const auto outcome = debugged({"break scaled", "run", "detach"}, saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("Detached from process"));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4")) << "its output comes through the same stream";
}

TEST_F(Console, ARecordedLaunchIsTakenBackToWhoWrote) {
    const auto outcome =
        debugged({"record", "break saxpy.cl:" + lineOf("y[i] +=") + " if $global_x == 37", "run", "who wrote v",
                  "p $global_x", "where 1", "who wrote local:20 4", "p x[i]", "set l = 7", "reverse-step",
                  "start-of-kernel", "present", "p v", "continue", "delete", "continue"},
                 saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, HasSubstr("work-item (37, 0, 0), lane 5 writes it")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("float v = scaled(a, scratch[l]);"));
    EXPECT_THAT(outcome.output, HasSubstr(" before this, 18.5 where you asked"));
    EXPECT_THAT(outcome.output, HasSubstr("scratch[l] = x[i];"));
    EXPECT_THAT(outcome.output, HasSubstr("local:20 4: 00 00 00 00 before this, 00 00 14 42 where you asked"));
    EXPECT_THAT(outcome.output, HasSubstr(": x[i] = 37\nThis is the past: the change is lost when you move on.\n"));
    EXPECT_THAT(outcome.output, HasSubstr("The beginning of the launch's history."));
    EXPECT_THAT(outcome.output, HasSubstr(": v = 16\n"));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n")) << "the program is as it was";
    EXPECT_THAT(outcome.output, HasSubstr("The program ended."));
}

TEST_F(Console, ARecordedLaunchGoesBackByLinesAndToBreakpoints) {
    const auto outcome = debugged({"record",
                                   "break scaled if $global_x == 37",
                                   "break saxpy.cl:" + lineOf("y[i] +=") + " if $global_x == 37",
                                   "run",
                                   "continue",
                                   "reverse-continue",
                                   "p value",
                                   "reverse-finish",
                                   "next",
                                   "reverse-next",
                                   "stepi",
                                   "reverse-stepi",
                                   "step",
                                   "reverse-step",
                                   "reverse-continue",
                                   "continue",
                                   "continue",
                                   "continue",
                                   "delete",
                                   "continue"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("Breakpoint 2, (.|\n)*Breakpoint 1, (.|\n)*: value = 37\n"))
        << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("No breakpoint before this: the beginning of the history."));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
}

/// By a signal, as the system does that runs out of memory, while it stands and while it is to be taken back.
TEST_F(Console, ADebuggeeThatIsKilledBeforeItGoesBackHasEnded) {
    for (const char* command :
         {"reverse-continue", "reverse-stepi", "who wrote value", "present", "continue", "step"}) {
        std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--"};
        const auto program = saxpyProgram(kUnoptimised);
        words.insert(words.end(), program.begin(), program.end());
        Conversation debugger(words);
        std::string heard;
        const auto hearUntil = [&](const std::string& text) {
            while (heard.find(text) == std::string::npos) {
                const auto more = debugger.hear();
                if (more.empty()) break;
                heard += more;
            }
            EXPECT_THAT(heard, HasSubstr(text)) << command;
        };
        debugger.say("record\nbreak scaled if $global_x == 37\nrun\n");
        hearUntil("float product = factor * value;");
        const auto child = childOf(debugger.pid());
        ASSERT_GT(child, 0);
        ASSERT_EQ(kill(child, SIGKILL), 0);
        EXPECT_TRUE(waitFor([&] { return hasEnded(child); }));
        debugger.say(std::string(command) + "\nwhere\nquit\n");
        hearUntil("The program ended with code 137");
        EXPECT_THAT(heard, Not(HasSubstr("only emulated devices"))) << command;
    }
}

TEST_F(Console, WithoutARecordNothingGoesBack) {
    const auto said = [](const std::vector<std::string>& commands) {
        const auto outcome = debugged(commands, saxpyProgram(kUnoptimised));
        EXPECT_NE(outcome.exitCode, 0) << outcome;
        return outcome.output;
    };
    EXPECT_THAT(said({"reverse-step"}), HasSubstr("nothing is being debugged"));
    EXPECT_THAT(said({"break scaled", "run", "reverse-stepi"}), HasSubstr("nothing is recorded: type record before"));
    EXPECT_THAT(said({"who ate value"}), HasSubstr("type who wrote EXPRESSION, or who read EXPRESSION"));
}

}  // namespace
}  // namespace zetl::test
