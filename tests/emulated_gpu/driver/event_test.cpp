// Events, fences and clocks of the emulated GPU, through the stock loader.
#include <thread>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kAMoment = 20'000'000;  // nanoseconds in which something that must not happen would

constexpr ze_event_pool_flags_t kTimed = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;

SCENARIO(waitsOrderWorkOfTwoLists) {
    const Gpu gpu;
    auto* data = gpu.shared(1);
    const auto event = Gpu::event(gpu.pool(1));
    const auto first = gpu.immediate();
    const auto second = gpu.immediate();
    auto wait = event;
    const int one = 1;
    const int two = 2;
    ASSERT_OK(zeCommandListAppendMemoryFill(second, data, &two, sizeof two, sizeof two, nullptr, 1, &wait));
    ASSERT_OK(zeCommandListAppendMemoryFill(first, data, &one, sizeof one, sizeof one, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(first, UINT64_MAX));
    EXPECT_EQ(*data, 1);
    EXPECT_EQ(gpu.synchronize(second, 1'000'000), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(event));
    ASSERT_OK(gpu.synchronize(second, UINT64_MAX));
    EXPECT_EQ(*data, 2);
    ASSERT_OK(zeCommandListAppendEventReset(first, event));
    ASSERT_OK(gpu.synchronize(first, UINT64_MAX));
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
}
TEST(Events, WaitsOrderWorkOfTwoLists) { EXPECT_RUNS(emulated("waitsOrderWorkOfTwoLists")); }

ze_command_list_handle_t immediateOf(const Gpu& gpu, std::uint32_t ordinal) {
    ze_command_queue_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, nullptr, ordinal, 0, 0, {}, {}};
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    EXPECT_OK(zeCommandListCreateImmediate(gpu.context(), gpu.device(), &description, &list));
    return list;
}

/// `opens` keeps a reset of `taken` from being executed; both lists wait for what the reset takes back.
SCENARIO(anEarlierResetOfTheSameEngineIsSeen) {
    const Gpu gpu;
    const auto pool = gpu.pool(4);
    auto opens = Gpu::event(pool, 0);
    auto taken = Gpu::event(pool, 1);
    const auto sameEngine = Gpu::event(pool, 2);
    const auto otherEngine = Gpu::event(pool, 3);
    const auto resetting = gpu.immediate();
    const auto waiting = gpu.immediate();
    const auto copying = immediateOf(gpu, 1);
    ASSERT_OK(zeEventHostSignal(taken));
    ASSERT_OK(zeCommandListAppendBarrier(resetting, nullptr, 1, &opens));
    ASSERT_OK(zeCommandListAppendEventReset(resetting, taken));
    ASSERT_OK(zeCommandListAppendBarrier(waiting, sameEngine, 1, &taken));
    ASSERT_OK(zeCommandListAppendBarrier(copying, otherEngine, 1, &taken));
    ASSERT_OK(zeEventHostSynchronize(otherEngine, UINT64_MAX));
    EXPECT_EQ(zeEventHostSynchronize(sameEngine, kAMoment), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(opens));
    ASSERT_OK(gpu.synchronize(resetting, UINT64_MAX));
    EXPECT_EQ(zeEventQueryStatus(taken), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeEventHostSynchronize(sameEngine, kAMoment), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(taken));
    ASSERT_OK(zeEventHostSynchronize(sameEngine, UINT64_MAX));
}
TEST(Events, AnEarlierResetOfTheSameEngineIsSeen) {
    EXPECT_RUNS(emulated("anEarlierResetOfTheSameEngineIsSeen", "small"));
}

