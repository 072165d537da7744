// Metrics and instrumentation on NVIDIA's GPU: on a real one what it counted, elsewhere CUPTI's stand-in.
#include <ze_tools_layer/device_access.h>

#include <cstring>

#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "kernels.h"
#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t valueOf(const Row& row, const char* column) { return row.at(column).value.ui64; }

/// Event-based values of what `append` puts into an immediate list.
template <class F>
Row counted(const Gpu& gpu, const Queries& queries, std::uint32_t slot, F&& append) {
    const auto list = gpu.immediate();
    const auto ended = Gpu::event(gpu.pool(1));
    auto* const query = queries[slot];
    EXPECT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    append(list);
    EXPECT_OK(zetCommandListAppendMetricQueryEnd(list, query, ended, 0, nullptr));
    EXPECT_OK(zeEventQueryStatus(ended));
    return queries.row(query);
}

SCENARIO(listsGroupsOfItsOwn) {
    const Gpu gpu;
    for (const char* name : {"NvidiaCompute"}) {
        for (const auto sampling : {kTimeBased, kEventBased}) {
            const auto columns = columnsOf(group(gpu, name, sampling));
            EXPECT_NE(std::find(columns.begin(), columns.end(), "sm__inst_executed.sum"), columns.end());
            EXPECT_NE(std::find(columns.begin(), columns.end(), "GpuTime"), columns.end());
        }
    }
    const auto memory = columnsOf(group(gpu, "NvidiaMemory", kEventBased));
    EXPECT_NE(std::find(memory.begin(), memory.end(), "dram__bytes_read.sum"), memory.end());
}
TEST(NvidiaCounters, ListsGroupsOfItsOwn) { EXPECT_RUNS(onCounters("listsGroupsOfItsOwn")); }

SCENARIO(countsInstructions) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    constexpr std::uint32_t kThreads = 128;
    constexpr std::uint32_t kWarps = kThreads / 32;
    const auto kernel = ptxKernel(gpu, "add", kThreads);
    Gpu::arguments(kernel, gpu.device(16 * kThreads), 1u);
    const auto launches = [&](std::uint32_t groups) {
        return [kernel, groups](ze_command_list_handle_t list) {
            const ze_group_count_t count{groups, 1, 1};
            ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &count, nullptr, 0, nullptr));
        };
    };
    counted(gpu, queries, 0, launches(1));  // the first launch pays for what later ones find
    const auto one = counted(gpu, queries, 1, launches(1));
    const auto sixteen = counted(gpu, queries, 2, launches(16));
    EXPECT_GT(valueOf(one, "GpuTime"), 0u);
    EXPECT_GT(valueOf(sixteen, "QueryBeginTime"), valueOf(one, "QueryBeginTime"));
    if (!realGpu()) return;
    const auto each = valueOf(one, "sm__inst_executed.sum");
    std::printf("instructions: %lu of one group, %lu of sixteen, %lu a warp\n", each,
                valueOf(sixteen, "sm__inst_executed.sum"), each / kWarps);
    EXPECT_GT(each, 0u);
    EXPECT_EQ(each % kWarps, 0u);
    EXPECT_EQ(valueOf(sixteen, "sm__inst_executed.sum"), 16 * each);
}
TEST(NvidiaCounters, CountsInstructions) { EXPECT_RUNS(onCounters("countsInstructions")); }

