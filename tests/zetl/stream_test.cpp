// `zetl metrics stream` on the emulated GPU: counters of the device beside what a program calls.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/report_clock.h"
#include "perfetto_reader.h"
#include "recording/counters.h"
#include "says.h"
#include "support/process.h"
#include "text/milliseconds.h"
#include "trace_directory.h"

namespace {

using Json = nlohmann::json;
using namespace zetl::test;

/// vector_add: 4096 work-items, of which a thread has 32.
constexpr double kThreads = 128;
constexpr std::uint64_t kPeriod = 1'000'000;

class MetricsStream : public TraceDirectory {
  protected:
    Outcome run(std::vector<std::string> options, const std::vector<std::string>& program,
                const std::string& device = "tiny") {
        options.insert(options.begin(),
                       {inBuildTree("bin/zetl"), "metrics", "stream", "--emulated", "--device", device});
        options.emplace_back("--");
        options.insert(options.end(), program.begin(), program.end());
        return Process(options).with("TMPDIR", directory_.native()).run(std::chrono::seconds(120));
    }
    const std::string added_ = inBuildTree("samples/vector_add");
};

double sumOf(const Json& rows, const char* column) {
    double sum = 0;
    for (const auto& row : rows) sum += row.at(column).get<double>();
    return sum;
}

/// Reports behind the begin of the kernel show what was counted. Where the host was too busy to read in time, it is
/// shared out over reports up to the next reading, so the last reading before each of them lies in front of the end of
/// the wait: a process publishes its counts before waits for its work return.
void expectBetweenReadings(const std::set<std::uint64_t>& times, std::uint64_t begin, std::uint64_t end,
                           const Json& rows) {
    constexpr std::uint64_t kSlack = 50'000'000;  // a busy host between two readings of a pair of clocks
    std::uint64_t reading = 0;
    for (const auto& row : rows) {
        const auto time = row.at("time[ns]").get<std::uint64_t>();
        if (times.contains(time)) {
            EXPECT_GE(time + kSlack, begin);
            EXPECT_LE(reading, end + kSlack);
        }
        if (row.at("interpolated") == 0) reading = time;
    }
}

TEST_F(MetricsStream, CountersLieBesideCallsAndDevicesInTheTimeline) {
    const auto outcome = run({"-o", directory_ / "t.pftrace", "--json", directory_ / "rows.json"}, {added_});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_TRUE(says(outcome, "4096 of 4096 sums are right")) << outcome;
    const auto trace = readPerfetto(textOf("t.pftrace"));
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    ASSERT_EQ(trace.named("zeCommandListAppendLaunchKernel").size(), 1u);
    ASSERT_EQ(trace.named("vector_add").size(), 1u);
    const auto kernel = trace.named("vector_add").front();
    double threads = 0;
    std::set<std::uint64_t> times;
    for (const auto& each : trace.values) {
        const auto& track = trace.tracks.at(each.track);
        EXPECT_TRUE(trace.tracks.at(track.parent).name.ends_with("(tile 0)")) << track.name;
        if (track.name != "XVE_COMPUTE_THREAD_COUNT" || each.value == 0) continue;
        EXPECT_EQ(track.unit, "threads");
        threads += each.value;
        times.insert(each.time);
    }
    expectBetweenReadings(times, kernel.begin, trace.named("zeCommandQueueSynchronize").at(0).end,
                          Json::parse(textOf("rows.json")));
    EXPECT_EQ(threads, kThreads) << "no report that shows the kernel is missing, and none is there twice";
}

TEST_F(MetricsStream, TablesHaveARowAReport) {
    const auto outcome = run(
        {"-o", directory_ / "t.json", "--csv", directory_ / "rows.csv", "--json", directory_ / "rows.json"}, {added_});
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto rows = Json::parse(textOf("rows.json"));
    ASSERT_GT(rows.size(), 1u);
    EXPECT_EQ(sumOf(rows, "XVE_COMPUTE_THREAD_COUNT[threads]"), kThreads);
    EXPECT_EQ(sumOf(rows, "lost"), 0);
    for (std::size_t i = 1; i < rows.size(); ++i)
        EXPECT_NEAR(rows[i].at("time[ns]").get<double>() - rows[i - 1].at("time[ns]").get<double>(), kPeriod, 1000);
    const auto csv = textOf("rows.csv");
    EXPECT_TRUE(csv.starts_with("time[ns],device,tile,lost,interpolated,GpuTime[ns],")) << csv.substr(0, 200);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), rows.size() + 1);
    const auto events = Json::parse(textOf("t.json")).at("traceEvents");
    const auto counts = [](const Json& each) { return each["ph"] == "C" && each["name"] == "XVE_ACTIVE"; };
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(events, counts)), rows.size());
    EXPECT_TRUE(says(outcome, "XVE_THREADS_OCCUPANCY_ALL")) << outcome;
    EXPECT_TRUE(says(outcome, std::to_string(rows.size()) + " reports, ")) << outcome;
}

