// Streamers while the device works and while its clock wraps: through the stock loader, without any layer.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "emulated_gpu/fast_clock.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/stream.h"
#include "emulated_gpu/timed_works.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t timeOf(const Row& row) { return row.at("QueryBeginTime").value.ui64; }

/// Every row of the timer is a period after the last one, on a clock that wraps at `range` nanoseconds.
void expectNoGap(const std::vector<Row>& rows, std::uint64_t range) {
    for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_EQ((timeOf(rows[i]) + range - timeOf(rows[i - 1])) % range, kPeriod) << "row " << i;
}

constexpr std::uint64_t kReportRange = std::uint64_t{80} << 31;

/// Enough work-groups to keep every worker busy.
ze_group_count_t groupsForAllWorkers() { return {4 * std::max(std::thread::hardware_concurrency(), 1u), 1, 1}; }

/// Work that goes on until it is stopped.
class Load {
  public:
    Load(const Gpu& gpu, const ze_group_count_t& groups)
        : gpu_(gpu), list_(gpu.immediate()), stop_(gpu.shared<int>(1)) {
        *stop_ = 0;
        const auto kernel = gpu.kernel("spin", 8);
        Gpu::arguments(kernel, stop_);
        EXPECT_OK(zeCommandListAppendLaunchKernel(list_, kernel, &groups, nullptr, 0, nullptr));
    }
    void end() {
        *static_cast<volatile int*>(stop_) = 1;
        EXPECT_OK(gpu_.synchronize(list_, UINT64_MAX));
    }

  private:
    const Gpu& gpu_;
    ze_command_list_handle_t list_;
    int* stop_;
};

SCENARIO(everyPeriodHasItsReport) {
    const Gpu gpu;
    Load load(gpu, groupsForAllWorkers());
    Stream stream(gpu);
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::nanoseconds took{};
    for (int i = 0; i < 15; ++i) {
        letPass(100ms);
        took = std::chrono::steady_clock::now() - begin;
        ASSERT_OK(stream.read());
    }
    load.end();
    const auto rows = stream.rows();
    expectNoGap(rows, kReportRange);
    // One period for the begin, one for the end, one for the report that is only a reference.
    EXPECT_GE(rows.size() + 3, static_cast<std::size_t>(took.count()) / kPeriod);
    std::uint64_t made = 0;
    std::uint64_t read = 0;
    for (const auto& row : rows) {
        made += row.at("ReportInterpolated").value.ui64;
        read += row.at("GLOBAL_BYTE_READ").value.ui64;
    }
    EXPECT_GT(read, 0u);
    std::printf("%zu rows, %llu of them interpolated\n", rows.size(), static_cast<unsigned long long>(made));
}
TEST(Streamer, EveryPeriodHasItsReport) { EXPECT_RUNS(measured("everyPeriodHasItsReport")); }

SCENARIO(countsAddUpHoweverLate) {
    constexpr std::uint32_t kGroups = 8;
    constexpr std::uint32_t kGroupSize = 64;
    constexpr std::uint32_t kLaunches = 20;
    const Gpu gpu;
    const auto kernel = gpu.kernel("add", kGroupSize);
    auto* buffer = gpu.shared(kGroups * kGroupSize);
    Gpu::arguments(kernel, buffer, buffer, buffer);
    const auto list = gpu.immediate();
    const ze_group_count_t groups{kGroups, 1, 1};
    Stream stream(gpu);
    stream.pass(1);  // before the first count: the first report is only a reference
    for (std::uint32_t i = 0; i < kLaunches; ++i)
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(stream.settled("GLOBAL_BYTE_WRITE"), 4u * kGroups * kGroupSize * kLaunches);
}
TEST(Streamer, CountsAddUpHoweverLate) { EXPECT_RUNS(measured("countsAddUpHoweverLate")); }

SCENARIO(theRingIsTheSameForEveryNotification) {
    const Gpu gpu;
    for (const std::uint32_t notify : {1u, 1000u, 32768u}) {
        const Stream stream(gpu, notify);
        EXPECT_EQ(stream.notify(), notify);
        EXPECT_EQ(stream.capacity(), 65536u);
    }
    EXPECT_EQ(Stream(gpu, UINT32_MAX).notify(), 32768u);
}
TEST(Streamer, TheRingIsTheSameForEveryNotification) { EXPECT_RUNS(measured("theRingIsTheSameForEveryNotification")); }

SCENARIO(lossIsToldOnce) {
    constexpr std::uint32_t kShortest = 50'000;
    const Gpu gpu;
    Stream stream(gpu, 1000, kShortest);
    letPass((stream.capacity() + 4000) * std::chrono::nanoseconds(kShortest));
    EXPECT_EQ(stream.read(), ZE_RESULT_WARNING_DROPPED_DATA);
    EXPECT_EQ(stream.reports(), stream.capacity());
    const ze_result_t again = stream.read();
    // On a host that is so slow that the ring has filled once more, more is lost.
    EXPECT_TRUE(again == ZE_RESULT_SUCCESS || stream.reports() == 2 * stream.capacity()) << again;
}
TEST(Streamer, LossIsToldOnce) { EXPECT_RUNS(measured("lossIsToldOnce")); }

