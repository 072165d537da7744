// Times of commands from CUPTI's records: which command each one is of, and what happens without records.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "emulated_gpu/graphs.h"
#include "emulated_gpu/watched_activity.h"
#include "nvidia_gpu.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kUnlimited = UINT64_MAX;
constexpr std::uint64_t kMicrosecond = 1'000;

/// The scenario with the layer, and with CUPTI's records unless something speaks against them.
Process recorded(const std::string& scenario, const std::string& failure = "") {
    return layered(onNvidia(scenario), Slots::tracing)
        .with("ZETL_LOG", "nvidia=info")
        .with("ZETL_CUPTI_LIBRARY", realGpu() ? "libcupti.so.13" : inBuildTree("tests/nvidia/libcupti_stand_in.so"))
        .with("STAND_IN_CUPTI", failure);
}

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t lengthOf(const Span& span) { return span.end - span.begin; }

const Span& spanOf(const Spans& spans, std::uint64_t call) {
    static const Span none{};
    const auto found = std::ranges::find_if(spans.all, [call](const Span& each) { return each.appended == call; });
    EXPECT_NE(found, spans.all.end()) << call;
    return found == spans.all.end() ? none : *found;
}

/// Launches of a kernel that spins for (1 + call % 5) times 100 us.
struct Spins {
    explicit Spins(const Gpu& gpu) : kernel(ptxKernel(gpu, "spin")) {}
    static std::uint64_t length(std::uint64_t call) { return (1 + call % 5) * 100 * kMicrosecond; }
    void append(Watched& watched, ze_command_list_handle_t list, std::uint64_t call, ze_event_handle_t signal = nullptr,
                ze_event_handle_t wait = nullptr) const {
        watched.spans.current = call;
        Gpu::arguments(kernel, length(call));
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, signal, wait ? 1 : 0, &wait));
    }
    ze_kernel_handle_t kernel;
};

/// Each span is of its launch: only that one is so long. And the device pays nothing for it.
SCENARIO(recordsEachLaunch) {
    constexpr std::uint64_t kLaunches = 300;  // more than a buffer of CUPTI holds
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    const auto list = gpu.immediate();
    const auto before = now();
    for (std::uint64_t i = 1; i <= kLaunches; ++i) spins.append(watched, list, i);
    ASSERT_OK(gpu.synchronize(list, kUnlimited));
    const auto after = now();
    watched.collector->readComplete();
    ASSERT_EQ(watched.spans.all.size(), kLaunches);
    std::uint64_t last = before;
    for (std::uint64_t i = 1; i <= kLaunches; ++i) {
        const auto& span = spanOf(watched.spans, i);
        EXPECT_GE(lengthOf(span), Spins::length(i));
        if (realGpu()) {
            EXPECT_LE(lengthOf(span), Spins::length(i) + 5 * kMicrosecond);
        }
        EXPECT_GE(span.begin + kMicrosecond, last) << i;
        EXPECT_LE(span.end, after + kMicrosecond) << i;
        EXPECT_GE(span.begin, span.submittedAt) << i;
        last = span.end;
        EXPECT_EQ(watched.spans.names[span.kernel], "spin");
    }
    EXPECT_EQ(watched.collector->missing().unread, 0u);
    EXPECT_EQ(watched.collector->missing().commands, 0u);
    if (realGpu()) return;
    EXPECT_EQ(standInCalls("cuEventRecord"), 0u);
    EXPECT_EQ(standInCalls("cuStreamWriteValue32_v2"), 0u);
}
TEST(NvidiaCommandTimes, RecordsEachLaunch) { EXPECT_RUNS(recorded("recordsEachLaunch")); }

SCENARIO(timesArriveByThemselves) {
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    spins.append(watched, list, 1);
    const auto arrived = [&] {
        return gpu.synchronize(list, kUnlimited) != ZE_RESULT_SUCCESS || !watched.spans.all.empty();
    };
    EXPECT_TRUE(waitFor(arrived, std::chrono::seconds(30), std::chrono::milliseconds(20)));
    EXPECT_EQ(watched.spans.all.size(), 1u);
}
TEST(NvidiaCommandTimes, ArriveByThemselves) { EXPECT_RUNS(recorded("timesArriveByThemselves")); }

