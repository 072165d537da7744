// `zetl metrics` as a user runs it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "benchmark/metrics/reports.h"
#include "metrics/calculation/export_data.h"
#include "says.h"
#include "support/process.h"

namespace {

using Json = nlohmann::json;
using zetl::test::inBuildTree;
using zetl::test::Process;
using zetl::test::says;

Process metrics(std::vector<std::string> words) {
    words.insert(words.begin(), {inBuildTree("bin/zetl"), "metrics"});
    return Process(words);
}

/// A file of exported data, for the life of a test.
class Exported {
  public:
    explicit Exported(std::size_t reports = 3, std::size_t bytesKept = SIZE_MAX) {
        const auto group = zetl::test::hardwareGroup();
        const auto raw = zetl::test::reportsOf(reports);
        std::vector<std::byte> data(zetl::metrics::exportedBytes(group, raw.size()));
        zetl::metrics::exportData(group, raw, data.data());
        data.resize(std::min(bytesKept, data.size()));
        std::ofstream(name_, std::ios::binary)
            .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    }
    ~Exported() { std::filesystem::remove(name_); }
    Exported(const Exported&) = delete;
    Exported& operator=(const Exported&) = delete;
    const std::string& name() const { return name_; }

  private:
    const std::string name_ = (std::filesystem::temp_directory_path() / ("zetl-metrics-" + std::to_string(getpid())));
};

TEST(ZetlMetrics, ListsTheGroupsOfTheEmulatedGpu) {
    const auto outcome = metrics({"list", "--emulated", "--device", "tiny", "--format", "json"}).run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto groups = Json::parse(outcome.output);
    ASSERT_GT(groups.size(), 4u);
    EXPECT_EQ(groups[0]["group"], "ComputeBasic");
    EXPECT_EQ(groups[0]["sampling"], "time");
    EXPECT_EQ(groups[1]["sampling"], "event");
    const auto info = metrics({"info", "TestOa", "--emulated", "--device", "tiny", "--format", "csv"}).run();
    EXPECT_TRUE(says(info, "\nTestOa,time,Counter3,events,event,uint64,Test,")) << info;
    EXPECT_FALSE(says(info, "ComputeBasic")) << info;
}

TEST(ZetlMetrics, EachMetricHasARow) {
    const auto outcome = metrics({"info", "ComputeBasic", "--emulated", "--device", "tiny"}).run();
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "ComputeBasic, time-based: ")) << outcome;
    EXPECT_TRUE(says(outcome, "\nGpuTime ")) << outcome;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

/// No driver can be opened here, and no variable names one.
TEST(ZetlMetrics, CalculatesWithoutGpuAndDriver) {
    const Exported file;
    const auto outcome = metrics({"calculate", file.name(), "--format", "json"})
                             .with("ZE_ENABLE_ALT_DRIVERS", "/no/such/driver.so")
                             .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto rows = Json::parse(outcome.output);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[1]["tile"], 0);
    EXPECT_EQ(rows[1]["GpuCoreClocks"], 65536);
    EXPECT_EQ(rows[1]["GpuTime"], 512 * 80);
    EXPECT_TRUE(says(metrics({"calculate", file.name()}).run(), "AvgGpuCoreFrequencyMHz"));
}

TEST(ZetlMetrics, RefusesWhatIsNoExportedData) {
    const Exported file(3, 1000);
    const auto cut = metrics({"calculate", file.name()}).run();
    EXPECT_EQ(cut.exitCode, 1) << cut;
    EXPECT_TRUE(says(cut, "INVALID_SIZE")) << cut;
    EXPECT_TRUE(says(metrics({"calculate", "/etc/passwd"}).run(), "is not exported metric data"));
    EXPECT_EQ(metrics({"calculate", "/no/such/file"}).run().exitCode, 2);
    EXPECT_EQ(metrics({"info", "Nope", "--emulated", "--device", "tiny"}).run().exitCode, 2);
    EXPECT_EQ(metrics({"list", "--format", "xml"}).run().exitCode, 2);
    EXPECT_EQ(metrics({}).run().exitCode, 2);
}

/// What a program exports that was stopped before its first report.
TEST(ZetlMetrics, SaysWhereThereIsNoReport) {
    const Exported file(0);
    const auto outcome = metrics({"calculate", file.name()}).run();
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, file.name() + " holds no report: collection ended too early")) << outcome;
}