// Public tools place kernels among reports so: kernel timestamps masked to one bit less than they have, as nanoseconds,
// beside the times of reports, raw.
SCENARIO(toolsFindTheReportsOfAKernel) {
    constexpr std::uint64_t kToolsMask = (std::uint64_t{1} << 31) - 1;
    constexpr std::uint64_t kTick = 80;
    const Gpu gpu;
    const auto kernel = gpu.kernel("writeIds", 64);
    Gpu::arguments(kernel, gpu.shared<std::uint32_t>(64), std::uint32_t{1});
    const auto list = gpu.immediate();
    const auto event = Gpu::event(gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP));
    Stream stream(gpu);
    std::vector<Row> rows;
    ze_kernel_timestamp_result_t times{};
    do {  // once more if the times have wrapped meanwhile
        ASSERT_OK(stream.read());
        stream.newRows();
        ASSERT_OK(zeEventHostReset(event));
        stream.pass(2);
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        ASSERT_OK(zeEventQueryKernelTimestamp(event, &times));
        stream.pass(2);
        rows = stream.newRows();
        ASSERT_GE(rows.size(), 2u);
    } while (timeOf(rows.front()) > timeOf(rows.back()));
    EXPECT_GE((times.global.kernelStart & kToolsMask) * kTick, timeOf(rows.front()));
    EXPECT_LE((times.global.kernelEnd & kToolsMask) * kTick, timeOf(rows.back()));
}
TEST(Streamer, ToolsFindTheReportsOfAKernel) {
    // One of the two has the highest bit of its kernel timestamps set.
    for (const char* ahead : {"0", "171798691840"})
        EXPECT_RUNS(measured("toolsFindTheReportsOfAKernel", "max1550").with("ZETL_EMULATED_CLOCK_AHEAD", ahead));
}

// Alone, behind each other and beside each other: what a report counts belongs to a kernel that ran in its period.
SCENARIO(workIsInTheReportsOfItsKernel) {
    const Gpu gpu;
    TimedWorks works(gpu);
    Stream stream(gpu, 1000, TimedWorks::kPeriod, TimedWorks::kMetrics);
    stream.pass(1);  // the first report is only a reference
    works.run();
    stream.pass(3);
    TimedWorks::expectInSpans(stream.rows(), works.spans(), works.bytes());
}
TEST(Streamer, WorkIsInTheReportsOfItsKernel) { EXPECT_RUNS(measured("workIsInTheReportsOfItsKernel", "max1550")); }

/// Cycles by which those of a launch with many groups may be off, as a stream states them.
std::uint64_t errorOfAStream() {
    constexpr std::uint32_t kGroups = 1000;
    constexpr std::uint32_t kGroupSize = 64;
    const Gpu gpu;
    const auto kernel = gpu.kernel("add", kGroupSize);
    auto* buffer = gpu.shared(kGroups * kGroupSize);
    Gpu::arguments(kernel, buffer, buffer, buffer);
    const auto list = gpu.immediate();
    const ze_group_count_t groups{kGroups, 1, 1};
    Stream stream(gpu, 1000, kPeriod, "StallReasons");
    stream.pass(1);
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
    return stream.settled("GpuCoreClocksError");
}
SCENARIO(aStreamModelsASample) { EXPECT_GT(errorOfAStream(), 0u); }
SCENARIO(aStreamModelsAllGroups) { EXPECT_EQ(errorOfAStream(), 0u); }
TEST(Streamer, ModelsASampleUnlessAllGroupsAreAskedFor) {
    EXPECT_RUNS(measured("aStreamModelsASample", "max1550"));
    EXPECT_RUNS(measured("aStreamModelsAllGroups", "max1550").with("ZETL_TIMING_MODEL", "full"));
}

SCENARIO(metricTimestampsAreTheDevices) {
    const Gpu gpu;
    auto* const group = test::group(gpu, "MemoryTraffic", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
    zet_metric_global_timestamps_resolution_exp_t resolution{};
    resolution.stype = ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP;
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    properties.pNext = &resolution;
    ASSERT_OK(zetMetricGroupGetProperties(group, &properties));
    EXPECT_EQ(resolution.timerResolution, 12'500'000u);
    EXPECT_EQ(resolution.timestampValidBits, 31u);
    using Timestamps = ze_result_t(zet_metric_group_handle_t, ze_bool_t, std::uint64_t*, std::uint64_t*);
    auto* const timestamps = gpu.function<Timestamps>("zetMetricGroupGetGlobalTimestampsExp");
    std::uint64_t global = 0;
    std::uint64_t metric = 0;
    std::uint64_t host = 0;
    std::uint64_t device = 0;
    ASSERT_OK(timestamps(group, false, &global, &metric));
    EXPECT_LT(global, std::uint64_t{1} << 36);
    EXPECT_EQ(metric, global & ((std::uint64_t{1} << 31) - 1));
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &device));
    ASSERT_OK(timestamps(group, true, &global, &metric));
    EXPECT_GE(global, host);
    EXPECT_LE(((metric - device) & ((std::uint64_t{1} << 31) - 1)) * 80, global - host + 80);
}
TEST(Streamer, MetricTimestampsAreTheDevices) { EXPECT_RUNS(measured("metricTimestampsAreTheDevices", "max1550")); }