/// Times that came together are reported by many calls, each of which a program hardly notices.
SCENARIO(holdsUpNoCallForLong) {
    constexpr std::size_t kLaunches = 500;
    constexpr std::size_t kMostOfACall = 18;  // 16, and two for the command of the call before
    Watched watched;
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "add", 32);
    Gpu::arguments(kernel, gpu.device(32), 1u);
    const auto list = gpu.immediate();
    std::size_t most = 0;
    const auto launch = [&] {
        const auto before = watched.spans.all.size();
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        most = std::max(most, watched.spans.all.size() - before);
        return watched.spans.all.size() >= kLaunches;
    };
    for (std::size_t i = 0; i < kLaunches; ++i) launch();
    EXPECT_TRUE(waitFor(launch, std::chrono::seconds(30), std::chrono::milliseconds(1)));
    EXPECT_LE(most, kMostOfACall);
    ASSERT_OK(gpu.synchronize(list, kUnlimited));
    watched.collector->readComplete();
    EXPECT_EQ(watched.collector->missing().unread, 0u);
}
TEST(NvidiaCommandTimes, HoldUpNoCallForLong) { EXPECT_RUNS(recorded("holdsUpNoCallForLong")); }

/// The device has nothing to do behind a wait: times are reported where commands are appended, beside the device's
/// work.
SCENARIO(reportsNothingBehindWaits) {
    constexpr std::size_t kTimes = 200;
    Watched watched;
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "add", 32);
    Gpu::arguments(kernel, gpu.device(32), 1u);
    const auto list = gpu.immediate();
    std::size_t behindWaits = 0;
    const auto launchAndWait = [&] {
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        const auto before = watched.spans.all.size();
        EXPECT_OK(gpu.synchronize(list, kUnlimited));
        behindWaits += watched.spans.all.size() - before;
        return watched.spans.all.size() >= kTimes;
    };
    EXPECT_TRUE(waitFor(launchAndWait, std::chrono::seconds(30), std::chrono::milliseconds(1)));
    EXPECT_EQ(behindWaits, 0u);
    const auto allCome = [&] {
        EXPECT_OK(gpu.synchronize(list, kUnlimited));
        return watched.collector->missing().unread == 0;
    };
    EXPECT_TRUE(waitFor(allCome, std::chrono::seconds(30), std::chrono::milliseconds(20))) << "waits alone do";
}
TEST(NvidiaCommandTimes, AreNotReportedBehindWaits) { EXPECT_RUNS(recorded("reportsNothingBehindWaits")); }

/// A list that executes twice, of launches, copies and fills, of which one is many CUDA calls and one is none.
SCENARIO(recordsListsAndMemory) {
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    auto* const from = gpu.device(1 << 16);
    auto* const to = gpu.device(1 << 16);
    const auto list = gpu.list();
    spins.append(watched, list, 1);
    watched.spans.current = 2;
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, to, from, 1 << 18, nullptr, 0, nullptr));
    watched.spans.current = 3;
    ASSERT_OK(zeCommandListAppendMemoryFill(list, to, "abc", 3, 3000, nullptr, 0, nullptr));
    watched.spans.current = 4;
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, to, from, 0, nullptr, 0, nullptr));
    watched.spans.current = 5;
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    spins.append(watched, list, 6);
    ASSERT_OK(gpu.run(list));
    watched.spans.isWanted = false;
    ASSERT_OK(gpu.run(list));
    watched.spans.isWanted = true;
    watched.spans.current = 7;
    ASSERT_OK(gpu.run(list));
    watched.collector->readComplete();
    for (const std::uint64_t call : {1, 2, 3, 6}) {
        std::vector<Span> found;
        std::ranges::copy_if(watched.spans.all, std::back_inserter(found),
                             [call](const Span& each) { return each.appended == call; });
        ASSERT_EQ(found.size(), 2u) << call;
        EXPECT_EQ(found[1].submitted, 7u);
        EXPECT_GT(found[1].begin, found[1].submittedAt) << "not the execution that nobody wanted";
        EXPECT_LT(found[0].end, found[1].submittedAt);
    }
    EXPECT_EQ(watched.spans.all.size(), 8u) << "no spans of a copy of nothing and a barrier";
    EXPECT_EQ(watched.spans.of(Work::fill)[0].bytes, 3000u);
    EXPECT_LE(spanOf(watched.spans, 1).end, spanOf(watched.spans, 2).begin);
    EXPECT_LE(spanOf(watched.spans, 3).end, spanOf(watched.spans, 6).begin);
    EXPECT_EQ(watched.collector->missing().unread, 0u);
    EXPECT_EQ(watched.collector->missing().commands, 0u);
}
TEST(NvidiaCommandTimes, RecordsListsAndMemory) { EXPECT_RUNS(recorded("recordsListsAndMemory")); }

