// `zetl check` as its users run it: a program in a process of its own, on the emulated GPU, through the stock loader.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "says.h"
#include "support/process.h"
#include "trace_directory.h"

namespace {

namespace fs = std::filesystem;
using namespace zetl::test;
using Words = std::vector<std::string>;

class Check : public TraceDirectory {
  protected:
    static Outcome check(const Words& options, const std::string& mistake) {
        Words words{inBuildTree("bin/zetl"), "check", "--device", "tiny"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", inBuildTree("tests/zetl/mistaken_program"), mistake});
        return Process(words).run(std::chrono::seconds(120));
    }
    std::string file(const std::string& name) const { return (directory_ / name).native(); }
    std::string contentOf(const std::string& name) const {
        std::ifstream in(directory_ / name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(Check, OfAProgramWithoutMistakesSaysSo) {
    const auto outcome = check({}, "none");
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome, "mistaken_program: done")) << outcome;
    EXPECT_TRUE(says(outcome, "========= no mistakes in 1 process (")) << outcome;
}

TEST_F(Check, TellsWhatWhereAndOfWhatIsWrong) {
    const auto outcome = check({"--sarif", file("sarif"), "--junit", file("junit"), "--json", file("json")}, "beyond");
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    for (const char* text :
         {"========= ERROR memory/global: write of 4 bytes at 0x", "0 bytes behind the end of 256 bytes",
          "work-item (31,0,0); kernel beyond", "mistaken.cl:2", "inlined at ", "mistaken.cl:4 (beyond)",
          "argument 0 (numbers)", "1 error in 1 process"})
        EXPECT_TRUE(says(outcome, text)) << text << "\n" << outcome;
    const auto result = nlohmann::json::parse(contentOf("sarif"))["runs"][0]["results"][0];
    EXPECT_EQ(result["ruleId"], "memory/global");
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    EXPECT_EQ(result["stacks"][0]["frames"][1]["location"]["physicalLocation"]["region"]["startLine"], 4);
    EXPECT_NE(contentOf("junit").find("failures=\"1\""), std::string::npos) << contentOf("junit");
    EXPECT_EQ(nlohmann::json::parse(contentOf("json"))["object"]["argument"], "argument 0 (numbers)");
}

TEST_F(Check, PeopleReadTheNamesOfTheSource) {
    const auto outcome = check({"--gen-suppressions", "--json", file("json")}, "named");
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome, "; kernel solver::race, ")) << outcome;
    EXPECT_TRUE(says(outcome, "  kernel: _ZTSN6solver4raceE\n")) << "as it is matched\n" << outcome;
    EXPECT_NE(contentOf("json").find("\"_ZTSN6solver4raceE\""), std::string::npos) << contentOf("json");
    const auto kept = check({"--mangled"}, "named");
    EXPECT_TRUE(says(kept, "; kernel _ZTSN6solver4raceE, ")) << kept;
}

TEST_F(Check, OfOneGroupLeavesTheOthersOut) {
    EXPECT_EQ(check({"--kinds", "race", "--error-exitcode", "7"}, "race").exitCode, 7);
    EXPECT_EQ(check({"--kinds", "barrier"}, "race").exitCode, 0);
    const auto memory = check({"--kinds", "memory"}, "beyond");
    EXPECT_EQ(memory.exitCode, 99) << memory;
    EXPECT_TRUE(says(memory, "work-item (31,0,0)")) << "what host code finds has its work-item too: " << memory;
    EXPECT_TRUE(says(memory, "mistaken_program: done")) << "what hardware does not notice ends nothing: " << memory;
}

/// Groups of "order" are two, so about half of the schedules begin with the second one.
TEST_F(Check, LooksUnderManySchedulesOfWhichEachIsRepeated) {
    const auto many = check({"--schedules", "6", "--json", file("json")}, "order");
    EXPECT_EQ(many.exitCode, 99) << many;
    EXPECT_TRUE(says(many, "(memory,race,barrier,init,api) under 6 schedules")) << many;
    const auto finding = nlohmann::json::parse(contentOf("json"));
    EXPECT_EQ(finding["kind"], "memory/global");
    const std::string seed = finding["schedules"]["first"];
    EXPECT_LT(finding["schedules"]["seen"], 6) << many;
    EXPECT_TRUE(says(many, "--schedule " + seed + " repeats it; seen under ")) << many;
    const auto again = check({"--schedule", seed}, "order");
    EXPECT_EQ(again.exitCode, 99) << again;
    EXPECT_TRUE(says(again, "--schedule " + seed + " repeats it; seen under 1 schedule\n")) << again;
    const auto next = check({"--schedules", "1", "--schedule", seed}, "order");
    EXPECT_EQ(next.exitCode, 99) << next;
}

/// Standard input is empty, so the debugger ends where it stopped.
TEST_F(Check, StopsTheDebuggerAtTheFirstFinding) {
    const auto outcome = check({"--stop", "--stop-script", file("script")}, "beyond");
    EXPECT_TRUE(says(outcome, "ERROR memory/global")) << outcome;
    EXPECT_TRUE(says(outcome, "work-group (1, 0, 0), work-item (63, 0, 0), lane 31")) << outcome;
    EXPECT_TRUE(says(outcome, "in put (to=(int *) 0x")) << outcome;
    EXPECT_NE(outcome.exitCode, 99) << outcome;
    const std::string script = contentOf("script");
    EXPECT_TRUE(script.starts_with("tbreak *beyond+0x")) << script;
    EXPECT_TRUE(
        script.ends_with(" if $group_x == 1 && $group_y == 0 && $group_z == 0 && $local_x == 31 && "
                         "$local_y == 0 && $local_z == 0\nrun\n"))
        << script;
    const auto nowhere = check({"--stop"}, "none");
    EXPECT_EQ(nowhere.exitCode, 0) << nowhere;
    EXPECT_TRUE(says(nowhere, "--stop: nothing was found in a kernel")) << nowhere;
}

TEST_F(Check, AForkedChildSaysNothingOfItsParentsObjects) {
    const auto outcome = check({"--level", "info"}, "forks");
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome, "========= no mistakes in 1 process (")) << outcome;
}