// A tool that calculates each read by itself: the first report of a read is in no row, so no marker may be that one.
SCENARIO(noMarkerIsLostBetweenReads) {
    const Gpu gpu;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    Stream stream(gpu);
    std::vector<std::uint64_t> wanted;
    std::vector<std::uint64_t> seen;
    for (std::uint32_t value = 10; value < 60; ++value) {
        ASSERT_OK(zetCommandListAppendMetricStreamerMarker(list, stream, value));
        ASSERT_OK(stream.read());
        wanted.push_back(value);
        for (const auto& row : stream.newRows())
            if (const auto marker = row.at("StreamMarker").value.ui64) seen.push_back(marker);
    }
    EXPECT_EQ(seen, wanted);
}
TEST(Streamer, NoMarkerIsLostBetweenReads) { EXPECT_RUNS(measured("noMarkerIsLostBetweenReads")); }

// The times of reports wrap after half the time that kernel timestamps take; here every 2.1 s.
SCENARIO(reportTimesWrap) {
    constexpr std::uint64_t kRange = std::uint64_t{1} << kFastReportBits;
    const Gpu gpu;
    Stream stream(gpu);
    std::uint64_t wraps = 0;
    std::vector<Row> rows;
    while (wraps == 0) {
        stream.pass(200);
        rows = stream.rows();
        wraps = 0;
        for (std::size_t i = 1; i < rows.size(); ++i) wraps += timeOf(rows[i]) < timeOf(rows[i - 1]);
    }
    expectNoGap(rows, kRange);
    for (const auto& row : rows) {
        EXPECT_LT(timeOf(row), kRange);
        EXPECT_EQ(row.at("GpuTime").value.ui64, kPeriod);
    }
    std::uint64_t device[2];
    ASSERT_OK(stream.read());
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &device[0], &device[1]));
    EXPECT_LT((device[1] - timeOf(stream.rows().back())) % kRange, kRange / 2) << "one epoch with the device's clock";
}
TEST(Streamer, ReportTimesWrap) {
    const FastClockProfile profile;
    EXPECT_RUNS(measured("reportTimesWrap", profile.path()));
}

/// What the model says of a kernel that goes on comes while it does.
SCENARIO(anEndlessKernelIsAtWork) {
    const Gpu gpu;
    Stream stream(gpu, 1, kPeriod, "ComputeBasic");
    Load load(gpu, kOneGroup);
    std::uint64_t busy = 0;
    while (busy == 0) {
        stream.pass(10);
        for (const auto& row : stream.newRows()) busy += row.at("XVE_BUSY").value.ui64;
    }
    load.end();
}
TEST(Streamer, SeesAnEndlessKernelAtWork) { EXPECT_RUNS(measured("anEndlessKernelIsAtWork")); }

SCENARIO(queriesWrap) {
    constexpr std::uint64_t kRange = std::uint64_t{1} << kFastReportBits;
    const Gpu gpu;
    auto* const group = test::group(gpu, "MemoryTraffic", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED);
    activate(gpu, group);
    const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                   ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
    zet_metric_query_pool_handle_t pool = nullptr;
    zet_metric_query_handle_t query = nullptr;
    ASSERT_OK(zetMetricQueryPoolCreate(gpu.context(), gpu.device(), group, &description, &pool));
    ASSERT_OK(zetMetricQueryCreate(pool, 0, &query));
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    bool wrapped = false;
    while (!wrapped) {
        std::uint64_t times[2][2];
        ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &times[0][0], &times[0][1]));
        ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
        letPass(200ms);
        ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
        ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &times[1][0], &times[1][1]));
        std::size_t size = 0;
        ASSERT_OK(zetMetricQueryGetData(query, &size, nullptr));
        std::vector<std::uint8_t> raw(size);
        ASSERT_OK(zetMetricQueryGetData(query, &size, raw.data()));
        const auto row = rowsOf(group, raw).at(0);
        const auto whole = (times[1][1] - times[0][1]) % kRange;
        EXPECT_GE(row.at("GpuTime").value.ui64, 200'000'000u);
        EXPECT_LE(row.at("GpuTime").value.ui64, whole);
        EXPECT_LT(timeOf(row), kRange);
        EXPECT_LE((timeOf(row) - times[0][1]) % kRange, whole);
        wrapped = times[1][1] % kRange < times[0][1] % kRange;
        ASSERT_OK(zetMetricQueryReset(query));
    }
}
TEST(Streamer, QueriesWrap) {
    const FastClockProfile profile;
    EXPECT_RUNS(measured("queriesWrap", profile.path()));
}

}  // namespace
}  // namespace zetl::test
