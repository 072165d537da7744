// `zetl run --fail-sweep`: each call fails in a run of its own, which shows what the program then does.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "says.h"
#include "support/process.h"
#include "sweep/sweep_run.h"
#include "trace_directory.h"

namespace zetl::command {
namespace {

using test::Outcome;
using test::Process;
using test::says;

TEST(SweepRun, TheNumberStandsInFrontOfTheEffect) {
    EXPECT_EQ(ruleForCall("zeMemAllocDevice=OUT_OF_DEVICE_MEMORY", 3), "zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY");
    EXPECT_EQ(ruleForCall("memory:size=1M=OUT_OF_HOST_MEMORY", 12), "memory:size=1M:12=OUT_OF_HOST_MEMORY");
}

TEST(SweepRun, TheLogNamesTheFunction) {
    EXPECT_EQ(failedFunction("[12:00:00.1] [1:1] [layer] [error] zeMemFree: fails on purpose with DEVICE_LOST, call 2"),
              "zeMemFree");
    EXPECT_EQ(failedFunction("zeMemFree: fails on purpose"), "zeMemFree");
    EXPECT_EQ(failedFunction("[layer] [error] something else"), "");
    EXPECT_EQ(failedFunction("fails on purpose"), "");
}

class FailSweep : public test::TraceDirectory {
  protected:
    Outcome swept(const char* word, const std::string& rule = kRule,
                  const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words{test::inBuildTree("bin/zetl"),
                                       "run",
                                       "--device",
                                       "tiny",
                                       "--fail-sweep",
                                       rule,
                                       "--json",
                                       directory_ / "runs.json",
                                       "--junit",
                                       directory_ / "runs.xml",
                                       "--sarif",
                                       directory_ / "runs.sarif",
                                       "--github"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", test::inBuildTree("tests/zetl/failing_program"), word});
        return Process(words).run();
    }
    nlohmann::json runs() const { return nlohmann::json::parse(textOf("runs.json")); }
    bool junitHas(const std::string& text) const { return textOf("runs.xml").find(text) != std::string::npos; }

    static constexpr const char* kRule = "zeMemAllocDevice=OUT_OF_DEVICE_MEMORY";
};

TEST_F(FailSweep, AProgramThatReportsIsFine) {
    const auto outcome = swept("reports");
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome,
                     "zetl run: 2 calls failed, each in a run of its own: 2 reported, 0 ignored, 0 leaked, "
                     "0 crashed, 0 hung\n"));
    EXPECT_EQ(runs()["complete"], true);
    EXPECT_TRUE(junitHas("tests=\"2\" failures=\"0\"")) << textOf("runs.xml");
}

TEST_F(FailSweep, WhatItDoesWrongIsNamedWithHowToRepeatIt) {
    struct Wrong {
        const char* word;
        const char* text;
        int mistakes;
        const char* rule;
    };
    for (const auto& [word, text, mistakes, rule] :
         {Wrong{"ignores", "the program ended with 0 and the same output, as if nothing had failed\n", 2, "ignored"},
          Wrong{"crashes", "the program crashed by SIGSEGV\n", 2, "crashed"},
          Wrong{"leaks", "call 2: the program ended with 1:\n", 1, "leaked"}}) {
        const auto outcome = swept(word);
        EXPECT_EQ(outcome.exitCode, 99) << outcome;
        EXPECT_TRUE(says(outcome, text)) << outcome;
        EXPECT_TRUE(says(outcome, "again: zetl run --fail 'zeMemAllocDevice:2=OUT_OF_DEVICE_MEMORY'\n")) << outcome;
        EXPECT_TRUE(says(outcome, std::string("\n::error title=sweep/") + rule + "::zeMemAllocDevice, call 2: "))
            << outcome;
        EXPECT_TRUE(junitHas("tests=\"2\" failures=\"" + std::to_string(mistakes) + '"')) << textOf("runs.xml");
    }
    const auto log = nlohmann::json::parse(textOf("runs.sarif"));
    ASSERT_EQ(log["runs"][0]["results"].size(), 1u);
    EXPECT_EQ(log["runs"][0]["results"][0]["ruleId"], "sweep/leaked");
    EXPECT_EQ(runs()["runs"][1]["reaction"], "leaked");
    EXPECT_EQ(runs()["runs"][1]["exitCode"], 1);
}

TEST_F(FailSweep, AProgramThatHangsIsKilled) {
    const auto outcome = swept("hangs", kRule, {"--fail-timeout", "5", "--fail-runs", "1"});
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome, "zeMemAllocDevice, call 1: the program did not end\n")) << outcome;
    EXPECT_TRUE(says(outcome, "there may be more calls: 1 were enough (--fail-runs)")) << outcome;
    EXPECT_EQ(runs()["complete"], false);
    EXPECT_FALSE(runs()["runs"][0].contains("exitCode"));
}

TEST_F(FailSweep, WhatDoesNotFitIsRefused) {
    EXPECT_TRUE(says(swept("reports", "zeMemAllocDevice:2=OUT_OF_DEVICE_MEMORY"), "leave out numbers of calls"));
    EXPECT_TRUE(says(swept("reports", "zeMemAllocDevice=hang"), "write a result code or device-lost"));
    EXPECT_TRUE(says(swept("reports", kRule, {"--no-layer"}), "--fail-sweep works through the tools layer"));
    EXPECT_TRUE(says(swept("reports", "zeMemAlocDevice=DEVICE_LOST"), "zeMemAllocDevice"));
    const auto none = swept("reports", "zeImageCreate=DEVICE_LOST");
    EXPECT_EQ(none.exitCode, 1) << none;
    EXPECT_TRUE(says(none, "the program made no call of 'zeImageCreate=DEVICE_LOST'"));
    const auto absent = Process({test::inBuildTree("bin/zetl"), "run", "--device", "tiny", "--fail-sweep",
                                 "any=DEVICE_LOST", "--", "/nonexistent/program"})
                            .run();
    EXPECT_EQ(absent.exitCode, 127) << absent;
}

}  // namespace
}  // namespace zetl::command
