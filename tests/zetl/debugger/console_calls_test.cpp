// Calls of the program's functions by `zetl debug`. That nothing else changes shows in the program's results.
#include <gtest/gtest.h>

#include "console_session.h"
#include "support/temporary_file.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> calledProgram(const char* options = kUnoptimised) {
    return {inBuildTree("tests/zetl/debugged_program"), "called", options};
}

/// Line of called.cl that has the text.
std::string calledLine(const std::string& text) { return "called.cl:" + lineIn(ZETL_TEST_CALLED_SOURCE, text); }

class ConsoleCalls : public Console {
  protected:
    /// As a user types them: a refusal does not end the session.
    static Outcome typed(const std::string& lines) {
        const TemporaryFile script(std::vector<std::uint8_t>(lines.begin(), lines.end()));
        std::vector<std::string> words = {"/bin/sh", "-c", "\"$@\" < " + script.name(), "sh"};
        for (const auto& each : {inBuildTree("bin/zetl"), std::string("debug"), std::string("--device"),
                                 std::string("tiny"), std::string("--")})
            words.push_back(each);
        for (const auto& each : calledProgram()) words.push_back(each);
        return Process(words).run(std::chrono::seconds(120));
    }
    static constexpr const char* kResults = "data[36] = 4682, data[37] = 4555, data[38] = 4573, data[64] = 1\n";
};