TEST_F(MetricsStream, AProgramsChildrenAreCountedAndHowItEndsLosesNothing) {
    const auto outcome = run({"-o", "", "--json", directory_ / "rows.json", "--group", "MemProfile", "--period", "2ms"},
                             {"/bin/sh", "-c", added_ + "; kill -9 $$"});
    EXPECT_EQ(outcome.exitCode, 128 + 9) << outcome;
    EXPECT_EQ(sumOf(Json::parse(textOf("rows.json")), "XVE_COMPUTE_THREAD_COUNT[threads]"), kThreads);
    EXPECT_TRUE(std::ranges::all_of(std::filesystem::directory_iterator(directory_), [](const auto& each) {
        return each.path().filename() == "rows.json";
    })) << "nothing else is left behind";
}

TEST_F(MetricsStream, CommandsThatNobodyWaitedForAreSaidToBeMissing) {
    const auto outcome = run({"--group", "CoreApiOnly", "-o", ""},
                             {inBuildTree("tests/zetl/submitting_program"), "asynchronous", "none", "kill"});
    EXPECT_TRUE(says(outcome, "6 commands are not counted")) << outcome;
}

/// With temporary directories of its own, after a command of the shell's.
Outcome streamAfter(const std::string& command) {
    const std::string mounts = "for d in /tmp /run; do mount -t tmpfs none $d; done; ";
    return Process({inBuildTree("bin/zetl"), "metrics", "stream", "--emulated", "--device", "tiny", "-o", "", "--csv",
                    "-", "--", inBuildTree("samples/vector_add")})
        .with("XDG_RUNTIME_DIR", "")
        .under({"/usr/bin/unshare", "--mount", "/bin/sh", "-c", mounts + command + "; exec \"$@\"", "sh"})
        .run(std::chrono::seconds(120));
}

/// The sum of a column of what is printed.
double sumOf(const Outcome& outcome, const std::string& column) {
    std::istringstream lines(outcome.output);
    std::size_t place = std::string::npos;
    double sum = 0;
    for (std::string line; std::getline(lines, line);) {
        if (const auto quote = line.find('"'); quote != std::string::npos)
            line.erase(quote, line.rfind('"') - quote);  // the device's name has a comma
        std::vector<std::string> cells;
        std::istringstream words(line);
        for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
        if (line.starts_with("time[ns],"))
            place = static_cast<std::size_t>(std::ranges::find(cells, column) - cells.begin());
        else if (place < cells.size() && cells.size() > 5)
            sum += std::stod(cells[place]);
    }
    return sum;
}

/// If the directory in which the user's processes meet is taken, they meet elsewhere, and zetl says so.
TEST(MetricsStreamElsewhere, ATakenDirectoryIsNamedAndAnotherServes) {
    if (geteuid() != 0) GTEST_SKIP() << "needs the right to mount";
    const auto alone = streamAfter("mkdir /tmp/ze-tools-layer-0 && chmod 700 /tmp/ze-tools-layer-0");
    ASSERT_TRUE(alone.good()) << alone;
    EXPECT_EQ(sumOf(alone, "XVE_COMPUTE_THREAD_COUNT[threads]"), kThreads) << alone;
    EXPECT_FALSE(says(alone, "serves meanwhile")) << alone;
    const auto taken = streamAfter(
        "mkdir -m 700 /tmp/ze-tools-layer-0 && chown 1 /tmp/ze-tools-layer-0; ln -s /tmp /tmp/ze-tools-layer-0.1");
    ASSERT_TRUE(taken.good()) << taken;
    EXPECT_EQ(sumOf(taken, "XVE_COMPUTE_THREAD_COUNT[threads]"), kThreads) << taken;
    EXPECT_TRUE(says(taken, "/tmp/ze-tools-layer-0 belongs to user 1 and not to user 0; remove it")) << taken;
    EXPECT_TRUE(says(taken, "/tmp/ze-tools-layer-0.2 serves meanwhile")) << taken;
}

