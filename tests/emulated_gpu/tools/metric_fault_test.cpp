// What may go wrong around metrics: through the stock loader, without any layer.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "support/pattern.h"
#include "support/scenario.h"
#include "support/wait_for.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

ze_result_t dataOf(zet_metric_query_handle_t query) {
    std::vector<std::uint8_t> raw(1 << 16);
    std::size_t size = raw.size();
    return zetMetricQueryGetData(query, &size, raw.data());
}

/// Whether reports come.
bool goesOn(zet_metric_streamer_handle_t streamer) {
    return waitFor([&] {
        std::vector<std::uint8_t> raw(1 << 22);
        std::size_t size = raw.size();
        EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data()));
        return size > 0;
    });
}

void deactivate(const Gpu& gpu) { ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr)); }

/// Appends a launch that writes where nothing is.
void appendFault(const Gpu& gpu, ze_command_list_handle_t list) {
    const auto kernel = gpu.kernel("store");
    Gpu::arguments(kernel, gpu.device(4), std::int64_t{1} << 40);
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
}

/// The queue is lost while a query is open on it: its data never come, which is said, and its slot and its pool are
/// free.
SCENARIO(queryOfALostQueueIsLost) {
    const Gpu gpu;
    const Queries queries(gpu, "MemoryTraffic");
    const CountedWork work(gpu);
    auto* const cut = queries[0];
    auto* const left = queries[1];
    auto* const whole = queries[2];
    const auto list = gpu.list();
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, cut));
    appendFault(gpu, list);
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, cut, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.run(list), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(dataOf(cut), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(zetMetricQueryReset(cut));
    EXPECT_EQ(dataOf(cut), ZE_RESULT_NOT_READY) << "made new";

    const auto immediate = gpu.immediate();  // whose user gives up before the end
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(immediate, left));
    appendFault(gpu, immediate);
    EXPECT_EQ(gpu.synchronize(immediate, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(dataOf(left), ZE_RESULT_ERROR_DEVICE_LOST);

    Queries::around(gpu, whole, [&](ze_command_list_handle_t list) { work.append(list); });
    EXPECT_EQ(queries.row(whole).at("GLOBAL_BYTE_WRITE").value.ui64, CountedWork::kBytesWritten);
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool())) << "nothing is in flight";
}
TEST(MetricFaults, QueryOfALostQueueIsLost) { EXPECT_RUNS(measured("queryOfALostQueueIsLost")); }

SCENARIO(streamerOutlivesALostQueue) {
    const Gpu gpu;
    CountedWork work(gpu);
    Stream stream(gpu);
    stream.pass(1);
    const auto list = gpu.immediate();
    appendFault(gpu, list);
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_NE(zetCommandListAppendMetricStreamerMarker(list, stream, 7), ZE_RESULT_SUCCESS)
        << "nobody would execute it";
    work.launch(3);
    EXPECT_EQ(stream.settled("GLOBAL_BYTE_WRITE"), 3 * CountedWork::kBytesWritten);
}
TEST(MetricFaults, StreamerOutlivesALostQueue) { EXPECT_RUNS(measured("streamerOutlivesALostQueue")); }

/// What a forked child may try with the parent's objects; all of it has an answer, and none of it waits.
int tryEverything(const Gpu& gpu, zet_metric_streamer_handle_t streamer, const Queries& queries,
                  zet_metric_query_handle_t query) {
    std::vector<std::uint8_t> raw(1 << 16);
    std::size_t size = raw.size();
    int answered = 0;
    const auto refused = [&](ze_result_t result) { answered += result == ZE_RESULT_ERROR_DEVICE_LOST; };
    refused(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data()));
    refused(zetMetricQueryGetData(query, &size, raw.data()));
    refused(zetMetricQueryReset(query));
    refused(zetMetricQueryPoolDestroy(queries.pool()));
    std::uint32_t count = 0;
    refused(zetMetricGroupGet(gpu.device(), &count, nullptr));
    refused(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
    refused(zetMetricStreamerClose(streamer));
    return answered;
}

