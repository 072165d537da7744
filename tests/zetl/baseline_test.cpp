// `zetl baseline`: costs of kernels that are kept and compared, and the command as its users run it.
#include "baseline/baseline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "says.h"
#include "support/process.h"
#include "text/json.h"
#include "text/usage_error.h"
#include "trace_directory.h"

namespace zetl::command {
namespace {

using test::says;

Baseline baselineOf(const std::map<std::string, KernelCost>& kernels) { return {"1", "small", "igc", kernels}; }

TEST(Baseline, OnlyWhatIsTheSameInEveryRunCounts) {
    const Table table{
        {"kernel", "launches", "modelled time[ns]", "GpuTime[ns]", "XVE_ACTIVE[percent]", "L3_HIT[events]"},
        {{"a", 1, 2.5, 77, 3.0, 4}, {"b", 1, 1.0, 78, 3.0, 4}, {"a", 2, 2.5, 79, 3.0, 5}}};
    const auto costs = costsIn(table);
    ASSERT_EQ(costs.size(), 2u);
    EXPECT_EQ(costs.at("a"), (KernelCost{{"launches", 3}, {"modelled time[ns]", 5}, {"L3_HIT[events]", 9}}));
}

TEST(Baseline, WhatIsWrittenIsRead) {
    const auto written =
        baselineOf({{"k\"\n", {{"launches", 3}, {"modelled time[ns]", 0.1}}}, {"z", {{"launches", 0}}}});
    const auto read = readBaseline(baselineText(written), "f");
    EXPECT_EQ(read.kernels, written.kernels);
    EXPECT_EQ(mismatch(read, written), "");
}

TEST(Baseline, WhatIsNoBaselineIsRefused) {
    for (const char* const text :
         {"", "[]", "{}", R"({"schema":2})", R"({"schema":1,"zetl":1})",
          R"({"schema":1,"zetl":"1","device":"d","compiler":"c"})",
          R"({"schema":1,"zetl":"1","device":"d","compiler":"c","kernels":{"k":1}})",
          R"({"schema":1,"zetl":"1","device":"d","compiler":"c","kernels":{"k":{"launches":"1"}}})"})
        EXPECT_THROW(readBaseline(text, "f"), UsageError) << text;
}

TEST(Baseline, OtherCircumstancesAreNamed) {
    Baseline here = baselineOf({});
    here.device = "tiny";
    here.compiler = "other";
    EXPECT_EQ(mismatch(baselineOf({}), here), "device small there, tiny here; compiler igc there, other here");
}

TEST(Baseline, ChangesBeyondTheToleranceAreListedWithTheTimeFirst) {
    const auto before = baselineOf({{"a", {{"L3_HIT[events]", 100}, {"launches", 1}, {"modelled time[ns]", 10}}}});
    const auto now = baselineOf({{"a", {{"L3_HIT[events]", 102}, {"launches", 1}, {"modelled time[ns]", 11}}}});
    EXPECT_TRUE(changesBetween(before, before, {}).empty());
    const auto changes = changesBetween(before, now, {});
    ASSERT_EQ(changes.size(), 2u);
    EXPECT_EQ(changes[0].counter, "modelled time[ns]");
    EXPECT_DOUBLE_EQ(changes[0].percent().value_or(0), 10);
    EXPECT_EQ(changesBetween(before, now, {.counters = 2, .time = 9}).size(), 1u);
    EXPECT_TRUE(changesBetween(before, now, {.counters = 2, .time = 10}).empty());
}

TEST(Baseline, NewAndMissingKernelsAreChanges) {
    const auto before = baselineOf({{"a", {{"launches", 1}}}, {"b", {{"launches", 2}}}});
    const auto now = baselineOf({{"a", {{"launches", 2}}}, {"c|<d>", {{"launches", 3}}}});
    const auto changes = changesBetween(before, now, {.counters = 1000, .time = 1000});
    ASSERT_EQ(changes.size(), 3u);
    EXPECT_FALSE(changes[1].now);
    EXPECT_FALSE(changes[2].before);
    const std::string markdown = changesMarkdown(changes, 2);
    EXPECT_NE(markdown.find("| c\\|\\<d> | launches | none | 3 |  |\n"), std::string::npos) << markdown;
    const std::string junit = junitText(changesReport(changes, before, now, {"k.json", ""}, false));
    EXPECT_NE(junit.find("tests=\"3\" failures=\"3\""), std::string::npos) << junit;
    EXPECT_NE(junit.find("name=\"c|&lt;d&gt;\""), std::string::npos) << junit;
    EXPECT_NE(changesText(changes).find("none"), std::string::npos);
    EXPECT_NE(changesMarkdown({}, 2).find("2 kernels"), std::string::npos);
}

TEST(Baseline, ReportsNameTheLineOfTheBaseline) {
    const auto before = baselineOf({{"a", {{"L3_HIT[events]", 100}, {"launches", 1}}}, {"k\"", {{"launches", 1}}}});
    const auto now = baselineOf({{"a", {{"L3_HIT[events]", 102}, {"launches", 1}}}, {"z", {{"launches", 1}}}});
    const auto changes = changesBetween(before, now, {});
    const std::string text = baselineText(before);
    const std::string wanted =
        "::error file=k.json,line=7,title=baseline/cost::L3_HIT[events]: 100 in the baseline, 102 now (+2.00 %25) "
        "in kernel a\n"
        "::error file=k.json,line=11,title=baseline/missing::launches: 1 in the baseline, none now in kernel k\"\n"
        "::error file=k.json,line=1,title=baseline/new::launches: none in the baseline, 1 now in kernel z\n";
    EXPECT_EQ(githubText(changesReport(changes, before, now, {"/src/k.json", text}, false), "/src"), wanted) << text;
    const auto accepted = changesReport(changes, before, now, {"/src/k.json", text}, true);
    EXPECT_TRUE(githubText(accepted, "/src").starts_with("::notice "));
    const auto log = Json::parse(sarifText(accepted, "/src", "1"));
    const auto& results = log["runs"][0]["results"];
    ASSERT_EQ(results.size(), 3u);
    EXPECT_EQ(results[1]["ruleId"], "baseline/missing");
    EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "k.json");
    EXPECT_EQ(results[1]["level"], "note");
}

class BaselineCommand : public test::TraceDirectory {
  protected:
    test::Outcome baseline(std::vector<std::string> words, const std::string& sample) const {
        words.insert(words.begin(), {test::inBuildTree("bin/zetl"), "baseline"});
        words.insert(words.end(), {directory_ / "k.json", "--", test::inBuildTree("samples/" + sample)});
        return test::Process(words).run(std::chrono::seconds(120));
    }
};

TEST_F(BaselineCommand, ASecondRunCostsTheSameAndAnotherProgramDoesNot) {
    const auto saved = baseline({"save", "--device", "tiny"}, "row_sums");
    EXPECT_EQ(saved.exitCode, 0) << saved;
    const std::string text = textOf("k.json");
    EXPECT_NE(text.find("\"device\": \"tiny\""), std::string::npos) << text;
    const auto same = baseline({"compare", "--device", "tiny"}, "row_sums");
    EXPECT_EQ(same.exitCode, 0) << same;
    EXPECT_TRUE(says(same, "zetl baseline: 0 changes in 1 kernel\n")) << same;
    const auto elsewhere = baseline({"compare", "--device", "small"}, "row_sums");
    EXPECT_EQ(elsewhere.exitCode, 2) << elsewhere;
    EXPECT_TRUE(says(elsewhere, "device tiny there, small here")) << elsewhere;
    const auto other = baseline({"compare", "--device", "tiny"}, "vector_add");
    EXPECT_EQ(other.exitCode, 99) << other;
    EXPECT_EQ(textOf("k.json"), text);
    EXPECT_EQ(baseline({"compare", "--device", "tiny", "--accept"}, "vector_add").exitCode, 0);
    EXPECT_NE(textOf("k.json").find("vector_add"), std::string::npos);
}

}  // namespace
}  // namespace zetl::command