SCENARIO(keepsWhatEachQueryCounted) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaMemory");
    for (std::uint32_t i = 0; i < 4; ++i) {
        const auto row = counted(gpu, queries, i, [](auto) {});
        if (realGpu()) continue;
        EXPECT_EQ(valueOf(row, "dram__bytes_write.sum") % 3, 0u);
        EXPECT_EQ(valueOf(row, "dram__bytes_read.sum") * 3, valueOf(row, "dram__bytes_write.sum") * 2);
        EXPECT_EQ(valueOf(row, "gpc__cycles_elapsed.max"), valueOf(row, "dram__bytes_read.sum") * 500);
    }
    auto* const query = queries[5];
    std::size_t size = 4096;
    std::vector<std::uint8_t> raw(size);
    EXPECT_EQ(zetMetricQueryGetData(query, &size, raw.data()), ZE_RESULT_NOT_READY);
    const auto list = gpu.immediate();
    EXPECT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    EXPECT_EQ(zetCommandListAppendMetricQueryBegin(list, queries[6]), ZE_RESULT_ERROR_NOT_AVAILABLE);
    const Queries others(gpu, "NvidiaMemory");
    EXPECT_EQ(zetCommandListAppendMetricQueryBegin(list, others[0]), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(zetMetricQueryReset(query), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(zetMetricQueryPoolDestroy(queries.pool()), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    EXPECT_OK(zetMetricQueryReset(query));
    counted(gpu, others, 1, [](auto) {});
    counted(gpu, queries, 7, [](auto) {});
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
}
TEST(NvidiaCounters, KeepsWhatEachQueryCounted) { EXPECT_RUNS(onCounters("keepsWhatEachQueryCounted")); }

SCENARIO(countsInListsThatExecuteOften) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    const auto kernel = ptxKernel(gpu, "add", 32);
    Gpu::arguments(kernel, gpu.device(32), 1u);
    const auto ended = Gpu::event(gpu.pool(1));
    const auto list = gpu.list();
    auto* const query = queries[0];
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, ended, 0, nullptr));
    std::size_t size = 4096;
    std::vector<std::uint8_t> raw(size);
    EXPECT_EQ(zetMetricQueryGetData(query, &size, raw.data()), ZE_RESULT_NOT_READY);
    std::vector<Row> rows;
    for (int i = 0; i < 3; ++i) {
        EXPECT_OK(gpu.run(list));
        EXPECT_OK(zeEventQueryStatus(ended));
        EXPECT_OK(zeEventHostReset(ended));
        rows.push_back(queries.row(query));
    }
    EXPECT_GT(valueOf(rows[2], "QueryBeginTime"), valueOf(rows[1], "QueryBeginTime"));
    if (realGpu()) {
        EXPECT_EQ(valueOf(rows[2], "sm__inst_executed.sum"), valueOf(rows[1], "sm__inst_executed.sum"));
    }
}
TEST(NvidiaCounters, CountInListsThatExecuteOften) { EXPECT_RUNS(onCounters("countsInListsThatExecuteOften")); }

/// A list goes on whose query finds the counters taken; the query says so.
SCENARIO(tellsWhyAListDidNotCount) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    const auto list = gpu.list();
    const auto now = gpu.immediate();
    auto* const query = queries[0];
    int* reached = gpu.host(1);
    *reached = 0;
    const int one = 1;
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zeCommandListAppendMemoryFill(list, reached, &one, sizeof one, sizeof one, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(now, queries[1]));
    EXPECT_OK(gpu.run(list));
    EXPECT_EQ(*reached, 1);
    std::size_t size = 4096;
    std::vector<std::uint8_t> raw(size);
    EXPECT_EQ(zetMetricQueryGetData(query, &size, raw.data()), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(now, queries[1], nullptr, 0, nullptr));
    EXPECT_OK(gpu.run(list));
    EXPECT_OK(zetMetricQueryGetData(query, &size, raw.data()));
}
TEST(NvidiaCounters, TellWhyAListDidNotCount) { EXPECT_RUNS(onCounters("tellsWhyAListDidNotCount")); }

/// What a list waits for the host holds up its query, and not the host.
SCENARIO(countsBehindAnEventOfTheHost) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    const auto events = gpu.pool(2);
    auto start = Gpu::event(events, 0);
    const auto ended = Gpu::event(events, 1);
    auto list = gpu.list();
    auto* const query = queries[0];
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &start));
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, query, ended, 0, nullptr));
    ASSERT_OK(zeCommandListClose(list));
    const auto queue = gpu.queue();
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
    EXPECT_EQ(zeEventQueryStatus(ended), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(start));
    ASSERT_OK(zeEventHostSynchronize(ended, UINT64_MAX));
    EXPECT_GT(valueOf(queries.row(query), "QueryBeginTime"), 0u);
}
TEST(NvidiaCounters, CountBehindAnEventOfTheHost) { EXPECT_RUNS(onCounters("countsBehindAnEventOfTheHost")); }