/// A file that a test has written, gone at its end.
struct Written {
    const std::string name = std::filesystem::temp_directory_path() / ("zetl-kernels-" + std::to_string(getpid()));
    ~Written() { std::filesystem::remove(name); }
    std::string content() const {
        std::ifstream stream(name);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST(ZetlMetrics, TellsWhatTheKernelsOfAnUnchangedProgramCost) {
    const Written file;
    const auto program = inBuildTree("samples/vector_add");
    const auto outcome =
        metrics({"query", "--emulated", "--device", "tiny", "--format", "json", "-o", file.name, "--", program}).run();
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "4096 of 4096 sums are right")) << outcome;
    const auto kernels = Json::parse(file.content());
    ASSERT_EQ(kernels.size(), 1u);
    const auto& kernel = kernels[0];
    EXPECT_EQ(kernel["kernel"], "vector_add");
    EXPECT_EQ(kernel["launches"], 1);
    EXPECT_GT(kernel["GpuTime[ns]"], 0);
    EXPECT_GT(kernel["XVE_ACTIVE[percent]"], 0);
    EXPECT_GT(kernel["XVE_STALL[percent]"], 0);
    EXPECT_LE(kernel["L1 hits[percent]"], 100);
    EXPECT_GT(kernel["intensity[events/byte]"], 0);
    const double time = kernel["modelled time[ns]"];
    EXPECT_NEAR(time, kernel["GpuCoreClocks[cycles]"].get<double>() / 1.6, 1) << "at 1600 MHz";
    const double bytes = kernel["L3_BYTE_READ[bytes]"].get<double>() + kernel["L3_BYTE_WRITE[bytes]"].get<double>();
    EXPECT_NEAR(kernel["L3[GB/s]"], bytes / time, 0.01 * bytes / time);
    EXPECT_FALSE(kernel.contains("launch"));
    EXPECT_EQ(kernel["XVE_OPERATIONS_FP32[events]"], 4096) << "one addition per work-item";
    for (const auto& [heading, value] : kernel.items())
        EXPECT_EQ(heading.find("Frequency"), std::string::npos) << "cycles of the model in the host's time";
}

