// `zetl debug` as a user runs it: scripts of commands, a fresh process, the stock loader.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "console_session.h"
#include "conversation.h"
#include "support/temporary_file.h"
#include "support/wait_for.h"
#include "unit/module/compiled.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

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

TEST_F(Console, RunTakesArgumentsAndRefusesWhatAShellWouldNotPassOn) {
    const std::vector<std::string> program = {inBuildTree("tests/zetl/debugged_program"), "spin", "-g"};
    const auto outcome = debugged({"start", "run saxpy '-g -cl-opt-disable'", "run saxpy > /dev/null"}, program);
    EXPECT_THAT(outcome.output, testing::ContainsRegex("in spin(.|\n)*starts again(.|\n)*y\\[37\\] = 20\n")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("saxpy > /dev/null: cannot split this into arguments"));
    EXPECT_EQ(outcome.exitCode, 1);
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

/// At a stop: what was asked for cannot be had, and something else can.
TEST_F(Console, ARefusalNamesARemedy) {
    for (const auto& [command, words] :
         {std::pair("x/4xw 0", "cannot read 16 bytes at 0x0: no allocation has them all; info args shows where"),
          std::pair("watch *(global int*)0", "cannot read memory at 0x0: no allocation is there; check the pointer"),
          std::pair("x/70000xb 0", "70000 units are too many to print at once; ask for at most 65536"),
          std::pair("break saxpy.cl:x", "x: not a line number; type FILE:LINE with a number from 1"),
          std::pair("p 7 / 0", "division by zero in the expression; change the divisor"),
          std::pair("list 5,x", "x: not a number; type decimal digits, or 0x and hexadecimal ones"),
          std::pair("info line nowhere", "cannot find nowhere; info functions lists what there is"),
          std::pair("p factor[1]", "float has no elements; ptype shows what a type has")}) {
        const auto outcome = debugged({"break scaled", "run", command}, saxpyProgram(kUnoptimised));
        EXPECT_THAT(outcome.output, HasSubstr(words)) << command;
        EXPECT_EQ(outcome.exitCode, 1) << command;
    }
}

TEST_F(Console, RefusesWithWordsAndGoesOnOrEnds) {
    for (const auto& [command, words] :
         {std::pair("frobnicate", "unknown command frobnicate"), std::pair("/x", "unknown command /x"),
          std::pair("break *0x10", "there is no code at 0x10"), std::pair("continue", "nothing is being debugged"),
          std::pair("thread 1.2", "1.2: no such thread"), std::pair("attach 4000000", "there is no process 4000000"),
          std::pair("p i", "nothing is being debugged; type run or attach PID"),
          std::pair("delete 7", "there is no breakpoint 7"), std::pair("source /nowhere", "cannot read /nowhere"),
          std::pair("save", "save: type save breakpoints FILE"),
          std::pair("condition", "the number of a breakpoint is missing; type info breakpoints for a list"),
          std::pair("attach", "the number of a process is missing"), std::pair("source", "type source FILE"),
          std::pair("show nothing", "there is no such setting; type show for a list"),
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

/// The offset of y becomes one of the kernel's own size.
TEST_F(Console, ArgumentsCanBeSetBeforeARun) {
    const auto outcome = debugged({"show args", "set args saxpy '-g -cl-opt-disable' 268435456", "show args", "run",
                                   "set args saxpy '-g -cl-opt-disable'", "run", "set args", "show args"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output,
                HasSubstr("args: \"saxpy\" \"-g -cl-opt-disable\"\nargs: \"saxpy\" \"-g -cl-opt-disable\" \"26843"))
        << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("stopped: page fault"));
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
    EXPECT_THAT(outcome.output, testing::EndsWith("args: \n"));
}

/// A process that ends cannot be read, which is no refusal.
TEST_F(Console, AScriptMayStartManyOtherProgramsFirst) {
    std::vector<std::string> script = {"sh", "-c",
                                       "i=0; while [ $i -lt 600 ]; do /bin/true; i=$((i+1)); done; exec \"$@\"", "sh"};
    const auto program = saxpyProgram(kUnoptimised);
    script.insert(script.end(), program.begin(), program.end());
    const auto outcome = debugged({"break scaled", "run", "delete", "continue"}, script);
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, ")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("y[5] = 4, y[37] = 20\n"));
}

TEST_F(Console, AllBreakpointsAreSwitchedAtOnce) {
    const auto outcome = debugged({"break scaled", "break saxpy", "disable", "info breakpoints", "enable 1 2",
                                   "disable 2", "run", "disable", "continue"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, testing::ContainsRegex("1 .*disabled(.|\n)*2 .*disabled")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, "));
    EXPECT_THAT(outcome.output, Not(HasSubstr("Breakpoint 2, ")));
    EXPECT_THAT(outcome.output, HasSubstr("The program ended."));
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

}  // namespace
}  // namespace zetl::test
