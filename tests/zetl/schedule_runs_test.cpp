// `zetl run --schedules`: the runs are compared, and the first that fails or differs is named.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "says.h"
#include "support/process.h"
#include "trace_directory.h"

namespace zetl::command {
namespace {

using test::Outcome;
using test::says;

class ScheduleRuns : public test::TraceDirectory {
  protected:
    /// The script sees the schedule as programs of the emulated GPU do.
    Outcome scheduled(const std::string& script, const std::vector<std::string>& options) const {
        std::vector<std::string> words{test::inBuildTree("bin/zetl"), "run", "--device", "tiny"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", "/bin/sh", "-c", script});
        return test::Process(words).run();
    }
    nlohmann::json runs() const { return nlohmann::json::parse(textOf("runs.json")); }
};

TEST_F(ScheduleRuns, AProgramThatAlwaysPrintsTheSame) {
    const auto outcome = scheduled("echo out; echo more >&2", {"--schedules", "3", "--json", directory_ / "runs.json"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome, "out\nmore\nzetl run: 3 runs under the schedules 1 to 3: all printed the same\n"))
        << outcome;
    EXPECT_EQ(outcome.times("more"), 1u) << "that of the first run";
    ASSERT_EQ(runs()["runs"].size(), 3u);
    EXPECT_EQ(runs()["runs"][2]["schedule"], "3");
}

TEST_F(ScheduleRuns, TheFirstScheduleWhoseOutputDiffersIsNamed) {
    const auto outcome =
        scheduled("echo one; test $ZETL_EMULATOR_ORDER -lt 9 && echo two || echo three",
                  {"--schedule", "7", "--schedules", "4", "--json", directory_ / "runs.json", "--junit",
                   directory_ / "runs.xml", "--sarif", directory_ / "runs.sarif", "--github"});
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome,
                     "schedule 9: line 2 is: three\n         instead of: two\n  again: zetl run --schedule 9\n"
                     "zetl run: 4 runs under the schedules 7 to 10: 2 failed or differ from the first\n"))
        << outcome;
    EXPECT_FALSE(says(outcome, "differs from itself")) << outcome;
    EXPECT_EQ(outcome.times("\n::error title=schedule/output::schedule "), 2u) << outcome;
    EXPECT_NE(textOf("runs.xml").find("tests=\"4\" failures=\"2\""), std::string::npos) << textOf("runs.xml");
    EXPECT_EQ(nlohmann::json::parse(textOf("runs.sarif"))["runs"][0]["results"].size(), 2u);
    EXPECT_EQ(runs()["runs"][1]["same"], true);
}

TEST_F(ScheduleRuns, TheExitCodeIsThatOfTheFirstRunThatFailed) {
    const auto outcome =
        scheduled("test $ZETL_EMULATOR_ORDER -lt 2 || exit 1$ZETL_EMULATOR_ORDER", {"--schedules", "3"});
    EXPECT_EQ(outcome.exitCode, 12) << outcome;
    EXPECT_TRUE(says(outcome, "schedule 2: the program ended with 12, not 0\n")) << outcome;
}

TEST_F(ScheduleRuns, WhatDependsOnTimeDiffersFromItself) {
    const std::string file = directory_ / "count";
    const auto outcome = scheduled("echo x >>'" + file + "'; wc -l <'" + file + "'; true", {"--schedules", "2"});
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome, "schedule 1 differs from itself when it runs again")) << outcome;
}

TEST_F(ScheduleRuns, LinesMayBeMissing) {
    const auto outcome = scheduled("echo one; test $ZETL_EMULATOR_ORDER = 1 && echo two; true", {"--schedules", "2"});
    EXPECT_TRUE(says(outcome, "schedule 2: line 2 is missing: two\n")) << outcome;
    const auto end = scheduled("printf one; test $ZETL_EMULATOR_ORDER = 1 && echo; true", {"--schedules", "2"});
    EXPECT_TRUE(says(end, "schedule 2: ")) << end;
    EXPECT_EQ(end.exitCode, 99) << end;
}

TEST_F(ScheduleRuns, WhatDoesNotFitIsRefused) {
    struct Refused {
        std::vector<std::string> options;
        const char* text;
    };
    for (const auto& [options, text] :
         {Refused{{"--schedule", "last", "--schedules", "2"}, "--schedules needs the number of the first"},
          Refused{{"--schedules", "0"}, "--schedules"},
          Refused{{"--schedules", "2", "--fail-sweep", "any=DEVICE_LOST"},
                  "--fail-sweep and --schedules cannot be used together"},
          Refused{{"--schedules", "2", "--json", "-", "--github"}, "--github prints on standard output"},
          Refused{{"--schedules", "2", "--json", "-", "--junit", "-"}, "only one table can go to standard output"},
          Refused{{"--junit", "x.xml"}, "--junit is for --fail-sweep and --schedules"},
          Refused{{"--schedule", "18446744073709551615", "--schedules", "2"}, "--schedule 18446744073709551615"}}) {
        const auto outcome = scheduled("true", options);
        EXPECT_EQ(outcome.exitCode, 2) << outcome;
        EXPECT_TRUE(says(outcome, text)) << outcome;
    }
    const auto native =
        test::Process({test::inBuildTree("bin/zetl"), "run", "--native", "--schedules", "2", "true"}).run();
    EXPECT_TRUE(says(native, "leave out --native")) << native;
}

}  // namespace
}  // namespace zetl::command
