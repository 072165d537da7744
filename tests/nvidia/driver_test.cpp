// The driver for NVIDIA's GPUs: devices, memory, modules, execution.
#include <cstring>
#include <numeric>
#include <thread>

#include "kernels.h"
#include "nvidia_gpu.h"
#include "support/level_zero.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kGroups = 32;
constexpr std::uint32_t kElements = kThreads * kGroups;

/// Host memory with 0, 1, 2, ...
int* counting(const Gpu& gpu, std::uint32_t count = kElements) {
    int* data = gpu.host(count);
    std::iota(data, data + count, 0);
    return data;
}

ze_kernel_handle_t addKernel(const Gpu& gpu, int* data, std::uint32_t value) {
    const auto kernel = ptxKernel(gpu, "add", kThreads);
    Gpu::arguments(kernel, data, value);
    return kernel;
}

int wrong(const int* data, int added) {
    int count = 0;
    for (std::uint32_t i = 0; i < kElements; ++i) count += data[i] != static_cast<int>(i) + added;
    return count;
}

constexpr ze_group_count_t kAllGroups{kGroups, 1, 1};

SCENARIO(describesItsDevice) {
    const Gpu gpu;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ze_eu_count_ext_t units{ZE_STRUCTURE_TYPE_EU_COUNT_EXT, nullptr, 0};
    properties.pNext = &units;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    std::printf("device: %s, %u SMs x %u sub-partitions x %u warps of %u, %u MHz, id %#x\n", properties.name,
                properties.numSubslicesPerSlice, properties.numEUsPerSubslice, properties.numThreadsPerEU,
                properties.physicalEUSimdWidth, properties.coreClockRate, properties.deviceId);
    EXPECT_EQ(properties.vendorId, 0x10deu);
    EXPECT_EQ(units.numTotalEUs, properties.numSubslicesPerSlice * properties.numEUsPerSubslice);
    EXPECT_EQ(properties.physicalEUSimdWidth, 32u);
    EXPECT_EQ(properties.timerResolution, 1u);
    EXPECT_GT(properties.maxMemAllocSize, 1u << 30);
    const auto groups = listOf<ze_device_handle_t, ze_command_queue_group_properties_t>(
        zeDeviceGetCommandQueueGroupProperties, gpu.device());
    ASSERT_FALSE(groups.empty());
    EXPECT_TRUE(groups[0].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    ze_device_compute_properties_t compute{};
    ASSERT_OK(zeDeviceGetComputeProperties(gpu.device(), &compute));
    EXPECT_GE(compute.maxTotalGroupSize, 1024u);
    EXPECT_OK(zeDeviceGetStatus(gpu.device()));
}
TEST(NvidiaDriver, DescribesItsDevice) { EXPECT_RUNS(onNvidia("describesItsDevice")); }

SCENARIO(executesListsOnAQueue) {
    const Gpu gpu;
    int* onDevice = gpu.device(kElements);
    int* data = counting(gpu);
    const auto kernel = addKernel(gpu, onDevice, 5);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, onDevice, data, kElements * sizeof(int), nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kAllGroups, nullptr, 0, nullptr));
    // What is set after the append belongs to the next launch.
    Gpu::arguments(kernel, onDevice, 100u);
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, data, onDevice, kElements * sizeof(int), nullptr, 0, nullptr));
    const auto queue = gpu.queue();
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, const_cast<ze_command_list_handle_t*>(&list), nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(zeCommandListClose(list));
    const ze_fence_desc_t description{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    ze_fence_handle_t fence = nullptr;
    ASSERT_OK(zeFenceCreate(queue, &description, &fence));
    EXPECT_EQ(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, const_cast<ze_command_list_handle_t*>(&list), fence));
    ASSERT_OK(zeFenceHostSynchronize(fence, UINT64_MAX));
    EXPECT_EQ(wrong(data, 5), 0);
    ASSERT_OK(zeFenceReset(fence));
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, const_cast<ze_command_list_handle_t*>(&list), fence));
    ASSERT_OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    EXPECT_OK(zeFenceQueryStatus(fence));
    EXPECT_EQ(wrong(data, 10), 0);
}
TEST(NvidiaDriver, ExecutesListsOnAQueue) { EXPECT_RUNS(onNvidia("executesListsOnAQueue")); }

