// Sampled instructions and traced commands of the emulated GPU, through the stock loader and without any layer.
#include <algorithm>
#include <set>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "metrics/catalogue/group_shape.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

/// Sums up two arrays, in so many work-groups.
struct Work {
    static constexpr std::uint32_t kGroupSize = 64;

    explicit Work(const Gpu& gpu, std::uint32_t groups) : kernel(gpu.kernel("add", kGroupSize)), groups{groups, 1, 1} {
        const auto items = groups * kGroupSize;
        Gpu::arguments(kernel, gpu.shared(items), gpu.shared(items), gpu.shared(items));
    }
    ze_kernel_handle_t kernel;
    ze_group_count_t groups;
};

SCENARIO(samplesLieWithinTheKernel) {
    const Gpu gpu;
    const Work work(gpu, 64);
    const auto stalls = group(gpu, "EuStallSampling", kTimeBased);
    activate(gpu, stalls);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 32768, 20'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), stalls, &description, nullptr, &streamer));
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, work.kernel, &work.groups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    std::size_t size = 0;
    ASSERT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
    std::vector<std::uint8_t> raw(size);
    ASSERT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data()));
    raw.resize(size);
    ASSERT_OK(zetMetricStreamerClose(streamer));
    const auto rows = rowsOf(stalls, raw);
    ASSERT_GT(rows.size(), 1u);
    using Base = ze_result_t(ze_kernel_handle_t, std::uint64_t*);
    std::uint64_t base = 0;
    std::uint64_t active = 0;
    std::uint64_t waiting = 0;
    std::uint64_t last = 0;
    std::size_t bytes = 0;
    ASSERT_OK(gpu.function<Base>("zexKernelGetBaseAddress")(work.kernel, &base));
    ASSERT_OK(gpu.function<decltype(zeKernelGetBinaryExp)>("zeKernelGetBinaryExp")(work.kernel, &bytes, nullptr));
    for (const auto& row : rows) {
        const auto address = row.at("IP").value.ui64 << 3;
        EXPECT_GT(row.at("IP").value.ui64, last) << "in the order of addresses";
        last = row.at("IP").value.ui64;
        EXPECT_GE(address, base & 0xffffffff) << "as tools compare them: reports of hardware have 29 bits for it";
        EXPECT_LT(address, (base & 0xffffffff) + bytes);
        active += row.at("Active").value.ui64;
        waiting += row.at("SbidStall").value.ui64;
    }
    EXPECT_GT(active, 0u);
    EXPECT_GT(waiting, active) << "it loads, and does little else";
}
TEST(ToolsSampling, SamplesLieWithinTheKernel) { EXPECT_RUNS(measured("samplesLieWithinTheKernel")); }

struct Traced {
    std::string name;
    zet_metric_entry_exp_t entry;
};

/// All that the tracer has for us.
std::vector<Traced> entriesOf(const Gpu& gpu, zet_metric_tracer_exp_handle_t tracer, std::uint32_t& sets) {
    std::vector<std::uint8_t> raw(1 << 20);
    std::size_t size = raw.size();
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerReadDataExp)(tracer, &size, raw.data()));
    zet_metric_decoder_exp_handle_t decoder = nullptr;
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderCreateExp)(tracer, &decoder));
    std::vector<zet_metric_handle_t> metrics(100);
    auto metricCount = static_cast<std::uint32_t>(metrics.size());
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderGetDecodableMetricsExp)(decoder, &metricCount, metrics.data()));
    std::uint32_t count = 0;
    const auto decode = DRIVER_CALL(gpu, zetMetricTracerDecodeExp);
    EXPECT_OK(decode(decoder, &size, raw.data(), metricCount, metrics.data(), &sets, nullptr, &count, nullptr));
    std::vector<zet_metric_entry_exp_t> entries(count);
    std::vector<std::uint32_t> counts(sets);
    EXPECT_OK(
        decode(decoder, &size, raw.data(), metricCount, metrics.data(), &sets, counts.data(), &count, entries.data()));
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderDestroyExp)(decoder));
    std::vector<Traced> all;
    for (const auto& entry : entries) {
        zet_metric_properties_t properties{};
        EXPECT_OK(zetMetricGetProperties(metrics[entry.metricIndex], &properties));
        all.push_back({properties.name, entry});
    }
    return all;
}

