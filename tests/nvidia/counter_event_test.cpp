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
    EXPECT_OK(create(gpu, flags | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE, event));
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

/// Each execution of a list signals the event anew, and the wait in the same list is for that execution.
SCENARIO(countsExecutionsOfLists) {
    constexpr int kExecutions = 150;  // more than there are words
    const Gpu gpu;
    const auto event = counterEvent(gpu, ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE);
    auto gate = Gpu::event(gpu.pool(1));
    // One for each list: the next execution of the first list does not wait for the second list.
    int* const numbers = gpu.device(2);
    const int zero = 0;
    const auto immediate = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(
        zeCommandListAppendMemoryFill(immediate, numbers, &zero, sizeof zero, 2 * sizeof zero, nullptr, 0, nullptr));
    const auto kernel = ptxKernel(gpu, "add");
    Gpu::arguments(kernel, numbers, 1u);
    const auto first = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(first, kernel, &kOneGroup, event, 1, &gate));
    ASSERT_OK(zeCommandListClose(first));
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY) << "of a command that was not executed";
    auto wait = event;
    const auto second = gpu.list();
    Gpu::arguments(kernel, numbers + 1, 1u);
    ASSERT_OK(zeCommandListAppendLaunchKernel(second, kernel, &kOneGroup, nullptr, 1, &wait));
    ASSERT_OK(zeCommandListClose(second));
    ze_command_queue_handle_t queues[] = {gpu.queue(), gpu.queue()};
    auto* lists = second;
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queues[1], 1, &lists, nullptr)) << "waits for the first execution";
    for (int i = 0; i < kExecutions; ++i) {
        lists = first;
        ASSERT_OK(zeCommandQueueExecuteCommandLists(queues[0], 1, &lists, nullptr));
        if (i % 50 == 0) {
            EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY) << i << ": held back by the gate";
            ASSERT_OK(zeEventHostSignal(gate));
        }
        lists = second;
        ASSERT_OK(zeCommandQueueExecuteCommandLists(queues[1], 1, &lists, nullptr));
        if (i % 50 == 49) {
            ASSERT_OK(zeEventHostSynchronize(event, kWithoutLimit));
            ASSERT_OK(zeCommandQueueSynchronize(queues[1], kWithoutLimit));
            ASSERT_OK(zeEventHostReset(gate));
        }
    }
    int results[] = {-1, -1};
    ASSERT_OK(zeCommandListAppendMemoryCopy(immediate, results, numbers, sizeof results, nullptr, 0, nullptr));
    EXPECT_EQ(results[0], kExecutions);
    EXPECT_EQ(results[1], kExecutions + 1);
}
TEST(NvidiaCounterEvent, CountsExecutionsOfLists) { EXPECT_RUNS(onNvidia("countsExecutionsOfLists")); }

/// The word that kernels may poll.
SCENARIO(hasAnAddress) {
    const Gpu gpu;
    constexpr auto kBothKinds = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE;
    const auto event = counterEvent(gpu, kBothKinds);
    const auto addressOf =
        gpu.function<decltype(zeEventCounterBasedGetDeviceAddress)>("zeEventCounterBasedGetDeviceAddress");
    const auto synchronous = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    /// As a copy of the device sees it.
    const auto isReached = [&] {
        std::uint64_t value = 0;
        std::uint64_t address = 0;
        std::uint64_t found = 0;
        EXPECT_OK(addressOf(event, &value, &address));
        EXPECT_OK(zeCommandListAppendMemoryCopy(synchronous, &found, reinterpret_cast<const void*>(address),
                                                sizeof found, nullptr, 0, nullptr));
        return found >= value;
    };
    EXPECT_TRUE(isReached());
    auto gate = Gpu::event(gpu.pool(1));
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendBarrier(list, event, 1, &gate));
    EXPECT_FALSE(isReached());
    ASSERT_OK(zeEventHostSignal(gate));
    ASSERT_OK(zeEventHostSynchronize(event, kWithoutLimit));
    EXPECT_TRUE(isReached());
    const auto recorded = gpu.list();
    ASSERT_OK(zeCommandListAppendBarrier(recorded, event, 0, nullptr));
    EXPECT_FALSE(isReached()) << "the list was not executed";
    ASSERT_OK(gpu.run(recorded));
    EXPECT_TRUE(isReached());
    std::uint64_t value = 0;
    EXPECT_EQ(addressOf(gate, &value, &value), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(NvidiaCounterEvent, HasAnAddress) { EXPECT_RUNS(onNvidia("hasAnAddress")); }

SCENARIO(refusesWhatItCannot) {
    const Gpu gpu;
    ze_event_handle_t event = nullptr;
    EXPECT_EQ(create(gpu, ZE_EVENT_COUNTER_BASED_FLAG_IPC, event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
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
    ze_event_handle_t ofRegular = nullptr;
    ASSERT_OK(create(gpu, ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE, ofRegular));
    EXPECT_EQ(zeCommandListAppendBarrier(gpu.immediate(), ofRegular, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(zeCommandListAppendBarrier(regular, ofRegular, 0, nullptr));
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
