// Recorded launches that are taken back, in `zetl debug`.
#include <gtest/gtest.h>

#include <csignal>
#include <ctime>
#include <string>
#include <vector>

#include "console_session.h"
#include "conversation.h"
#include "support/pattern.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Console, AWatchOfLocalMemoryGoesBack) {
    const auto outcome = debugged({"record", "break saxpy.cl:" + lineOf("y[i] +=") + " if $global_x == 37", "run",
                                   "watch *(local float *)20", "reverse-continue", "p x[i]"},
                                  saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, HasSubstr("watch 1: *(local float *)20 is about to be written")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("x[i] = 37"));
}

TEST_F(Console, ARecordedLaunchIsTakenBackToWhoWrote) {
    const auto outcome =
        debugged({"record", "break saxpy.cl:" + lineOf("y[i] +=") + " if $global_x == 37", "run", "who wrote v",
                  "p $global_x", "where 1", "who wrote local:20 4", "p x[i]", "set l = 7", "reverse-step",
                  "start-of-kernel", "present", "p v", "p i + 7000", "continue", "delete", "continue"},
                 saxpyProgram(kUnoptimised));
    EXPECT_THAT(outcome.output, HasSubstr("work-item (37, 0, 0), lane 5 writes it")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("float v = scaled(a, scratch[l]);"));
    EXPECT_THAT(outcome.output, HasSubstr(" before this, 18.5 where you asked"));
    EXPECT_THAT(outcome.output, HasSubstr("scratch[l] = x[i];"));
    EXPECT_THAT(outcome.output, HasSubstr("local:20 4: 00 00 00 00 before this, 00 00 14 42 where you asked"));
    EXPECT_THAT(outcome.output, HasSubstr(": x[i] = 37\nThis is the past: the change is lost when you move on.\n"));
    EXPECT_THAT(outcome.output, HasSubstr("The beginning of the launch's history."));
    EXPECT_THAT(outcome.output, HasSubstr(": v = 18.5\n"));
    EXPECT_THAT(outcome.output, HasSubstr(": i + 7000 = 7037\n")) << "the same work-item is selected";
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

/// A session that is typed to.
class TypedSession {
  public:
    explicit TypedSession(const std::vector<std::string>& program) : debugger_(commandFor(program)) {}

    pid_t pid() const { return debugger_.pid(); }
    void say(const std::string& lines) const { debugger_.say(lines); }
    /// Whatever it has said so far.
    const std::string& heard() const { return heard_; }
    void hearUntil(const std::string& text, const std::string& doing) {
        while (heard_.find(text) == std::string::npos) {
            const auto more = debugger_.hear();
            if (more.empty()) break;
            heard_ += more;
        }
        EXPECT_THAT(heard_, HasSubstr(text)) << doing;
    }

  private:
    static std::vector<std::string> commandFor(const std::vector<std::string>& program) {
        std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--"};
        words.insert(words.end(), program.begin(), program.end());
        return words;
    }

    Conversation debugger_;
    std::string heard_;
};

/// By a signal, as the system does that runs out of memory, while it stands and while it is to be taken back.
TEST_F(Console, ADebuggeeThatIsKilledBeforeItGoesBackHasEnded) {
    for (const char* command :
         {"reverse-continue", "reverse-stepi", "who wrote value", "present", "continue", "step"}) {
        TypedSession session(saxpyProgram(kUnoptimised));
        session.say("record\nbreak scaled if $global_x == 37\nrun\n");
        session.hearUntil("float product = factor * value;", command);
        const auto child = childOf(session.pid());
        ASSERT_GT(child, 0);
        ASSERT_EQ(kill(child, SIGKILL), 0);
        EXPECT_TRUE(waitFor([&] { return hasEnded(child); }));
        session.say(std::string(command) + "\nwhere\nquit\n");
        session.hearUntil("The program ended with code 137", command);
        EXPECT_THAT(session.heard(), Not(HasSubstr("only emulated devices"))) << command;
    }
}

/// Nanoseconds that the process has executed.
std::uint64_t executed(pid_t process) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return UINT64_MAX;
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The debuggee executes nothing at a stop but what the debugger has it repeat.
TEST_F(Console, ADebuggeeThatIsKilledWhileItGoesBackHasEnded) {
    const auto loop = lineIn(ZETL_TEST_TURNS_SOURCE, "for (");
    const auto last = lineIn(ZETL_TEST_TURNS_SOURCE, "data[i] = x");
    for (const char* command : {"reverse-continue", "who wrote x", "reverse-stepi 100000"}) {
        TypedSession session({inBuildTree("tests/zetl/debugged_program"), "turns", kUnoptimised});
        session.say("record\nbreak turns.cl:" + last + " if $global_x == 5\nrun\nbreak turns.cl:" + loop +
                    " if x == 123456789\n");
        session.hearUntil("Breakpoint 2 at", command);
        const auto child = childOf(session.pid());
        ASSERT_GT(child, 0);
        const auto before = executed(child);
        session.say(std::string(command) + "\n");
        EXPECT_TRUE(waitFor([&] { return executed(child) > before; })) << command;
        ASSERT_EQ(kill(child, SIGKILL), 0);
        session.say("where\nquit\n");
        session.hearUntil("The program ended with code 137", command);
        EXPECT_THAT(session.heard(), Not(HasSubstr("only emulated devices"))) << command;
    }
}

/// A loop on one line, of more turns than a debugger could look at one by one.
TEST_F(Console, AStepBackPassesALoopOnOneLine) {
    const auto line = lineIn(ZETL_TEST_TURNS_SOURCE, "data[i] = x");
    const auto back =
        debugged({"record", "break turns.cl:" + line + " if $global_x == 5", "run", "reverse-next", "p k", "p x",
                  "reverse-next", "p i", "present", "reverse-step", "p k + 1000", "reverse-finish"},
                 {inBuildTree("tests/zetl/debugged_program"), "turns", kUnoptimised});
    EXPECT_THAT(back.output, HasSubstr("$1: k = 0\n$2: x = 50\n")) << back;
    EXPECT_THAT(back.output, HasSubstr("int x = data[i];")) << "the line before the loop";
    EXPECT_THAT(back.output, HasSubstr(": k + 1000 = 1000\n")) << "with calls";
    EXPECT_NE(back.exitCode, 0) << "a kernel has no caller";
}

/// The compiler's function behind a barrier has no lines of its own; the kernel's last one would reach over it.
TEST_F(Console, AStepBackPassesCodeWithoutLines) {
    const auto back =
        debugged({"record", "break saxpy.cl:" + lineOf("float v =") + " if $global_x == 37", "run", "reverse-step",
                  "reverse-step", "reverse-step", "where", "present", "reverse-next", "reverse-next", "reverse-next"},
                 saxpyProgram(kUnoptimised));
    EXPECT_EQ(matchesOf("=> *[0-9]+ *scratch\\[l\\] = x\\[i\\];", back.output).size(), 2) << back;
    EXPECT_THAT(back.output, Not(HasSubstr("memfence")));
}

/// No instruction of it is looked at: nothing came to a breakpoint.
TEST_F(Console, AContinuationBackPassesWhatMetNoBreakpoint) {
    const auto line = lineIn(ZETL_TEST_TURNS_SOURCE, "data[i] = x");
    const auto back =
        debugged({"record", "break turns.cl:" + line + " if $global_x == 5", "break turns if $global_x == 5", "run",
                  "continue", "reverse-continue", "p $global_x + 1000", "reverse-continue"},
                 {inBuildTree("tests/zetl/debugged_program"), "turns", kUnoptimised});
    EXPECT_THAT(back.output, testing::ContainsRegex("Breakpoint 2, (.|\n)*Breakpoint 1, (.|\n)*Breakpoint 2, "))
        << back;
    EXPECT_THAT(back.output, HasSubstr("= 1005\n"));
    EXPECT_THAT(back.output, HasSubstr("No breakpoint before this: the beginning of the history."));
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