TEST(MetricsStreamElsewhere, WithoutAPlaceToMeetTheUserIsTold) {
    if (geteuid() != 0) GTEST_SKIP() << "needs the right to mount";
    const auto outcome = streamAfter(
        "for d in /tmp/ze-tools-layer-0 $(seq -f /tmp/ze-tools-layer-0.%.0f 16); do mkdir -m 700 $d; chown 1 $d; done");
    EXPECT_TRUE(says(outcome, "counters are those of this process alone: /tmp/ze-tools-layer-0 belongs to user 1"))
        << outcome;
}

TEST_F(MetricsStream, EachTileOfEachDeviceHasRows) {
    const auto outcome = run({"-o", "", "--json", directory_ / "rows.json"}, {"/bin/sleep", "0.2"}, "small-two-by-two");
    ASSERT_TRUE(outcome.good()) << outcome;
    std::size_t tiles[2] = {};
    for (const auto& row : Json::parse(textOf("rows.json"))) ++tiles[row.at("tile").get<std::size_t>()];
    EXPECT_GT(tiles[0], 0u);
    EXPECT_GT(tiles[1], 0u);
}

/// ZET_ENABLE_METRICS=0: the device has none then.
TEST_F(MetricsStream, ADeviceWithoutMetricsHasCommandsTheirTimesAndBytes) {
    const std::vector<std::string> withoutMetrics{"/usr/bin/env", "ZET_ENABLE_METRICS=0", added_};
    const auto outcome = run({"--group", "CoreApiOnly", "--period", "100us", "-o", directory_ / "t.pftrace", "--json",
                              directory_ / "rows.json", "--csv", directory_ / "rows.csv"},
                             withoutMetrics);
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto rows = Json::parse(textOf("rows.json"));
    EXPECT_EQ(sumOf(rows, "Kernels[commands]"), 1);
    EXPECT_EQ(sumOf(rows, "Commands[commands]"), 6) << "a kernel, three copies, two barriers";
    EXPECT_EQ(sumOf(rows, "BytesCopied[bytes]"), 3 * 16384);
    const auto trace = readPerfetto(textOf("t.pftrace"));
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    const auto kernel = trace.named("vector_add").at(0);
    EXPECT_EQ(sumOf(rows, "KernelTime[ns]"), static_cast<double>(kernel.end - kernel.begin));
    EXPECT_EQ(rows.front().at("Commands[commands]"), 0) << "zeros before";
    EXPECT_EQ(rows.back().at("Commands[commands]"), 0) << "and behind";
    EXPECT_TRUE(says(outcome, "BytesCopied")) << outcome;
}

TEST_F(MetricsStream, WithoutCommandsThereIsNothingToCount) {
    const auto outcome = run({"--group", "CoreApiOnly", "-o", "", "--csv", directory_ / "rows.csv"}, {"/bin/true"});
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, "nothing was counted")) << outcome;
    EXPECT_EQ(textOf("rows.csv"), "time[ns],device,tile,lost,interpolated\n");
}

TEST_F(MetricsStream, WhatCannotBeIsRefusedBeforeTheProgramRuns) {
    const std::vector<std::string> program{"/bin/echo", "it ran"};
    struct Refusal {
        std::vector<std::string> options;
        const char* words;
    };
    for (const auto& [options, words] : {
             Refusal{{"--group", "Nope"}, "there is no time-based metric group Nope"},
             Refusal{{"--group", "EuStallSampling"}, "`zetl stalls` shows samples"},
             Refusal{{"--period", "0us"}, "not a time from 1ns to 4s"},
             Refusal{{"--csv", "/no/such/place"}, "cannot write the table"},
         }) {
        const auto outcome = run(options, program);
        EXPECT_EQ(outcome.exitCode, 2) << outcome;
        EXPECT_TRUE(says(outcome, words)) << outcome;
        EXPECT_FALSE(says(outcome, "it ran")) << outcome;
    }
    EXPECT_EQ(run({"-o", ""}, {"/no/such/program"}).exitCode, 127);
}

/// The process that reads counters listens at a socket, which goes with it.
TEST_F(MetricsStream, LeavesNoSocketBehind) {
    const auto session = directory_ / "session";
    std::filesystem::create_directory(session);
    std::filesystem::permissions(session, std::filesystem::perms::owner_all);
    const auto outcome = Process({inBuildTree("bin/zetl"), "metrics", "stream", "--emulated", "-o", "", "--", added_})
                             .with("TMPDIR", directory_.native())
                             .with("XDG_RUNTIME_DIR", session.native())
                             .run();
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(session))
        EXPECT_FALSE(entry.is_socket()) << entry.path();
}