SCENARIO(executesAtOnceOnImmediateLists) {
    const Gpu gpu;
    int* data = counting(gpu);
    const auto kernel = addKernel(gpu, data, 3);
    const auto synchronous = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendLaunchKernel(synchronous, kernel, &kAllGroups, nullptr, 0, nullptr));
    EXPECT_EQ(wrong(data, 3), 0);
    const auto asynchronous = gpu.immediate();
    ASSERT_OK(zeCommandListAppendLaunchKernel(asynchronous, kernel, &kAllGroups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(asynchronous, UINT64_MAX));
    EXPECT_EQ(wrong(data, 6), 0);
    std::uint32_t most = 0;
    ASSERT_OK(zeKernelSuggestMaxCooperativeGroupCount(kernel, &most));
    const ze_group_count_t tooMany{most + 1, 1, 1};
    EXPECT_EQ(zeCommandListAppendLaunchCooperativeKernel(asynchronous, kernel, &tooMany, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(zeCommandListAppendLaunchCooperativeKernel(asynchronous, kernel, &kAllGroups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(asynchronous, UINT64_MAX));
    EXPECT_EQ(wrong(data, 9), 0);
}
TEST(NvidiaDriver, ExecutesAtOnceOnImmediateLists) { EXPECT_RUNS(onNvidia("executesAtOnceOnImmediateLists")); }

SCENARIO(honoursEventsInAnyOrder) {
    const Gpu gpu;
    int* data = counting(gpu);
    const auto kernel = addKernel(gpu, data, 1);
    const auto pool = gpu.pool(3);
    ze_event_handle_t go = Gpu::event(pool, 0);
    ze_event_handle_t between = Gpu::event(pool, 1);
    ze_event_handle_t done = Gpu::event(pool, 2);
    const auto first = gpu.immediate();
    const auto second = gpu.immediate();
    // The waits come first, the signals later, the last from the host.
    ASSERT_OK(zeCommandListAppendLaunchKernel(second, kernel, &kAllGroups, done, 1, &between));
    ASSERT_OK(zeCommandListAppendLaunchKernel(first, kernel, &kAllGroups, between, 1, &go));
    EXPECT_EQ(zeEventHostSynchronize(done, 20'000'000), ZE_RESULT_NOT_READY);
    EXPECT_EQ(gpu.synchronize(second, 1'000'000), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeEventQueryStatus(between), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(go));
    ASSERT_OK(zeEventHostSynchronize(done, UINT64_MAX));
    EXPECT_EQ(wrong(data, 2), 0);
    ASSERT_OK(zeEventHostReset(done));
    EXPECT_EQ(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeCommandListAppendEventReset(first, between));
    ASSERT_OK(zeCommandListAppendSignalEvent(first, done));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(second, 1, &done));
    ASSERT_OK(gpu.synchronize(second, UINT64_MAX));
    EXPECT_EQ(zeEventQueryStatus(between), ZE_RESULT_NOT_READY);
}
TEST(NvidiaDriver, HonoursEventsInAnyOrder) { EXPECT_RUNS(onNvidia("honoursEventsInAnyOrder")); }

SCENARIO(callsTheHost) {
    const Gpu gpu;
    static int seen = 0;
    int* data = counting(gpu);
    const auto kernel = addKernel(gpu, data, 6);
    const auto list = gpu.immediate();
    auto* const hostFunction =
        gpu.function<decltype(zeCommandListAppendHostFunction)>("zeCommandListAppendHostFunction");
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kAllGroups, nullptr, 0, nullptr));
    ASSERT_OK(hostFunction(
        list, [](void* memory) { seen = *static_cast<int*>(memory); }, data, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(seen, 6);
    EXPECT_EQ(hostFunction(list, nullptr, data, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
TEST(NvidiaDriver, CallsTheHost) { EXPECT_RUNS(onNvidia("callsTheHost")); }

/// What waits for the host keeps nothing else from its work: freeing, copies to plain memory, destroying the list.
SCENARIO(goesOnWhileAListWaits) {
    const Gpu gpu;
    int* data = counting(gpu);
    const auto kernel = addKernel(gpu, data, 1);
    const auto pool = gpu.pool(2);
    ze_event_handle_t go = Gpu::event(pool, 0);
    ze_event_handle_t done = Gpu::event(pool, 1);
    const auto list = gpu.immediate();
    int copied = 0;
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kAllGroups, nullptr, 1, &go));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &copied, data, sizeof copied, done, 0, nullptr));
    Gpu::arguments(kernel, data, 1000u);
    ASSERT_OK(zeMemFree(gpu.context(), gpu.device(100)));
    EXPECT_EQ(zeEventQueryStatus(done), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeCommandListDestroy(list));
    ASSERT_OK(zeEventHostSignal(go));
    ASSERT_OK(zeEventHostSynchronize(done, UINT64_MAX));
    EXPECT_EQ(wrong(data, 1), 0);
    EXPECT_EQ(copied, 1);
}
TEST(NvidiaDriver, GoesOnWhileAListWaits) { EXPECT_RUNS(onNvidia("goesOnWhileAListWaits")); }

/// More streams than the hardware has channels, each waiting for the next one.
SCENARIO(letsManyListsWaitForEachOther) {
    constexpr std::uint32_t kLists = 40;
    const Gpu gpu;
    int* data = counting(gpu);
    const auto kernel = addKernel(gpu, data, 1);
    const auto pool = gpu.pool(kLists + 1);
    std::vector<ze_event_handle_t> events;
    for (std::uint32_t i = 0; i <= kLists; ++i) events.push_back(Gpu::event(pool, i));
    for (std::uint32_t i = 0; i < kLists; ++i)
        ASSERT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(), kernel, &kAllGroups, events[i], 1, &events[i + 1]));
    ASSERT_OK(zeEventHostSignal(events[kLists]));
    ASSERT_OK(zeEventHostSynchronize(events[0], 10'000'000'000));
    EXPECT_EQ(wrong(data, kLists), 0);
}
TEST(NvidiaDriver, LetsManyListsWaitForEachOther) { EXPECT_RUNS(onNvidia("letsManyListsWaitForEachOther")); }

/// Two threads whose lists take turns, each waiting for the other's event, which is reset on the way.
SCENARIO(servesThreadsThatWaitForEachOther) {
    constexpr int kRounds = 100;
    const Gpu gpu;
    int* data = counting(gpu);
    const auto pool = gpu.pool(2);
    ze_event_handle_t events[] = {Gpu::event(pool, 0), Gpu::event(pool, 1)};
    const auto play = [&](int side) {
        const auto list = gpu.immediate();
        const auto kernel = addKernel(gpu, data, 1);
        for (int i = 0; i < kRounds; ++i) {
            EXPECT_OK(zeCommandListAppendWaitOnEvents(list, 1, &events[side]));
            EXPECT_OK(zeCommandListAppendEventReset(list, events[side]));
            EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kAllGroups, events[1 - side], 0, nullptr));
        }
        EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
    };
    std::thread other(play, 1);
    EXPECT_OK(zeEventHostSignal(events[0]));
    play(0);
    other.join();
    EXPECT_EQ(wrong(data, 2 * kRounds), 0);
}
TEST(NvidiaDriver, ServesThreadsThatWaitForEachOther) { EXPECT_RUNS(onNvidia("servesThreadsThatWaitForEachOther")); }

