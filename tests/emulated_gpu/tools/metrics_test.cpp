// Metrics on the emulated GPU, through the stock loader and without any layer: counts that can be computed by hand, and
// reports in real time.
#include <dlfcn.h>
#include <level_zero/zet_api.h>
#include <level_zero/zet_ddi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "support/scenario.h"
#include "support/wait_for.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

std::uint32_t threadsOf(ze_kernel_handle_t kernel, std::uint32_t groups, std::uint32_t groupSize) {
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    EXPECT_OK(zeKernelGetProperties(kernel, &properties));
    return groups * ((groupSize + properties.maxSubgroupSize - 1) / properties.maxSubgroupSize);
}

SCENARIO(queryCountsWhatTheKernelDid) {
    constexpr std::uint32_t kGroups = 4;
    constexpr std::uint32_t kGroupSize = 64;
    constexpr std::uint32_t kItems = kGroups * kGroupSize;
    const Gpu gpu;
    const Queries queries(gpu, "MemoryTraffic");
    const auto kernel = gpu.kernel("add", kGroupSize);
    auto* a = gpu.shared(kItems);
    auto* b = gpu.shared(kItems);
    auto* c = gpu.shared(kItems);
    Gpu::arguments(kernel, a, b, c);
    const ze_group_count_t groups{kGroups, 1, 1};
    const auto list = gpu.list();
    auto* const one = queries[0];
    auto* const two = queries[1];
    auto* const none = queries[2];
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, one));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, one, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, two));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, two, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, none));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, none, nullptr, 0, nullptr));
    std::size_t size = 4096;
    std::vector<std::uint8_t> early(size);
    EXPECT_EQ(zetMetricQueryGetData(one, &size, early.data()), ZE_RESULT_NOT_READY);
    ASSERT_OK(gpu.run(list));

    const auto first = queries.row(one);
    const auto second = queries.row(two);
    const auto third = queries.row(none);
    EXPECT_EQ(first.at("GLOBAL_BYTE_READ").value.ui64, 2u * 4 * kItems);
    EXPECT_EQ(first.at("GLOBAL_BYTE_WRITE").value.ui64, 4u * kItems);
    EXPECT_EQ(second.at("GLOBAL_BYTE_READ").value.ui64, 2u * 2 * 4 * kItems);
    EXPECT_EQ(second.at("GLOBAL_BYTE_WRITE").value.ui64, 2u * 4 * kItems);
    EXPECT_EQ(third.at("GLOBAL_BYTE_READ").value.ui64, 0u);
    EXPECT_GT(first.at("GpuTime").value.ui64, 0u);
}
TEST(ToolsMetrics, QueryCountsWhatTheKernelDid) { EXPECT_RUNS(measured("queryCountsWhatTheKernelDid")); }
TEST(ToolsMetrics, QueryCountsBehindTheLoadersIntercept) {
    EXPECT_RUNS(measured("queryCountsWhatTheKernelDid").with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
}

/// The device's memory and the host's are told apart by allocation, and by what they are when a kernel meets them.
SCENARIO(hostMemoryIsNotTheDevices) {
    constexpr std::uint32_t kGroups = 4;
    constexpr std::uint32_t kGroupSize = 64;
    constexpr std::uint32_t kItems = kGroups * kGroupSize;
    constexpr std::uint64_t kRead = 2 * sizeof(int) * kItems;
    const Gpu gpu;
    const Queries queries(gpu, "GpuOffload");
    const auto kernel = gpu.kernel("add", kGroupSize);
    const ze_group_count_t groups{kGroups, 1, 1};
    const auto measuredRow = [&](std::uint32_t index, auto* a, auto* b) {
        auto* const query = queries[index];
        Gpu::arguments(kernel, a, b, gpu.device(kItems));
        const auto list = gpu.list();
        EXPECT_OK(zetCommandListAppendMetricQueryBegin(list, query));
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
        EXPECT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
        EXPECT_OK(gpu.run(list));
        return queries.row(query);
    };
    const auto ofHost = measuredRow(0, gpu.host(kItems), gpu.host(kItems));
    const auto ofDevice = measuredRow(1, gpu.device(kItems), gpu.device(kItems));
    EXPECT_EQ(ofHost.at("SYSMEM_BYTE_READ").value.ui64, kRead);
    EXPECT_EQ(ofDevice.at("SYSMEM_BYTE_READ").value.ui64, 0u);
    EXPECT_EQ(ofDevice.at("SYSMEM_BYTE_WRITE").value.ui64, 0u);
    EXPECT_GE(ofDevice.at("GPU_MEMORY_BYTE_READ").value.ui64, kRead);
    EXPECT_FALSE(ofHost.contains("STACK_TO_STACK_DATA_BYTE_RECEIVE")) << "nothing counts it";
}
TEST(ToolsMetrics, HostMemoryIsNotTheDevices) { EXPECT_RUNS(measured("hostMemoryIsNotTheDevices")); }

SCENARIO(instructionsAddUpOverKinds) {
    constexpr std::uint32_t kGroups = 3;
    constexpr std::uint32_t kGroupSize = 64;
    const Gpu gpu;
    const Queries queries(gpu, "InstructionMix");
    const auto kernel = gpu.kernel("writeIds", kGroupSize);
    auto* out = gpu.shared<std::uint32_t>(kGroups * kGroupSize);
    Gpu::arguments(kernel, out, std::uint32_t{3});
    const ze_group_count_t groups{kGroups, 1, 1};
    auto* const one = queries[0];
    auto* const two = queries[1];
    const auto list = gpu.immediate();
    const auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, one));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, one, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, two));
    for (int i = 0; i < 2; ++i) ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, two, event, 0, nullptr));
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));

    const auto single = queries.row(one);
    const auto twice = queries.row(two);
    std::uint64_t sum = 0;
    for (const char* kind :
         {"XVE_INST_EXECUTED_FP16", "XVE_INST_EXECUTED_FP32", "XVE_INST_EXECUTED_FP64", "XVE_INST_EXECUTED_INT16",
          "XVE_INST_EXECUTED_INT32", "XVE_INST_EXECUTED_INT64", "XVE_INST_EXECUTED_BITCONV", "XVE_INST_EXECUTED_MATH",
          "XVE_INST_EXECUTED_XMX_FP16", "XVE_INST_EXECUTED_XMX_BF16", "XVE_INST_EXECUTED_XMX_TF32",
          "XVE_INST_EXECUTED_XMX_INT8", "XVE_INST_EXECUTED_XMX_INT4", "XVE_INST_EXECUTED_XMX_INT2",
          "XVE_INST_EXECUTED_SEND_ALL", "XVE_INST_EXECUTED_CONTROL_ALL", "XVE_INST_EXECUTED_OTHER"}) {
        sum += single.at(kind).value.ui64;
        EXPECT_EQ(twice.at(kind).value.ui64, 2 * single.at(kind).value.ui64) << kind;
    }
    const auto threads = threadsOf(kernel, kGroups, kGroupSize);
    EXPECT_EQ(single.at("XVE_INST_EXECUTED_ALL").value.ui64, sum);
    EXPECT_EQ(sum % threads, 0u) << "every thread runs the same instructions";
    EXPECT_EQ(single.at("XVE_COMPUTE_THREAD_COUNT").value.ui64, threads);
    EXPECT_GE(single.at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 2 * threads) << "at least the store and the end";
}
TEST(ToolsMetrics, InstructionsAddUpOverKinds) { EXPECT_RUNS(measured("instructionsAddUpOverKinds")); }