/// The application's events stay as they are; a command that waits is submitted by the thread that signals.
SCENARIO(recordsWhatWaits) {
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    const auto pool = gpu.pool(2);
    const auto go = Gpu::event(pool, 0);
    const auto done = Gpu::event(pool, 1);
    const auto list = gpu.immediate();
    spins.append(watched, list, 4, done, go);
    std::thread([&] { EXPECT_OK(zeEventHostSignal(go)); }).join();
    ASSERT_OK(zeEventHostSynchronize(done, kUnlimited));
    ze_kernel_timestamp_result_t times{};
    EXPECT_EQ(zeEventQueryKernelTimestamp(done, &times), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(zeEventHostReset(done));
    ASSERT_OK(zeCommandListDestroy(list));
    watched.collector->readComplete();
    ASSERT_EQ(watched.spans.all.size(), 1u);
    EXPECT_GE(lengthOf(watched.spans.all[0]), Spins::length(4));
    EXPECT_EQ(watched.spans.streams.begin()->second.handle, list);
    if (!realGpu()) {
        EXPECT_EQ(standInCalls("cuEventRecord"), 0u);
    }
}
TEST(NvidiaCommandTimes, RecordsWhatWaits) { EXPECT_RUNS(recorded("recordsWhatWaits")); }

SCENARIO(recordsGraphs) {
    Watched watched;
    const Gpu gpu;
    const Graphs graphs(gpu);
    const Spins spins(gpu);
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    spins.append(watched, list, 1);
    spins.append(watched, list, 2);
    const auto executable = graphs.executable(graphs.recorded(list));
    for (int i = 0; i < 3; ++i) ASSERT_OK(graphs.run(list, executable));
    watched.collector->readComplete();
    ASSERT_EQ(watched.spans.all.size(), 6u);
    for (const auto& span : watched.spans.all) EXPECT_GE(lengthOf(span), Spins::length(span.appended));
}
TEST(NvidiaCommandTimes, RecordsGraphs) { EXPECT_RUNS(recorded("recordsGraphs")); }

SCENARIO(threadsLaunchAtOnce) {
    constexpr int kThreads = 4;
    constexpr std::uint64_t kEach = 100;
    Watched watched;
    const Gpu gpu;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            auto* const data = gpu.host(16);
            const auto list = gpu.immediate();
            for (std::uint64_t j = 0; j < kEach; ++j)
                EXPECT_OK(zeCommandListAppendMemoryCopy(list, data, data + 8, 4, nullptr, 0, nullptr));
            EXPECT_OK(gpu.synchronize(list, kUnlimited));
            EXPECT_OK(zeCommandListDestroy(list));
        });
    for (auto& each : threads) each.join();
    watched.collector->readComplete();
    EXPECT_EQ(watched.spans.all.size(), kThreads * kEach);
    EXPECT_EQ(watched.collector->missing().unread, 0u);
}
TEST(NvidiaCommandTimes, OfThreadsThatLaunchAtOnce) { EXPECT_RUNS(recorded("threadsLaunchAtOnce")); }