std::vector<std::uint8_t> bytes(std::size_t count, std::uint8_t value = 0) { return std::vector(count, value); }

SCENARIO(fillsWithPatternsOfAnyLength) {
    constexpr std::size_t kBytes = 1000;
    const Gpu gpu;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    auto* memory = gpu.device<std::uint8_t>(kBytes);
    for (const std::size_t length : {1, 2, 3, 4, 8, 16, 100, 2000}) {
        auto pattern = bytes(length);
        std::iota(pattern.begin(), pattern.end(), 1);
        auto read = bytes(kBytes);
        auto expected = bytes(kBytes);
        for (std::size_t i = 0; i < kBytes; ++i) expected[i] = pattern[i % length];
        ASSERT_OK(zeCommandListAppendMemoryFill(list, memory, pattern.data(), length, kBytes, nullptr, 0, nullptr));
        ASSERT_OK(zeCommandListAppendMemoryCopy(list, read.data(), memory, kBytes, nullptr, 0, nullptr));
        EXPECT_EQ(read, expected) << length;
    }
    EXPECT_EQ(zeCommandListAppendMemoryFill(list, memory, memory, 0, kBytes, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_SIZE);
}
TEST(NvidiaDriver, FillsWithPatternsOfAnyLength) { EXPECT_RUNS(onNvidia("fillsWithPatternsOfAnyLength")); }

SCENARIO(copiesRegions) {
    constexpr std::uint32_t kPitch = 32;
    constexpr std::uint32_t kSlice = kPitch * 8;
    constexpr std::uint32_t kSlices = 4;
    const Gpu gpu;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    auto source = bytes(kSlice * kSlices);
    auto target = bytes(kSlice * kSlices, 0xee);
    auto expected = target;
    std::iota(source.begin(), source.end(), 0);
    auto* memory = gpu.device<std::uint8_t>(source.size());
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, memory, source.data(), source.size(), nullptr, 0, nullptr));
    const ze_copy_region_t from{3, 2, 1, 5, 4, 2};
    const ze_copy_region_t to{7, 1, 2, 5, 4, 2};
    for (std::uint32_t z = 0; z < 2; ++z)
        for (std::uint32_t y = 0; y < 4; ++y)
            for (std::uint32_t x = 0; x < 5; ++x)
                expected[(z + 2) * kSlice + (y + 1) * kPitch + x + 7] =
                    source[(z + 1) * kSlice + (y + 2) * kPitch + x + 3];
    ASSERT_OK(zeCommandListAppendMemoryCopyRegion(list, target.data(), &to, kPitch, kSlice, memory, &from, kPitch,
                                                  kSlice, nullptr, 0, nullptr));
    EXPECT_EQ(target, expected);
    EXPECT_EQ(zeCommandListAppendMemoryCopyRegion(list, memory, &from, kPitch, kSlice, memory, &from, kPitch, kSlice,
                                                  nullptr, 0, nullptr),
              ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
}
TEST(NvidiaDriver, CopiesRegions) { EXPECT_RUNS(onNvidia("copiesRegions")); }