SCENARIO(timestampsMoveForward) {
    const Gpu gpu;
    const auto pool = gpu.pool(3, kTimed);
    auto* out = gpu.shared<std::uint32_t>(64);
    auto* stamps = gpu.shared<std::uint64_t>(2);
    const auto kernel = gpu.kernel("writeIds", 64);
    Gpu::arguments(kernel, out, std::uint32_t{1});
    const auto list = gpu.immediate();
    const ze_group_count_t one{1, 1, 1};
    std::uint64_t host[2];
    std::uint64_t device[2];
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host[0], &device[0]));
    ze_event_handle_t events[3];
    ASSERT_OK(zeCommandListAppendWriteGlobalTimestamp(list, &stamps[0], nullptr, 0, nullptr));
    for (std::uint32_t i = 0; i < 3; ++i) {
        events[i] = Gpu::event(pool, i);
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, events[i], 0, nullptr));
    }
    ASSERT_OK(zeCommandListAppendWriteGlobalTimestamp(list, &stamps[1], nullptr, 0, nullptr));
    auto* results = gpu.shared<ze_kernel_timestamp_result_t>(3);
    ASSERT_OK(zeCommandListAppendQueryKernelTimestamps(list, 3, events, results, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host[1], &device[1]));
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    // Ticks since the first reading: both widths may wrap meanwhile.
    const auto passed = [&](std::uint64_t stamp) {
        return (stamp - device[0]) & ((std::uint64_t{1} << properties.kernelTimestampValidBits) - 1);
    };
    std::uint64_t last = passed(stamps[0]);
    EXPECT_LT(0u, last);
    for (int i = 0; i < 3; ++i) {
        ze_kernel_timestamp_result_t result;
        ASSERT_OK(zeEventQueryKernelTimestamp(events[i], &result));
        EXPECT_LT(last, passed(result.global.kernelStart));
        EXPECT_LT(passed(result.global.kernelStart), passed(result.global.kernelEnd));
        EXPECT_EQ(result.global.kernelEnd, results[i].global.kernelEnd);
        last = passed(result.global.kernelEnd);
    }
    EXPECT_LT(last, passed(stamps[1]));
    EXPECT_LT(passed(stamps[1]), passed(device[1]));
    const double elapsedHost = static_cast<double>(host[1] - host[0]);
    const double elapsedDevice = static_cast<double>(passed(device[1])) * 1e9 / properties.timerResolution;
    EXPECT_NEAR(elapsedDevice, elapsedHost, 1e6) << "the clocks of host and device agree within a millisecond";
}
TEST(Events, TimestampsMoveForward) { EXPECT_RUNS(emulated("timestampsMoveForward")); }

/// Start and end of what an event's command did on the device: a packet for each tile.
std::vector<ze_kernel_timestamp_result_t> packets(const Gpu& gpu, ze_event_handle_t event, ze_device_handle_t device) {
    const auto query = gpu.function<decltype(zeEventQueryTimestampsExp)>("zeEventQueryTimestampsExp");
    std::uint32_t count = 0;
    EXPECT_OK(query(event, device, &count, nullptr));
    std::vector<ze_kernel_timestamp_result_t> results(count);
    EXPECT_OK(query(event, device, &count, results.data()));
    return results;
}

SCENARIO(tilesShareALaunch) {
    const Gpu gpu;
    std::uint32_t tiles = 0;
    ASSERT_OK(zeDeviceGetSubDevices(gpu.device(), &tiles, nullptr));
    ASSERT_EQ(tiles, 2u);
    ze_device_handle_t tile[2];
    ASSERT_OK(zeDeviceGetSubDevices(gpu.device(), &tiles, tile));
    constexpr std::uint32_t kGroups = 51;
    constexpr std::uint32_t kGroup = 64;
    auto* out = gpu.shared<std::uint32_t>(kGroups * kGroup);
    const auto kernel = gpu.kernel("writeIds", kGroup);
    Gpu::arguments(kernel, out, std::uint32_t{3});
    const auto pool = gpu.pool(2, kTimed);
    const auto split = Gpu::event(pool, 0);
    const auto whole = Gpu::event(pool, 1);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t groups{kGroups, 1, 1};
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, split, 0, nullptr));
    for (std::uint32_t i = 0; i < kGroups * kGroup; ++i) ASSERT_EQ(out[i], 3 * i);
    ze_kernel_timestamp_result_t all;
    ASSERT_OK(zeEventQueryKernelTimestamp(split, &all));
    const auto both = packets(gpu, split, gpu.device());
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(all.global.kernelStart, std::min(both[0].global.kernelStart, both[1].global.kernelStart));
    EXPECT_EQ(all.global.kernelEnd, std::max(both[0].global.kernelEnd, both[1].global.kernelEnd));
    for (int i = 0; i < 2; ++i) {
        EXPECT_LT(both[i].global.kernelStart, both[i].global.kernelEnd);
        const auto own = packets(gpu, split, tile[i]);
        ASSERT_EQ(own.size(), 1u);
        EXPECT_EQ(own[0].global.kernelEnd, both[i].global.kernelEnd);
    }
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, whole, 0, nullptr));
    EXPECT_EQ(packets(gpu, whole, gpu.device()).size(), 1u) << "a group is not divided";
}
TEST(Events, TilesShareALaunch) { EXPECT_RUNS(emulated("tilesShareALaunch", "small-two-by-two")); }

