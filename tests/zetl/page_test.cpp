// Pages to look at: that they need nothing else, that nothing in them is markup that a program wrote, and their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "findings/finding_page.h"
#include "made_recording.h"
#include "metrics/metric_page.h"
#include "page/html.h"
#include "page/timeline_data.h"
#include "page/trace_page.h"
#include "recording/alignment.h"
#include "support/process.h"
#include "trace_directory.h"

namespace {

using namespace zetl::command;
using zetl::test::inBuildTree;
using zetl::test::Process;

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST(Escaped, MarkupControlsAndDamageAreReplaced) {
    const std::string mark = "\xEF\xBF\xBD";
    const std::array<std::pair<std::string, std::string>, 12> kCases = {{
        {"a < b & c > d", "a &lt; b &amp; c &gt; d"},
        {"\"'", "&quot;&#39;"},
        {"\x1b[2J", mark + "[2J"},
        {"a\n\tb", "a\n\tb"},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\xC3", mark},
        {"\xC0\xBC", mark + mark},             // an overlong "<"
        {"\xE0\x80\xBC", mark + mark + mark},  // another
        {"\xED\xA0\x80", mark + mark + mark},  // a surrogate
        {"\xF4\x90\x80\x80", mark + mark + mark + mark},
        {std::string("\0", 1), mark},
        {"", ""},
    }};
    for (const auto& [text, expected] : kCases) EXPECT_EQ(escaped(text), expected) << text;
}

TEST(Escaped, JsonEndsNoScript) {
    const auto text = scriptJson({{"name", "</script><!--"}});
    EXPECT_EQ(text.find('<'), text.npos);
    EXPECT_EQ(Json::parse(text).at("name"), "</script><!--");
}

TEST(HtmlTable, RowsBeyondTheMostAreOnlyCounted) {
    HtmlTable table({"Name", "#Value"});
    for (std::size_t i = 0; i < HtmlTable::kMostRows + 7; ++i) table.add({{"x"}, {"1", 1, 0.5}});
    const auto html = table.html();
    EXPECT_EQ(occurrences(html, "<tr>"), HtmlTable::kMostRows + 1) << "with the heading";
    EXPECT_NE(html.find("The first 500 of 507 rows"), html.npos);
}

class TracePage : public zetl::test::TraceDirectory {
  protected:
    std::string pageOf(const std::vector<zetl::test::MadeRecording>& all) {
        for (const auto& made : all) zetl::test::makeRecording(directory_, made);
        const auto recordings = openRecordings(directory_);
        return tracePage(recordings, Summary(recordings), false);
    }
};

TEST_F(TracePage, NeedsNothingElse) {
    const auto page = pageOf({{-1, 0, "node", 10, 1'000, 500}});
    for (const auto* word : {"http:", "https:", " src=", "@import", "url("})
        EXPECT_EQ(page.find(word), page.npos) << word;
    for (const auto* section : {"overview", "timeline", "kernels", "calls", "environment"})
        EXPECT_NE(page.find("<section id=" + std::string(section) + ">"), page.npos) << section;
    EXPECT_LT(page.size(), 64u * 1024);
}

TEST_F(TracePage, NamesOfProgramsAreNoMarkup) {
    const std::string hostile = "</script><img onerror=alert(1)>";
    const auto page = pageOf({{0, 2, "<b>node", 10, 1'000, 500, 0, hostile}, {1, 2, "x", 11, 1'000, 900, 0, hostile}});
    EXPECT_EQ(page.find("<img"), page.npos);
    EXPECT_EQ(page.find("<b>node"), page.npos);
    EXPECT_NE(page.find("&lt;img onerror=alert(1)&gt;"), page.npos);
    EXPECT_EQ(occurrences(page, "</script>"), 2u) << "of the timeline's data and of the page's script";
}

TEST_F(TracePage, FindingsComeFirstAndTheWorstOfThemBeforeOthers) {
    const auto page = pageOf({{0, 2, "node1", 10, 1'000, 100}, {1, 2, "node2", 11, 1'000, 900}});
    const auto warning = page.find("<li class=warning><b>warning</b> The slowest rank is 1: 80.0% above the mean");
    ASSERT_NE(warning, page.npos);
    EXPECT_LT(warning, page.find("<li class=good>"));
    EXPECT_LT(page.find("<li class=good>"), page.find("<section id=timeline>"));
}

TEST_F(TracePage, KernelsHaveTheShapeOfTheirLongestLaunch) {
    const auto page =
        pageOf({{-1, 0, "node", 10, 1'000, 500, 0, "add", 3, 7}, {-1, 0, "node", 11, 1'000, 900, 0, "add", 1, 5}});
    for (const auto* cell : {">5 x 2 x 1<", ">64 x 1 x 1<", ">128<", ">16<", ">2 KiB<", ">40 ns<", ">differ<"})
        EXPECT_EQ(occurrences(page, cell), 1u) << cell;
    EXPECT_EQ(page.find(">7 x 2 x 1<"), page.npos) << "of a shorter launch";
}

TEST_F(TracePage, UnknownShapesHaveNoTable) {
    EXPECT_EQ(pageOf({{-1, 0, "node", 10, 1'000, 500}}).find("Longest launch of"), std::string::npos);
}

TEST_F(TracePage, TheLongestOfManySlicesAreKept) {
    for (std::uint32_t process = 1; process <= 40; ++process)
        zetl::test::makeRecording(directory_, {-1, 0, "node", process, 1'000, 10 * process, 0, "k", 560});
    const auto recordings = openRecordings(directory_);
    const auto data = timelineData(recordings);
    EXPECT_EQ(data.slices, 40u * 561);
    EXPECT_EQ(data.shown, TimelineData::kMostSlices);
    std::uint64_t shortest = UINT64_MAX;
    for (const auto& track : data.timeline.at("tracks"))
        for (const auto& slice : track.at("slices")) shortest = std::min(shortest, slice.at(1).get<std::uint64_t>());
    EXPECT_GE(shortest, 30u);
    EXPECT_LT(tracePage(recordings, Summary(recordings), false).size(), 1024u * 1024);
}

/// A database holds any text, and readers refuse what is no UTF-8.
TEST_F(TracePage, ManyKernelsAreBoundedEverywhereAndItSaysSo) {
    constexpr std::uint32_t kKernels = 20'500;
    const auto directory = directory_ / "run";
    std::filesystem::create_directory(directory);
    zetl::test::makeManyKernels(directory / "10-0.zetl", kKernels);
    const auto page = directory_ / "page.html";
    const auto outcome = Process({inBuildTree("bin/zetl"), "report", directory, "-o", "", "--html", page}).run();
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("20300 more in --json and --csv"), std::string::npos) << outcome;
    EXPECT_LT(occurrences(outcome.output, "\n"), 300u);
    EXPECT_LT(std::filesystem::file_size(page), 2'000'000u);
    const auto text = textOf("page.html");
    EXPECT_NE(text.find("The first 500 of 20500 rows"), std::string::npos);
    EXPECT_NE(text.find("The 20000 longest of 20500 slices"), std::string::npos);
    EXPECT_EQ(text.find("<script>0"), std::string::npos) << "a name is no markup";
}

TEST_F(TracePage, ADatabaseHoldsWhateverKernelsAreCalled) {
    const std::string name = "x'); DROP TABLE work; --\xC3";
    zetl::test::makeRecording(directory_ / "run", {-1, 0, "node", 10, 1'000, 500, 0, name, 3, 7});
    const auto outcome =
        Process({inBuildTree("bin/zetl"), "report", directory_ / "run", "-o", "", "--sqlite", directory_ / "t.db"})
            .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto database = textOf("t.db");
    EXPECT_TRUE(database.starts_with("SQLite format 3"));
    EXPECT_EQ(occurrences(database, "x'); DROP TABLE work; --\xEF\xBF\xBD"), 3u) << "one for each launch";
}

TEST_F(TracePage, WithoutSqliteADatabaseIsRefusedWithTheRemedy) {
    zetl::test::makeRecording(directory_ / "run", {-1, 0, "node", 10, 1'000, 500});
    std::filesystem::create_directory(directory_ / "lib");
    std::ofstream(directory_ / "lib/libsqlite3.so.0") << "no library";
    const auto outcome =
        Process({"/usr/bin/env", "LD_LIBRARY_PATH=" + (directory_ / "lib").native(), inBuildTree("bin/zetl"), "report",
                 directory_ / "run", "-o", "", "--sqlite", directory_ / "t.db"})
            .run();
    EXPECT_EQ(outcome.exitCode, 2) << outcome;
    EXPECT_NE(outcome.output.find("apt install libsqlite3-0"), std::string::npos) << outcome;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "t.db"));
}

TEST_F(TracePage, IsWrittenOnRequest) {
    zetl::test::makeRecording(directory_ / "run", {-1, 0, "node", 10, 1'000, 500});
    const auto outcome =
        Process({inBuildTree("bin/zetl"), "report", directory_ / "run", "-o", "", "--html", directory_ / "report.html"})
            .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(textOf("report.html").starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(textOf("report.html").ends_with("</html>\n"));
}

/// What libzetl_queries.so writes of a device with a model: `kernels` names and times.
std::string measuredText(const std::vector<std::pair<std::string, int>>& kernels) {
    std::string text =
        "@\t1600\t64\t8\t8\t3276\t131072\t512\t8\n"
        "#\tmodelled time[ns]\tGpuCoreClocks[cycles]\tXVE_INST_EXECUTED_ALU0_ALL_UTILIZATION[percent]\t"
        "XVE_THREADS_OCCUPANCY_ALL[percent]\tXVE_OPERATIONS_FP32[events]\tGPU_MEMORY_BYTE_READ[bytes]\t"
        "GPU_MEMORY_BYTE_WRITE[bytes]\tXVE_COMPUTE_THREAD_COUNT[threads]\tXVE_COMPUTE_GROUP_COUNT[events]\t"
        "XVE_STALL_SBID[events]\n";
    for (const auto& [name, time] : kernels)
        text += name + "\t1\t" + std::to_string(time) + "\t1600\t20\t40\t64000\t32000\t8000\t100000\t1000\t500\n";
    return text;
}

TEST(MetricPage, HasSpeedOfLightRooflineAndNoMarkupOfNames) {
    const auto page = metricPage(kernelTable(measuredText({{"add", 1'000}, {"</title><img src=x>", 3'000}})), {});
    for (const auto* section : {"overview", "light", "roofline", "counters", "environment"})
        EXPECT_EQ(occurrences(page, "<section id=" + std::string(section) + ">"), 1u) << section;
    EXPECT_EQ(occurrences(page, "<circle "), 2u) << "one point per kernel";
    EXPECT_EQ(page.find("<img"), page.npos);
    EXPECT_NE(page.find("&lt;/title&gt;&lt;img src=x&gt; takes 75% of the modelled time."), page.npos);
    EXPECT_NE(page.find("FP32: 26214 GFLOP/s"), page.npos) << "64 x 8 engines, 32 operations per cycle at 1.6 GHz";
    EXPECT_LT(page.find("<li class="), page.find("<section id=light>")) << "findings come first";
    for (const auto* word : {"http:", "https:", " src=\"", "@import", "url("})
        EXPECT_EQ(page.find(word), page.npos) << word;
}

TEST(MetricPage, ManyKernelsAreBoundedAndItSaysSo) {
    std::vector<std::pair<std::string, int>> kernels;
    kernels.reserve(3'000);
    for (int i = 0; i < 3'000; ++i) kernels.emplace_back("kernel" + std::to_string(i), 1'000 + i);
    const auto page = metricPage(kernelTable(measuredText(kernels)), {});
    EXPECT_NE(page.find("Of 3000 measured kernels, the 500 that take longest are shown."), page.npos);
    EXPECT_NE(page.find(">kernel2999<"), page.npos);
    EXPECT_EQ(page.find(">kernel5<"), page.npos);
    EXPECT_LT(page.size(), 1024u * 1024);
}

TEST(MetricPage, WithoutAModelThereAreCountersAlone) {
    const auto page = metricPage(kernelTable("#\tGpuTime[ns]\nk\t1\t5\n"), {});
    EXPECT_EQ(page.find("<section id=light>"), page.npos);
    EXPECT_NE(page.find("<section id=counters>"), page.npos);
    EXPECT_EQ(metricPage(kernelTable(""), {}).find("<section id=counters>"), std::string::npos);
}

TEST_F(TracePage, TheReportHasWhatOtherCommandsKept) {
    zetl::test::makeRecording(directory_ / "run", {-1, 0, "node", 10, 1'000, 500});
    for (const auto* const part : {"metrics", "check"}) std::filesystem::create_directory(directory_ / "run" / part);
    std::ofstream(directory_ / "run/metrics/kernels") << measuredText({{"measured", 1'000}});
    std::ofstream(directory_ / "run/check/findings.jsonl") << "no finding\n";
    const auto outcome =
        Process({inBuildTree("bin/zetl"), "report", directory_ / "run", "-o", "", "--html", directory_ / "report.html"})
            .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto page = textOf("report.html");
    for (const auto* section : {"timeline", "kernels", "light", "roofline", "counters", "environment"})
        EXPECT_EQ(occurrences(page, "<section id=" + std::string(section) + ">"), 1u) << section;
    EXPECT_NE(page.find("1 lines of findings could not be read."), page.npos) << "a damaged file";
}

TEST_F(TracePage, AReportNeedsNoTraceIfOtherPartsAreThere) {
    std::filesystem::create_directories(directory_ / "run/metrics");
    std::ofstream(directory_ / "run/metrics/kernels") << measuredText({{"measured", 1'000}});
    const auto page = directory_ / "report.html";
    const auto outcome =
        Process({inBuildTree("bin/zetl"), "report", directory_ / "run", "-o", "", "--html", page}).run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(textOf("report.html").find("<section id=light>"), std::string::npos);
    const auto without = Process({inBuildTree("bin/zetl"), "report", directory_ / "run", "-o", ""}).run();
    EXPECT_EQ(without.exitCode, 2) << without;
}

TEST(FindingPage, ShowsEachFindingAsText) {
    zetl::check::Finding finding;
    finding.kind = zetl::check::Kind::fault;
    finding.message = "<script>alert(1)</script>";
    zetl::check::Side side;
    side.kernel = "k<i>";
    finding.sides.push_back(side);
    const auto page = findingPage({&finding, 1}, "a&b", "1 error");
    EXPECT_EQ(page.find("<script>alert"), page.npos);
    EXPECT_NE(page.find("&lt;script&gt;alert(1)"), page.npos);
    EXPECT_NE(page.find("<title>zetl check: a&amp;b</title>"), page.npos);
    EXPECT_NE(page.find("k&lt;i&gt;"), page.npos);
    EXPECT_NE(findingPage({}, "a", "").find("No mistake was found."), page.npos);
}

}  // namespace
