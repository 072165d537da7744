// Steps, watches and faults, and which threads run, in `zetl debug`.
#include <gtest/gtest.h>

#include "console_session.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Of one work-group, which is there as a whole: others may have ended.
TEST_F(Console, ThreadsAreChosenByWorkItemAndLane) {
    const auto outcome = debugged(
        {"tbreak saxpy if $global_x == 37", "run", "item 40 0 0", "p $global_x", "lane 2", "p $global_x + 1000",
         "item 50 0 0", "p $global_x", "p $local_x + 2000", "info registers", "continue"},
        saxpyProgram(kUnoptimised));
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("$global_x = 40\n"));
    EXPECT_THAT(outcome.output, HasSubstr("lane 2, work-item (34, 0, 0)\n"));
    const auto none = debugged({"tbreak saxpy", "run", "lane 77777777777777777"}, saxpyProgram(kUnoptimised));
    EXPECT_THAT(none.output, HasSubstr("no work-item in lane 77777777777777777; type info items for a list"));
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

}  // namespace
}  // namespace zetl::test
