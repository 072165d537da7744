// What zetl check makes of findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "findings/finding_files.h"
#include "findings/finding_text.h"
#include "findings/gathered.h"
#include "findings/progress.h"
#include "findings/suppressions.h"
#include "text/usage_error.h"
#include "trace_directory.h"

namespace zetl::command {
namespace {

check::Finding race(const std::string& kernel = "hist", const std::string& source = "/src/hist.cl:14") {
    check::Finding finding;
    finding.kind = *check::kindNamed("race/global");
    finding.message = "two writes, and nothing orders them";
    check::Side side;
    side.access = check::Access::write;
    side.kernel = kernel;
    side.source = source;
    side.ip = 0x1c0;
    side.group = {2, 0, 0};
    finding.sides = {side, side};
    finding.sides[1].source = "/src/hist.cl:20";
    finding.sides[1].access = check::Access::read;
    finding.address = 0x1000;
    finding.bytes = 4;
    finding.object = check::Object{"device", 0x1000, 64, 0};
    return finding;
}

class Findings : public test::TraceDirectory {
  protected:
    void write(const std::string& name, const std::string& text) const { std::ofstream(directory_ / name) << text; }
};

TEST_F(Findings, OfSeveralProcessesAreOneIfTheyAreTheSame) {
    check::Finding turned = race();
    std::swap(turned.sides[0], turned.sides[1]);
    turned.count = 5;
    check::Finding elsewhere = race("other");
    write("1.jsonl", check::toJson(race()) + '\n' + check::toJson(elsewhere) + '\n');
    write("2.jsonl", check::toJson(turned) + '\n');
    write("3.jsonl", "");
    const Gathered all = gather({{directory_, ""}});
    EXPECT_EQ(all.processes, 3u);
    EXPECT_EQ(all.unreadable, 0u);
    ASSERT_EQ(all.findings.size(), 2u);
    EXPECT_EQ(all.findings[0].count, 6u) << "whichever side was found first";
    EXPECT_EQ(all.findings[1].count, 1u);
}

TEST_F(Findings, LinesOfAKilledOrHostileProcessAreCountedAndPassedOver) {
    const std::string whole = check::toJson(race());
    write("1.jsonl", whole + '\n' + whole.substr(0, whole.size() / 2));
    write("2.jsonl", "[]\nnull\n{\"kind\":\"race/global\"}\n{\"kind\":7}\n\xff\xfe\n");
    check::Finding most = race();
    most.count = ~0ull;
    write("3.jsonl", check::toJson(most) + '\n');
    std::filesystem::create_directory(directory_ / "4.jsonl");
    const Gathered all = gather({{directory_, ""}});
    EXPECT_EQ(all.unreadable, 6u);
    ASSERT_EQ(all.findings.size(), 1u);
    EXPECT_EQ(all.findings[0].count, ~0ull) << "counts do not wrap";
}

TEST_F(Findings, AProcessWithoutRoomForAllLinesIsIncomplete) {
    const std::string whole = check::toJson(race());
    write(std::string("1") + check::kIncompleteSuffix, whole + '\n' + whole.substr(0, whole.size() / 2));
    const Gathered all = gather({{directory_, ""}});
    EXPECT_EQ(all.processes, 1u);
    EXPECT_EQ(all.incomplete, 1u);
    EXPECT_EQ(all.unreadable, 0u) << "such a line is explained by the lack of room";
    EXPECT_EQ(all.findings.size(), 1u);
}

TEST_F(Findings, ReportsNameBothSidesAndReplaceControlCharacters) {
    check::Finding finding = race("evil\033[2J\n");
    finding.count = 3;
    const std::string text = blockOf(finding);
    EXPECT_NE(text.find("========= ERROR race/global: two writes"), std::string::npos) << text;
    EXPECT_NE(text.find("one side: write by thread 0 of group (2,0,0)"), std::string::npos) << text;
    EXPECT_NE(text.find("other side: read"), std::string::npos) << text;
    EXPECT_NE(text.find("/src/hist.cl:20 (0x1c0)"), std::string::npos) << text;
    EXPECT_NE(text.find("seen: 3 times"), std::string::npos) << text;
    EXPECT_EQ(text.find('\033'), std::string::npos);
    EXPECT_EQ(countsText(0, 0, 0), "no mistakes");
    EXPECT_EQ(countsText(2, 1, 0), "2 errors, 1 warning");
}

TEST_F(Findings, ReportsCutLongNamesOfKernelsAndFilesDoNot) {
    const std::string name = "beginning" + std::string(300, 'x') + "end";
    const auto finding = race(name);
    const std::string text = blockOf(finding);
    EXPECT_NE(text.find("kernel beginningx"), text.npos) << text;
    EXPECT_NE(text.find("xend, "), text.npos) << text;
    EXPECT_EQ(text.find(name), text.npos) << text;
    EXPECT_NE(jsonLines(std::vector{finding}).find(name), std::string::npos);
}

TEST_F(Findings, ASuppressionMatchesByKindKernelAndLines) {
    write("known",
          "# why\n{\n name: mine\n kind: race/*\n kernel: hi*\n source: hist.cl:10-14\n}\n{\n kind: memory/*\n}\n");
    Suppressions known;
    known.add((directory_ / "known").native());
    EXPECT_TRUE(known.suppress(race()));
    EXPECT_FALSE(known.suppress(race("other")));
    EXPECT_FALSE(known.suppress(race("hist", "/src/hist.cl:15")));
    EXPECT_FALSE(known.suppress(race("hist", "/src/shist.cl:14")));
    ASSERT_EQ(known.unused().size(), 1u);
    EXPECT_NE(known.unused()[0].find("known:8"), std::string::npos) << "a block without a name has its place";
}

TEST_F(Findings, AGeneratedSuppressionMatchesItsFinding) {
    write("known", suppressionOf(race()));
    Suppressions known;
    known.add((directory_ / "known").native());
    EXPECT_TRUE(known.suppress(race()));
    EXPECT_FALSE(known.suppress(race("hist", "/src/hist.cl:15")));
}

TEST_F(Findings, AFileThatIsNoListOfSuppressionsIsRefusedWithItsLine) {
    for (const char* text :
         {"kind: race/*\n", "{\n", "{\nkin: x\n}\n", "{\nsource: a:9-3\n}\n", "{\nsource: a:x\n}\n", "}\n"}) {
        write("known", text);
        Suppressions known;
        EXPECT_THROW(known.add((directory_ / "known").native()), UsageError) << text;
    }
    Suppressions known;
    EXPECT_THROW(known.add((directory_ / "none").native()), UsageError);
}

nlohmann::json sarifOf(const std::vector<check::Finding>& findings) {
    return nlohmann::json::parse(
        sarifText(findingReport(findings, check::Groups::all(), "/src/bin/app", "/src"), "/src", "1.2.3"));
}

TEST_F(Findings, SarifHasRulesAndBothPlaces) {
    const std::vector<check::Finding> findings{race("hist", "/src/a b/hist.cl:14"), race("hist", "")};
    const auto log = sarifOf(findings);
    EXPECT_EQ(log["version"], "2.1.0");
    const auto& run = log["runs"][0];
    const auto& result = run["results"][0];
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    const auto& place = result["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b/hist.cl");
    EXPECT_EQ(place["region"]["startLine"], 14);
    EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 20);
    const auto& unknown = run["results"][1]["locations"][0]["physicalLocation"];  // without one, GitHub refuses the log
    EXPECT_EQ(unknown["artifactLocation"]["uri"], "bin/app");
    EXPECT_EQ(unknown["region"]["startLine"], 1);
    EXPECT_NE(result["partialFingerprints"]["zetlKey/v1"], run["results"][1]["partialFingerprints"]["zetlKey/v1"]);
}

TEST_F(Findings, InlinedPlacesAndArgumentsSurviveTheFileAndAreShown) {
    check::Finding finding = race();
    finding.sides[0].inlinedAt = {"/src/a b/hist.cl:40 (outer)", "/src/hist.cl:50 (hist)"};
    finding.object->argument = "argument 1 (bins)";
    const auto read = check::fromJson(check::toJson(finding));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->sides[0].inlinedAt, finding.sides[0].inlinedAt);
    EXPECT_EQ(read->object->argument, finding.object->argument);
    const std::string text = blockOf(*read);
    EXPECT_NE(text.find("        inlined at /src/a b/hist.cl:40 (outer)\n"), std::string::npos) << text;
    EXPECT_NE(text.find(", argument 1 (bins)\n"), std::string::npos) << text;
    const std::vector<check::Finding> findings{finding};
    const auto result = sarifOf(findings)["runs"][0]["results"][0];
    ASSERT_EQ(result["stacks"].size(), 1u) << "the other side was not inlined";
    const auto& frames = result["stacks"][0]["frames"];
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[1]["location"]["physicalLocation"]["artifactLocation"]["uri"], "a%20b/hist.cl");
    EXPECT_EQ(frames[2]["location"]["physicalLocation"]["region"]["startLine"], 50);
}