/// Events time commands where CUPTI cannot.
SCENARIO(timesLaunchesByEvents) {
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    const auto list = gpu.immediate();
    spins.append(watched, list, 1);
    spins.append(watched, list, 2, Gpu::event(gpu.pool(1)));
    ASSERT_OK(gpu.synchronize(list, kUnlimited));
    watched.collector->readComplete();
    ASSERT_EQ(watched.spans.all.size(), 2u);
    EXPECT_GE(lengthOf(spanOf(watched.spans, 2)), Spins::length(2));
    EXPECT_GE(standInCalls("cuEventRecord"), 4u);
}
void expectEvents(Process process, const std::string& reason) {
    const auto outcome = process.run();
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_EQ(outcome.times(reason), 1u) << outcome;
}
TEST(NvidiaCommandTimes, AreThoseOfEventsWithoutCupti) {
    if (realGpu()) GTEST_SKIP() << "the stand-in counts calls";
    const auto process = [](const char* failure = "") { return recorded("timesLaunchesByEvents", failure); };
    expectEvents(process().with("ZETL_CUPTI_LIBRARY", "/nowhere/libcupti.so"), "events time commands: /nowhere");
    expectEvents(process().with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"), "events time commands: a debugger may attach");
    expectEvents(process().with("ZETL_DEBUG_WAIT", "1"), "events time commands: a debugger may attach");
    expectEvents(process().with("ZET_ENABLE_METRICS", "1"), "events time commands: metrics are switched on");
    expectEvents(process("cuptiSubscribe=39"), "another profiler");
    expectEvents(process("cuptiActivityEnable=27"), "cuptiActivityEnable answers");
}

/// The launch that fails has no time, and what came before it has its own.
SCENARIO(missesWhatFails) {
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    const auto list = gpu.immediate();
    spins.append(watched, list, 1);
    ASSERT_OK(gpu.synchronize(list, kUnlimited));
    setenv("STAND_IN_FAILURES", "cuLaunchKernel=701", 1);
    EXPECT_NE(zeCommandListAppendLaunchKernel(list, spins.kernel, &kOneGroup, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    setenv("STAND_IN_FAILURES", "", 1);
    spins.append(watched, list, 3);
    ASSERT_OK(gpu.synchronize(list, kUnlimited));
    watched.collector->readComplete();
    EXPECT_EQ(watched.spans.all.size(), 2u);
    EXPECT_EQ(watched.collector->missing().unread, 0u);
}
TEST(NvidiaCommandTimes, MissWhatFails) {
    if (realGpu()) GTEST_SKIP() << "the stand-in fails on demand";
    EXPECT_RUNS(recorded("missesWhatFails"));
}

/// A program that ends while the device works: what is over has been timed, and the end waits for nothing.
SCENARIO(endsEarly) {
    Watched watched;
    const Gpu gpu;
    const Spins spins(gpu);
    const auto list = gpu.immediate();
    spins.append(watched, list, 1);
    spins.append(watched, list, 2);
    ASSERT_OK(gpu.synchronize(list, kUnlimited));
    watched.spans.current = 3;
    Gpu::arguments(spins.kernel, std::uint64_t{500'000'000});
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, spins.kernel, &kOneGroup, nullptr, 0, nullptr));
    watched.collector->readComplete();
    EXPECT_EQ(watched.spans.all.size(), 0u) << "the third shares a buffer with them";
    watched.collector->readLast();
    EXPECT_EQ(watched.spans.all.size(), 2u);
    EXPECT_EQ(watched.collector->missing().commands, 1u);
    EXPECT_EQ(watched.collector->missing().unread, 0u);
}
TEST(NvidiaCommandTimes, OfAProgramThatEndsEarly) { EXPECT_RUNS(recorded("endsEarly")); }

}  // namespace
}  // namespace zetl::test
