// Variables of optimised code, which the compiler of Debian 12 built: what zetl shows is right, and it refuses the
// rest.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "console_session.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOptimised = "-g";

std::vector<std::string> reusedProgram(const char* options) {
    return {inBuildTree("tests/zetl/debugged_program"), "reused", options};
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
    const auto outcome = debugged(commands, reusedProgram(kOptimised));
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

}  // namespace
}  // namespace zetl::test
