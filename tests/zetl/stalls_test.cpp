// `zetl stalls` on the emulated GPU: sampled instructions on source lines and machine code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "metrics/stall_profile.h"
#include "says.h"
#include "support/process.h"
#include "support/temporary_file.h"
#include "trace_directory.h"
#include "unit/module/compiled.h"

namespace {

using Json = nlohmann::json;
using namespace zetl::test;

class Stalls : public TraceDirectory {
  protected:
    Outcome run(std::vector<std::string> options, const std::vector<std::string>& program,
                const std::string& device = "tiny") {
        options.insert(options.begin(), {inBuildTree("bin/zetl"), "stalls", "--emulated", "--device", device});
        options.emplace_back("--");
        options.insert(options.end(), program.begin(), program.end());
        return Process(options).with("TMPDIR", directory_.native()).run(std::chrono::seconds(120));
    }
    Json sampled(const std::vector<std::string>& program) {
        const auto outcome = run({"--json", directory_ / "stalls.json"}, program);
        EXPECT_TRUE(outcome.good()) << outcome;
        return Json::parse(textOf("stalls.json"));
    }
    const std::string added_ = inBuildTree("samples/vector_add");
    const std::vector<std::string> saxpy_{inBuildTree("tests/zetl/debugged_program"), "saxpy", "-g -cl-opt-disable"};
};

std::uint64_t samplesOf(const Json& list) {
    std::uint64_t sum = 0;
    for (const auto& each : list) sum += each.at("samples").get<std::uint64_t>();
    return sum;
}

TEST_F(Stalls, PileUpWhereASlowLoadIsAwaitedOnItsLine) {
    const auto all = sampled(saxpy_);
    EXPECT_EQ(all.at("unmapped"), 0);
    EXPECT_EQ(all.at("lost"), 0);
    ASSERT_EQ(all.at("kernels").size(), 1u);
    const auto& kernel = all["kernels"][0];
    EXPECT_EQ(kernel.at("name"), "saxpy");
    EXPECT_GT(kernel.at("samples"), 100);
    EXPECT_EQ(samplesOf(kernel.at("lines")), kernel["samples"]);
    EXPECT_EQ(samplesOf(kernel.at("instructions")), kernel["samples"]);
    const auto loads =
        std::ranges::find_if(kernel["lines"], [](const Json& each) { return each.at("line") == 20; });  // y[i] += ...
    ASSERT_NE(loads, kernel["lines"].end());
    EXPECT_TRUE(loads->at("file").get<std::string>().ends_with("saxpy.cl"));
    EXPECT_GT(2 * loads->at("reasons").at("SbidStall").get<std::uint64_t>(), loads->at("samples").get<std::uint64_t>());
    const auto worst = std::ranges::max_element(kernel["instructions"], {}, [](const Json& each) {
        return each.at("reasons").at("SbidStall").get<std::uint64_t>();
    });
    EXPECT_FALSE(worst->at("text").get<std::string>().starts_with("send")) << "the load itself waits for nothing";
}

/// The compiler calls the text that it is given module.cl.
TEST_F(Stalls, PatchTokensHaveLines) {
    constexpr const char* kSource =
        "kernel void saxpy(global const float* x, global float* y, float a, int n, local float* scratch) {\n"
        "    int i = get_global_id(0);\n"
        "    y[i] += a * x[i];\n"
        "}\n";
    const TemporaryFile binary(zetl::emulator::module::compiled(kSource, "-cl-std=CL2.0 -g", false));
    const auto all = sampled({saxpy_[0], "saxpy", "native:" + binary.name()});
    EXPECT_EQ(all.at("unmapped"), 0);
    ASSERT_EQ(all.at("kernels").size(), 1u);
    const auto& kernel = all["kernels"][0];
    EXPECT_EQ(kernel.at("name"), "saxpy");
    EXPECT_EQ(samplesOf(kernel.at("lines")), kernel["samples"]);
    const auto sum = std::ranges::find_if(kernel["lines"], [](const Json& each) { return each.at("line") == 3; });
    ASSERT_NE(sum, kernel["lines"].end()) << kernel;
    EXPECT_TRUE(sum->at("file").get<std::string>().ends_with("module.cl"));
    EXPECT_GT(2 * samplesOf(Json::array({*sum})), kernel["samples"].get<std::uint64_t>());
}

TEST_F(Stalls, EveryRunSamplesTheSame) { EXPECT_EQ(sampled(saxpy_), sampled(saxpy_)); }

TEST_F(Stalls, TablesAndCodeForPeople) {
    const auto outcome = run({"--code", "--csv", directory_ / "stalls.csv"}, saxpy_);
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "y[i] += v + steps[i & 3] * both.second;")) << "a line's text";
    EXPECT_TRUE(says(outcome, "; SbidStall ")) << "what an instruction waits for";
    EXPECT_TRUE(says(outcome, " 0 not mapped (code of no known module); 0 lost")) << outcome;
    EXPECT_TRUE(textOf("stalls.csv").starts_with("kernel,line,samples,Active,ControlStall,PipeStall,SendStall,"));
}

