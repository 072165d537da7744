// Variables of optimised code, which the compiler of Debian 12 built: what zetl shows is right, and it refuses the
// rest.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "console_session.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOptimised = "-g";

std::vector<std::string> program(const char* kernel, const char* options) {
    return {inBuildTree("tests/zetl/debugged_program"), kernel, options};
}

/// "NAME = VALUE" lines by name: all values that were shown.
std::multimap<std::string, std::string> shown(const std::string& output) {
    std::multimap<std::string, std::string> values;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (const auto at = line.find(" = "); at != std::string::npos)
            values.emplace(line.substr(0, at), line.substr(at + 3));
    return values;
}

/// At each instruction of work-item 5 of the first group, whose values are known.
TEST_F(Console, ShowsNoWrongVariableOfOptimisedCode) {
    std::vector<std::string> commands = {"break *reused", "run", "delete", "item 5"};
    for (int i = 0; i < 60; ++i) commands.insert(commands.end(), {"stepi", "info locals"});
    const auto outcome = debugged(commands, program("reused", kOptimised));
    std::size_t right = 0;
    std::size_t refused = 0;
    for (const auto& [name, value] : shown(outcome.output)) {
        refused += value.starts_with("<not trusted in optimised code, ");
        if (value.starts_with('<')) continue;
        const std::map<std::string, std::string> known = {{"i", "5"}, {"l", "5"}, {"size", "32"}, {"index", "12"}};
        const auto found = known.find(name);
        if (found == known.end()) continue;
        EXPECT_EQ(value, found->second) << name;
        ++right;
    }
    EXPECT_GT(right, 0u) << outcome;
    EXPECT_GT(refused, 0u) << outcome;
}

/// The values of work-item 5 of the kernel `chosen`: data[i] is 10 i.
std::map<std::string, std::set<std::string>> chosenValues() {
    std::map<std::string, std::set<std::string>> values{{"i", {"5"}}, {"first", {"50"}}};
    int best = 50;
    int where = -1;
    const auto note = [&] {
        values["best"].insert(std::to_string(best));
        values["where"].insert(std::to_string(where));
    };
    note();
    for (int k = 0; k < 4; ++k) {
        const int got = 10 * (5 + k * 3);
        values["got"].insert(std::to_string(got));
        if (got % 7 <= best % 7) continue;
        best = got;
        where = k;
        note();
    }
    values["sum"] = {std::to_string(best + where)};
    return values;
}

/// How often variables were shown and refused.
struct Seen {
    std::map<std::string, int> right;
    std::map<std::string, int> refused;
};
/// At each of the first instructions of work-item 5; those with known values are compared with them.
Seen stepped(const std::string& output, const std::map<std::string, std::set<std::string>>& known) {
    Seen seen;
    for (const auto& [name, value] : shown(output)) {
        const auto found = known.find(name);
        if (found == known.end() || value == "<optimised away>") continue;
        const bool isRefused = value.starts_with("<not trusted");
        ++(isRefused ? seen.refused : seen.right)[name];
        EXPECT_TRUE(isRefused || found->second.contains(value)) << name << " = " << value;
    }
    return seen;
}
std::vector<std::string> stepping(const std::string& kernel, int steps, const std::string& shows = "info locals") {
    std::vector<std::string> commands = {"break *" + kernel, "run", "delete", "item 5"};
    for (int i = 0; i < steps; ++i) commands.insert(commands.end(), {"stepi", shows});
    return commands;
}

/// Copies, both sides of a condition, and what a loop carries on are shown wherever they have been computed.
TEST_F(Console, ShowsCopiesAndWhatConditionsChoose) {
    const auto outcome = debugged(stepping("chosen", 90), program("chosen", kOptimised));
    Seen seen = stepped(outcome.output, chosenValues());
    for (const auto* const name : {"first", "best", "where"})
        EXPECT_GT(seen.right[name], seen.refused[name]) << name << outcome;
}

TEST_F(Console, ShowsNoNeighbourForAVariable) {
    const auto outcome = debugged(stepping("neighbours", 90), program("neighbours", kOptimised));
    Seen seen = stepped(outcome.output, {{"first", {"50"}}, {"second", {"60"}}, {"sum", {"3750"}}});
    EXPECT_GT(seen.right["first"], 0) << outcome;
    EXPECT_GT(seen.refused["second"], 0) << outcome;
}

/// The function that is built in goes on in the register of its argument.
TEST_F(Console, ShowsNoVariableOfAFunctionThatIsBuiltInForItsCallers) {
    const auto outcome = debugged(stepping("merged", 200), program("merged", kOptimised));
    Seen seen = stepped(outcome.output, {{"i", {"5"}}, {"x", {"155"}}, {"g", {"6"}}, {"h", {"5"}}});
    EXPECT_GT(seen.refused["x"], 0) << outcome;
    EXPECT_GT(seen.right["g"], 0) << outcome;
}

/// The second start's register goes on with what the function computes from it.
TEST_F(Console, ShowsNoParameterThatAFunctionWhichIsBuiltInComputesOn) {
    const auto outcome = debugged(stepping("probed", 200, "info args"), program("probed", kOptimised));
    Seen seen = stepped(outcome.output, {{"start", {"5", "7"}}, {"most", {"5", "9"}}});
    EXPECT_GT(seen.right["start"], 0) << outcome;
    EXPECT_GT(seen.refused["start"], 0) << outcome;
}

TEST_F(Console, ShowsNoNumberOfATurnThatTheWorkItemDoesNotTake) {
    const auto outcome = debugged(stepping("unrolled", 90), program("unrolled", kOptimised));
    Seen seen = stepped(outcome.output, {{"i", {"5"}}, {"times", {"1"}}, {"t", {"0", "1"}}});
    EXPECT_GT(seen.right["t"], 0) << outcome;
}

/// The device has the condition, in which size was believed. Later it is not to be.
TEST_F(Console, ConditionsOfTheDeviceFollowTheTrustInLocations) {
    const auto line = "reused.cl:" + lineIn(ZETL_TEST_REUSED_SOURCE, "got += ");
    const auto outcome = debugged({"set trust-locations on", "break " + line + " if size == 77 || middle == 4", "run",
                                   "info breakpoints", "set trust-locations off", "continue"},
                                  program("reused", kOptimised));
    EXPECT_THAT(outcome.output, HasSubstr("(evaluated by the device)")) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("cannot evaluate the condition 'size == 77")) << outcome;
}

/// Nothing reads, changes or watches it, and each says why.
TEST_F(Console, EveryCommandSaysWhyAVariableIsRefused) {
    const auto line = "reused.cl:" + lineIn(ZETL_TEST_REUSED_SOURCE, "int result");
    const auto outcome = debugged({"break " + line, "run", "display size"}, program("reused", kOptimised));
    EXPECT_THAT(outcome.output, HasSubstr("1: size = <not trusted in optimised code, r")) << outcome;
    for (const auto* const each : {"watch size", "who wrote size", "set size = 3", "print size + 1", "print &size"}) {
        const auto refused = debugged({"break " + line, "run", each, "info watch"}, program("reused", kOptimised));
        EXPECT_THAT(refused.output, HasSubstr("not trusted in optimised code, r")) << each << refused;
        EXPECT_EQ(refused.exitCode, 1) << each << refused;
    }
}

}  // namespace
}  // namespace zetl::test
