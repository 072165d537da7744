// Events, fences and clocks of the emulated GPU, through the stock loader.
#include <thread>

#include "driver_gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

constexpr ze_event_pool_flags_t kTimed = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;

SCENARIO(waitsOrderWorkOfTwoLists) {
    const Gpu gpu;
    auto* data = gpu.shared(1);
    const auto event = Gpu::event(gpu.pool(1));
    const auto first = gpu.immediate(), second = gpu.immediate();
    auto wait = event;
    const int one = 1, two = 2;
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

SCENARIO(timestampsMoveForward) {
    const Gpu gpu;
    const auto pool = gpu.pool(3, kTimed);
    auto* out = gpu.shared<std::uint32_t>(64);
    auto* stamps = gpu.shared<std::uint64_t>(2);
    const auto kernel = gpu.kernel("writeIds", 64);
    Gpu::arguments(kernel, out, std::uint32_t{1});
    const auto list = gpu.immediate();
    const ze_group_count_t one{1, 1, 1};
    std::uint64_t host[2], device[2];
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
    std::uint64_t last = stamps[0];
    EXPECT_LT(device[0], last);
    for (int i = 0; i < 3; ++i) {
        ze_kernel_timestamp_result_t result;
        ASSERT_OK(zeEventQueryKernelTimestamp(events[i], &result));
        EXPECT_LT(last, result.global.kernelStart);
        EXPECT_LT(result.global.kernelStart, result.global.kernelEnd);
        EXPECT_EQ(result.global.kernelEnd, results[i].global.kernelEnd);
        last = result.global.kernelEnd;
    }
    EXPECT_LT(last, stamps[1]);
    EXPECT_LT(stamps[1], device[1]);
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    const double elapsedHost = static_cast<double>(host[1] - host[0]);
    const double elapsedDevice = static_cast<double>(device[1] - device[0]) * 1e9 / properties.timerResolution;
    EXPECT_NEAR(elapsedDevice, elapsedHost, 1e6) << "the clocks of host and device agree within a millisecond";
}
TEST(Events, TimestampsMoveForward) { EXPECT_RUNS(emulated("timestampsMoveForward")); }

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
    EXPECT_EQ(zeEventHostReset(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Events, CounterBasedEventsRenewThemselves) { EXPECT_RUNS(emulated("counterBasedEventsRenewThemselves")); }

SCENARIO(aWaitSleeps) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    std::thread signaller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        zeEventHostSignal(event);
    });
    timespec before, after;
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