TEST_F(ConsoleCalls, ReturnWhatFunctionsReturn) {
    const auto outcome = debugged(
        {"break " + calledLine("stored(data + 64") + " if $global_x == 37", "run", "p twice(21)",
         "p twicePlusOne(i) * 2", "p mixed(1.5, -4, 1000)", "p summed(data + 96, 3)", "p stretched(wide, 0.5f)",
         "p turned((float3)(1, 2, 3))", "p stretched((float4)(1, 2, 3, 4), 3).zw", "p twice(twice(i) + 1)",
         "p summed(&data[97], twice(1))", "p i", "item 33 0 0", "p twice(i)", "continue"},
        calledProgram());
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    for (const auto* each :
         {": twice(21) = 42\n", ": twicePlusOne(i) * 2 = 150\n", ": mixed(1.5, -4, 1000) = 994\n",
          ": summed(data + 96, 3) = 2910\n", ": stretched(wide, 0.5f) = {37, 74, 111, 148}\n",
          ": turned((float3)(1, 2, 3)) = {3, 1, 2}\n", ": stretched((float4)(1, 2, 3, 4), 3).zw = {9, 12}\n",
          ": twice(twice(i) + 1) = 150\n", ": summed(&data[97], twice(1)) = 1950\n", ": i = 37\n", ": twice(i) = 66\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each));
    EXPECT_THAT(outcome.output, HasSubstr(kResults)) << "the program is as it was";
}

/// Its calls keep the return address elsewhere, and the stack for registers begins at the scalar register's address.
TEST_F(ConsoleCalls, WorkOnXe3P) {
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    const std::string place = calledLine("stored(data + 64");
    const std::string commands = "break " + place +
                                 " if $global_x == 37\nrun\np twice(21)\np twicePlusOne(i) * 2\np mixed(1.5, -4, 1000)"
                                 "\np summed(data + 96, 3)\np turned((float3)(1, 2, 3))\np summed((global int *)0, 3)\n"
                                 "p twice(i)\ndelete\ncontinue\n";
    const TemporaryFile script(std::vector<std::uint8_t>(commands.begin(), commands.end()));
    std::string program;
    for (const auto& each : calledProgram()) program += " '" + each + "'";
    const auto outcome = Process({"/bin/sh", "-c",
                                  "ZETL_COMPILER=newest " + inBuildTree("bin/zetl") + " debug --device cri-small --" +
                                      program + " < " + script.name()})
                             .run(std::chrono::seconds(120));
    for (const auto* each :
         {": twice(21) = 42\n", ": twicePlusOne(i) * 2 = 150\n", ": mixed(1.5, -4, 1000) = 994\n",
          ": summed(data + 96, 3) = 2910\n", ": turned((float3)(1, 2, 3)) = {3, 1, 2}\n", ": twice(i) = 74\n"})
        EXPECT_THAT(outcome.output, HasSubstr(each)) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("The thread is as it was before"));
    EXPECT_THAT(outcome.output, HasSubstr(kResults)) << "the program is as it was";
}

/// From code that only some work-items execute, from the function itself, and from a caller's frame; memory stays
/// changed.
TEST_F(ConsoleCalls, WorkWhereverTheThreadStands) {
    const auto branch = debugged({"break " + calledLine("all -= twice(i)") + " if $global_x == 37", "run", "p twice(i)",
                                  "next", "p twice(1000)", "continue"},
                                 calledProgram());
    EXPECT_EQ(branch.exitCode, 0) << branch;
    EXPECT_THAT(branch.output, HasSubstr(": twice(i) = 74\n"));
    EXPECT_THAT(branch.output, HasSubstr(": twice(1000) = 2000\n"));
    EXPECT_THAT(branch.output, HasSubstr(kResults));
    const auto inside = debugged({"break twice if $global_x == 37", "run", "p twice(value + 1)", "up", "p twice(i) + 1",
                                  "stepi", "p twice(8)", "delete", "continue"},
                                 calledProgram());
    EXPECT_EQ(inside.exitCode, 0) << inside;
    EXPECT_THAT(inside.output, HasSubstr(": twice(value + 1) = 76\n"));
    EXPECT_THAT(inside.output, HasSubstr(": twice(i) + 1 = 75\n"));
    EXPECT_THAT(inside.output, HasSubstr(": twice(8) = 16\n"));
    EXPECT_THAT(inside.output, HasSubstr(kResults));
    const auto writes = debugged({"break " + calledLine("data[i] = all") + " if $global_x == 37", "run",
                                  "p stored(data + 65, 815)", "p data[65]", "print $1", "continue"},
                                 calledProgram());
    EXPECT_THAT(writes.output, HasSubstr("stored(data + 65, 815) = void\n")) << writes;
    EXPECT_THAT(writes.output, HasSubstr(": data[65] = 815\n"));
}

TEST_F(ConsoleCalls, ThatDoNotReturnAreTakenBack) {
    const auto outcome = debugged({"break " + calledLine("all -= twice(i)") + " if $global_x == 37", "break twice",
                                   "disable 2", "run", "enable 2", "p twice(5)", "disable 2", "p i + 1000", "continue"},
                                  calledProgram());
    EXPECT_THAT(outcome.output, HasSubstr(": twice(5) = 10\n")) << "breakpoints in it do not stop it" << outcome;
    EXPECT_THAT(outcome.output, HasSubstr(": i + 1000 = 1037\n"));
    EXPECT_THAT(outcome.output, HasSubstr(kResults));
    const auto goesOn = typed("break " + calledLine("all -= twice(i)") +
                              " if $global_x == 37\nrun\np summed((global int *)0, 3)\np twice(i)\nstepi\n"
                              "p summed((global int *)16, 3)\nnext\np i + 5000\ndelete\ncontinue\n");
    EXPECT_THAT(goesOn.output, testing::ContainsRegex("summed stopped at summed\\+0x[0-9a-f]+: a page fault\\. The "
                                                      "thread is as it was before"))
        << goesOn;
    EXPECT_THAT(goesOn.output, HasSubstr(": twice(i) = 74\n")) << goesOn;
    EXPECT_THAT(goesOn.output, HasSubstr(": i + 5000 = 5037\n"));
    EXPECT_THAT(goesOn.output, HasSubstr(kResults));
}

TEST_F(ConsoleCalls, ThatAreNotPossibleSayWhy) {
    const std::string place = "break " + calledLine("stored(data + 64") + " if $global_x == 37";
    const auto refused =
        typed(place +
              "\nrun\np builtIn(1)\np nothing(1)\np sqrt(2)\np called(data)\np twice()\np mixed(1, 2)\np twice(1\n"
              "p together(1)\np twice(both)\np twice(nothing)\np 1000 + i\nkill\n");
    for (const auto* words :
         {"builtIn has no code of its own: the compiler built it into its callers",
          "the program has no function nothing of its own here", "the program has no function sqrt of its own here",
          "called is a kernel", "twice takes 1 argument; give as many\n", "mixed takes 3 arguments",
          "',' is missing before ''", "together would wait for threads that are stopped, at a barrier in together",
          "pair is not a number", "there is no variable nothing here", ": 1000 + i = 1037\n"})
        EXPECT_THAT(refused.output, HasSubstr(words)) << refused;
    const auto condition =
        debugged({"break " + calledLine("stored(data + 64") + " if twice(i) == 74", "run"}, calledProgram());
    EXPECT_THAT(condition.output, HasSubstr("functions are called by commands at a stop, not by conditions"));
    const auto recorded = debugged({"record", place, "run", "p twice(1)"}, calledProgram());
    EXPECT_THAT(recorded.output, HasSubstr("no function is called while launches are recorded"));
    const auto early = debugged({"break *called", "run", "p twice(1)"}, calledProgram());
    EXPECT_THAT(early.output, HasSubstr("the kernel called makes its stack at a later line")) << early;
    const auto optimised = debugged({"break " + calledLine("data[i] = all"), "run", "p twice(1)"}, calledProgram("-g"));
    EXPECT_EQ(optimised.exitCode, 1) << optimised;
}

}  // namespace
}  // namespace zetl::test
