// Several ranks and hosts: names of outputs, and recordings of them as one. The recordings are made here.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/output_name.h"
#include "files/timeline_file.h"
#include "made_recording.h"
#include "recording/alignment.h"
#include "support/process.h"
#include "text/rank.h"
#include "text/rank_choice.h"
#include "text/usage_error.h"
#include "timeline/reduced_rank.h"
#include "timeline/summary.h"
#include "timeline/timeline.h"
#include "trace_directory.h"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using namespace zetl::command;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;

/// What launchers say; nothing of the test's own environment.
class Launched {
  public:
    explicit Launched(const std::vector<std::pair<const char*, const char*>>& variables = {}) {
        for (const auto* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
                                 "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"})
            unsetenv(name);
        for (const auto& [name, value] : variables) setenv(name, value, 1);
    }
};

TEST(Rank, IsWhatTheLauncherSays) {
    struct Case {
        std::vector<std::pair<const char*, const char*>> variables;
        std::int32_t number;
        std::uint32_t of;
    };
    const std::array kCases = {
        Case{{}, -1, 0},
        Case{{{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "9"}}, 3, 4},
        Case{{{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, 0, 2},
        Case{{{"PMIX_RANK", "7"}}, 7, 0},
        Case{{{"SLURM_PROCID", "5"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}}, 5, 8},
        Case{{{"SLURM_PROCID", "0"}}, -1, 0},  // a batch script
        Case{{{"PMI_RANK", "-1"}}, -1, 0},
        Case{{{"PMI_RANK", "4294967296"}}, -1, 0},
        Case{{{"PMI_RANK", "1; rm"}}, -1, 0},
        Case{{{"PMI_RANK", ""}}, -1, 0},
    };
    for (const auto& each : kCases) {
        const Launched launched(each.variables);
        EXPECT_EQ(currentRank().number, each.number);
        EXPECT_EQ(currentRank().of, each.of);
    }
}

TEST(OutputName, PatternsAreReplaced) {
    const Launched launched;
    setenv("ZETL_TEST_JOB", "a/b", 1);
    EXPECT_EQ(outputName("t.json"), "t.json");
    EXPECT_EQ(outputName("t-%p.json"), "t-" + std::to_string(getpid()) + ".json");
    EXPECT_EQ(outputName("d/%h/t"), "d/" + hostName() + "/t");
    EXPECT_EQ(outputName("t-%q{ZETL_TEST_JOB}.csv"), "t-a_b.csv");
    EXPECT_EQ(outputName("100%.csv"), "100%.csv");
    EXPECT_EQ(outputName("100%%.csv"), "100%.csv");
    EXPECT_EQ(outputName("%"), "%");
    EXPECT_EQ(outputName("%q{open"), "%q{open");
    EXPECT_EQ(outputDirectory("run/%p"), "run/" + std::to_string(getpid()));
    EXPECT_THROW(outputName("%q{ZETL_TEST_UNSET}"), UsageError);
    EXPECT_THROW(outputName("t-%r"), UsageError) << "no launcher";
}

TEST(OutputName, RanksHaveNamesOfTheirOwn) {
    const Launched launched({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}});
    EXPECT_EQ(outputName("timeline.pftrace"), "timeline.rank3.pftrace");
    EXPECT_EQ(outputName("out.d/table"), "out.d/table.rank3");
    EXPECT_EQ(outputName("t%r.json"), "t3.json");
    EXPECT_EQ(outputName("%h.json"), hostName() + ".rank3.json") << "ranks of one host share it";
    EXPECT_EQ(outputName("-"), "-");
    EXPECT_EQ(outputName(""), "");
    EXPECT_EQ(outputName("/dev/null"), "/dev/null");
    EXPECT_EQ(outputDirectory("run1"), "run1/rank3");
    EXPECT_EQ(outputDirectory("run1-%r"), "run1-3");
    EXPECT_EQ(outputDirectory(""), "");
    const Launched alone({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}});
    EXPECT_EQ(outputName("timeline.pftrace"), "timeline.pftrace");
}