TEST_F(MetricsStream, WithoutADeviceNothingRuns) {
    const auto outcome = Process({inBuildTree("bin/zetl"), "metrics", "stream", "-o", "", "--", "/bin/echo", "it ran"})
                             .with("ZE_ENABLE_ALT_DRIVERS", "/no/such/driver.so")
                             .run();
    EXPECT_EQ(outcome.exitCode, 1) << outcome;
    EXPECT_TRUE(says(outcome, "use --emulated")) << outcome;
    EXPECT_FALSE(says(outcome, "it ran")) << outcome;
}

class CounterFiles : public TraceDirectory {
  protected:
    /// Of a file that holds this.
    zetl::command::CounterRecording recordingOf(const std::string& text) {
        std::ofstream(directory_ / "counters", std::ios::binary) << text;
        return zetl::command::CounterRecording(directory_ / "counters");
    }
};

TEST_F(CounterFiles, WhatDescribesNoSourcesIsNone) {
    for (const char* text : {"", "\n", "no JSON\n", "7\n", "[{}]\n", "[{\"device\":1,\"tile\":0,\"columns\":[]}]\n"})
        EXPECT_THROW(recordingOf(text), std::runtime_error) << text;
}

TEST_F(CounterFiles, ARowThatIsNotWholeOrOfNoSourceEndsThem) {
    using namespace zetl::command;
    const auto file = directory_ / "rows";
    CounterWriter writer(file, {{"device", 0, {{"x", "", true}}}});
    writer.write({1, 0, 0, 0, {2.5}});
    writer.write({2, 0, 0, 0, {3.5}});
    writer.write({3, 1, 0, 0, {4.5}});
    writer.write({4, 0, 0, 0, {5.5}});
    writer.flush();
    const auto valuesOf = [](const CounterRecording& counters) {
        std::vector<double> values;
        counters.forEach([&](const CounterRow& row) { values.push_back(row.values.at(0)); });
        return values;
    };
    EXPECT_EQ(valuesOf(CounterRecording(file)), (std::vector<double>{2.5, 3.5}));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 2 * 32 - 1);
    EXPECT_EQ(valuesOf(CounterRecording(file)), std::vector<double>{2.5});
}

TEST(ReportClock, TheLastMomentBeforeThePairIsMeant) {
    using zetl::command::ReportClock;
    constexpr double kTicks = 12.5e6;  // 80 ns each: after 2^31 of them, 171.8 s, reports wrap
    constexpr std::uint64_t kWrap = (std::uint64_t(1) << 31) * 80;
    ReportClock clock(kTicks, 31);
    clock.correlate(1'000'000'000'000, 1000, kTicks);
    EXPECT_EQ(clock.hostTime(80'000), 1'000'000'000'000u);
    EXPECT_EQ(clock.hostTime(0), 1'000'000'000'000u - 80'000);
    EXPECT_EQ(clock.hostTime(kWrap - 80), 1'000'000'000'000u - 80'080) << "before the wrap";
    EXPECT_EQ(clock.hostTime(80'160), 1'000'000'000'160u) << "clocks are read one after the other";
    clock.correlate(1'000'000'000'000, (std::uint64_t(5) << 31) + 1000, kTicks);
    EXPECT_EQ(clock.hostTime(0), 1'000'000'000'000u - 80'000) << "a wider clock of the same beginning";
    ReportClock straight(kTicks, 64);
    straight.correlate(1'000'000'000'000, 1'000'000, kTicks);
    EXPECT_EQ(straight.hostTime(0), 1'000'000'000'000u - 80'000'000);
}

TEST(SamplingPeriod, IsAWholeNumberWithAUnit) {
    using zetl::command::samplingPeriod;
    EXPECT_EQ(samplingPeriod("20us"), 20'000u);
    EXPECT_EQ(samplingPeriod("1ms"), 1'000'000u);
    EXPECT_EQ(samplingPeriod("4s"), 4'000'000'000u);
    for (const char* text : {"", "0ns", "5", "5s", "1m", "-1ms", "1.5ms", "99999999999999999999ns"})
        EXPECT_EQ(samplingPeriod(text), std::nullopt) << text;
}

}  // namespace