TEST_F(Stalls, CodeOfSeveralProcessesIsOneKernelAndAKillLeavesWhatWasWritten) {
    const auto once = sampled({added_});
    const auto twice =
        run({"--json", directory_ / "twice.json"}, {"/bin/sh", "-c", added_ + "; " + added_ + "; kill -9 $$"});
    EXPECT_EQ(twice.exitCode, 128 + 9) << twice;
    EXPECT_TRUE(says(twice, "a signal ended the program")) << twice;
    const auto all = Json::parse(textOf("twice.json"));
    ASSERT_EQ(all.at("kernels").size(), 1u);
    EXPECT_EQ(all["mapped"], 2 * once.at("mapped").get<std::uint64_t>());
    EXPECT_TRUE(says(twice, "no source lines: the module has no DWARF")) << twice;
}

TEST_F(Stalls, LostSamplesAreCounted) {
    const auto outcome = run({"--period", "1us", "--json", directory_ / "stalls.json"}, {added_});
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto all = Json::parse(textOf("stalls.json"));
    EXPECT_GT(all.at("lost"), 0);
    EXPECT_EQ(all.at("lost_uncounted"), false);
    EXPECT_TRUE(says(outcome, "a longer --period loses fewer")) << outcome;
}

/// Kernels would be ranked by how often they fill the device's room for samples otherwise.
TEST_F(Stalls, ThoseThatWereReadCountForThoseThatWereLost) {
    const auto few = sampled(saxpy_);
    ASSERT_EQ(few.at("lost"), 0);
    const auto outcome = run({"--period", "1us", "--json", directory_ / "stalls.json"}, saxpy_);
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto many = Json::parse(textOf("stalls.json"));
    EXPECT_GT(many.at("lost"), many.at("mapped").get<double>() / 2) << "most of them";
    EXPECT_EQ(many.at("longest_period_ns"), many.at("period_ns")) << "it is the user's";
    const auto expected = few.at("mapped").get<double>() * few.at("period_ns").get<double>();
    EXPECT_NEAR(many.at("mapped").get<double>() * many.at("period_ns").get<double>(), expected, expected * 0.2);
    EXPECT_TRUE(says(outcome, "count for them")) << outcome;
    const auto share = [](const Json& all, std::size_t instruction) {
        const auto& kernel = all.at("kernels").at(0);
        return kernel.at("instructions").at(instruction).at("samples").get<double>() /
               kernel.at("samples").get<double>();
    };
    const auto instructions = few.at("kernels").at(0).at("instructions").size();
    for (std::size_t i = 0; i < instructions; ++i) EXPECT_NEAR(share(many, i), share(few, i), 0.03) << i;
}

/// With a slow clock a period is so few cycles that the default one is too short.
std::filesystem::path slowProfileIn(const std::filesystem::path& directory) {
    std::ifstream file(ZETL_TINY_PROFILE);
    std::string profile((std::istreambuf_iterator<char>(file)), {});
    const std::string clock = "core_clock_mhz: 1600";
    const auto at = profile.find(clock);
    EXPECT_NE(at, std::string::npos);
    profile.replace(std::min(at, profile.size()), clock.size(), "core_clock_mhz: 50");
    auto slow = directory / "slow.yaml";
    std::ofstream(slow) << profile;
    return slow;
}

TEST_F(Stalls, ThePeriodBecomesLongerWhereSamplesAreLost) {
    const auto outcome = run({"--json", directory_ / "stalls.json"}, saxpy_, slowProfileIn(directory_));
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto all = Json::parse(textOf("stalls.json"));
    EXPECT_GT(all.at("lost"), 0);
    EXPECT_GE(all.at("longest_period_ns"), 2 * all.at("period_ns").get<std::uint64_t>());
    EXPECT_TRUE(says(outcome, "each of these samples counts as ")) << outcome;
}