TEST_F(Findings, ProgressCountsProcessesAndFindings) {
    write("1.jsonl", "{}\n{}\n");
    write("2.jsonl", "{}");
    write("3.txt", "{}\n");
    EXPECT_EQ(progressText(directory_, std::chrono::seconds(60)), "60 s: 2 processes are checked, 2 findings so far");
    EXPECT_EQ(progressText(directory_ / "none", std::chrono::seconds(1)),
              "1 s: 0 processes are checked, 0 findings so far");
}

TEST_F(Findings, JunitHasAPassingCaseForWhatWasNotFound) {
    const std::vector<check::Finding> findings{race("a<b>&\"")};
    const std::string text = junitText(findingReport(findings, *check::Groups::named("race"), "/src/bin/app", "/src"));
    EXPECT_NE(text.find("failures=\"1\""), std::string::npos) << text;
    EXPECT_NE(text.find("a&lt;b&gt;&amp;&quot;"), std::string::npos) << text;
    EXPECT_NE(text.find("<testcase classname=\"race/local\" name=\"race/local\" time=\"0\"/>"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("memory/global"), std::string::npos) << "nobody looked for it";
}

TEST_F(Findings, AnnotationsCannotBeLeftByNames) {
    check::Finding finding = race("hist", "/src/a,b/hist.cl:14");
    finding.message = "100 %\n::error::more";
    const std::vector<check::Finding> findings{finding, race("none", "")};
    const std::string text = githubText(findingReport(findings, check::Groups::all(), "/src/bin/app", "/src"), "/src");
    EXPECT_TRUE(
        text.starts_with("::error file=a%2Cb/hist.cl,line=14,title=race/global::"
                         "100 %25%0A::error::more in kernel hist\n::error title=race/global::"))
        << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
}

TEST_F(Findings, JsonHasSchemaAndKey) {
    const std::vector<check::Finding> findings{race()};
    const auto line = nlohmann::json::parse(jsonLines(findings));
    EXPECT_EQ(line["schema"], 1);
    EXPECT_EQ(line["key"], fingerprint(race()));
    EXPECT_EQ(line["kind"], "race/global");
}

}  // namespace
}  // namespace zetl::command