/// Threads of the parent hold locks at any moment; the child must never wait for one.
SCENARIO(forkedChildrenAreAnswered) {
    constexpr int kChildren = 50;
    constexpr std::uint32_t kShortest = 50'000;
    const Gpu gpu;
    Stream stream(gpu, 1000, kShortest);
    const Queries queries(gpu, "InstructionMix");
    auto* const query = queries[0];
    std::atomic<bool> ends{false};
    std::thread reader([&] {
        while (!ends) EXPECT_OK(stream.read());
    });
    for (int i = 0; i < kChildren; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(20);  // ends one that waits for ever
            _exit(tryEverything(gpu, stream, queries, query));
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status)) << "child " << i << " was ended by signal " << WTERMSIG(status);
        ASSERT_EQ(WEXITSTATUS(status), 7) << "all calls say that the device is lost";
    }
    ends = true;
    reader.join();
    EXPECT_OK(stream.read());
}
TEST(MetricFaults, ForkedChildrenAreAnswered) {
    const auto outcome = measured("forkedChildrenAreAnswered").run(120s);
    EXPECT_TRUE(outcome.good()) << outcome;
}

/// A child that ends as programs do takes down what it never had: threads, and connections to other processes.
SCENARIO(forkedChildrenEnd) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    auto* const group = test::group(gpu, "MemoryTraffic", kTimeBased);
    activate(gpu, group);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), group, &description, event, &streamer));
    CountedWork work(gpu);
    work.launch(1);
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(20);
            std::exit(5);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status)) << "child " << i << " was ended by signal " << WTERMSIG(status);
        ASSERT_EQ(WEXITSTATUS(status), 5);
        work.launch(1);
    }
    EXPECT_TRUE(goesOn(streamer)) << "the parent's streamer";
    EXPECT_OK(zetMetricStreamerClose(streamer));
}
TEST(MetricFaults, ForkedChildrenEnd) {
    const auto outcome = measured("forkedChildrenEnd").run(120s);
    EXPECT_TRUE(outcome.good()) << outcome;
}