SCENARIO(givesLocalMemoryByArguments) {
    const Gpu gpu;
    int* out = gpu.host(kThreads);
    const auto kernel = ptxKernel(gpu, "reverse", kThreads);
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 0, sizeof out, &out));
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, kThreads * sizeof(int), nullptr));
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    for (std::uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(out[i], static_cast<int>(kThreads - 1 - i));
}
TEST(NvidiaDriver, GivesLocalMemoryByArguments) { EXPECT_RUNS(onNvidia("givesLocalMemoryByArguments")); }

SCENARIO(describesMemory) {
    const Gpu gpu;
    int* onDevice = gpu.device(1000);
    int* shared = gpu.shared(1000);
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    ze_device_handle_t device = nullptr;
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), onDevice + 5, &properties, &device));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_DEVICE);
    EXPECT_EQ(device, gpu.device());
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), shared, &properties, &device));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_SHARED);
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), &properties, &properties, &device));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    void* base = nullptr;
    std::size_t size = 0;
    ASSERT_OK(zeMemGetAddressRange(gpu.context(), onDevice + 5, &base, &size));
    EXPECT_EQ(base, onDevice);
    EXPECT_EQ(size, 1000 * sizeof(int));
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* aligned = nullptr;
    ASSERT_OK(zeMemAllocDevice(gpu.context(), &description, 100, 1 << 20, gpu.device(), &aligned));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % (1 << 20), 0u);
    EXPECT_OK(zeMemFree(gpu.context(), aligned));
    EXPECT_EQ(zeMemFree(gpu.context(), aligned), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zeMemAllocDevice(gpu.context(), &description, 1ull << 50, 64, gpu.device(), &aligned),
              ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(zeMemAllocDevice(gpu.context(), &description, 64, 1ull << 40, gpu.device(), &aligned),
              ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
}
TEST(NvidiaDriver, DescribesMemory) { EXPECT_RUNS(onNvidia("describesMemory")); }

void callThroughPointers(const Gpu& gpu, ze_module_handle_t module) {
    ze_kernel_handle_t kernel = nullptr;
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "apply"};
    ASSERT_OK(zeKernelCreate(module, &description, &kernel));
    ASSERT_OK(zeKernelSetGroupSize(kernel, 1, 1, 1));
    auto* const out = gpu.shared<std::uint32_t>(1);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (const auto& [name, result] : {std::pair("twice", 42u), std::pair("thrice", 63u)}) {
        void* function = nullptr;
        ASSERT_OK(zeModuleGetFunctionPointer(module, name, &function));
        EXPECT_NE(function, nullptr);
        gpu.arguments(kernel, function, 21u, out);
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        EXPECT_EQ(*out, result) << name;
    }
    void* function = nullptr;
    for (const char* name : {"hidden", "apply", "absent"})
        EXPECT_EQ(zeModuleGetFunctionPointer(module, name, &function), ZE_RESULT_ERROR_INVALID_FUNCTION_NAME) << name;
}