zet_metric_tracer_exp_handle_t startTracer(const Gpu& gpu) {
    auto traced = group(gpu, "CommandTrace", kTracerBased);
    activate(gpu, traced);
    zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
    zet_metric_tracer_exp_handle_t tracer = nullptr;
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &traced, &description, nullptr,
                                                         &tracer));
    EXPECT_NE(description.notifyEveryNBytes, 0u);
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerEnableExp)(tracer, true));
    return tracer;
}

SCENARIO(tracerTellsOfCommands) {
    const Gpu gpu;
    const Work work(gpu, 4);
    auto* const from = gpu.device(1024);
    auto* const to = gpu.shared(1024);
    std::uint64_t host = 0;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &before));
    const auto tracer = startTracer(gpu);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, work.kernel, &work.groups, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, to, from, 4096, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerDisableExp)(tracer, true));
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &after));
    std::uint32_t sets = 0;
    const auto entries = entriesOf(gpu, tracer, sets);
    const std::vector<std::string> expected{"TraceBegin", "KernelBegin", "KernelEnd", "BarrierBegin",
                                            "BarrierEnd", "CopyBegin",   "CopyEnd",   "TraceEnd"};
    ASSERT_EQ(entries.size(), expected.size());
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    std::uint64_t last = before * properties.timerResolution;
    const TraceOrder inOrder(gpu);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(entries[i].name, expected[i]);
        EXPECT_TRUE(inOrder(last, entries[i].entry.timeStamp)) << i;
        last = entries[i].entry.timeStamp;
    }
    EXPECT_TRUE(inOrder(last, after * properties.timerResolution));
    EXPECT_FALSE(inOrder(entries[2].entry.timeStamp, entries[1].entry.timeStamp)) << "a kernel takes time";
    EXPECT_EQ(sets, 1u);
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerDestroyExp)(tracer));
}
TEST(ToolsSampling, TracerTellsOfCommands) {
    EXPECT_RUNS(measured("tracerTellsOfCommands").with("ZETL_METRIC_TRACERS", "1"));
}

SCENARIO(tilesAreTracedTogether) {
    const Gpu gpu;
    const Work work(gpu, 16);
    const auto tracer = startTracer(gpu);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, work.kernel, &work.groups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerDisableExp)(tracer, true));
    std::uint32_t sets = 0;
    const auto entries = entriesOf(gpu, tracer, sets);
    EXPECT_EQ(sets, 2u);
    std::set<std::pair<std::string, std::uint32_t>> seen;
    for (const auto& each : entries) {
        EXPECT_TRUE(each.entry.onSubdevice);
        seen.insert({each.name, each.entry.subdeviceId});
    }
    for (const std::uint32_t tile : {0u, 1u})
        for (const auto* const name : {"KernelBegin", "KernelEnd"})
            EXPECT_TRUE(seen.contains({name, tile})) << name << " of tile " << tile;
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerDestroyExp)(tracer));
}
TEST(ToolsSampling, TilesAreTracedTogether) {
    EXPECT_RUNS(measured("tilesAreTracedTogether", "small-two-by-two").with("ZETL_METRIC_TRACERS", "1"));
}

SCENARIO(tracedGroupsAreListedOnRequest) {
    const Gpu gpu;
    for (auto* const handle : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t properties{};
        EXPECT_OK(zetMetricGroupGetProperties(handle, &properties));
        EXPECT_NE(properties.samplingType, static_cast<std::uint32_t>(kTracerBased));
    }
}
TEST(ToolsSampling, TracedGroupsAreListedOnRequest) { EXPECT_RUNS(measured("tracedGroupsAreListedOnRequest")); }