/// Every report is one reader's, and whole: numbered markers and counts are all there, once.
SCENARIO(manyThreadsReadOneStreamer) {
    constexpr int kThreads = 64;
    constexpr std::uint32_t kMarkers = 300;
    const Gpu gpu;
    auto* const group = test::group(gpu, "MemoryTraffic", kTimeBased);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const Stream stream(gpu);
    std::size_t report = 0;
    ASSERT_OK(zetMetricStreamerReadData(stream, 1, &report, nullptr));
    std::atomic<bool> ends{false};
    std::vector<std::vector<std::uint8_t>> read(kThreads);
    std::vector<std::thread> threads;
    for (auto& mine : read)
        threads.emplace_back([&] {
            std::vector<std::uint8_t> piece(16 * report);
            for (bool last = false; !last;) {
                last = ends;
                std::size_t size = piece.size();
                ASSERT_OK(zetMetricStreamerReadData(stream, UINT32_MAX, &size, piece.data()));
                ASSERT_EQ(size % report, 0u);
                mine.insert(mine.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
                letPass(1ms);  // the others read, too
            }
        });
    for (std::uint32_t marker = 1; marker <= kMarkers; ++marker)
        ASSERT_OK(zetCommandListAppendMetricStreamerMarker(list, stream, marker));
    ends = true;
    for (auto& thread : threads) thread.join();
    std::vector<int> seen(kMarkers + 1);
    for (const auto& mine : read)
        for (std::size_t at = 0; at + report <= mine.size(); at += report) {
            // A report in front of itself is a row of no length, with the marker of the report.
            std::vector<std::uint8_t> twice(mine.begin() + static_cast<std::ptrdiff_t>(at),
                                            mine.begin() + static_cast<std::ptrdiff_t>(at + report));
            twice.insert(twice.end(), twice.begin(), twice.begin() + static_cast<std::ptrdiff_t>(report));
            ++seen.at(rowsOf(group, twice).at(0).at("StreamMarker").value.ui64);
        }
    for (std::uint32_t marker = 1; marker <= kMarkers; ++marker) EXPECT_EQ(seen[marker], 1) << marker;
}
TEST(MetricFaults, ManyThreadsReadOneStreamer) {
    const auto outcome = measured("manyThreadsReadOneStreamer").run(120s);
    EXPECT_TRUE(outcome.good()) << outcome;
}

/// How many reports are lost is logged. Reports lie on a grid, so the gap says how many it were.
SCENARIO(readerThatNeverReadsLosesTheOldest) {
    constexpr std::uint32_t kShortest = 50'000;
    constexpr std::uint64_t kRange = std::uint64_t{80} << 31;  // nanoseconds until times wrap
    const Gpu gpu;
    Stream stream(gpu, 1000, kShortest);
    stream.pass(2);
    const auto last = stream.newRows().back().at("QueryBeginTime").value.ui64;
    letPass((stream.capacity() + 8000) * std::chrono::nanoseconds(kShortest));
    EXPECT_EQ(stream.read(), ZE_RESULT_WARNING_DROPPED_DATA);
    EXPECT_EQ(stream.reports(), stream.capacity());
    stream.pass(1);                                                                // without a warning
    const auto second = stream.newRows().front().at("QueryBeginTime").value.ui64;  // the first is only a reference
    std::printf("gap of %llu reports\n",
                static_cast<unsigned long long>((second + kRange - last) % kRange / kShortest - 2));
}
TEST(MetricFaults, ReaderThatNeverReadsLosesTheOldest) {
    // The rows of a whole ring take a sanitizer a while.
    const auto outcome =
        measured("readerThatNeverReadsLosesTheOldest").with("ZETL_LOG", "metrics=warn").run(std::chrono::seconds(120));
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto gaps = matchesOf("gap of ([0-9]+) reports", outcome.output);
    ASSERT_FALSE(gaps.empty()) << outcome;
    EXPECT_EQ(outcome.times("lost " + gaps[0][1] + " reports"), 1u) << outcome;
}

/// The notification event goes first: nobody looks at it any more, and one that gets its handle is not signalled.
SCENARIO(eventIsDestroyedBeforeItsStreamer) {
    const Gpu gpu;
    auto* const group = test::group(gpu, "MemoryTraffic", kTimeBased);
    activate(gpu, group);
    const auto pool = gpu.pool(4);
    const auto event = Gpu::event(pool);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), group, &description, event, &streamer));
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    ASSERT_OK(zeEventDestroy(event));
    std::vector<ze_event_handle_t> others;
    for (std::uint32_t i = 1; i < 4; ++i) others.push_back(Gpu::event(pool, i));
    const auto signalled = [](ze_event_handle_t other) { return zeEventQueryStatus(other) != ZE_RESULT_NOT_READY; };
    EXPECT_FALSE(waitFor([&] { return std::ranges::any_of(others, signalled); }, 20ms));
    EXPECT_TRUE(goesOn(streamer));
    EXPECT_OK(zeEventPoolDestroy(pool));
    EXPECT_TRUE(goesOn(streamer));
    EXPECT_OK(zetMetricStreamerClose(streamer));
}
TEST(MetricFaults, EventIsDestroyedBeforeItsStreamer) { EXPECT_RUNS(measured("eventIsDestroyedBeforeItsStreamer")); }

SCENARIO(groupsInUseKeepTheirUsers) {
    const Gpu gpu;
    auto* const first = test::group(gpu, "MemoryTraffic", kTimeBased);
    auto* const second = test::group(gpu, "ComputeBasic", kTimeBased);
    auto* const other = test::group(gpu, "InstructionMix", kTimeBased);
    Stream stream(gpu);  // activates the first
    zet_metric_group_handle_t both[] = {first, second};
    EXPECT_EQ(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 2, both), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "two of one domain";
    zet_metric_group_handle_t stale[] = {first, reinterpret_cast<zet_metric_group_handle_t>(&stream)};
    EXPECT_EQ(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 2, stale), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 2, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 1'000'000};
    zet_metric_streamer_handle_t another = nullptr;
    EXPECT_EQ(zetMetricStreamerOpen(gpu.context(), gpu.device(), first, &description, nullptr, &another),
              ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE)
        << "nothing changed: it is active still, and its streamer open";
    EXPECT_EQ(zetMetricStreamerOpen(gpu.context(), gpu.device(), other, &description, nullptr, &another),
              ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    // Another group instead, then none: the streamer that is open keeps what it measures.
    activate(gpu, second);
    stream.pass(2);
    deactivate(gpu);
    stream.pass(2);
    EXPECT_GT(stream.rows().size(), 2u);
    EXPECT_EQ(another, nullptr);
}
TEST(MetricFaults, GroupsInUseKeepTheirUsers) { EXPECT_RUNS(measured("groupsInUseKeepTheirUsers")); }