/// A launch on a root device runs on all of its tiles; each counts its own part.
SCENARIO(tilesCountTheirParts) {
    constexpr std::uint32_t kGroups = 5;
    constexpr std::uint32_t kGroupSize = 64;
    const Gpu gpu;
    const auto tiles = listOf(zeDeviceGetSubDevices, gpu.device());
    ASSERT_EQ(tiles.size(), 2u);
    const Queries whole(gpu, "MemoryTraffic");
    const Queries left(gpu, "MemoryTraffic", tiles[0]);
    const Queries right(gpu, "MemoryTraffic", tiles[1]);
    const auto kernel = gpu.kernel("writeIds", kGroupSize);
    Gpu::arguments(kernel, gpu.shared<std::uint32_t>(kGroups * kGroupSize), std::uint32_t{3});
    const ze_group_count_t groups{kGroups, 1, 1};
    const auto list = gpu.list();
    zet_metric_query_handle_t queries[] = {whole[0], left[0], right[0]};
    for (auto* query : queries) ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    for (auto* query : queries) ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    const auto written = [](const Row& row) { return row.at("GLOBAL_BYTE_WRITE").value.ui64 / (4 * kGroupSize); };
    EXPECT_EQ(written(whole.row(queries[0])), 5u);
    EXPECT_EQ(written(left.row(queries[1])), 2u);
    EXPECT_EQ(written(right.row(queries[2])), 3u);
}
TEST(ToolsMetrics, TilesCountTheirParts) { EXPECT_RUNS(measured("tilesCountTheirParts", "small-two-by-two")); }