/// For a longer period, the streamer of samples is opened again after the queries' groups were activated.
TEST_F(Stalls, QueriesLeaveTheGroupOfSamplesActive) {
    std::vector<std::string> words{inBuildTree("bin/zetl"),   "metrics", "query", "--emulated", "--device",
                                   slowProfileIn(directory_), "--"};
    words.insert(words.end(), saxpy_.begin(), saxpy_.end());
    const auto outcome = Process(words).with("TMPDIR", directory_.native()).run(std::chrono::seconds(120));
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_FALSE(says(outcome, "not sampled")) << outcome;
    EXPECT_TRUE(says(outcome, "of the waiting at saxpy.cl:")) << outcome;
}

TEST_F(Stalls, OfAllTilesOfADevice) {
    const auto outcome = run({"--period", "1us", "--json", directory_ / "stalls.json"}, {added_}, "small-two-by-two");
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto all = Json::parse(textOf("stalls.json"));
    EXPECT_GT(all.at("mapped"), 0);
    EXPECT_EQ(all.at("unmapped"), 0);
    EXPECT_EQ(all.at("lost_uncounted"), false);
}

TEST_F(Stalls, AProgramThatMayWriteNoFilesRunsOn) {
    const auto outcome = run({}, {"/bin/sh", "-c", "ulimit -f 0; exec " + added_});
    EXPECT_TRUE(says(outcome, "4096 of 4096 sums are right")) << outcome;
    EXPECT_TRUE(says(outcome, "samples are missing")) << outcome;
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
}

TEST_F(Stalls, WhatCannotBe) {
    const auto none = run({}, {"/bin/true"});
    EXPECT_EQ(none.exitCode, 1) << none;
    EXPECT_TRUE(says(none, "nothing was sampled")) << none;
    const auto other = run({"--kernel", "other"}, {added_});
    EXPECT_EQ(other.exitCode, 1) << other;
    EXPECT_TRUE(says(other, "no sample belongs to a kernel other")) << other;
    EXPECT_EQ(run({"--period", "fast"}, {added_}).exitCode, 2);
    EXPECT_EQ(run({"--json", "/no/such/place"}, {added_}).exitCode, 2);
    EXPECT_EQ(run({}, {"/no/such/program"}).exitCode, 127);
    EXPECT_TRUE(std::filesystem::is_empty(directory_)) << "nothing is left behind";
}

class StallFiles : public TraceDirectory {
  protected:
    void write(const std::string& name, const std::string& text) {
        std::ofstream(directory_ / name, std::ios::binary) << text;
    }
};

TEST_F(StallFiles, WhatIsNoCodeOfALiveModuleIsNotMapped) {
    write("7-0.stalls",
          "#\t20000\tActive\tSbidStall\ns\t4096\t3\t4\n+\t1\ns\t4096\t1\t0\n-\t1\nl\t5\nl\t0\np\t80000\np\t40000\n");
    write("7-0-1.image", "no ELF");
    const zetl::command::StallProfile profile(directory_);
    EXPECT_EQ(profile.reasons(), (std::vector<std::string>{"Active", "SbidStall"}));
    EXPECT_EQ(profile.period(), 20'000u);
    EXPECT_EQ(profile.longestPeriod(), 80'000u);
    EXPECT_EQ(profile.mapped(), 0u);
    EXPECT_EQ(profile.unmapped(), 8u);
    EXPECT_EQ(profile.lost(), 5u);
    EXPECT_TRUE(profile.moreLost());
}

TEST_F(StallFiles, DamagedLinesAreSurvived) {
    write("6-0.stalls", "#\t20000\tActive\tSbidStall\ns\t8\t1\t1\t1\n#\t5\tA\ns\t8\t1\n");
    write("7-0.stalls", "#\ns\nq\t1\ns\tmany\tx\n-\t9\n#\t1\nx\ns\t1\t18446744073709551615\n\t\t\n");
    const zetl::command::StallProfile profile(directory_);
    EXPECT_EQ(profile.mapped(), 0u);
    EXPECT_EQ(profile.period(), 20'000u);
    EXPECT_EQ(profile.reasons().size(), 2u) << "another's head changes nothing";
    EXPECT_TRUE(profile.kernels().empty());
}

}  // namespace
