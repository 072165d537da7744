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
    Outcome fault = debugged(
        {"break " + calledLine("all -= twice(i)") + " if $global_x == 37", "run", "p summed((global int *)0, 3)"},
        calledProgram());
    EXPECT_THAT(fault.output, testing::ContainsRegex("summed stopped at summed\\+0x[0-9a-f]+: a page fault\\. The "
                                                     "thread is as it was before"))
        << fault;
    // As a user goes on after that.
    const TemporaryFile script([] {
        const std::string text = "break " + calledLine("all -= twice(i)") +
                                 " if $global_x == 37\nrun\np summed((global int *)0, 3)\np twice(i)\nstepi\n"
                                 "p summed((global int *)16, 3)\nnext\np i + 5000\ndelete\ncontinue\n";
        return std::vector<std::uint8_t>(text.begin(), text.end());
    }());
    std::vector<std::string> words = {
        "/bin/sh", "-c", "\"$@\" < " + script.name(), "sh", inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--"};
    for (const auto& each : calledProgram()) words.push_back(each);
    const auto goesOn = Process(words).run(std::chrono::seconds(120));
    EXPECT_THAT(goesOn.output, HasSubstr(": twice(i) = 74\n")) << goesOn;
    EXPECT_THAT(goesOn.output, HasSubstr(": i + 5000 = 5037\n"));
    EXPECT_THAT(goesOn.output, HasSubstr(kResults));
}

TEST_F(ConsoleCalls, ThatAreNotPossibleSayWhy) {
    const std::string place = "break " + calledLine("stored(data + 64") + " if $global_x == 37";
    for (const auto& [expression, words] :
         {std::pair("builtIn(1)", "builtIn has no code of its own: the compiler built it into its callers"),
          std::pair("nothing(1)", "the program has no function nothing of its own here"),
          std::pair("sqrt(2)", "the program has no function sqrt of its own here"),
          std::pair("called(data)", "called is a kernel"), std::pair("twice()", "twice takes 1 argument\n"),
          std::pair("mixed(1, 2)", "mixed takes 3 arguments"), std::pair("twice(1", "',' is missing before ''"),
          std::pair("together(1)", "together would wait for threads that are stopped, at a barrier in together"),
          std::pair("twice(both)", "pair is not a number"),
          std::pair("twice(nothing)", "there is no variable nothing here")}) {
        const auto outcome = debugged({place, "run", std::string("p ") + expression}, calledProgram());
        EXPECT_EQ(outcome.exitCode, 1) << outcome;
        EXPECT_THAT(outcome.output, HasSubstr(words)) << expression << outcome;
    }
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