SCENARIO(callsThroughPointers) {
    const Gpu gpu;
    const auto module = ptxModule(gpu, kFunctions);
    callThroughPointers(gpu, module);
    std::size_t size = 0;
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> image(size);
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, image.data()));
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = size;
    description.pInputModule = image.data();
    ze_module_handle_t again = nullptr;
    ASSERT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &again, nullptr));
    callThroughPointers(gpu, again);
}
TEST(NvidiaDriver, CallsFunctionsThroughPointers) { EXPECT_RUNS(onNvidia("callsThroughPointers")); }

SCENARIO(handsOutMachineCode) {
    const Gpu gpu;
    const auto module = ptxModule(gpu);
    const auto names = listOf<ze_module_handle_t, const char*>(zeModuleGetKernelNames, module);
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()),
              (std::vector<std::string>{"add", "fault", "reverse", "spin"}));
    std::size_t size = 0;
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    auto image = bytes(size);
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, image.data()));
    EXPECT_EQ(std::memcmp(image.data(), "\177ELF", 4), 0);
    auto debugInfo = bytes(size);
    ASSERT_OK(gpu.function<decltype(zetModuleGetDebugInfo)>("zetModuleGetDebugInfo")(
        module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, debugInfo.data()));
    EXPECT_EQ(std::memcmp(debugInfo.data(), image.data(), 64), 0)
        << "the header; NvidiaSampling.PlacesDebugInfo looks at what differs";
    void* lucky = nullptr;
    ASSERT_OK(zeModuleGetGlobalPointer(module, "lucky", &size, &lucky));
    EXPECT_EQ(size, sizeof(int));
    int value = 0;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &value, lucky, sizeof value, nullptr, 0, nullptr));
    EXPECT_EQ(value, 7);
    EXPECT_EQ(zeModuleGetGlobalPointer(module, "absent", &size, &lucky), ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    // The machine code makes a module that works as the text's did.
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = image.size();
    description.pInputModule = image.data();
    ze_module_handle_t again = nullptr;
    ASSERT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &again, nullptr));
    const ze_kernel_desc_t add{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "add"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(again, &add, &kernel));
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    ASSERT_OK(zeKernelGetProperties(kernel, &properties));
    EXPECT_EQ(properties.numKernelArgs, 2u);
    ASSERT_OK(zeKernelSetGroupSize(kernel, kThreads, 1, 1));
    int* data = counting(gpu);
    Gpu::arguments(kernel, data, 4u);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kAllGroups, nullptr, 0, nullptr));
    EXPECT_EQ(wrong(data, 4), 0);
}
TEST(NvidiaDriver, HandsOutMachineCode) { EXPECT_RUNS(onNvidia("handsOutMachineCode")); }