SCENARIO(countsWorkToItsEnd) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    constexpr std::uint64_t kNanoseconds = 20'000'000;
    const auto kernel = ptxKernel(gpu, "spin");
    Gpu::arguments(kernel, kNanoseconds);
    const auto done = Gpu::event(gpu.pool(1));
    const auto row = counted(gpu, queries, 0, [&](ze_command_list_handle_t list) {
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, done, 0, nullptr));
    });
    EXPECT_OK(zeEventQueryStatus(done));
    EXPECT_GE(valueOf(row, "GpuTime"), kNanoseconds);
}
TEST(NvidiaCounters, CountsWorkToItsEnd) { EXPECT_RUNS(onCounters("countsWorkToItsEnd")); }

SCENARIO(countsBytesOfACopy) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaMemory");
    const std::size_t bytes = realGpu() ? std::size_t{1} << 30 : 4096;  // in software the figure says nothing
    void* from = gpu.device<char>(bytes);
    void* to = gpu.device<char>(bytes);
    const auto copy = [&](ze_command_list_handle_t list) {
        ASSERT_OK(zeCommandListAppendMemoryCopy(list, to, from, bytes, nullptr, 0, nullptr));
    };
    counted(gpu, queries, 0, copy);
    const auto row = counted(gpu, queries, 1, copy);
    if (!realGpu()) return;
    const auto read = valueOf(row, "dram__bytes_read.sum");
    std::printf("copy of %zu bytes: %lu read, %lu written, in %lu ns\n", bytes, read,
                valueOf(row, "dram__bytes_write.sum"), valueOf(row, "GpuTime"));
    EXPECT_NEAR(static_cast<double>(read), static_cast<double>(bytes), 0.001 * static_cast<double>(bytes));
}
TEST(NvidiaCounters, CountsBytesOfACopy) { EXPECT_RUNS(onCounters("countsBytesOfACopy")); }

std::uint64_t deviceTime(const Gpu& gpu) {
    std::uint64_t device = 0;
    std::uint64_t host = 0;
    EXPECT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &device));
    return device;
}

