// Launches on every kind of list, with every way to wait.
#include <array>

#include "soak/episodes.h"

namespace zetl::soak {
namespace {

void launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, std::uint32_t groups,
            ze_event_handle_t signal = nullptr, std::uint32_t waits = 0, ze_event_handle_t* waitFor = nullptr) {
    const ze_group_count_t count{groups, 1, 1};
    SOAK_CALL(zeCommandListAppendLaunchKernel(list, kernel, &count, signal, waits, waitFor));
    ledger().launches.fetch_add(1, std::memory_order_relaxed);
}

/// writeIds on a regular list, waited for by queue, fence or event.
void regularList(const Gpu& gpu, Random& random) {
    const std::uint32_t groups = random.between(1, 50);
    const std::uint32_t factor = random.below(1000);
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_SHARED, groups * 32 * sizeof(std::uint32_t));
    const auto kernel = gpu.kernel("writeIds", 32);
    Gpu::arguments(kernel, memory.as(), factor);
    const auto queue = gpu.queue();
    const auto pool = gpu.pool(1);
    const auto event = Gpu::event(pool, 0);
    const ze_fence_desc_t fenceDescription{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    Fence fence;
    SOAK_CALL(zeFenceCreate(queue, &fenceDescription, fence.place()));
    const auto list = gpu.list();
    launch(list, kernel, groups, event);
    SOAK_CALL(zeCommandListClose(list));
    ze_command_list_handle_t handle = list;
    const std::uint32_t executions = random.between(1, 3);
    for (std::uint32_t i = 0; i < executions; ++i) {
        SOAK_CALL(zeCommandQueueExecuteCommandLists(queue, 1, &handle, fence));
        if (random.once(2)) SOAK_CALL(zeEventHostSynchronize(event, UINT64_MAX));
        SOAK_CALL(zeFenceHostSynchronize(fence, UINT64_MAX));
        SOAK_CALL(zeFenceReset(fence));
    }
    SOAK_CALL(zeCommandQueueSynchronize(queue, UINT64_MAX));
    const auto last = groups * 32 - 1;
    checkValue(memory.as()[last], last * factor, "last id times the factor");
}

/// A chain of increments on several immediate lists, ordered by events alone.
void chainOfEvents(const Gpu& gpu, Random& random) {
    constexpr std::uint32_t kLists = 3;
    const std::uint32_t steps = random.between(1, 12);
    const auto counter = gpu.allocate(ZE_MEMORY_TYPE_SHARED, sizeof(std::uint32_t));
    *counter.as() = 0;
    const auto kernel = gpu.kernel("count", 16);
    Gpu::arguments(kernel, counter.as());
    const auto pool = gpu.pool(steps);
    std::vector<Event> events;
    for (std::uint32_t i = 0; i < steps; ++i) events.push_back(Gpu::event(pool, i));
    std::vector<List> lists;
    for (std::uint32_t i = 0; i < kLists; ++i) lists.push_back(gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS));
    for (std::uint32_t i = 0; i < steps; ++i) {
        ze_event_handle_t before = i == 0 ? nullptr : static_cast<ze_event_handle_t>(events[i - 1]);
        launch(lists[random.below(kLists)], kernel, 2, events[i], i == 0 ? 0 : 1, i == 0 ? nullptr : &before);
    }
    SOAK_CALL(zeEventHostSynchronize(events.back(), UINT64_MAX));
    checkValue(*counter.as(), std::uint64_t{steps} * 32, "increments of a chain of launches");
    for (const auto& list : lists) gpu.synchronize(list);
}

/// Local memory and barriers.
void reverseGroups(const Gpu& gpu, Random& random) {
    constexpr std::uint32_t kSize = 64;
    const std::uint32_t groups = random.between(1, 20);
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_SHARED, groups * kSize * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < groups * kSize; ++i) memory.as()[i] = i;
    const auto kernel = gpu.kernel("reverse", kSize);
    Gpu::arguments(kernel, memory.as());
    SOAK_CALL(zeKernelSetArgumentValue(kernel, 1, kSize * sizeof(std::uint32_t), nullptr));
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    launch(list, kernel, groups);
    const auto group = random.below(groups);
    checkValue(memory.as()[group * kSize], group * kSize + kSize - 1, "first number of a reversed group");
}

/// A module that is built, used and destroyed, with its kernel outliving no launch.
void buildAgain(const Gpu& gpu, Random& random) {
    const auto module = gpu.module(random.once(2) ? "" : "-ze-opt-large-register-file");
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_SHARED, sizeof(std::uint32_t));
    const auto kernel = Gpu::kernel(module, "useGlobals", 1);
    Gpu::arguments(kernel, memory.as());
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    launch(list, kernel, 1);
    checkValue(*memory.as(), 37, "sum of a constant and a variable");
}

/// A kernel that waits for the host, which other threads of the device must not disturb.
void waitForHost(const Gpu& gpu, Random& random) {
    const auto stop = gpu.allocate(ZE_MEMORY_TYPE_SHARED, sizeof(std::uint32_t));
    *stop.as() = 0;
    const auto kernel = gpu.kernel("spin", 16);
    Gpu::arguments(kernel, stop.as());
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    launch(list, kernel, random.between(1, 4));
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_SHARED, 32 * sizeof(std::uint32_t));
    const auto other = gpu.kernel("writeIds", 32);
    Gpu::arguments(other, memory.as(), std::uint32_t{3});
    try {
        const auto second = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        launch(second, other, 1);
    } catch (const Failure&) {  // the first kernel must end all the same
        __atomic_store_n(stop.as(), 1u, __ATOMIC_SEQ_CST);
        gpu.synchronize(list);
        throw;
    }
    __atomic_store_n(stop.as(), 1u, __ATOMIC_SEQ_CST);
    gpu.synchronize(list);
    checkValue(memory.as()[31], 93, "id times three beside a waiting kernel");
}

/// Timestamps of a launch: the end is not before the begin.
void timestamps(const Gpu& gpu, Random& random) {
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_DEVICE, 1024 * sizeof(std::uint32_t));
    const auto kernel = gpu.kernel("writeIds", 32);
    Gpu::arguments(kernel, memory.as(), std::uint32_t{1});
    const auto pool = gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    const auto event = Gpu::event(pool, 0);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    launch(list, kernel, random.between(1, 32), event);
    SOAK_CALL(zeEventHostSynchronize(event, UINT64_MAX));
    ze_kernel_timestamp_result_t times{};
    SOAK_CALL(zeEventQueryKernelTimestamp(event, &times));
    checkValue(times.global.kernelEnd != times.global.kernelStart, 1, "difference of the timestamps");
    gpu.synchronize(list);
}

constexpr std::array kExecutionEpisodes = {
    Episode{"regularList", regularList},     Episode{"chainOfEvents", chainOfEvents},
    Episode{"reverseGroups", reverseGroups}, Episode{"buildAgain", buildAgain},
    Episode{"waitForHost", waitForHost},     Episode{"timestamps", timestamps}};

}  // namespace

std::span<const Episode> executionEpisodes() { return kExecutionEpisodes; }

}  // namespace zetl::soak