SCENARIO(queryInFlightIsInUse) {
    const Gpu gpu;
    const Queries queries(gpu, "MemoryTraffic");
    auto* const query = queries[0];
    auto* const stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin", 8);
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate();
    const auto begun = Gpu::event(gpu.pool(1));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zeCommandListAppendSignalEvent(list, begun));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    ASSERT_OK(zeEventHostSynchronize(begun, UINT64_MAX));
    EXPECT_EQ(zetMetricQueryReset(query), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(zetMetricQueryPoolDestroy(queries.pool()), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(dataOf(query), ZE_RESULT_NOT_READY);
    deactivate(gpu);  // what is measured stays so
    *static_cast<volatile int*>(stop) = 1;
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_GT(queries.row(query).at("GLOBAL_BYTE_READ").value.ui64, 0u);
    EXPECT_OK(zetMetricQueryReset(query));
    EXPECT_OK(zetMetricQueryDestroy(query));
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    EXPECT_EQ(dataOf(query), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
}
TEST(MetricFaults, QueryInFlightIsInUse) { EXPECT_RUNS(measured("queryInFlightIsInUse")); }

/// What a process leaves open when it ends, and a context that goes before what was made in it.
SCENARIO(endsWithEverythingOpen) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    zet_metric_group_handle_t groups[] = {test::group(gpu, "MemoryTraffic", kTimeBased),
                                          test::group(gpu, "EuStallSampling", kTimeBased),
                                          test::group(gpu, "CommandTrace", kTracerBased)};
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 3, groups));
    for (int i = 0; i < 2; ++i) {
        zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
        zet_metric_streamer_handle_t streamer = nullptr;
        ASSERT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), groups[i], &description, event, &streamer));
    }
    zet_metric_tracer_exp_desc_t traced{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
    zet_metric_tracer_exp_handle_t tracer = nullptr;
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &groups[2], &traced, nullptr,
                                                         &tracer));
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerEnableExp)(tracer, true));
    const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                   ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
    zet_metric_query_pool_handle_t pool = nullptr;
    ASSERT_OK(zetMetricQueryPoolCreate(gpu.context(), gpu.device(), test::group(gpu, "MemoryTraffic", kEventBased),
                                       &description, &pool));
    CountedWork(gpu).launch(2);
}
TEST(MetricFaults, EndsWithEverythingOpen) {
    const auto outcome = measured("endsWithEverythingOpen").with("ZETL_METRIC_TRACERS", "1").run();
    EXPECT_TRUE(outcome.good()) << outcome;
}

/// Numbers that nobody means: each has an answer, and none takes memory for what is never used.
SCENARIO(hugeNumbersTakeNothing) {
    const Gpu gpu;
    auto* const events = test::group(gpu, "MemoryTraffic", kEventBased);
    activate(gpu, events);
    const CountedWork work(gpu);
    for (const std::uint32_t slots : {std::uint32_t{50'000'000}, UINT32_MAX}) {
        const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                       ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, slots};
        zet_metric_query_pool_handle_t pool = nullptr;
        ASSERT_OK(zetMetricQueryPoolCreate(gpu.context(), gpu.device(), events, &description, &pool));
        zet_metric_query_handle_t query = nullptr;
        ASSERT_OK(zetMetricQueryCreate(pool, slots - 1, &query));
        EXPECT_EQ(dataOf(query), ZE_RESULT_NOT_READY);
        Queries::around(gpu, query, [&](ze_command_list_handle_t list) { work.append(list); });
        EXPECT_EQ(rowsOf(events, Queries::raw(query)).at(0).at("GLOBAL_BYTE_WRITE").value.ui64,
                  CountedWork::kBytesWritten);
        EXPECT_OK(zetMetricQueryReset(query));
        EXPECT_OK(zetMetricQueryPoolDestroy(pool));
    }
    auto* const timed = test::group(gpu, "MemoryTraffic", kTimeBased);
    activate(gpu, timed);
    for (const std::uint32_t number : {std::uint32_t{0}, UINT32_MAX}) {
        zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, number, number};
        zet_metric_streamer_handle_t streamer = nullptr;
        ASSERT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), timed, &description, nullptr, &streamer));
        EXPECT_GT(description.samplingPeriod, 0u);
        EXPECT_GT(description.notifyEveryNReports, 0u);
        std::uint8_t byte = 0;
        std::size_t size = 1;
        EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, &byte)) << "no report fits";
        EXPECT_EQ(size, 0u);
        EXPECT_OK(zetMetricStreamerClose(streamer));
    }
}
TEST(MetricFaults, HugeNumbersTakeNothing) {
    auto process = measured("hugeNumbersTakeNothing");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // both take terabytes of addresses
    // Of memory, as much as a small program with this driver needs.
    process.under({"/bin/sh", "-c", "ulimit -v 8000000; exec \"$@\"", "sh"});
#endif
    const auto outcome = process.run();
    EXPECT_TRUE(outcome.good()) << outcome;
}