SCENARIO(streamsWhatTheDeviceDoes) {
    const Gpu gpu;
    const auto opened = deviceTime(gpu);
    const std::size_t bytes = std::size_t{1} << (realGpu() ? 30 : 20);  // more than the L2 cache holds
    constexpr std::uint64_t kCopies = 8;
    void* from = gpu.device<char>(bytes);
    void* to = gpu.device<char>(bytes);
    Stream stream(gpu, 100, kPeriod, "NvidiaMemory");
    // Counting begins with the first report.
    while (stream.reports() == 0) ASSERT_OK(stream.read());
    const auto list = gpu.immediate();
    for (std::uint64_t i = 0; realGpu() && i < kCopies; ++i)
        ASSERT_OK(zeCommandListAppendMemoryCopy(list, to, from, bytes, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    while (stream.reports() < 200) stream.pass(5);
    std::uint64_t read = 0;
    std::uint64_t last = 0;
    for (const auto& row : stream.rows()) {
        const auto time = valueOf(row, "QueryBeginTime");
        if (last != 0) {
            EXPECT_NEAR(static_cast<double>(time - last), kPeriod, 10'000);
        }
        last = time;
        read += valueOf(row, "dram__bytes_read.sum");
    }
    const auto rows = stream.rows().size();
    if (realGpu()) {
        std::printf("stream: %zu rows, %lu bytes read of %lu copied\n", rows, read, kCopies * bytes);
        const auto copied = static_cast<double>(kCopies * bytes);
        EXPECT_NEAR(static_cast<double>(read), copied, 0.01 * copied);
    } else {
        EXPECT_EQ(read, 2 * rows * (kPeriod / 1000));
    }
    EXPECT_GT(last, opened);
    EXPECT_LT(last, deviceTime(gpu));
}
TEST(NvidiaCounters, StreamsWhatTheDeviceDoes) { EXPECT_RUNS(onCounters("streamsWhatTheDeviceDoes")); }

constexpr const char* kMemoryShare = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

double shareOf(const Row& row, const char* column) { return static_cast<double>(row.at(column).value.fp32); }

SCENARIO(sharesThePeak) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaSpeedOfLight");
    const auto row = counted(gpu, queries, 0, [](auto) {});
    EXPECT_GE(shareOf(row, kMemoryShare), 0);
    EXPECT_LE(shareOf(row, kMemoryShare), 100);
    if (realGpu()) return;
    EXPECT_NEAR(shareOf(row, kMemoryShare), 62.5, 0.01);
    EXPECT_NEAR(shareOf(row, "sm__issue_active.avg.pct_of_peak_sustained_elapsed"), 12.5, 0.01);
}
TEST(NvidiaCounters, ShareThePeak) { EXPECT_RUNS(onCounters("sharesThePeak")); }

SCENARIO(streamsSharesOfThePeak) {
    const Gpu gpu;
    Stream stream(gpu, 100, 1'000'000, "NvidiaSpeedOfLight");
    while (stream.reports() < 3) ASSERT_OK(stream.read());
    const auto rows = stream.rows();
    ASSERT_FALSE(rows.empty());
    for (const auto& each : rows) {
        EXPECT_LE(shareOf(each, kMemoryShare), 100);
        if (!realGpu()) {
            EXPECT_NEAR(shareOf(each, kMemoryShare), 62.5, 0.01);
        }
    }
}
TEST(NvidiaCounters, StreamSharesOfThePeak) { EXPECT_RUNS(onCounters("streamsSharesOfThePeak")); }

/// What needs several passes is listed and not counted; what is a part of a throughput is not listed.
SCENARIO(saysHowManyPassesAThroughputNeeds) {
    const Gpu gpu;
    const auto get = reinterpret_cast<zetl_get_device_access_t>(gpu.function<void()>(ZETL_DEVICE_ACCESS_FUNCTION));
    const auto& access = *get(ZETL_DEVICE_ACCESS_VERSION);
    zetl_device_t id = 0;
    std::uint32_t count = 0;
    ASSERT_EQ(access.devices->list(1, &id, &count), ZETL_OK);
    zetl_device_info_t device{};
    device.size = sizeof device;
    ASSERT_EQ(access.devices->describe(id, &device), ZETL_OK);
    const auto planned = [&](const char* name, std::uint32_t& passes) {
        zetl_plan_info_t info{};
        info.size = sizeof info;
        const auto status = access.counters->plan(device.chip, ZETL_SOURCE_QUERY, 1, &name, &info, 0, nullptr);
        passes = info.passes;
        return status;
    };
    std::uint32_t passes = 0;
    EXPECT_EQ(planned(kMemoryShare, passes), ZETL_OK);
    EXPECT_EQ(passes, 1u);
    EXPECT_EQ(planned("sm__throughput.avg.pct_of_peak_sustained_elapsed", passes), ZETL_OK);
    EXPECT_GT(passes, 1u);
    EXPECT_EQ(planned("TriageCompute.sm__throughput.avg.pct_of_peak_sustained_elapsed", passes), ZETL_GONE);
    EXPECT_EQ(planned("dram__throughput.sum", passes), ZETL_GONE);
    EXPECT_EQ(planned("dram__throughput", passes), ZETL_GONE);
}
TEST(NvidiaCounters, SayHowManyPassesAThroughputNeeds) { EXPECT_RUNS(onCounters("saysHowManyPassesAThroughputNeeds")); }

TEST(NvidiaCounters, MeasureAProgramsKernels) {
    Process zetl({inBuildTree("bin/zetl"), "metrics", "query", "--", thisProgram(), "--scenario=timesKernels"});
    zetl.with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_nvidia_gpu.so.1"));
    if (!realGpu())
        zetl.with("ZETL_CUDA_LIBRARY", inBuildTree("tests/nvidia/libcuda_stand_in.so"))
            .with("ZETL_CUPTI_LIBRARY", inBuildTree("tests/nvidia/libcupti_stand_in.so"));
    const auto outcome = zetl.run();
    EXPECT_NE(outcome.output.find("\nspin"), std::string::npos) << outcome;
    for (const char* line : {"\n  cycles ", "\n  compute ", "\n  memory use ", "\n  occupancy "})
        EXPECT_NE(outcome.output.find(line), std::string::npos) << outcome;
    if (realGpu()) return;
    EXPECT_NE(outcome.output.find("62.5 %"), std::string::npos) << outcome;
    EXPECT_NE(outcome.output.find("device memory is the limit"), std::string::npos) << outcome;
}

SCENARIO(isRefusedQueries) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    const auto expected = static_cast<ze_result_t>(std::stoul(std::getenv("EXPECTED"), nullptr, 16));
    auto* const query = queries[0];
    EXPECT_EQ(zetCommandListAppendMetricQueryBegin(gpu.immediate(), query), expected);
    EXPECT_OK(zetMetricQueryDestroy(query));
    auto* streamed = group(gpu, "NvidiaCompute", kTimeBased);
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    activate(gpu, streamed);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 10, 1'000'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_EQ(zetMetricStreamerOpen(gpu.context(), gpu.device(), streamed, &description, nullptr, &streamer), expected);
}

testing::AssertionResult refused(const std::string& failure, const char* expected, const std::string& words) {
    auto process = onCounters("isRefusedQueries", failure);
    const auto outcome = process.with("EXPECTED", expected).run();
    if (outcome.good() && outcome.output.find(words) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << outcome;
}

TEST(NvidiaCounters, NamesWhoMayNot) {
    if (realGpu())
        GTEST_SKIP()
            << "a real library's answers cannot be scripted; docs/reference/nvidia.md says who was refused there";
    EXPECT_TRUE(refused("cuptiRangeProfilerSetConfig=35,cuptiPmSamplingSetConfig=35", "70010000",
                        "NVreg_RestrictProfilingToAdminUsers=0"));
}
TEST(NvidiaCounters, NamesThatAnotherHoldsThem) {
    if (realGpu())
        GTEST_SKIP()
            << "a real library's answers cannot be scripted; docs/reference/nvidia.md says who was refused there";
    EXPECT_TRUE(refused("cuptiRangeProfilerStart=26,cuptiPmSamplingStart=26", "70010001", "another profiler"));
}

SCENARIO(hasNoGroups) {
    const Gpu gpu;
    std::uint32_t count = 1;
    EXPECT_OK(zetMetricGroupGet(gpu.device(), &count, nullptr));
    EXPECT_EQ(count, 0u);
}
TEST(NvidiaCounters, SaysThatTheLibraryIsMissing) {
    auto process = onCounters("hasNoGroups");
    const auto outcome = process.with("ZETL_CUPTI_LIBRARY", "/nowhere/libcupti.so").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("/nowhere/libcupti.so: cannot open"), std::string::npos) << outcome;
}

/// The process ends while the hardware samples and a thread fetches what it sampled.
SCENARIO(endsWithAnOpenStreamer) {
    const Gpu gpu;
    static auto* const stream = new Stream(gpu, 100, 100'000, "NvidiaCompute");
    while (stream->reports() < 10) ASSERT_OK(stream->read());
}
TEST(NvidiaCounters, LetAProcessEndWithAnOpenStreamer) { EXPECT_RUNS(onCounters("endsWithAnOpenStreamer")); }

SCENARIO(endsWithinAQuery) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(gpu.immediate(), queries[0]));
}
TEST(NvidiaCounters, LetAProcessEndWithinAQuery) { EXPECT_RUNS(onCounters("endsWithinAQuery")); }