SCENARIO(buildsForDebuggers) {
    const Gpu gpu;
    for (const char* flags : {"-g", "-g -ze-opt-disable", "-lineinfo", "-g -ze-opt-level=0"})
        EXPECT_NE(ptxModule(gpu, nullptr, flags), nullptr) << flags;
}
TEST(NvidiaDriver, BuildsForDebuggers) { EXPECT_RUNS(onNvidia("buildsForDebuggers")); }

SCENARIO(refusesWhatIsNoModule) {
    const Gpu gpu;
    const auto create = [&](const char* text, ze_module_format_t format, ze_module_build_log_handle_t* log) {
        ze_module_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
        description.format = format;
        description.inputSize = std::strlen(text);
        description.pInputModule = reinterpret_cast<const std::uint8_t*>(text);
        ze_module_handle_t module = nullptr;
        return zeModuleCreate(gpu.context(), gpu.device(), &description, &module, log);
    };
    EXPECT_EQ(create("nonsense", ZE_MODULE_FORMAT_NATIVE, nullptr), ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    ze_module_build_log_handle_t log = nullptr;
    EXPECT_EQ(create(".version 7.0\n.target sm_70\n.address_size 64\nbroken!\n", ZE_MODULE_FORMAT_NATIVE, &log),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    EXPECT_GT(takeBuildLog(log).size(), 10u);
    const auto kernel = ptxKernel(gpu, "add");
    EXPECT_EQ(zeKernelSetGroupSize(kernel, 4096, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    EXPECT_EQ(zeKernelSetArgumentValue(kernel, 2, 4, nullptr), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    const int value = 0;
    EXPECT_EQ(zeKernelSetArgumentValue(kernel, 0, sizeof value, &value), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    const ze_kernel_desc_t absent{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "absent"};
    ze_kernel_handle_t none = nullptr;
    EXPECT_EQ(zeKernelCreate(ptxModule(gpu), &absent, &none), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
}
TEST(NvidiaDriver, RefusesWhatIsNoModule) { EXPECT_RUNS(onNvidia("refusesWhatIsNoModule")); }

SCENARIO(looksForWhatIsNotOffered) {
    const Gpu gpu;
    ze_image_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    ze_image_handle_t image = nullptr;
    EXPECT_EQ(zeImageCreate(gpu.context(), gpu.device(), &description, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const auto kernel = ptxKernel(gpu, "add");
    const ze_group_count_t groups{1, 1, 1};
    EXPECT_EQ(zeCommandListAppendLaunchKernelIndirect(gpu.immediate(), kernel, &groups, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
TEST(NvidiaDriver, SaysWhatHelpsInsteadOfAFunction) {
    const auto outcome = onNvidia("looksForWhatIsNotOffered").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    for (const char* each : {"zeImageCreate", "keep texels in memory", "read them back"})
        EXPECT_NE(outcome.output.find(each), std::string::npos) << each << outcome;
}

}  // namespace
}  // namespace zetl::test