SCENARIO(contextGoesBeforeItsStreamer) {
    const Gpu gpu;
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t context = nullptr;
    ASSERT_OK(zeContextCreate(gpu.driver(), &description, &context));
    auto* group = test::group(gpu, "MemoryTraffic", kTimeBased);
    ASSERT_OK(zetContextActivateMetricGroups(context, gpu.device(), 1, &group));
    zet_metric_streamer_desc_t stream{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_OK(zetMetricStreamerOpen(context, gpu.device(), group, &stream, nullptr, &streamer));
    ASSERT_OK(zeContextDestroy(context));
    EXPECT_TRUE(goesOn(streamer));
    EXPECT_OK(zetMetricStreamerClose(streamer));
    EXPECT_EQ(zetMetricStreamerClose(streamer), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    std::vector<std::uint8_t> raw(1 << 20);
    std::size_t size = raw.size();
    EXPECT_EQ(zetMetricStreamerReadData(streamer, 1, &size, raw.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(MetricFaults, ContextGoesBeforeItsStreamer) { EXPECT_RUNS(measured("contextGoesBeforeItsStreamer")); }

/// Raw data of a query: cut anywhere, or with any byte turned.
SCENARIO(damagedReportsAreRefused) {
    const Gpu gpu;
    const Queries queries(gpu, "ComputeBasic");
    auto* const query = queries[0];
    Queries::around(gpu, query, [&](ze_command_list_handle_t list) { CountedWork(gpu).append(list); });
    const auto raw = Queries::raw(query);
    std::size_t small = raw.size() - 1;
    std::vector<std::uint8_t> room(raw.size());
    EXPECT_EQ(zetMetricQueryGetData(query, &small, room.data()), ZE_RESULT_ERROR_INVALID_SIZE);
    const auto calculate = [&](const std::vector<std::uint8_t>& data, std::size_t size) {
        std::vector<zet_typed_value_t> values(4096);
        std::uint32_t count = 0;
        const auto code =
            zetMetricGroupCalculateMetricValues(queries.group(), kMetricValues, size, data.data(), &count, nullptr);
        if (code != ZE_RESULT_SUCCESS) return code;
        EXPECT_LE(count, values.size());
        return zetMetricGroupCalculateMetricValues(queries.group(), kMetricValues, size, data.data(), &count,
                                                   values.data());
    };
    EXPECT_EQ(calculate(raw, 0), ZE_RESULT_NOT_READY);
    for (std::size_t size = 1; size < raw.size(); ++size)
        ASSERT_EQ(calculate(raw, size), ZE_RESULT_ERROR_INVALID_SIZE) << size;
    EXPECT_OK(calculate(raw, raw.size()));
    for (std::size_t at = 0; at < raw.size(); ++at) {
        auto damaged = raw;
        damaged[at] ^= 0xff;
        const auto code = calculate(damaged, damaged.size());
        ASSERT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
                    code == ZE_RESULT_ERROR_INVALID_SIZE)
            << "byte " << at << ": " << code;
    }
}
TEST(MetricFaults, DamagedReportsAreRefused) { EXPECT_RUNS(measured("damagedReportsAreRefused")); }

}  // namespace
}  // namespace zetl::test