/// An endless part on one tile does not outlive a fault on the other.
SCENARIO(aFaultOnOneTileStopsTheOther) {
    const Gpu gpu;
    const auto kernel = gpu.kernel("faultOrSpin");
    Gpu::arguments(kernel, gpu.shared(1));
    const auto list = gpu.immediate();
    const ze_group_count_t groups{2, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(list, 20'000'000'000), ZE_RESULT_ERROR_DEVICE_LOST);
}
TEST(Events, AFaultOnOneTileStopsTheOther) {
    EXPECT_RUNS(emulated("aFaultOnOneTileStopsTheOther", "small-two-by-two"));
}

SCENARIO(fencesFollowTheirExecution) {
    const Gpu gpu;
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    auto list = gpu.list();
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListClose(list));
    const auto queue = gpu.queue();
    const ze_fence_desc_t description{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    ze_fence_handle_t fence = nullptr;
    ASSERT_OK(zeFenceCreate(queue, &description, &fence));
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    EXPECT_EQ(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeFenceHostSynchronize(fence, 1'000'000), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeCommandQueueSynchronize(queue, 1'000'000), ZE_RESULT_NOT_READY);
    *stop = 1;
    EXPECT_OK(zeFenceHostSynchronize(fence, UINT64_MAX));
    EXPECT_OK(zeFenceReset(fence));
    EXPECT_EQ(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    EXPECT_OK(zeFenceDestroy(fence));
}
TEST(Events, FencesFollowTheirExecution) { EXPECT_RUNS(emulated("fencesFollowTheirExecution")); }

SCENARIO(counterBasedEventsRenewThemselves) {
    const Gpu gpu;
    const ze_event_pool_counter_based_exp_desc_t counted{ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC, nullptr,
                                                         ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE};
    const auto event = Gpu::event(gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, &counted));
    auto* stop = gpu.shared(1);
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    const ze_group_count_t one{1, 1, 1};
    for (int round = 0; round < 3; ++round) {
        *stop = 0;
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, nullptr));
        EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY) << "round " << round;
        *stop = 1;
        ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    }
    EXPECT_EQ(zeEventHostReset(event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
TEST(Events, CounterBasedEventsRenewThemselves) { EXPECT_RUNS(emulated("counterBasedEventsRenewThemselves")); }

SCENARIO(aWaitSleeps) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    std::thread signaller([&, waits = gettid()] {
        EXPECT_TRUE(waitFor([&] { return isAsleep(waits); }));
        letPass(std::chrono::milliseconds(200));
        zeEventHostSignal(event);
    });
    timespec before;
    timespec after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    signaller.join();
    const double seconds = static_cast<double>(after.tv_sec - before.tv_sec) + (after.tv_nsec - before.tv_nsec) * 1e-9;
    EXPECT_LT(seconds, 0.02) << "CPU time spent in a wait of 0.2 s";
}
TEST(Events, AWaitSleeps) { EXPECT_RUNS(emulated("aWaitSleeps")); }

}  // namespace
}  // namespace zetl::test