TEST_F(Check, AChildThatWasForkedFirstIsCheckedItself) {
    const auto outcome = check({"--kinds", "memory"}, "twice");
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome, "seen: 2 times; the first is shown")) << outcome;
    EXPECT_TRUE(says(outcome, "1 error in 2 processes (memory)")) << outcome;
}

/// The first half of the groups runs on the first tile.
TEST_F(Check, FindsRacesOfGroupsThatRunOnTwoTiles) {
    const auto outcome = Process({inBuildTree("bin/zetl"), "check", "--device", "max1550", "--kinds", "race", "--",
                                  inBuildTree("tests/zetl/mistaken_program"), "race"})
                             .run(std::chrono::seconds(120));
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome, "ERROR race/global: ")) << outcome;
}

TEST_F(Check, WhatAKilledProgramFoundIsReported) {
    const auto outcome = check({}, "killed");
    EXPECT_EQ(outcome.exitCode, 99) << outcome;
    EXPECT_TRUE(says(outcome, "memory/global")) << outcome;
}

// A shell's limit on the size of files fails writes like a full disk.
TEST_F(Check, AFullDiskHidesNoMistake) {
    const std::string program = inBuildTree("tests/zetl/mistaken_program") + " beyond";
    const auto outcome = Process({inBuildTree("bin/zetl"), "check", "--device", "tiny", "--", "/bin/sh", "-c",
                                  "trap '' XFSZ; ulimit -f 0; exec " + program})
                             .run(std::chrono::seconds(120));
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, "mistaken_program: done")) << outcome;
    EXPECT_TRUE(says(outcome, "========= 1 process could not write all findings; is the disk full?")) << outcome;
    EXPECT_FALSE(says(outcome, "no mistakes")) << outcome;
}

TEST_F(Check, WhatIsWrongIsRefusedBeforeTheProgramRuns) {
    std::ofstream(directory_ / "known") << "{\nkin: x\n}\n";
    const struct {
        Words options;
        int code;
        const char* answer;
    } all[] = {
        {{"--kinds", "memory,rice"}, 2, "--kinds memory,rice: not a list of checks; there are memory, race"},
        {{"--schedule", "middle"}, 2, "--schedule middle: not a schedule; write first, last, or a number"},
        {{"--schedule", "last", "--schedules", "3"}, 2, "--schedule last: --schedules needs the number of the first"},
        {{"--schedules", "0"}, 2, "--schedules"},
        {{"--level", "loud"}, 2, "--level loud: not a level; write info, warning or error"},
        {{"--suppressions", file("known")}, 2, "known:2"},
        {{"--suppressions", file("nowhere")}, 2, "nowhere"},
        {{"--sarif", "/no/such/place"}, 2, "cannot write"},
        {{"--github", "--json", "-"}, 2, "--github prints on standard output"},
        {{"--json", file("same"), "--junit", file("same")}, 2, "two outputs cannot go to the same file"},
    };
    for (const auto& wrong : all) {
        const auto outcome = check(wrong.options, "none");
        EXPECT_EQ(outcome.exitCode, wrong.code) << wrong.options.front() << outcome;
        EXPECT_TRUE(says(outcome, wrong.answer)) << wrong.answer << outcome;
        EXPECT_FALSE(says(outcome, "mistaken_program: done")) << outcome;
    }
}

TEST_F(Check, ASuppressedMistakeIsNone) {
    const auto found = check({"--gen-suppressions", "--log-file", file("report")}, "beyond");
    ASSERT_EQ(found.exitCode, 99) << found;
    const std::string report = contentOf("report");
    std::ofstream(directory_ / "known") << report.substr(report.find("{\n"),
                                                         report.find("}\n") + 2 - report.find("{\n"));
    const auto outcome = check({"--suppressions", file("known")}, "beyond");
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_TRUE(says(outcome, "1 suppressed")) << outcome;
}

}  // namespace