TEST(ZetlMetrics, PeopleSeeTheDurationFirst) {
    const Written file;
    const auto outcome =
        metrics({"query", "--emulated", "--device", "tiny", "-o", file.name, "--", inBuildTree("samples/vector_add")})
            .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto text = file.content();
    EXPECT_TRUE(text.starts_with("vector_add\n  duration     ")) << text;
    for (const char* line : {"\n  compute ", "\n  memory use ", "\n  L1 ", "\n  FP32 ", "\n  occupancy ",
                             "\n  top stall ", "\n  advice ", "\n  counters\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    EXPECT_EQ(text.find(" 0\n"), std::string::npos) << "counters that are 0 tell nothing\n" << text;
    EXPECT_NE(text.find(" more are 0 (see --csv or --json)\n"), std::string::npos) << text;
}

TEST(ZetlMetrics, SeveralGroupsAreMeasuredInOneRun) {
    const Written file;
    const auto measure = [&](const char* groups) {
        const auto outcome = metrics({"query", "--emulated", "--device", "tiny", "--group", groups, "--format", "json",
                                      "-o", file.name, "--", inBuildTree("samples/vector_add")})
                                 .run();
        EXPECT_TRUE(outcome.good()) << outcome;
        EXPECT_EQ(outcome.output.find("vector_add: 4096"), outcome.output.rfind("vector_add: 4096")) << "one run";
        return Json::parse(file.content())[0];
    };
    const auto alone = measure("KernelSummary");
    const auto together = measure("InstructionMix,MemoryTraffic,KernelSummary");
    EXPECT_GT(together["XVE_INST_EXECUTED_ALL[events]"], 0) << "of InstructionMix";
    EXPECT_EQ(together["GLOBAL_BYTE_WRITE[bytes]"], 4096 * 4) << "of MemoryTraffic";
    for (const auto& [heading, value] : alone.items()) {
        if (heading == "GpuTime[ns]") continue;
        EXPECT_EQ(together[heading], value) << heading;
    }
}

TEST(ZetlMetrics, EachLaunchHasARowOnRequest) {
    const Written file;
    const auto outcome = metrics({"query", "--emulated", "--device", "tiny", "--per-launch", "--format", "json", "-o",
                                  file.name, "--", inBuildTree("samples/device_activity")})
                             .run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto launches = Json::parse(file.content());  // each does twice as much as the one before
    ASSERT_GT(launches.size(), 1u);
    for (std::size_t i = 0; i < launches.size(); ++i) {
        EXPECT_EQ(launches[i]["launch"], i + 1);
        EXPECT_EQ(launches[i]["launches"], 1);
        EXPECT_GT(launches[i]["modelled time[ns]"], i == 0 ? Json(0) : launches[i - 1]["modelled time[ns]"]);
    }
}

// Exact counts stay exact, whatever the sample is.
TEST(ZetlMetrics, ASampleIsModelledOnRequest) {
    const Written file;
    const auto measure = [&](std::vector<std::string> options) {
        options.insert(options.begin(),
                       {"query", "--emulated", "--device", "small", "--format", "json", "-o", file.name});
        options.insert(options.end(), {"--", inBuildTree("samples/vector_add")});
        const auto outcome = metrics(options).run();
        EXPECT_TRUE(outcome.good()) << outcome;
        return Json::parse(file.content()).at(0);
    };
    const auto all = measure({});
    const auto sample = measure({"--accuracy", "100%"});
    EXPECT_EQ(all["XVE_COMPUTE_THREAD_COUNT[threads]"], sample["XVE_COMPUTE_THREAD_COUNT[threads]"]);
    EXPECT_EQ(all["XVE_OPERATIONS_FP32[events]"], sample["XVE_OPERATIONS_FP32[events]"]);
    EXPECT_EQ(all["GpuCoreClocksError[cycles]"], 0) << all;
    for (const char* wrong : {"0", "101%", "two", "2%%"})
        EXPECT_EQ(metrics({"query", "--emulated", "--accuracy", wrong, "--", "/bin/true"}).run().exitCode, 2) << wrong;
}

TEST(ZetlMetrics, AnotherGroupIsMeasuredOnRequest) {
    const Written file;
    const auto program = inBuildTree("samples/vector_add");
    const auto measured = metrics({"query", "--emulated", "--device", "tiny", "--group", "MemoryTraffic", "--format",
                                   "csv", "-o", file.name, "--", program})
                              .run();
    ASSERT_TRUE(measured.good()) << measured;
    EXPECT_NE(file.content().find("GLOBAL_BYTE_WRITE[bytes]"), std::string::npos) << file.content();
    EXPECT_EQ(file.content().find("L1 hits"), std::string::npos) << "it has no such counters";
    const auto unknown =
        metrics({"query", "--emulated", "--device", "tiny", "--group", "Nothing", "--", program}).run();
    EXPECT_EQ(unknown.exitCode, 2) << unknown;
    EXPECT_TRUE(says(unknown, "there is no event-based metric group Nothing; known: ComputeBasic")) << unknown;
    EXPECT_FALSE(says(unknown, "sums are right")) << "the program does not run: " << unknown;
}

TEST(ZetlMetrics, KernelsAreMeasuredHoweverTheyAreLaunched) {
    for (const auto* way : {"", "cooperative", "indirect", "several indirect"}) {
        auto process = metrics({"query", "--emulated", "--device", "tiny", "--format", "csv", "--",
                                inBuildTree("tests/zetl/debugged_program"), "saxpy", "-g"});
        const auto outcome = process.with("ZETL_TEST_LAUNCH", way).run();
        EXPECT_TRUE(outcome.good()) << way << outcome;
        EXPECT_TRUE(says(outcome, "\nsaxpy,1,")) << way << outcome;
    }
}

/// Each execution is a launch, of all kernels of the graph.
TEST(ZetlMetrics, EachExecutionOfAGraphIsMeasured) {
    const Written file;
    auto process = metrics({"query", "--emulated", "--device", "tiny", "--group", "MemoryTraffic", "--per-launch",
                            "--json", file.name, "--", inBuildTree("tests/zetl/debugged_program"), "saxpy", "-g"});
    const auto outcome = process.with("ZETL_TEST_LAUNCH", "graph").run();
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto launches = Json::parse(file.content());
    ASSERT_EQ(launches.size(), 3u) << file.content();
    for (const auto& each : launches) {
        EXPECT_EQ(each["kernel"], "saxpy");
        EXPECT_EQ(each["GLOBAL_BYTE_WRITE[bytes]"], 2 * 100 * 4) << "two launches for 100 floats";
    }
}

TEST(ZetlMetrics, AProgramWithoutKernelsIsSaidToHaveNone) {
    const auto outcome = metrics({"query", "--emulated", "--device", "tiny", "--", "/bin/true"}).run();
    EXPECT_FALSE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "no kernel was measured")) << outcome;
}

}  // namespace