class Ranks : public zetl::test::TraceDirectory {
  protected:
    static void make(const fs::path& directory, const zetl::test::MadeRecording& made) {
        zetl::test::makeRecording(directory, made);
    }

    std::vector<Json> events(const std::vector<RecordingFile>& recordings, const std::string& name) const {
        TimelineFile file(directory_ / "t.json");
        writeTimeline(recordings, nullptr, file);
        std::vector<Json> found;
        const auto all = Json::parse(textOf("t.json"));
        for (const auto& event : all.at("traceEvents"))
            if (event.at("name") == name) found.push_back(event);
        return found;
    }

    Outcome report(const std::vector<std::string>& words) const {
        std::vector<std::string> command = {inBuildTree("bin/zetl"), "report", "-o", directory_ / "t.json"};
        command.insert(command.end(), words.begin(), words.end());
        return Process(command).run();
    }
};

TEST_F(Ranks, OfOneDirectoryAreOneReportWithTheSlowestNamed) {
    const auto run = directory_ / "run";
    make(run / "rank0", {0, 4, "node1.example", 10, 1'000, 1'000});
    make(run / "rank1", {1, 4, "node1.example", 11, 1'000, 1'000});
    make(run / "rank10", {2, 4, "node2", 10, 1'000, 4'000});
    const auto outcome = report({run, "--csv", directory_ / "t.csv", "--json", directory_ / "tables.json"});
    ASSERT_TRUE(outcome.good()) << outcome;
    for (const auto* text :
         {"3 ranks on 2 hosts; on devices: min 1.00 us (rank 0), mean 2.00 us, max 4.00 us, imbalance 100.0%",
          "slowest: rank 2 on node2", "1 of 4 ranks recorded nothing"})
        EXPECT_NE(outcome.output.find(text), std::string::npos) << text << outcome;
    const auto ranks = Json::parse(textOf("tables.json")).at("ranks");
    EXPECT_EQ(ranks.at("expected"), 4);
    EXPECT_EQ(ranks.at("ranks").size(), 3u);
    EXPECT_EQ(ranks.at("ranks").at(2).at("device_ns"), 4'000);
    EXPECT_EQ(ranks.at("kernels").at(0).at("name"), "vector_add");
    EXPECT_EQ(ranks.at("kernels").at(0).at("max_rank"), 2);
    EXPECT_DOUBLE_EQ(ranks.at("device_ns").at("imbalance"), 1.0);
    EXPECT_NE(textOf("t.csv").find("\nrank-device,rank 2 on node2,1,,4000,4000,,,0.6667\n"), std::string::npos);
}

TEST_F(Ranks, OfSeveralDirectoriesAreMergedOnce) {
    make(directory_ / "a", {0, 2, "node1", 10, 1'000, 1'000});
    make(directory_ / "b", {1, 2, "node1", 11, 1'000, 3'000});
    const auto outcome = report({directory_ / "a", directory_ / "b", directory_ / "a"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("2 calls of 1 function by 2 threads in 2 processes"), std::string::npos) << outcome;
    EXPECT_NE(outcome.output.find("imbalance 50.0%"), std::string::npos) << outcome;
}

TEST_F(Ranks, ClocksOfHostsAreAlignedAndProcessesApart) {
    make(directory_ / "a", {1, 2, "node2", 10, 1'000, 100, 5'000});
    make(directory_ / "b", {0, 2, "node1", 10, 6'500, 100});
    const std::array directories = {directory_ / "a", directory_ / "b"};
    const auto recordings = openRecordings(directories);
    ASSERT_EQ(recordings.size(), 2u);
    EXPECT_EQ(recordings[0].place().name, "rank 0 on node1: solver");
    EXPECT_EQ(recordings[1].place().name, "rank 1 on node2: solver");
    EXPECT_EQ(recordings[0].place().process, 10u);
    EXPECT_NE(recordings[1].place().process, 10u);
    const auto calls = events(recordings, "zeInit");
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_DOUBLE_EQ(calls[0].at("ts").get<double>() - calls[1].at("ts").get<double>(), 0.5) << "6500 - (1000 + 5000)";
    EXPECT_DOUBLE_EQ(calls[1].at("dur"), 0.1);
}

/// What a rank keeps of barriers that all entered at about these times of the first host. Its own host's clock is
/// behind by so much.
std::vector<zetl::command::Meeting> meetings(std::span<const std::uint64_t> times, std::uint64_t lateness,
                                             const std::function<std::uint64_t(std::uint64_t)>& clock) {
    std::vector<zetl::command::Meeting> all(zetl::command::kMeetings);
    for (std::size_t i = 0; i < times.size(); ++i)
        all[i] = {i + 1, clock(times[i] + lateness), clock(times[i] + 1'000 + lateness / 10)};
    return all;
}

TEST_F(Ranks, WhatTheyMeasuredTogetherAlignsClocks) {
    constexpr std::array<std::uint64_t, 3> kTimes = {100'000, 200'000, 300'000};
    constexpr std::uint64_t kBehind = 7'000;  // though the system times say 5'000
    zetl::test::MadeRecording first{0, 2, "node1", 10, 500'000, 100};
    zetl::test::MadeRecording second{1, 2, "node2", 11, 500'000 - kBehind, 100, 5'000};
    first.meetings = meetings(kTimes, 0, [](auto time) { return time; });
    second.meetings = meetings(kTimes, 900, [](auto time) { return time - kBehind; });
    make(directory_ / "a", first);
    make(directory_ / "b", second);
    const std::array directories = {directory_ / "a", directory_ / "b"};
    const auto recordings = openRecordings(directories);
    const auto& clock = recordings[1].place().clock;
    EXPECT_EQ(clock.meetings, 3u);
    EXPECT_NEAR(static_cast<double>(clock.shift), kBehind, static_cast<double>(clock.within));
    EXPECT_LE(clock.within, 600u) << "a barrier of a microsecond";
    const auto outcome = report({directory_ / "a", directory_ / "b"});
    EXPECT_NE(outcome.output.find("the clocks of 2 hosts are aligned by what ranks measured together, within 0."),
              std::string::npos)
        << outcome;
}

TEST_F(Ranks, ClocksThatDriftAreAlignedAtBothEnds) {
    std::vector<std::uint64_t> times;
    for (std::uint64_t i = 0; i < 16; ++i) times.push_back(1'000'000 * (i + 1) + (i < 8 ? 0 : 3'600'000'000'000));
    const auto slow = [](std::uint64_t time) { return time - time / 100'000; };
    zetl::test::MadeRecording first{0, 2, "node1", 10, 1'800'000'000'000, 100};
    zetl::test::MadeRecording second{1, 2, "node2", 11, slow(1'800'000'000'000), 100};
    first.meetings = meetings(times, 0, [](auto time) { return time; });
    second.meetings = meetings(times, 900, slow);
    make(directory_ / "a", first);
    make(directory_ / "b", second);
    const std::array directories = {directory_ / "a", directory_ / "b"};
    const auto recordings = openRecordings(directories);
    EXPECT_EQ(recordings[1].place().clock.meetings, 16u);
    EXPECT_NEAR(static_cast<double>(recordings[1].place().clock.moved(slow(1'800'000'000'000))), 1.8e12, 1'000)
        << "10 in a million, after half an hour";
}

TEST_F(Ranks, OfOtherProgramsMetNobody) {
    constexpr std::array<std::uint64_t, 2> kTimes = {100'000, 200'000};
    zetl::test::MadeRecording first{0, 2, "node1", 10, 500'000, 100};
    zetl::test::MadeRecording second{1, 2, "node2", 11, 500'000, 100, 5'000};
    first.meetings = meetings(kTimes, 0, [](auto time) { return time; });
    second.meetings = meetings(kTimes, 0, [](auto time) { return time + 50'000; });
    second.job = 2;
    make(directory_ / "a", first);
    make(directory_ / "b", second);
    // Without a name of the job, the system times decide.
    first.job = second.job = 0;
    second.meetings = meetings(kTimes, 0, [](auto time) { return time + 100'000'000'000; });
    make(directory_ / "c", first);
    make(directory_ / "d", second);
    // Damaged: they contradict each other.
    first.job = second.job = 1;
    for (auto& each : second.meetings) each.left = UINT64_MAX - each.number;
    second.meetings[1] = {2, 1, 2};
    make(directory_ / "e", first);
    make(directory_ / "f", second);
    for (const auto* const pair : {"ab", "cd", "ef"}) {
        const std::array directories = {directory_ / std::string(1, pair[0]), directory_ / std::string(1, pair[1])};
        const auto recordings = openRecordings(directories);
        const auto& clock = recordings[1].place().clock;
        EXPECT_EQ(clock.meetings, 0u) << pair;
        EXPECT_EQ(clock.shift, 5'000u) << pair;
    }
    const auto outcome = report({directory_ / "a", directory_ / "b"});
    EXPECT_NE(outcome.output.find("aligned by their system time"), std::string::npos) << outcome;
}

TEST_F(Ranks, ManyHaveAShortTable) {
    std::vector<RecordingFile> recordings;
    for (std::int32_t rank = 0; rank < 40; ++rank) {
        const auto directory = directory_ / std::to_string(rank);
        const auto process = static_cast<std::uint32_t>(rank + 1);
        make(directory, {rank, 40, "node", process, 1'000, 1'000u + static_cast<std::uint64_t>(rank)});
        recordings.emplace_back(directory / (std::to_string(process) + "-0.zetl"));
    }
    const Summary summary(recordings);
    const auto text = summary.table({}, false);
    EXPECT_LT(std::ranges::count(text, '\n'), 40);
    EXPECT_NE(text.find("24 ranks between them"), std::string::npos) << text;
    EXPECT_NE(text.find("slowest: rank 39 on node"), std::string::npos) << text;
    EXPECT_EQ(Json::parse(summary.json()).at("ranks").at("ranks").size(), 40u);
}

TEST_F(Ranks, NamesFromFilesMoveNoCursor) {
    make(directory_ / "a", {0, 2, "\x1b[2Jnode", 10, 1'000, 1'000, 0, "k\x1b[31m"});
    make(directory_ / "b", {1, 2, "node", 11, 1'000, 1'000, 0, "k\x1b[31m"});
    const std::array directories = {directory_ / "a", directory_ / "b"};
    const auto recordings = openRecordings(directories);
    EXPECT_EQ(Summary(recordings).table({}, true).find('\x1b'), std::string::npos);
}

TEST_F(Ranks, EachKeepsItsOwnFiles) {
    for (const auto* rank : {"0", "1"}) {
        const auto outcome = Process({inBuildTree("bin/zetl"), "trace", "-o", directory_ / "t.json", "--recording",
                                      directory_ / "run", "--", inBuildTree("tests/zetl/traced_program"), "ordinary"})
                                 .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                                 .with("PMI_RANK", rank)
                                 .with("PMI_SIZE", "2")
                                 .run(std::chrono::seconds(120));
        ASSERT_TRUE(outcome.good()) << outcome;
        EXPECT_TRUE(fs::exists(directory_ / (std::string("t.rank") + rank + ".json"))) << outcome;
    }
    EXPECT_FALSE(fs::exists(directory_ / "t.json"));
    const auto outcome = report({directory_ / "run"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("2 ranks on 1 host"), std::string::npos) << outcome;
}

TEST_F(Ranks, AFileThatAnotherProcessWritesIsRefused) {
    const Launched alone;
    const TimelineFile mine(directory_ / "t.json");
    make(directory_ / "a", {-1, 0, "node", 10, 1'000, 1'000});
    const auto outcome = report({directory_ / "a"});
    EXPECT_EQ(outcome.exitCode, 2) << outcome;
    EXPECT_NE(outcome.output.find("another process is writing it; choose another file"), std::string::npos) << outcome;
    EXPECT_TRUE(fs::exists(directory_ / "t.json"));
}

TEST_F(Ranks, WhatIsNoFileMayBeWrittenByMany) {
    const Launched alone;
    const TimelineFile mine("/dev/null");
    make(directory_ / "a", {-1, 0, "node", 10, 1'000, 1'000});
    const auto outcome = Process({inBuildTree("bin/zetl"), "report", directory_ / "a", "-o", "/dev/null"}).run();
    EXPECT_TRUE(outcome.good()) << outcome;
}

TEST(RankChoice, IsAListOfNumbersAndRanges) {
    const auto some = RankChoice::from("0,17,100-103");
    ASSERT_TRUE(some);
    for (const std::int32_t rank : {0, 17, 100, 103}) EXPECT_TRUE(some->has(rank)) << rank;
    for (const std::int32_t rank : {1, 99, 104, -1}) EXPECT_FALSE(some->has(rank)) << rank;
    const auto none = RankChoice::from("none");
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->has(0));
    for (const auto* wrong : {"", ",", "1,", "-1", "3-1", "1-", "a", "1 ", "2147483648", "none,1"})
        EXPECT_FALSE(RankChoice::from(wrong)) << wrong;
}

/// A rank as a program leaves it that launched each of some kernels.
ReducedRank madeRank(std::int32_t number, std::uint64_t time, std::size_t kernels = 2, std::size_t nameBytes = 8) {
    ReducedRank rank;
    rank.rank = number;
    rank.ranks = 1000;
    rank.host = "node" + std::to_string(number / 8);
    rank.command = "solver";
    rank.processes = rank.threads = 1;
    rank.calls["zeInit"] = {1, 0, 0, 100, 100, 100};
    for (std::size_t i = 0; i < kernels; ++i) {
        WorkTotals work;
        work.launches = 2;
        work.total = time + i;
        work.shortest = 1;
        work.longest = time;
        rank.work[std::to_string(i) + std::string(nameBytes, 'k')] = work;
    }
    return rank;
}

TEST_F(Ranks, AThousandSummariesAreOneReport) {
    std::vector<ReducedRank> ranks;
    ranks.reserve(1000);
    for (std::int32_t rank = 0; rank < 1000; ++rank)
        ranks.push_back(madeRank(rank, 1'000 + static_cast<std::uint64_t>(rank)));
    keepReduced(ranks, directory_);
    const auto outcome = report({directory_, "--json", directory_ / "tables.json", "--html", directory_ / "page.html"});
    ASSERT_TRUE(outcome.good()) << outcome;
    for (const auto* text : {"1000 calls of 1 function by 1000 threads in 1000 processes", "984 ranks between them",
                             "1000 ranks on 125 hosts", "slowest: rank 999 on node124", "no timeline: only summaries"})
        EXPECT_NE(outcome.output.find(text), std::string::npos) << text << outcome;
    EXPECT_EQ(Json::parse(textOf("tables.json")).at("device").at(0).at("launches"), 2000);
    EXPECT_NE(textOf("page.html").find("node124"), std::string::npos);
}

TEST_F(Ranks, ASummaryIsSmallWhateverTheRankDid) {
    auto rank = madeRank(7, 1'000'000, 200, 250);
    for (int i = 0; i < 300; ++i) rank.calls["function" + std::to_string(i)] = {3, 1, 1, 30, 10, 10};
    rank.host.assign(300, '\x01');
    rank.command.assign(300, '\xff');
    EXPECT_LE(rank.text().size(), ReducedRank::kMostBytes);
    keepReduced(std::span(&rank, 1), directory_);
    const auto read = ReducedRank::read(directory_ / "rank7.summary");
    EXPECT_EQ(read.rank, 7);
    EXPECT_GT(read.work.size(), 10u);
    EXPECT_EQ(read.work.size() + read.otherKernels, 200u);
    EXPECT_EQ(read.calls.size() + read.otherFunctions, 301u);
    Summary before;
    Summary after;
    before.add(rank);
    after.add(read);
    EXPECT_EQ(before.calls(), 901u);
    EXPECT_EQ(after.calls(), 901u);
    const auto totals = [](const Summary& summary) {
        return Json::parse(summary.json()).at("ranks").at("ranks").at(0).at("device_ns");
    };
    EXPECT_EQ(totals(after), totals(before));
}

/// Its time is not known; zero would be a lie.
TEST_F(Ranks, AKernelThatASummaryLeavesOutTookNoKnownTime) {
    auto some = madeRank(0, 1'000, 1);
    auto other = madeRank(1, 3'000, 1);
    auto none = madeRank(2, 1, 0);
    const auto kernel = [](std::span<const ReducedRank> ranks) {
        Summary summary;
        for (const auto& each : ranks) summary.add(each);
        return Json::parse(summary.json()).at("ranks").at("kernels").at(0);
    };
    auto ranks = std::vector{some, other, none};
    EXPECT_EQ(kernel(ranks).at("min_ns"), 0);
    EXPECT_EQ(kernel(ranks).at("min_rank"), 2);
    EXPECT_EQ(kernel(ranks).at("mean_ns"), 1'333);
    ranks[2].otherKernels = 1;
    EXPECT_EQ(kernel(ranks).at("min_ns"), 1'000);
    EXPECT_EQ(kernel(ranks).at("mean_ns"), 2'000);
}

TEST_F(Ranks, DamagedSummariesAreNamedAndPassedOver) {
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(directory_ / name, std::ios::binary) << text;
    };
    const auto good = madeRank(3, 1'000).text();
    const auto altered = [&](const std::string& what, const std::string& by) {
        auto text = good;
        return text.replace(text.find(what), what.size(), by);
    };
    write("rank0.summary", "");
    write("rank1.summary", good.substr(0, good.size() / 2));
    write("rank2.summary", std::string(ReducedRank::kMostBytes + 1, ' '));
    write("rank4.summary", altered("\"version\":1", "\"version\":2"));
    write("rank5.summary", altered("\"rank\":3", "\"rank\":-3"));
    write("rank6.summary", altered("\"rank\":3", "\"rank\":3000000000"));
    write("rank7.summary", altered("[\"zeInit\",1,", "[\"zeInit\",1.5,"));
    write("rank8.summary", altered("[\"zeInit\",1,", "[[],1,"));
    write("rank9.summary", std::string(16'000, '['));
    write("rank10.summary", "null");
    fs::create_directory(directory_ / "rank11.summary");
    EXPECT_EQ(report({directory_}).exitCode, 1) << "nothing can be read";
    write("rank3.summary", good);
    const auto outcome = report({directory_});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("rank 3 on node0, of 1000 ranks"), std::string::npos) << outcome;
    for (const int rank : {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11})
        EXPECT_NE(outcome.output.find("rank" + std::to_string(rank) + ".summary: "), std::string::npos)
            << rank << outcome;
}

TEST_F(Ranks, ASummaryBesideItsRecordingCountsOnce) {
    make(directory_ / "rank0", {0, 2, "node1", 10, 1'000, 1'000});
    const std::array directories = {directory_ / "rank0"};
    keepReduced(reduced(openRecordings(directories)), directory_ / "rank0");
    auto other = madeRank(1, 3'000, 1);
    other.ranks = 2;
    fs::create_directory(directory_ / "rank1");
    keepReduced(std::span(&other, 1), directory_ / "rank1");
    const auto outcome = report({directory_, directory_ / "rank1"});
    ASSERT_TRUE(outcome.good()) << outcome;
    for (const auto* text : {"2 calls of 1 function by 2 threads in 2 processes",
                             "min 1.00 us (rank 0), mean 2.00 us, max 3.00 us", "the timeline leaves out 1 rank"})
        EXPECT_NE(outcome.output.find(text), std::string::npos) << text << outcome;
    fs::remove(directory_ / "rank0" / "10-0.zetl");
    const auto summaries = report({directory_});
    EXPECT_NE(summaries.output.find("min 1.00 us (rank 0), mean 2.00 us, max 3.00 us"), std::string::npos) << summaries;
}

TEST_F(Ranks, RecordingsOfChosenRanksAreKept) {
    for (const auto* rank : {"0", "1"}) {
        const auto outcome =
            Process({inBuildTree("bin/zetl"), "trace", "-o", directory_ / "t.json", "--recording", directory_ / "run",
                     "--ranks", "1", "--", inBuildTree("tests/zetl/traced_program"), "ordinary"})
                .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                .with("PMI_RANK", rank)
                .with("PMI_SIZE", "2")
                .run(std::chrono::seconds(120));
        ASSERT_TRUE(outcome.good()) << outcome;
        EXPECT_EQ(outcome.output.find("function ") != std::string::npos, *rank == '1') << outcome;
    }
    EXPECT_FALSE(fs::exists(directory_ / "t.rank0.json"));
    EXPECT_TRUE(fs::exists(directory_ / "t.rank1.json"));
    EXPECT_TRUE(recordingsIn(directory_ / "run" / "rank0").empty());
    EXPECT_FALSE(recordingsIn(directory_ / "run" / "rank1").empty());
    for (const auto* file : {"rank0/rank0.summary", "rank1/rank1.summary"})
        EXPECT_LE(fs::file_size(directory_ / "run" / file), ReducedRank::kMostBytes);
    const auto outcome = report({directory_ / "run"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("2 ranks on 1 host"), std::string::npos) << outcome;
}

TEST_F(Ranks, ChoosingThemNeedsAListAndADirectory) {
    const auto refused = [](const std::vector<std::string>& words) {
        std::vector<std::string> command = {inBuildTree("bin/zetl"), "trace", "-o", "", "--ranks"};
        command.insert(command.end(), words.begin(), words.end());
        return Process(command).run();
    };
    const auto noList = refused({"1;2", "--recording", directory_ / "run", "--", "true"});
    EXPECT_EQ(noList.exitCode, 2) << noList;
    EXPECT_NE(noList.output.find("not a list of ranks; write 0,17"), std::string::npos) << noList;
    const auto nowhere = refused({"0", "--", "true"});
    EXPECT_EQ(nowhere.exitCode, 2) << nowhere;
    EXPECT_NE(nowhere.output.find("--ranks needs --recording DIR"), std::string::npos) << nowhere;
}

/// Nobody chose its name.
TEST_F(Ranks, ATimelineWithoutANameGetsAnotherOne) {
    const Launched alone;
    const TimelineFile mine(directory_ / "timeline.pftrace");
    make(directory_ / "a", {-1, 0, "node", 10, 1'000, 1'000});
    const auto outcome =
        Process({"/bin/sh", "-c", "cd '" + directory_.native() + "' && exec " + inBuildTree("bin/zetl") + " report a"})
            .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto begin = outcome.output.find("timeline: timeline.") + 10;
    const auto name = outcome.output.substr(begin, outcome.output.find(' ', begin) - begin);
    EXPECT_NE(name, "timeline.pftrace");
    EXPECT_GT(fs::file_size(directory_ / name), 0u) << outcome;
}

}  // namespace
