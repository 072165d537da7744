// Functions and structs of Intel's driver that are in no specification.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

using GetIpcHandles = ze_result_t(ze_context_handle_t, const void*, std::uint32_t*, ze_ipc_mem_handle_t*);
using OpenIpcHandles = ze_result_t(ze_context_handle_t, ze_device_handle_t, std::uint32_t, ze_ipc_mem_handle_t*,
                                   ze_ipc_memory_flags_t, void**);

SCENARIO(memoryIsSharedByAListOfHandles) {
    const Gpu gpu;
    auto* memory = gpu.device(1024);
    const auto get = gpu.function<GetIpcHandles>("zexMemGetIpcHandles");
    const auto open = gpu.function<OpenIpcHandles>("zexMemOpenIpcHandles");
    std::uint32_t count = 0;
    ASSERT_OK(get(gpu.context(), memory, &count, nullptr));
    ASSERT_EQ(count, 1u);
    ze_ipc_mem_handle_t handle{};
    ASSERT_OK(get(gpu.context(), memory, &count, &handle));
    void* again = nullptr;
    ASSERT_OK(open(gpu.context(), gpu.device(), count, &handle, 0, &again));
    const int value = 77;
    int back = 0;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, memory, &value, sizeof value, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &back, again, sizeof back, nullptr, 0, nullptr));
    EXPECT_EQ(back, 77);
    ASSERT_OK(zeMemCloseIpcHandle(gpu.context(), again));

    EXPECT_EQ(get(gpu.context(), &back, &count, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no allocation";
    for (const std::uint32_t bad : {0u, 2u, 0xffffffffu})
        EXPECT_EQ(open(gpu.context(), gpu.device(), bad, &handle, 0, &again), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(open(gpu.context(), gpu.device(), 1, nullptr, 0, &again), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    std::memset(&handle, 0x5a, sizeof handle);
    EXPECT_EQ(open(gpu.context(), gpu.device(), 1, &handle, 0, &again), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Extension, MemoryIsSharedByAListOfHandles) { EXPECT_RUNS(emulated("memoryIsSharedByAListOfHandles")); }

/// The numbers by which SYCL's adapter chooses its ways.
SCENARIO(theDriverSaysWhichReleaseItFollows) {
    const Gpu gpu;
    ze_api_version_t specification{};
    ASSERT_OK(zeDriverGetApiVersion(gpu.driver(), &specification));
    EXPECT_EQ(specification, ZE_MAKE_VERSION(1, 17));
    ze_driver_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES;
    ASSERT_OK(zeDriverGetProperties(gpu.driver(), &properties));
    const std::uint32_t build = properties.driverVersion & 0xffff;
    EXPECT_EQ(properties.driverVersion >> 24, 1u);
    EXPECT_EQ(properties.driverVersion >> 16 & 0xff, 17u);
    EXPECT_GE(build, 38921u) << "the first with zeGraphGetIdExt";
    const auto get =
        gpu.function<ze_result_t(ze_driver_handle_t, char*, std::size_t*)>("zeIntelGetDriverVersionString");
    std::size_t size = 0;
    ASSERT_OK(get(gpu.driver(), nullptr, &size));
    std::string text(size + 1, '?');
    ++size;
    ASSERT_OK(get(gpu.driver(), text.data(), &size));
    EXPECT_STREQ(text.c_str(), ("1.17." + std::to_string(build)).c_str());
    size = 3;
    text.assign(text.size(), '?');
    ASSERT_OK(get(gpu.driver(), text.data(), &size));
    EXPECT_EQ(text.substr(0, 4), "1.1?") << "as much as there is room for";
    EXPECT_EQ(get(gpu.driver(), nullptr, &size), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(get(gpu.driver(), text.data(), nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(get(nullptr, text.data(), &size), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(Extension, TheDriverSaysWhichReleaseItFollows) { EXPECT_RUNS(emulated("theDriverSaysWhichReleaseItFollows")); }

SCENARIO(counterBasedEventsArePolled) {
    const Gpu gpu;
    using Create = ze_result_t(ze_context_handle_t, ze_device_handle_t, const void*, ze_event_handle_t*);
    const auto create = gpu.function<Create>("zexCounterBasedEventCreate2");
    const auto addressOf = DRIVER_CALL(gpu, zeEventCounterBasedGetDeviceAddress);
    ze_event_handle_t event = nullptr;
    ASSERT_OK(create(gpu.context(), gpu.device(), nullptr, &event)) << "for any list, visible to the host";
    std::uint64_t value = 0;
    std::uint64_t address = 0;
    EXPECT_EQ(addressOf(event, &value, &address), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "nothing is to signal it";
    auto* stop = gpu.shared(2);
    const auto spin = gpu.kernel("spin");
    Gpu::arguments(spin, stop);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, spin, &kOneGroup, event, 0, nullptr));
    ASSERT_OK(addressOf(event, &value, &address));
    auto* const word = reinterpret_cast<std::uint64_t*>(address);
    // The device writes the word while the host reads it.
    const auto polled = [word] { return std::atomic_ref(*word).load(std::memory_order_acquire); };
    EXPECT_LT(polled(), value);
    *static_cast<volatile int*>(stop) = 1;
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    EXPECT_GE(polled(), value);
    const std::uint64_t first = value;
    ASSERT_OK(zeCommandListAppendSignalEvent(list, event));
    ASSERT_OK(gpu.function<ze_result_t(ze_event_handle_t, std::uint64_t*, std::uint64_t*)>("zexEventGetDeviceAddress")(
        event, &value, &address));
    EXPECT_GT(value, first);
    EXPECT_EQ(reinterpret_cast<const std::uint64_t*>(address), word);
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(polled(), value);
    // Commands of the device read it, too.
    auto* copy = gpu.shared<std::uint64_t>(1);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, copy, word, 8, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(*copy, value);
    EXPECT_EQ(addressOf(Gpu::event(gpu.pool(1)), &value, &address), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    std::uint64_t most = 0;
    ASSERT_OK(DRIVER_CALL(gpu, zeDeviceGetCounterBasedEventMaxValue)(gpu.device(), &most));
    EXPECT_EQ(most, UINT64_MAX);
    std::uint32_t increment = 0;
    ASSERT_OK(DRIVER_CALL(gpu, zeDeviceGetAggregatedCopyOffloadIncrementValue)(gpu.device(), &increment));
    EXPECT_EQ(increment, 1u) << "one tile";
    struct {
        std::uint32_t stype = 0x0003001c;
        const void* pNext = nullptr;
        std::uint32_t flags = 1;
        std::uint32_t signal = 0;
        std::uint32_t wait = 0;
    } description;
    ASSERT_OK(create(gpu.context(), gpu.device(), &description, &event));
    description.flags = 0x80;
    EXPECT_EQ(create(gpu.context(), gpu.device(), &description, &event), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(create(gpu.context(), nullptr, nullptr, &event), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(Extension, CounterBasedEventsArePolled) { EXPECT_RUNS(emulated("counterBasedEventsArePolled")); }

/// ze_event_counter_based_external_sync_allocation_desc_t.
struct SyncAllocation {
    std::uint32_t stype = 0x0002003b;
    const void* pNext = nullptr;
    std::uint64_t* deviceAddress = nullptr;
    std::uint64_t* hostAddress = nullptr;
    std::uint64_t value = 0;
};
/// ze_event_counter_based_external_aggregate_storage_desc_t.
struct AggregateStorage {
    std::uint32_t stype = 0x0002003f;
    const void* pNext = nullptr;
    std::uint64_t* address = nullptr;
    std::uint64_t increment = 0;
    std::uint64_t value = 0;
};

/// The event in `out`; its flags say IMMEDIATE and HOST_VISIBLE, and more if wanted.
ze_result_t createWithCounter(const Gpu& gpu, const void* counter, ze_event_handle_t* out, std::uint32_t flags = 0) {
    ze_event_counter_based_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;
    description.pNext = counter;
    description.flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE | flags;
    return DRIVER_CALL(gpu, zeEventCounterBasedCreate)(gpu.context(), gpu.device(), &description, out);
}

void store(std::uint64_t* word, std::uint64_t value) { std::atomic_ref(*word).store(value, std::memory_order_release); }

SCENARIO(eventsWaitForMemoryOfTheApplication) {
    const Gpu gpu;
    alignas(8) std::uint64_t host = 0;
    auto* shared = gpu.shared<std::uint64_t>(1);
    auto* data = gpu.shared(1);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (std::uint64_t* word : {shared, &host}) {
        *word = 0;
        *data = 0;
        SyncAllocation counter;
        counter.deviceAddress = counter.hostAddress = word;
        counter.value = 3;
        ze_event_handle_t event = nullptr;
        ASSERT_OK(createWithCounter(gpu, &counter, &event));
        EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
        EXPECT_EQ(zeEventHostSynchronize(event, 1000), ZE_RESULT_NOT_READY);
        std::uint64_t value = 0;
        std::uint64_t address = 0;
        ASSERT_OK(DRIVER_CALL(gpu, zeEventCounterBasedGetDeviceAddress)(event, &value, &address));
        EXPECT_EQ(value, 3u);
        EXPECT_EQ(address, reinterpret_cast<std::uint64_t>(word));
        const int five = 5;
        ASSERT_OK(zeCommandListAppendMemoryFill(list, data, &five, sizeof five, sizeof five, nullptr, 1, &event));
        store(word, 2);
        EXPECT_EQ(gpu.synchronize(list, 1'000'000), ZE_RESULT_NOT_READY);
        store(word, 4);
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        EXPECT_EQ(*data, 5);
        EXPECT_OK(zeEventHostSynchronize(event, UINT64_MAX));
        // Once a command is to signal it, it is an event like others.
        ASSERT_OK(zeCommandListAppendSignalEvent(list, event));
        store(word, 0);
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        EXPECT_OK(zeEventQueryStatus(event));
        ASSERT_OK(zeEventDestroy(event));
    }
    // The name that Intel's driver had for it.
    using Create = ze_result_t(ze_context_handle_t, ze_device_handle_t, std::uint64_t*, std::uint64_t*, std::uint64_t,
                               const ze_event_desc_t*, ze_event_handle_t*);
    const auto create = gpu.function<Create>("zexCounterBasedEventCreate");
    const ze_event_desc_t plain{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ze_event_handle_t event = nullptr;
    ASSERT_OK(create(gpu.context(), gpu.device(), shared, shared, 1, &plain, &event));
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    store(shared, 1);
    EXPECT_OK(zeEventQueryStatus(event));
    EXPECT_EQ(create(gpu.context(), gpu.device(), nullptr, shared, 1, &plain, &event),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    SyncAllocation bad;
    EXPECT_EQ(createWithCounter(gpu, &bad, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    bad.deviceAddress = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(shared) + 4);
    EXPECT_EQ(createWithCounter(gpu, &bad, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not aligned";
    bad.deviceAddress = shared;
    EXPECT_EQ(createWithCounter(gpu, &bad, &event, ZE_EVENT_COUNTER_BASED_FLAG_IPC),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
TEST(Extension, EventsWaitForMemoryOfTheApplication) { EXPECT_RUNS(emulated("eventsWaitForMemoryOfTheApplication")); }

SCENARIO(eventsAddToMemoryOfTheApplication) {
    const Gpu gpu;
    auto* word = gpu.shared<std::uint64_t>(1);
    *word = 10;
    AggregateStorage counter;
    counter.address = word;
    counter.increment = 2;
    counter.value = 16;
    ze_event_handle_t event = nullptr;
    ASSERT_OK(createWithCounter(gpu, &counter, &event));
    ze_command_list_handle_t lists[2];
    for (auto& list : lists) list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (const auto list : {lists[0], lists[1]}) {
        ASSERT_OK(zeCommandListAppendSignalEvent(list, event));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    }
    EXPECT_EQ(*word, 14u);
    auto* data = gpu.shared(1);
    *data = 0;
    const int five = 5;
    ASSERT_OK(zeCommandListAppendMemoryFill(lists[1], data, &five, sizeof five, sizeof five, nullptr, 1, &event));
    ASSERT_OK(zeCommandListAppendSignalEvent(lists[0], event));
    ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    ASSERT_OK(gpu.synchronize(lists[1], UINT64_MAX));
    EXPECT_EQ(*data, 5);
    EXPECT_EQ(*word, 16u);
    counter.increment = 0;
    EXPECT_EQ(createWithCounter(gpu, &counter, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    counter.increment = 1;
    alignas(8) std::uint64_t host = 0;
    counter.address = &host;
    EXPECT_EQ(createWithCounter(gpu, &counter, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "memory of nobody";
}
TEST(Extension, EventsAddToMemoryOfTheApplication) { EXPECT_RUNS(emulated("eventsAddToMemoryOfTheApplication")); }

SCENARIO(countersMayGoWithTheirMemory) {
    const Gpu gpu;
    auto* word = gpu.shared<std::uint64_t>(1);
    *word = 0;
    AggregateStorage counter;
    counter.address = word;
    counter.increment = counter.value = 1;
    ze_event_handle_t event = nullptr;
    ASSERT_OK(createWithCounter(gpu, &counter, &event));
    const auto waiting = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    const auto signalling = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ASSERT_OK(zeCommandListAppendBarrier(waiting, nullptr, 1, &event));
    ASSERT_OK(zeMemFree(gpu.context(), word));
    EXPECT_EQ(gpu.synchronize(waiting, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_ERROR_DEVICE_LOST);
    ASSERT_OK(zeCommandListAppendSignalEvent(signalling, event));
    EXPECT_OK(gpu.synchronize(signalling, UINT64_MAX)) << "there is nothing to add to";
    EXPECT_OK(zeEventDestroy(event));
}
TEST(Extension, CountersMayGoWithTheirMemory) { EXPECT_RUNS(emulated("countersMayGoWithTheirMemory")); }

/// Freed pages can be read for as long as a reader that came before is inside. A waiting list hung on them.
SCENARIO(freedPagesAreNoCounter) {
    const Gpu gpu;
    auto* word = gpu.shared<std::uint64_t>(1);
    AggregateStorage counter;
    counter.address = word;
    counter.increment = counter.value = 1;
    ze_event_handle_t event = nullptr;
    ASSERT_OK(createWithCounter(gpu, &counter, &event));
    ASSERT_OK(zeMemFree(gpu.context(), word));
    constexpr std::size_t kPage = 4096;
    ASSERT_EQ(mmap(word, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), word);
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(zeEventDestroy(event));
}
TEST(Extension, FreedPagesAreNoCounter) { EXPECT_RUNS(emulated("freedPagesAreNoCounter")); }

/// What specification 1.18 and later added, and Intel's driver has under other names.
SCENARIO(newerFunctionsAreFoundByName) {
    const Gpu gpu;
    const auto module = gpu.module();
    const auto kernel = Gpu::kernelOf(module, "count");
    for (const char* name : {"zeKernelGetModuleHandle", "zeKernelGetModuleHandleExt"}) {
        const auto get = gpu.function<ze_result_t(ze_kernel_handle_t, ze_module_handle_t*)>(name);
        ze_module_handle_t of = nullptr;
        ASSERT_OK(get(kernel, &of));
        EXPECT_EQ(of, module);
        EXPECT_EQ(get(nullptr, &of), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(get(kernel, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    for (const char* name : {"zeModuleGetDeviceHandle", "zeModuleGetDeviceHandleExt"}) {
        ze_device_handle_t of = nullptr;
        ASSERT_OK(gpu.function<ze_result_t(ze_module_handle_t, ze_device_handle_t*)>(name)(module, &of));
        EXPECT_EQ(of, gpu.device());
    }
    const auto info = DRIVER_CALL(gpu, zeDeviceGetCompilerInfo);
    std::size_t size = 0;
    ASSERT_OK(info(gpu.device(), 1, nullptr, &size, nullptr));
    ASSERT_GE(size, 4u);
    std::vector<std::uint32_t> capabilities(size / 4, 0xffffffff);
    std::size_t small = size - 1;
    ASSERT_OK(info(gpu.device(), 1, nullptr, &small, capabilities.data()));
    EXPECT_EQ(capabilities[0], 0xffffffffu) << "there was no room";
    EXPECT_EQ(small, size);
    ASSERT_OK(info(gpu.device(), 1, nullptr, &size, capabilities.data()));
    EXPECT_NE(std::find(capabilities.begin(), capabilities.end(), 6u), capabilities.end()) << "Kernel";
    ASSERT_OK(info(gpu.device(), 2, nullptr, &size, nullptr));
    EXPECT_EQ(size % 256, 0u);
    EXPECT_EQ(info(gpu.device(), 3, nullptr, &size, nullptr), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    EXPECT_EQ(info(gpu.device(), 5, nullptr, &size, nullptr), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(info(gpu.device(), 1, &size, &size, nullptr), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(info(gpu.device(), 1, nullptr, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);

    // 1.19: quality of service of queues.
    struct {
        std::uint32_t stype = 0x0002004c;
        const void* pNext = nullptr;
        std::uint32_t service = 1;
    } wanted;
    struct {
        std::uint32_t stype = 0x0002004d;
        void* pNext = nullptr;
        std::uint32_t service = 99;
        ze_bool_t isOverridden = true;
    } known;
    const auto setService =
        gpu.function<ze_result_t(ze_command_queue_handle_t, const void*)>("zeCommandQueueSetQosExt");
    const auto getService = gpu.function<ze_result_t(ze_command_queue_handle_t, void*)>("zeCommandQueueGetQosExt");
    const ze_command_queue_desc_t described{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, &wanted, 0, 0, 0, {}, {}};
    ze_command_queue_handle_t served = nullptr;
    ASSERT_OK(zeCommandQueueCreate(gpu.context(), gpu.device(), &described, &served));
    ASSERT_OK(getService(served, &known));
    EXPECT_EQ(known.service, 1u);
    EXPECT_FALSE(known.isOverridden);
    wanted.service = 0;
    ASSERT_OK(setService(served, &wanted));
    ASSERT_OK(getService(served, &known));
    EXPECT_EQ(known.service, 2u) << "the default is a service with a name";
    wanted.service = 6;
    EXPECT_EQ(setService(served, &wanted), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(setService(served, &known), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(getService(nullptr, &known), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(getService(served, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zeCommandQueueCreate(gpu.context(), gpu.device(), &described, &served),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);

    const auto setPriority = DRIVER_CALL(gpu, zeCommandQueueSetPriorityExt);
    const auto queue = gpu.queue();
    ASSERT_OK(setPriority(queue, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH));
    ze_command_queue_priority_t priority{};
    ASSERT_OK(DRIVER_CALL(gpu, zeCommandQueueGetPriority)(queue, &priority));
    EXPECT_EQ(priority, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
    EXPECT_EQ(setPriority(queue, static_cast<ze_command_queue_priority_t>(3)), ZE_RESULT_ERROR_INVALID_ENUMERATION);

    const auto signal = DRIVER_CALL(gpu, zeCommandListAppendSignalEventWithParameters);
    const auto wait = DRIVER_CALL(gpu, zeCommandListAppendWaitOnEventsWithParameters);
    auto event = Gpu::event(gpu.pool(1));
    const auto list = gpu.immediate();
    ASSERT_OK(signal(list, nullptr, event));
    ASSERT_OK(wait(list, nullptr, 1, &event));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_OK(zeEventQueryStatus(event));
    const ze_base_desc_t unknown{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr};
    EXPECT_EQ(signal(list, &unknown, event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(wait(list, &unknown, 1, &event), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);

    std::uint32_t bytes = 0;
    ASSERT_OK(gpu.function<ze_result_t(ze_kernel_handle_t, std::uint32_t, std::uint32_t*)>("zexKernelGetArgumentSize")(
        kernel, 0, &bytes));
    EXPECT_EQ(bytes, 8u);
    struct {
        std::uint32_t stype = 0x00020041;
        void* pNext = nullptr;
        std::uint64_t usable = 0;
    } free;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &free;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    const std::uint64_t before = free.usable;
    gpu.device(1 << 20);
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    EXPECT_LE(free.usable + (4u << 20), before);
}
TEST(Extension, NewerFunctionsAreFoundByName) { EXPECT_RUNS(emulated("newerFunctionsAreFoundByName")); }

struct FreeCallback {
    std::uint32_t stype = 0x00030030;
    const void* pNext = nullptr;
    void (*function)(void*) = nullptr;
    void* data = nullptr;
};
using RegisterFreeCallback = ze_result_t(ze_context_handle_t, FreeCallback*, void*);

/// What the callbacks of one scenario saw.
struct Seen {
    const Gpu* gpu = nullptr;
    void* memory = nullptr;
    int calls = 0;
    ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
};

void see(void* data) {
    auto& seen = *static_cast<Seen*>(data);
    ++seen.calls;
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    EXPECT_OK(zeMemGetAllocProperties(seen.gpu->context(), seen.memory, &properties, nullptr));
    seen.type = properties.type;
}

SCENARIO(freesAreTold) {
    const Gpu gpu;
    const auto enroll = gpu.function<RegisterFreeCallback>("zexMemFreeRegisterCallbackExt");
    for (const bool deferred : {false, true}) {
        auto* memory = gpu.shared(16);
        Seen seen{&gpu, memory};
        Seen replaced{&gpu, memory};
        FreeCallback callback{.function = see, .data = &replaced};
        ASSERT_OK(enroll(gpu.context(), &callback, memory));
        callback.data = &seen;
        ASSERT_OK(enroll(gpu.context(), &callback, memory + 3)) << "anywhere in the allocation";
        const ze_memory_free_ext_desc_t later{ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC, nullptr,
                                              ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
        ASSERT_OK(deferred ? zeMemFreeExt(gpu.context(), &later, memory) : zeMemFree(gpu.context(), memory));
        EXPECT_EQ(seen.calls, 1);
        EXPECT_EQ(seen.type, ZE_MEMORY_TYPE_SHARED) << "called while the memory was still there";
        EXPECT_EQ(replaced.calls, 0) << "one callback an allocation";
    }
}
TEST(Extension, FreesAreTold) { EXPECT_RUNS(emulated("freesAreTold")); }

SCENARIO(aFreeCallbackMayFreeAndThrow) {
    const Gpu gpu;
    const auto enroll = gpu.function<RegisterFreeCallback>("zexMemFreeRegisterCallbackExt");
    static Seen inner;
    inner = {&gpu, gpu.device(16)};
    auto* outer = gpu.device(16);
    FreeCallback last{.function = see, .data = &inner};
    FreeCallback first{.function =
                           [](void* data) {
                               const auto* other = static_cast<const Seen*>(data);
                               EXPECT_OK(zeMemFree(other->gpu->context(), other->memory));
                               throw 1;
                           },
                       .data = &inner};
    ASSERT_OK(enroll(gpu.context(), &last, inner.memory));
    ASSERT_OK(enroll(gpu.context(), &first, outer));
    EXPECT_OK(zeMemFree(gpu.context(), outer));
    EXPECT_EQ(inner.calls, 1);

    int local = 0;
    EXPECT_EQ(enroll(gpu.context(), &last, &local), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(enroll(gpu.context(), nullptr, gpu.device(1)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(enroll(gpu.context(), &last, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(enroll(nullptr, &last, gpu.device(1)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    last.function = nullptr;
    EXPECT_EQ(enroll(gpu.context(), &last, gpu.device(1)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Extension, AFreeCallbackMayFreeAndThrow) { EXPECT_RUNS(emulated("aFreeCallbackMayFreeAndThrow")); }

SCENARIO(kernelsTellTheirRegisters) {
    const Gpu gpu;
    struct {
        std::uint32_t stype = 0x00030010;
        const void* pNext = nullptr;
        std::uint32_t count = 0;
        std::uint32_t* sizes = nullptr;
    } files;
    ze_device_module_properties_t module{};
    module.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
    module.pNext = &files;
    ASSERT_OK(zeDeviceGetModuleProperties(gpu.device(), &module));
    std::vector<std::uint32_t> sizes(files.count);
    files.sizes = sizes.data();
    ASSERT_OK(zeDeviceGetModuleProperties(gpu.device(), &module));
    EXPECT_EQ(sizes, (std::vector<std::uint32_t>{128, 256}));

    const struct {
        const char* flags;
        std::uint32_t registers;
    } builds[] = {{"", 128}, {"-ze-opt-large-register-file", 256}};
    for (const auto& build : builds) {
        const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "count"};
        ze_kernel_handle_t kernel = nullptr;
        ASSERT_OK(zeKernelCreate(gpu.module(build.flags), &wanted, &kernel));
        struct {
            std::uint32_t stype = 0x00030012;
            const void* pNext = nullptr;
            std::uint32_t registers = 0;
        } file;
        ze_kernel_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
        properties.pNext = &file;
        ASSERT_OK(zeKernelGetProperties(kernel, &properties));
        EXPECT_EQ(file.registers, build.registers);
        properties.stype = {};  // Intel's driver does not require the type of the head
        file.registers = 0;
        ASSERT_OK(zeKernelGetProperties(kernel, &properties));
        EXPECT_EQ(file.registers, build.registers);
    }
}
TEST(Extension, KernelsTellTheirRegisters) { EXPECT_RUNS(emulated("kernelsTellTheirRegisters")); }

SCENARIO(programsProbe) {
    const Gpu gpu;
    using BaseAddress = ze_result_t(ze_driver_handle_t, void*, void**);
    const auto base = gpu.function<BaseAddress>("zexDriverGetHostPointerBaseAddress");
    const auto image =
        gpu.function<decltype(zeDriverGetExtensionFunctionAddress)>("zeDriverGetExtensionFunctionAddress");
    int local = 0;
    void* found = nullptr;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(base(gpu.driver(), &local, &found), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(image(gpu.driver(), "zeNoSuchFunction", &found), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(found, nullptr);
        ze_image_desc_t description{};
        ze_image_handle_t none = nullptr;
        EXPECT_EQ(zeImageCreate(gpu.context(), gpu.device(), &description, &none), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
}
TEST(Extension, ProbesAreNotWarnedAboutAgainAndAgain) {
    const Outcome outcome = emulated("programsProbe").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(outcome.times("zexDriverGetHostPointerBaseAddress"), 0u) << outcome;
    EXPECT_EQ(outcome.times("zeNoSuchFunction"), 0u) << outcome;
    EXPECT_EQ(outcome.times("zeImageCreate"), 1u) << outcome;
}

}  // namespace
}  // namespace zetl::test
