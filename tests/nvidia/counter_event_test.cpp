// Counter-based events on NVIDIA's GPU, or what stands in for it.
#include <ze_tools_layer/level_zero.h>

#include <cstdlib>
#include <vector>

#include "emulated_gpu/graphs.h"
#include "kernels.h"
#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kWithoutLimit = UINT64_MAX;
constexpr std::uint64_t kLong = 2'000'000;  // nanoseconds that a kernel spins

ze_result_t create(const Gpu& gpu, ze_event_counter_based_flags_t flags, ze_event_handle_t& event,
                   const void* next = nullptr) {
    ze_event_counter_based_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;
    description.pNext = next;
    description.flags = flags;
    const auto made = gpu.function<decltype(zeEventCounterBasedCreate)>("zeEventCounterBasedCreate");
    return made(gpu.context(), gpu.device(), &description, &event);
}

ze_event_handle_t counterEvent(const Gpu& gpu, ze_event_counter_based_flags_t flags = 0) {
    ze_event_handle_t event = nullptr;
    EXPECT_OK(
        create(gpu, flags | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE, event));
    return event;
}

void spin(ze_kernel_handle_t kernel, ze_command_list_handle_t list, std::uint64_t nanoseconds,
          ze_event_handle_t signal) {
    Gpu::arguments(kernel, nanoseconds);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, signal, 0, nullptr));
}