SCENARIO(losesTheDeviceWithinAQuery) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    const auto list = gpu.immediate();
    auto* const query = queries[0];
    ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, query));
    const auto kernel = ptxKernel(gpu, "fault");
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr), ZE_RESULT_ERROR_DEVICE_LOST);
    std::size_t size = 4096;
    std::vector<std::uint8_t> raw(size);
    EXPECT_EQ(zetMetricQueryGetData(query, &size, raw.data()), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(zetMetricQueryReset(query));
    EXPECT_EQ(zetCommandListAppendMetricQueryBegin(list, query), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(zetMetricQueryDestroy(query));
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
}
TEST(NvidiaCounters, SayThatTheDeviceIsLost) { EXPECT_RUNS(onCounters("losesTheDeviceWithinAQuery")); }

std::vector<std::uint8_t> replacement;

const void* replace(void* calls, zetl_device_t, std::uint32_t kind, const void*, std::uint64_t, std::uint64_t* bytes) {
    ++*static_cast<int*>(calls);
    EXPECT_EQ(kind, static_cast<std::uint32_t>(ZETL_IMAGE_CUBIN));
    *bytes = replacement.size();
    return replacement.data();
}

SCENARIO(loadsWhatARewriterGives) {
    const Gpu gpu;
    std::string text = kKernels;
    text.replace(text.find("lucky = 7"), 9, "lucky = 9");
    text.replace(text.find("add.u32 %r7, %r6, %r1;"), 22, "sub.u32 %r7, %r6, %r1;");
    std::size_t size = 0;
    const auto other = ptxModule(gpu, text.c_str());
    ASSERT_OK(zeModuleGetNativeBinary(other, &size, nullptr));
    replacement.resize(size);
    ASSERT_OK(zeModuleGetNativeBinary(other, &size, replacement.data()));
    const auto get = reinterpret_cast<zetl_get_device_access_t>(gpu.function<void()>(ZETL_DEVICE_ACCESS_FUNCTION));
    const auto& modules = *get(ZETL_DEVICE_ACCESS_VERSION)->modules;
    int calls = 0;
    ASSERT_EQ(modules.rewrite_before_load(replace, &calls), ZETL_OK);
    const auto module = ptxModule(gpu);
    ASSERT_EQ(modules.rewrite_before_load(nullptr, nullptr), ZETL_OK);
    EXPECT_EQ(calls, 1);
    void* lucky = nullptr;
    ASSERT_OK(zeModuleGetGlobalPointer(module, "lucky", &size, &lucky));
    int value = 0;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &value, lucky, sizeof value, nullptr, 0, nullptr));
    EXPECT_EQ(value, 9);
    zetl_module_t id = 0;
    ASSERT_EQ(modules.of_module(module, &id), ZETL_OK);
    zetl_module_info_t info{};
    info.size = sizeof info;
    ASSERT_EQ(modules.describe(id, &info), ZETL_OK);
    EXPECT_EQ(info.image_bytes, replacement.size());
    if (!realGpu()) return;
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "add"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(module, &description, &kernel));
    int* data = gpu.host(1);
    *data = 100;
    Gpu::arguments(kernel, data, 1u);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(*data, 99);
}
TEST(NvidiaInstrumentation, LoadsWhatARewriterGives) { EXPECT_RUNS(onNvidia("loadsWhatARewriterGives")); }

TEST(NvidiaCounters, ConformsAsAProvider) {
    Process check({inBuildTree("bin/zetl_check_provider"), inBuildTree("lib/libze_nvidia_gpu.so.1")});
    check.with("ZET_ENABLE_METRICS", "1");
    if (!realGpu())
        check.with("ZETL_CUDA_LIBRARY", inBuildTree("tests/nvidia/libcuda_stand_in.so"))
            .with("ZETL_CUPTI_LIBRARY", inBuildTree("tests/nvidia/libcupti_stand_in.so"));
    const auto outcome = check.run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("0 findings"), std::string::npos) << outcome;
}

}  // namespace
}  // namespace zetl::test
