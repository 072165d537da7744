// `zetl gdbserver`, by the gdb of the distribution, which knows nothing of the GPU.
#include <gmock/gmock.h>

#include "debugged.h"

namespace zetl::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Outcome gdb(const std::vector<std::string>& commands, const std::string& options = "") {
    std::string target = "target remote | " + inBuildTree("bin/zetl") + " gdbserver --device tiny " + options + " --";
    for (const auto& word : saxpyProgram(kUnoptimised)) target += " '" + word + "'";
    // A busy host may take longer than the two seconds after which gdb sends a packet again.
    std::vector<std::string> words = {ZETL_GDB, "-nx", "-batch", "-ex", "set remotetimeout 30", "-ex", target};
    for (const auto& each : commands) words.insert(words.end(), {"-ex", each});
    return Process(words).run(std::chrono::seconds(120));
}

TEST(StockGdb, ReadsThreadsRegistersAndMemory) {
    const auto outcome =
        gdb({"info threads", "print $grf0", "set $old = $rip", "x/2xw $rip", "print/x $cr0[2]", "print $rax",
             "print $grf77[3]", "set var $grf77[3] = 1234567", "print $grf77[3]", "info registers grf77", "kill"});
    EXPECT_THAT(outcome.output, Not(HasSubstr("too long"))) << outcome;
    EXPECT_THAT(outcome.output, Not(HasSubstr("rejected")));
    EXPECT_THAT(outcome.output, ContainsRegex("1 +Thread 1 .0\\.0\\.0\\.0 group .0, 0, 0. items"));
    EXPECT_THAT(outcome.output, HasSubstr("= {"));
    EXPECT_THAT(outcome.output, HasSubstr("<unavailable>")) << "x86-64's own have no value";
    EXPECT_THAT(outcome.output, HasSubstr("= 1234567\n"));
}

TEST(StockGdb, StopsStepsAndGoesOn) {
    const auto outcome = gdb({"set $begin = $rip", "stepi", "print $rip > $begin", "set $here = $rip", "stepi", "stepi",
                              "break *($here + 160)", "continue", "print $rip == $here + 160", "delete", "detach"});
    EXPECT_THAT(outcome.output, HasSubstr("$1 = 1\n")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, "));
    EXPECT_THAT(outcome.output, HasSubstr("$2 = 1\n"));
}

TEST(StockGdb, GoesBack) {
    const auto outcome = gdb({"set $begin = $rip", "stepi", "stepi", "stepi", "set $here = $rip", "reverse-stepi",
                              "reverse-stepi", "reverse-stepi", "print $rip == $begin", "stepi", "stepi", "stepi",
                              "print $rip == $here", "break *$begin", "reverse-continue", "kill"},
                             "--record");
    EXPECT_THAT(outcome.output, HasSubstr("$1 = 1\n")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("$2 = 1\n"));
    EXPECT_THAT(outcome.output, testing::AnyOf(HasSubstr("Breakpoint 1, "), HasSubstr("No more reverse-execution")));
}

TEST(StockGdb, WatchesMemory) {
    const auto outcome =
        gdb({"set $begin = (long)$rip", "watch *(int *)$begin", "stepi", "info watchpoints", "continue"});
    EXPECT_THAT(outcome.output, HasSubstr("Hardware watchpoint 1: ")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("hw watchpoint"));
    EXPECT_THAT(outcome.output, HasSubstr("exited normally")) << "nobody writes to code";
}

TEST(StockGdb, SeesTheEnd) {
    const auto outcome = gdb({"continue"});
    EXPECT_THAT(outcome.output, HasSubstr("exited normally")) << outcome;
}

}  // namespace
}  // namespace zetl::test