/// Every name in a group's file that the device has no counter, reason or event for; a group that is not listed at all
/// is named for all of its columns.
std::set<std::string> namesWithoutCounter(const Gpu& gpu) {
    std::set<std::string> missing;
    const auto listed = listOf(zetMetricGroupGet, gpu.device());
    for (const auto& shape : metrics::groupShapes()) {
        std::set<std::string> there;
        for (auto* const handle : listed) {
            zet_metric_group_properties_t properties{};
            EXPECT_OK(zetMetricGroupGetProperties(handle, &properties));
            if (properties.name != shape.name || properties.samplingType != std::uint32_t(shape.sampling)) continue;
            for (auto& name : columnsOf(handle)) there.insert(std::move(name));
        }
        if (there.empty()) missing.insert(shape.name);
        for (const auto& column : shape.columns)
            if (!there.empty() && !there.contains(column.name)) missing.insert(column.name);
    }
    return missing;
}

/// Columns without a counter are left out silently, so this test holds the list of them, which is also in
/// docs/reference/metrics.md.
SCENARIO(whatIsNotCountedIsKnown) {
    const Gpu gpu;
    ASSERT_GT(metrics::groupShapes().size(), 20u);
    const std::set<std::string> known{"CoreApiOnly",
                                      "HOST_TO_GPUMEM_BYTE_READ",
                                      "HOST_TO_GPUMEM_BYTE_WRITE",
                                      "ICACHE_HIT",
                                      "ICACHE_MISS",
                                      "NvidiaCompute",
                                      "NvidiaInstructions",
                                      "NvidiaMemory",
                                      "NvidiaSpecialPipes",
                                      "NvidiaSpeedOfLight",
                                      "NvidiaStallSampling",
                                      "NvidiaThroughput",
                                      "SCALEUP_DATA_BYTE_RECEIVE",
                                      "SCALEUP_DATA_BYTE_TRANSMIT",
                                      "STACK_TO_STACK_DATA_BYTE_RECEIVE",
                                      "STACK_TO_STACK_DATA_BYTE_TRANSMIT"};
    EXPECT_EQ(namesWithoutCounter(gpu), known);
}
TEST(ToolsSampling, WhatIsNotCountedIsKnown) {
    EXPECT_RUNS(measured("whatIsNotCountedIsKnown").with("ZETL_METRIC_TRACERS", "1"));
}

SCENARIO(aTileIsSwitchedOnAlone) {
    const Gpu gpu;
    const auto tiles = listOf(zeDeviceGetSubDevices, gpu.device());
    ASSERT_EQ(tiles.size(), 2u);
    const auto answer = [](ze_device_handle_t device) {
        std::uint32_t count = 0;
        return zetMetricGroupGet(device, &count, nullptr);
    };
    using Switch = ze_result_t(zet_device_handle_t);
    auto* const enable = gpu.function<Switch>("zetDeviceEnableMetricsExp");
    auto* const disable = gpu.function<Switch>("zetDeviceDisableMetricsExp");
    ASSERT_OK(enable(tiles[0]));
    EXPECT_OK(answer(tiles[0]));
    EXPECT_EQ(answer(tiles[1]), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(answer(gpu.device()), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    ASSERT_OK(enable(gpu.device()));
    EXPECT_OK(answer(gpu.device()));
    EXPECT_OK(answer(tiles[1])) << "of a root device all of them";
    auto tileGroup = groupOf(tiles[1], "ComputeBasic", kTimeBased);
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), tiles[1], 1, &tileGroup));
    EXPECT_EQ(disable(gpu.device()), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE) << "a tile is in use";
    EXPECT_OK(disable(tiles[0]));
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), tiles[1], 0, nullptr));
    EXPECT_OK(disable(gpu.device()));
}
TEST(ToolsSampling, ATileIsSwitchedOnAlone) { EXPECT_RUNS(emulated("aTileIsSwitchedOnAlone", "small-two-by-two")); }

}  // namespace
}  // namespace zetl::test
