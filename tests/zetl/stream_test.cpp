// `zetl metrics stream` on the emulated GPU: counters of the device beside what a program calls.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/prometheus_server.h"
#include "metrics/prometheus_text.h"
#include "metrics/report_clock.h"
#include "perfetto_reader.h"
#include "recording/counters.h"
#include "says.h"
#include "support/process.h"
#include "text/milliseconds.h"
#include "text/usage_error.h"
#include "trace_directory.h"

namespace {

using Json = nlohmann::json;
using namespace zetl::test;
using zetl::command::CounterSource;
using zetl::command::PrometheusMetrics;
using zetl::command::PrometheusServer;
using zetl::command::PrometheusSocket;
using zetl::command::UsageError;

/// vector_add: 4096 work-items, of which a thread has 32.
constexpr double kThreads = 128;
constexpr std::uint64_t kPeriod = 1'000'000;

/// What a server sends until it closes the connection, or nothing for `milliseconds`: it may wait for the end of what
/// is no request.
std::string answerTo(std::uint16_t port, const std::string& request, int milliseconds = 60'000) {
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{milliseconds / 1000, milliseconds % 1000 * 1000};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
        for (std::size_t sent = 0; sent < request.size();) {
            const auto bytes = send(connection, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
            if (bytes <= 0) break;  // the server has heard enough
            sent += static_cast<std::size_t>(bytes);
        }
        shutdown(connection, SHUT_WR);
        char part[4096];
        for (ssize_t bytes = 0; (bytes = recv(connection, part, sizeof part, 0)) > 0;)
            answer.append(part, static_cast<std::size_t>(bytes));
    }
    close(connection);
    return answer;
}

std::string get(std::uint16_t port, const std::string& path) {
    return answerTo(port, "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
}

/// What zetl needs for --prometheus.
bool hasHttpLibrary() { return dlopen("libmicrohttpd.so.12", RTLD_LAZY | RTLD_LOCAL) != nullptr; }

std::uint16_t portOf(const PrometheusSocket& socket) {
    const auto address = socket.address();  // http://127.0.0.1:PORT/metrics
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

const std::vector<CounterSource> kTwoTiles = {
    {"GPU \"one\"\n", 0, {{"GpuTime", "ns", false}, {"XVE busy", "percent", true}, {"XVE_busy", "", true}}},
    {"GPU \"one\"\n", 1, {{"GpuTime", "ns", false}, {"XVE busy", "percent", true}}},
};

TEST(Prometheus, TextHasSumsOfAllReports) {
    PrometheusMetrics metrics(kTwoTiles);
    metrics.add({1, 0, 0, 0, {9, 1.5, 4}});
    metrics.add({2, 0, 0, 3, {9, 2, 4}});
    EXPECT_EQ(metrics.text(), R"(# HELP zetl_XVE_busy XVE busy, in percent; sum over reports
# TYPE zetl_XVE_busy summary
zetl_XVE_busy_sum{source="0",device="GPU \"one\"?",tile="0"} 3.5
zetl_XVE_busy_count{source="0",device="GPU \"one\"?",tile="0"} 2
zetl_XVE_busy_sum{source="1",device="GPU \"one\"?",tile="1"} 0
zetl_XVE_busy_count{source="1",device="GPU \"one\"?",tile="1"} 0
# HELP zetl_XVE_busy_2 XVE_busy; sum over reports
# TYPE zetl_XVE_busy_2 summary
zetl_XVE_busy_2_sum{source="0",device="GPU \"one\"?",tile="0"} 8
zetl_XVE_busy_2_count{source="0",device="GPU \"one\"?",tile="0"} 2
# HELP zetl_lost_reports_total Reports that the device lost
# TYPE zetl_lost_reports_total counter
zetl_lost_reports_total{source="0",device="GPU \"one\"?",tile="0"} 3
zetl_lost_reports_total{source="1",device="GPU \"one\"?",tile="1"} 0
)");
}

TEST(Prometheus, AnswersWhateverIsAsked) {
    if (!hasHttpLibrary()) GTEST_SKIP() << "libmicrohttpd is not installed";
    const PrometheusSocket socket("0");
    const auto port = portOf(socket);
    {
        const PrometheusServer server(socket, [] { return std::string("zetl_a_sum 1\n"); });
        const auto starts = [](const std::string& answer, const char* with) { return answer.rfind(with, 0) == 0; };
        const auto counters = get(port, "/metrics");
        EXPECT_TRUE(starts(counters, "HTTP/1.1 200")) << counters;
        EXPECT_NE(counters.find("text/plain; version=0.0.4"), std::string::npos) << counters;
        EXPECT_TRUE(counters.ends_with("\r\n\r\nzetl_a_sum 1\n")) << counters;
        EXPECT_TRUE(starts(get(port, "/metrics?name[]=x"), "HTTP/1.1 200"));
        for (const auto* path : {"/", "/metrics/", "/../etc/passwd", "/%2e%2e/x", "//metrics"})
            EXPECT_TRUE(starts(get(port, path), "HTTP/1.1 404")) << path;
        const auto posted = answerTo(port, "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
        EXPECT_TRUE(starts(posted, "HTTP/1.1 405")) << posted;
        for (const auto& hostile :
             {std::string(), std::string("\0\0\0\0", 4), std::string("GET"), std::string(100'000, 'A'),
              std::string("GET / HTTP/9.9\r\n\r\n"), "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n",
              "GET /metrics HTTP/1.1\r\n" + std::string(100'000, 'h') + ": x\r\n\r\n",
              std::string(
                  "POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"),
              std::string("GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n")}) {
            const auto answer = answerTo(port, hostile, 20);
            EXPECT_FALSE(starts(answer, "HTTP/1.1 200")) << hostile.substr(0, 40) << "...\n" << answer;
        }
        EXPECT_TRUE(starts(get(port, "/metrics"), "HTTP/1.1 200"));
    }
}

TEST(Prometheus, PlacesThatCannotBeAreRefused) {
    if (!hasHttpLibrary()) GTEST_SKIP() << "libmicrohttpd is not installed";
    for (const auto* place : {"", "x", "70000", "-1", "80 ", ":9400", "host.example:9400", "127.0.0.1:", "1.2.3:x"})
        EXPECT_THROW(PrometheusSocket{place}, UsageError) << place;
    const PrometheusSocket taken("127.0.0.1:0");
    EXPECT_EQ(taken.address().rfind("http://127.0.0.1:", 0), 0u) << taken.address();
    try {
        const PrometheusSocket again(std::to_string(portOf(taken)));
        FAIL() << "two listen at one port";
    } catch (const UsageError& refusal) {
        EXPECT_NE(std::string(refusal.what()).find("choose another port"), std::string::npos) << refusal.what();
    }
}

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

/// The program is what reads: it ends when it has seen counters of its device, and fails if it never does.
TEST_F(MetricsStream, PrometheusReadsWhileTheProgramRuns) {
    if (!hasHttpLibrary()) GTEST_SKIP() << "libmicrohttpd is not installed";
    std::ofstream(directory_ / "scrape.py") << R"py(import re, subprocess, sys, time, urllib.request
for attempt in range(600):
    with open(sys.argv[1]) as said:
        address = re.search(r"counters: (http://127\.0\.0\.1:\d+/metrics)", said.read())
    if address:
        subprocess.run([sys.argv[2]], check=True)
        text = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address[1], timeout=60).read().decode()
        if re.search(r"^zetl_XVE_THREADS_OCCUPANCY_ALL_count\{.*\} [1-9]", text, re.M) or re.search(r"_count\{.*\} [1-9]", text):
            sys.exit(0)
    time.sleep(0.1)
sys.exit("no counters at " + (address[1] if address else "no address"))
)py";
    const auto said = directory_ / "said.txt";
    const auto command =
        inBuildTree("bin/zetl") + " metrics stream --emulated --device tiny -o '' --prometheus 0 -- python3 '" +
        (directory_ / "scrape.py").native() + "' '" + said.native() + "' '" + added_ + "' 2> '" + said.native() + "'";
    const auto outcome =
        Process({"/bin/sh", "-c", command}).with("TMPDIR", directory_.native()).run(std::chrono::seconds(120));
    EXPECT_TRUE(outcome.good()) << outcome << textOf("said.txt");
}

TEST_F(MetricsStream, CountersThatComeAtTheEndAreNotForPrometheus) {
    const auto outcome = run({"-o", "", "--group", "CoreApiOnly", "--prometheus", "0"}, {added_});
    EXPECT_EQ(outcome.exitCode, 2) << outcome;
    EXPECT_TRUE(says(outcome, "only known when the program has ended")) << outcome;
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
    std::map<std::string, std::set<std::string>> kinds;
    for (const auto& each : trace.values) {
        const auto& track = trace.tracks.at(each.track);
        const auto& kind = trace.tracks.at(track.parent);
        EXPECT_TRUE(trace.tracks.at(kind.parent).name.ends_with("(tile 0)")) << track.name;
        kinds[track.name].insert(kind.name);
        if (track.name != "XVE_COMPUTE_THREAD_COUNT" || each.value == 0) continue;
        EXPECT_EQ(track.unit, "threads");
        threads += each.value;
        times.insert(each.time);
    }
    EXPECT_EQ(kinds["XVE_COMPUTE_THREAD_COUNT"], std::set<std::string>{"VectorEngine"});
    EXPECT_EQ(kinds["GpuCoreClocks"], std::set<std::string>{"GPU"});
    std::set<std::string> once;
    for (const auto& [id, track] : trace.tracks)
        EXPECT_TRUE(track.unit.empty() || once.insert(track.name).second) << track.name;
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
    EXPECT_TRUE(says(outcome, ", tile 0\nmetric ")) << "a line per metric\n" << outcome;
    EXPECT_TRUE(says(outcome, "\nGpuCoreClocks[cycles] ")) << outcome;
    EXPECT_FALSE(says(outcome, "\nXVE_BARRIER_MESSAGE_COUNT")) << "which is 0 throughout\n" << outcome;
    EXPECT_TRUE(says(outcome, " more are 0 (see --csv or --json)\n")) << outcome;
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