/// Private memory lies in the slots of each tile: both tiles have it, compute right and count their own part.
SCENARIO(tilesCountTheirPrivateMemory) {
    constexpr std::uint32_t kGroups = 5;
    constexpr std::uint32_t kGroupSize = 32;
    constexpr std::uint32_t kWords = 300;
    constexpr std::uint32_t kItems = kGroups * kGroupSize;
    const Gpu gpu;
    const auto tiles = listOf(zeDeviceGetSubDevices, gpu.device());
    ASSERT_EQ(tiles.size(), 2u);
    const Queries whole(gpu, "MemoryTraffic");
    const Queries left(gpu, "MemoryTraffic", tiles[0]);
    const Queries right(gpu, "MemoryTraffic", tiles[1]);
    auto* const data = gpu.shared(kItems * kWords);
    for (std::uint32_t i = 0; i < kItems * kWords; ++i)
        data[i] = static_cast<int>(kWords - 1 - i % kWords);  // in reverse
    const auto kernel = gpu.kernel("keepsMuchApart", kGroupSize);
    Gpu::arguments(kernel, data);
    const ze_group_count_t groups{kGroups, 1, 1};
    const auto list = gpu.list();
    zet_metric_query_handle_t queries[] = {whole[0], left[0], right[0]};
    for (auto* query : queries) ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    for (auto* query : queries) ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    for (std::uint32_t i = 0; i < kItems * kWords; ++i)
        ASSERT_EQ(data[i], static_cast<int>(kWords - 1 - i % kWords)) << "word " << i;
    const auto rows = {whole.row(queries[0]), left.row(queries[1]), right.row(queries[2])};
    const auto of = [&](std::size_t query, const char* column) { return std::data(rows)[query].at(column).value.ui64; };
    for (const char* column : {"SCRATCH_BYTE_READ", "SCRATCH_BYTE_WRITE", "GLOBAL_BYTE_READ", "GLOBAL_BYTE_WRITE"}) {
        EXPECT_EQ(of(0, column), of(1, column) + of(2, column)) << column;
        EXPECT_EQ(of(1, column) * 3, of(2, column) * 2) << column << ": two groups and three";
    }
    std::uint64_t kept = 0;
    for (const char* column : {"SCRATCH_BYTE_WRITE", "GLOBAL_BYTE_WRITE"}) kept += of(0, column);
    EXPECT_GE(kept, std::uint64_t{4} * kItems * kWords * 3) << "cleared, added up, copied out";
}
TEST(ToolsMetrics, TilesCountTheirPrivateMemory) {
    EXPECT_RUNS(measured("tilesCountTheirPrivateMemory", "small-two-by-two"));
}

SCENARIO(percentagesStayInTheirBounds) {
    const Gpu gpu;
    const Queries queries(gpu, "ComputeBasic");
    const auto kernel = gpu.kernel("add", 64);
    auto* buffer = gpu.shared(64 * 256);
    Gpu::arguments(kernel, buffer, buffer, buffer);
    const ze_group_count_t groups{256, 1, 1};
    const auto list = gpu.list();
    auto* const query = queries[0];
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    const auto row = queries.row(query);
    const auto active = row.at("XVE_ACTIVE").value.fp32;
    const auto stall = row.at("XVE_STALL").value.fp32;
    EXPECT_GT(active, 0.0f);
    EXPECT_GE(stall, 0.0f);
    EXPECT_LE(active + stall, 100.02f);
    EXPECT_LE(row.at("XVE_THREADS_OCCUPANCY_ALL").value.fp32, 100.0f);
    // Clocks and time agree with the frequency.
    const auto clocks = row.at("GpuCoreClocks").value.ui64;
    const auto time = row.at("GpuTime").value.ui64;
    const auto frequency = row.at("AvgGpuCoreFrequencyMHz").value.ui64;
    EXPECT_EQ(frequency, clocks * 1000 / time) << "in whole MHz, which may be none: the device is slow";
    EXPECT_GT(clocks, 0u);
}
TEST(ToolsMetrics, PercentagesStayInTheirBounds) { EXPECT_RUNS(measured("percentagesStayInTheirBounds")); }