SCENARIO(countsSignals) {
    const Gpu gpu;
    const auto event = counterEvent(gpu);
    EXPECT_OK(zeEventQueryStatus(event)) << "no command is to signal it";
    EXPECT_OK(zeEventHostSynchronize(event, 0));
    const auto kernel = ptxKernel(gpu, "spin");
    const auto list = gpu.immediate();
    Gpu::arguments(kernel, std::uint64_t{1000});
    for (int i = 0; i < 200; ++i) {  // more than there are words
        auto gate = Gpu::event(gpu.pool(1));
        const std::uint32_t gates = i % 50 == 0 ? 1 : 0;
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, gates, &gate));
        if (gates == 0) continue;
        EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY) << i << ": of this command, and none before";
        ASSERT_OK(zeEventHostSignal(gate));
        EXPECT_OK(zeEventHostSynchronize(event, kWithoutLimit));
    }
    EXPECT_OK(zeEventHostSynchronize(event, kWithoutLimit));
    EXPECT_OK(gpu.synchronize(list, 0)) << "the last command has signalled";
    EXPECT_EQ(zeEventHostSignal(event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(zeEventHostReset(event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(zeCommandListAppendEventReset(list, event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_OK(zeEventDestroy(event));
}
TEST(NvidiaCounterEvent, CountsSignals) { EXPECT_RUNS(onNvidia("countsSignals")); }

/// Two lists pass a number on; each wait is for the signal that was appended before it.
SCENARIO(ordersLists) {
    const Gpu gpu;
    const auto event = counterEvent(gpu);
    const ze_command_list_handle_t lists[] = {gpu.immediate(), gpu.immediate()};
    int* const number = gpu.device(1);
    const int zero = 0;
    ASSERT_OK(zeCommandListAppendMemoryFill(lists[0], number, &zero, sizeof zero, sizeof zero, event, 0, nullptr));
    const auto kernel = ptxKernel(gpu, "add");
    Gpu::arguments(kernel, number, 1u);
    for (int i = 0; i < 100; ++i) {
        auto wait = event;
        ASSERT_OK(zeCommandListAppendLaunchKernel(lists[i % 2], kernel, &kOneGroup, event, 1, &wait));
    }
    ASSERT_OK(zeEventHostSynchronize(event, kWithoutLimit));
    int result = -1;
    const auto copy = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(copy, &result, number, sizeof result, nullptr, 0, nullptr));
    EXPECT_EQ(result, 100);
}
TEST(NvidiaCounterEvent, OrdersLists) { EXPECT_RUNS(onNvidia("ordersLists")); }

/// What waits for the host holds back the command that signals, and the event waits for that one.
SCENARIO(waitsForTheHost) {
    const Gpu gpu;
    const auto event = counterEvent(gpu);
    auto start = Gpu::event(gpu.pool(1));
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendBarrier(list, event, 1, &start));
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(start));
    EXPECT_OK(zeEventHostSynchronize(event, kWithoutLimit));
}
TEST(NvidiaCounterEvent, WaitsForTheHost) { EXPECT_RUNS(onNvidia("waitsForTheHost")); }

SCENARIO(timesTheLatestCommand) {
    const Gpu gpu;
    const auto event = counterEvent(gpu, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP);
    const auto kernel = ptxKernel(gpu, "spin");
    const auto list = gpu.immediate();
    for (const std::uint64_t length : {kLong, 2 * kLong}) {
        spin(kernel, list, length, event);
        ASSERT_OK(zeEventHostSynchronize(event, kWithoutLimit));
        ze_kernel_timestamp_result_t times{};
        ASSERT_OK(zeEventQueryKernelTimestamp(event, &times));
        EXPECT_GE(times.global.kernelEnd - times.global.kernelStart + 1000, length);
    }
}
TEST(NvidiaCounterEvent, TimesTheLatestCommand) { EXPECT_RUNS(onNvidia("timesTheLatestCommand")); }

/// Its words stay until the device has written them.
SCENARIO(isDestroyedEarly) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin");
    const auto list = gpu.immediate();
    for (int i = 0; i < 20; ++i) {
        const auto event = counterEvent(gpu);
        spin(kernel, list, 100'000, event);
        spin(kernel, list, 1000, event);
        ASSERT_OK(zeEventDestroy(event));
    }
    EXPECT_OK(gpu.synchronize(list, kWithoutLimit));
}
TEST(NvidiaCounterEvent, IsDestroyedEarly) { EXPECT_RUNS(onNvidia("isDestroyedEarly")); }

SCENARIO(refusesWhatItCannot) {
    const Gpu gpu;
    ze_event_handle_t event = nullptr;
    using Flags = ze_event_counter_based_flags_t;
    for (const Flags flags : {Flags{ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE}, Flags{ZE_EVENT_COUNTER_BASED_FLAG_IPC}})
        EXPECT_EQ(create(gpu, flags, event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << flags;
    EXPECT_EQ(create(gpu, 0x80, event), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(
        create(gpu, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP, event),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const ze_base_desc_t counter{static_cast<ze_structure_type_t>(0x0002003b), nullptr};
    EXPECT_EQ(create(gpu, 0, event, &counter), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    event = counterEvent(gpu);
    const auto regular = gpu.list();
    EXPECT_EQ(zeCommandListAppendBarrier(regular, event, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(zeCommandListAppendWaitOnEvents(regular, 1, &event));
    ze_event_pool_handle_t pool = nullptr;
    const auto poolOf = gpu.function<decltype(zeEventGetEventPool)>("zeEventGetEventPool");
    EXPECT_EQ(poolOf(event, &pool), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const Graphs graphs(gpu);
    const auto captured = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ASSERT_OK(graphs.begin(captured, nullptr));
    EXPECT_EQ(zeCommandListAppendBarrier(captured, event, 0, nullptr), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(zeCommandListAppendBarrier(captured, nullptr, 1, &event), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    ze_event_counter_based_flags_t flags = 0;
    const auto flagsOf = gpu.function<decltype(zeEventGetCounterBasedFlags)>("zeEventGetCounterBasedFlags");
    EXPECT_OK(flagsOf(event, &flags));
    EXPECT_TRUE(flags & ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE);
}
TEST(NvidiaCounterEvent, RefusesWhatItCannot) { EXPECT_RUNS(onNvidia("refusesWhatItCannot")); }

}  // namespace
}  // namespace zetl::test