SCENARIO(streamerDeliversInRealTime) {
    constexpr std::uint32_t kGroups = 4;
    constexpr std::uint32_t kGroupSize = 64;
    constexpr std::uint32_t kNotify = 200;
    const Gpu gpu;
    auto* const stream = group(gpu, "MemoryTraffic", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
    activate(gpu, stream);
    const auto event = Gpu::event(gpu.pool(1));
    const auto kernel = gpu.kernel("add", kGroupSize);
    auto* buffer = gpu.shared(kGroups * kGroupSize);
    Gpu::arguments(kernel, buffer, buffer, buffer);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, kNotify, 1'000'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), stream, &description, event, &streamer));
    EXPECT_EQ(description.notifyEveryNReports, kNotify);
    const auto opened = std::chrono::steady_clock::now();
    const auto drain = [&](std::uint32_t reports) {
        std::size_t size = 0;
        EXPECT_OK(zetMetricStreamerReadData(streamer, reports, &size, nullptr));
        std::vector<std::uint8_t> raw(size);
        EXPECT_OK(zetMetricStreamerReadData(streamer, reports, &size, raw.data()));
        raw.resize(size);
        return raw;
    };
    // The first report is the reference of the second: what comes before it is in no row.
    std::vector<std::uint8_t> raw;
    ASSERT_TRUE(waitFor([&] { return !(raw = drain(1)).empty(); }));
    const ze_group_count_t groups{kGroups, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricStreamerMarker(list, streamer, 4711));

    const auto period = std::chrono::nanoseconds(description.samplingPeriod);
    letPass(opened + kNotify * period * 8 / 10 - std::chrono::steady_clock::now());
    const ze_result_t early = zeEventQueryStatus(event);
    if (std::chrono::steady_clock::now() - opened < kNotify * period * 95 / 100) {  // a busy host sleeps longer
        EXPECT_EQ(early, ZE_RESULT_NOT_READY);
    }
    ASSERT_OK(zeEventHostSynchronize(event, 10'000'000'000));
    EXPECT_GE(std::chrono::steady_clock::now() - opened, kNotify * period * 95 / 100);

    const auto others = drain(UINT32_MAX);
    raw.insert(raw.end(), others.begin(), others.end());
    const auto rows = rowsOf(stream, raw);
    EXPECT_GE(rows.size() + 1, kNotify);
    std::uint64_t written = 0;
    std::uint64_t marker = 0;
    std::uint64_t last = 0;
    for (const auto& row : rows) {
        written += row.at("GLOBAL_BYTE_WRITE").value.ui64;
        marker = std::max(marker, row.at("StreamMarker").value.ui64);
        const auto time = row.at("QueryBeginTime").value.ui64;
        EXPECT_TRUE(time >= last || last - time > 100'000'000'000) << "report times go forward, or wrap after 171 s";
        last = time;
    }
    EXPECT_EQ(written, 4u * kGroups * kGroupSize);
    EXPECT_EQ(marker, 4711u);
    ASSERT_OK(zetMetricStreamerClose(streamer));
}
TEST(ToolsMetrics, StreamerDeliversInRealTime) { EXPECT_RUNS(measured("streamerDeliversInRealTime")); }

SCENARIO(metricsAreOffUntilAskedFor) {
    const Gpu gpu;
    std::uint32_t count = 5;
    EXPECT_EQ(zetMetricGroupGet(gpu.device(), &count, nullptr), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(count, 0u);
    // The loader may be too old to know these two.
    using Switch = ze_result_t(zet_device_handle_t);
    ASSERT_OK(gpu.function<Switch>("zetDeviceEnableMetricsExp")(gpu.device()));
    EXPECT_GE(listOf(zetMetricGroupGet, gpu.device()).size(), 3u);
    EXPECT_OK(gpu.function<Switch>("zetDeviceDisableMetricsExp")(gpu.device()));
}
TEST(ToolsMetrics, MetricsAreOffUntilAskedFor) { EXPECT_RUNS(emulated("metricsAreOffUntilAskedFor")); }

SCENARIO(theDriversOwnTableServesTracers) {
    const Gpu gpu;
    auto* const library = dlopen(inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    using Getter = ze_result_t(ZE_APICALL*)(ze_api_version_t, zet_metric_tracer_exp_dditable_t*);
    const auto getter = reinterpret_cast<Getter>(dlsym(library, "zetGetMetricTracerExpProcAddrTable"));
    zet_metric_tracer_exp_dditable_t table{};
    ASSERT_OK(getter(ZE_API_VERSION_CURRENT, &table));
    EXPECT_EQ(table.pfnDestroyExp(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(ToolsMetrics, TheDriversOwnTableServesTracers) { EXPECT_RUNS(measured("theDriversOwnTableServesTracers")); }

}  // namespace
}  // namespace zetl::test
