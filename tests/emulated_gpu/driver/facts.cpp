// What a driver says of its first device, and its codes for arguments that are wrong, one fact a line: the same program
// asks Intel's driver and the emulated GPU's (intel_facts_test.py).
//
//   driver_facts [PART]       NAME = VALUE, in the order of the calls
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <unistd.h>

#include <cinttypes>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ze_tools_layer/level_zero.h"

namespace {

/// Headers before specification 1.17 lack it.
struct GraphProperties {
    ze_structure_type_t stype;
    void* pNext;
    std::uint32_t graphFlags;
};

ze_driver_handle_t theDriver = nullptr;
ze_device_handle_t theDevice = nullptr;
ze_context_handle_t theContext = nullptr;

void fact(const std::string& name, std::uint64_t value) {
    std::printf("%s = %#" PRIx64 "\n", name.c_str(), value);
    std::fflush(stdout);
}
void fact(const std::string& name, const char* value) { std::printf("%s = %s\n", name.c_str(), value); }

/// A function of the loader, or one of the driver that the loader does not know.
void* functionOf(const char* name) {
    if (void* known = dlsym(RTLD_DEFAULT, name)) return known;
    void* address = nullptr;
    if (zeDriverGetExtensionFunctionAddress(theDriver, name, &address) != ZE_RESULT_SUCCESS) return nullptr;
    return address;
}

/// Intel's driver dies in some calls, of which nothing else can be told.
sigjmp_buf beforeCall;
void returnFromCall(int) { siglongjmp(beforeCall, 1); }

/// The code of a call; "absent" if the driver does not have the function. C-style functions take what the call gives.
template <class... A>
ze_result_t code(const char* label, const char* name, A... arguments) {
    auto* const function = reinterpret_cast<ze_result_t (*)(A...)>(functionOf(name));
    const std::string full = std::string("code ") + name + " (" + label + ")";
    if (!function) {
        fact(full, "absent");
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (sigsetjmp(beforeCall, 1) == 0) {
        const ze_result_t result = function(arguments...);
        fact(full, static_cast<std::uint64_t>(result));
        return result;
    }
    fact(full, "dies");
    return ZE_RESULT_ERROR_UNKNOWN;
}

template <class T>
T described(ze_structure_type_t type) {
    T value;
    std::memset(&value, 0, sizeof value);
    value.stype = type;
    return value;
}

#define FACT(of, field) fact(prefix + #field, static_cast<std::uint64_t>((of).field))

void driverFacts() {
    const std::string prefix = "driver ";
    ze_api_version_t version{};
    zeDriverGetApiVersion(theDriver, &version);
    fact(prefix + "apiVersion", static_cast<std::uint64_t>(version));
    auto ipc = described<ze_driver_ipc_properties_t>(ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES);
    zeDriverGetIpcProperties(theDriver, &ipc);
    FACT(ipc, flags);
    std::uint32_t count = 0;
    zeDriverGetExtensionProperties(theDriver, &count, nullptr);
    std::vector<ze_driver_extension_properties_t> extensions(count);
    zeDriverGetExtensionProperties(theDriver, &count, extensions.data());
    for (const auto& each : extensions) fact("extension " + std::string(each.name), each.version);
}

void basicFacts() {
    const std::string prefix = "device ";
    auto ip = described<ze_device_ip_version_ext_t>(ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT);
    auto graphs = described<GraphProperties>(static_cast<ze_structure_type_t>(0x00020047));
    auto mutability =
        described<ze_mutable_command_list_exp_properties_t>(ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES);
    auto properties = described<ze_device_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
    ip.pNext = &graphs;
    graphs.pNext = &mutability;
    properties.pNext = &ip;
    fact(prefix + "result", zeDeviceGetProperties(theDevice, &properties));
    FACT(properties, type);
    FACT(properties, vendorId);
    FACT(properties, deviceId);
    FACT(properties, flags);
    FACT(properties, subdeviceId);
    FACT(properties, coreClockRate);
    FACT(properties, maxMemAllocSize);
    FACT(properties, maxHardwareContexts);
    FACT(properties, maxCommandQueuePriority);
    FACT(properties, numThreadsPerEU);
    FACT(properties, physicalEUSimdWidth);
    FACT(properties, numEUsPerSubslice);
    FACT(properties, numSubslicesPerSlice);
    FACT(properties, numSlices);
    FACT(properties, timerResolution);
    FACT(properties, timestampValidBits);
    FACT(properties, kernelTimestampValidBits);
    fact(prefix + "name", properties.name);
    FACT(ip, ipVersion);
    FACT(graphs, graphFlags);
    FACT(mutability, mutableCommandListFlags);
    FACT(mutability, mutableCommandFlags);
}

void computeFacts() {
    const std::string prefix = "compute ";
    auto properties = described<ze_device_compute_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
    zeDeviceGetComputeProperties(theDevice, &properties);
    FACT(properties, maxTotalGroupSize);
    FACT(properties, maxGroupSizeX);
    FACT(properties, maxGroupSizeY);
    FACT(properties, maxGroupSizeZ);
    FACT(properties, maxGroupCountX);
    FACT(properties, maxGroupCountY);
    FACT(properties, maxGroupCountZ);
    FACT(properties, maxSharedLocalMemory);
    FACT(properties, numSubGroupSizes);
    for (std::uint32_t i = 0; i < properties.numSubGroupSizes; ++i)
        fact(prefix + "subGroupSizes[" + std::to_string(i) + "]", properties.subGroupSizes[i]);
}

void moduleFacts() {
    const std::string prefix = "module ";
    auto atomics = described<ze_float_atomic_ext_properties_t>(ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES);
    auto hints = described<ze_scheduling_hint_exp_properties_t>(ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES);
    auto rays = described<ze_device_raytracing_ext_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_RAYTRACING_EXT_PROPERTIES);
    auto properties = described<ze_device_module_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
    atomics.pNext = &hints;
    hints.pNext = &rays;
    properties.pNext = &atomics;
    zeDeviceGetModuleProperties(theDevice, &properties);
    FACT(properties, spirvVersionSupported);
    FACT(properties, flags);
    FACT(properties, fp16flags);
    FACT(properties, fp32flags);
    FACT(properties, fp64flags);
    FACT(properties, maxArgumentsSize);
    FACT(properties, printfBufferSize);
    FACT(atomics, fp16Flags);
    FACT(atomics, fp32Flags);
    FACT(atomics, fp64Flags);
    FACT(hints, schedulingHintFlags);
    fact("rays flags", rays.flags);
}

void queueFacts() {
    std::uint32_t count = 0;
    zeDeviceGetCommandQueueGroupProperties(theDevice, &count, nullptr);
    std::vector<ze_command_queue_group_properties_t> groups(
        count, described<ze_command_queue_group_properties_t>(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES));
    zeDeviceGetCommandQueueGroupProperties(theDevice, &count, groups.data());
    fact("queues count", count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string prefix = "queues[" + std::to_string(i) + "] ";
        FACT(groups[i], flags);
        FACT(groups[i], maxMemoryFillPatternSize);
        FACT(groups[i], numQueues);
    }
}

void memoryFacts() {
    std::uint32_t count = 0;
    zeDeviceGetMemoryProperties(theDevice, &count, nullptr);
    std::vector<ze_device_memory_properties_t> memories(
        count, described<ze_device_memory_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES));
    auto more = described<ze_device_memory_ext_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES);
    if (count) memories.front().pNext = &more;
    zeDeviceGetMemoryProperties(theDevice, &count, memories.data());
    std::string prefix = "memory ";
    fact(prefix + "count", count);
    if (count) {
        FACT(memories.front(), flags);
        FACT(memories.front(), maxClockRate);
        FACT(memories.front(), maxBusWidth);
        FACT(memories.front(), totalSize);
        fact(prefix + "name", memories.front().name);
        FACT(more, type);
        FACT(more, physicalSize);
        FACT(more, readBandwidth);
        FACT(more, writeBandwidth);
        FACT(more, bandwidthUnit);
    }
    prefix = "access ";
    auto access = described<ze_device_memory_access_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES);
    zeDeviceGetMemoryAccessProperties(theDevice, &access);
    FACT(access, hostAllocCapabilities);
    FACT(access, deviceAllocCapabilities);
    FACT(access, sharedSingleDeviceAllocCapabilities);
    FACT(access, sharedCrossDeviceAllocCapabilities);
    FACT(access, sharedSystemAllocCapabilities);
}

void cacheFacts() {
    std::uint32_t count = 0;
    zeDeviceGetCacheProperties(theDevice, &count, nullptr);
    std::vector<ze_device_cache_properties_t> caches(
        count, described<ze_device_cache_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES));
    zeDeviceGetCacheProperties(theDevice, &count, caches.data());
    const std::string prefix = "cache ";
    fact(prefix + "count", count);
    if (!count) return;
    FACT(caches.front(), flags);
    FACT(caches.front(), cacheSize);
}

void reservationFacts() {
    auto cache = described<ze_device_cache_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES);
    auto reserved = described<ze_cache_reservation_ext_desc_t>(ZE_STRUCTURE_TYPE_CACHE_RESERVATION_EXT_DESC);
    cache.pNext = &reserved;
    std::uint32_t count = 1;
    code("reservation", "zeDeviceGetCacheProperties", theDevice, &count, &cache);
    fact("cache reservation", reserved.maxCacheReservationSize);
}

void imageFacts() {
    const std::string prefix = "image ";
    auto images = described<ze_device_image_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES);
    auto pitched =
        described<ze_device_pitched_alloc_exp_properties_t>(ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES);
    images.pNext = &pitched;
    zeDeviceGetImageProperties(theDevice, &images);
    FACT(images, maxImageDims1D);
    FACT(images, maxImageDims2D);
    FACT(images, maxImageDims3D);
    FACT(images, maxImageBufferSize);
    FACT(images, maxImageArraySlices);
    FACT(images, maxSamplers);
    FACT(images, maxReadImageArgs);
    FACT(images, maxWriteImageArgs);
    FACT(pitched, maxImageLinearWidth);
    FACT(pitched, maxImageLinearHeight);
}

void otherFacts() {
    std::string prefix = "external ";
    auto external =
        described<ze_device_external_memory_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES);
    zeDeviceGetExternalMemoryProperties(theDevice, &external);
    FACT(external, memoryAllocationImportTypes);
    FACT(external, memoryAllocationExportTypes);
    FACT(external, imageImportTypes);
    FACT(external, imageExportTypes);
    prefix = "peer ";
    auto peer = described<ze_device_p2p_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES);
    zeDeviceGetP2PProperties(theDevice, theDevice, &peer);
    FACT(peer, flags);
    ze_bool_t can = 0;
    zeDeviceCanAccessPeer(theDevice, theDevice, &can);
    fact(prefix + "canAccess", can);
}

/// Fabric and reserved caches.
void fabricCodes() {
    std::uint32_t count = 0;
    code("count", "zeFabricVertexGetExp", theDriver, &count, nullptr);
    fact("fabric vertices", count);
    ze_fabric_vertex_handle_t vertex = nullptr;
    if (code("device", "zeDeviceGetFabricVertexExp", theDevice, &vertex) == ZE_RESULT_SUCCESS) {
        count = 0;
        code("to itself", "zeFabricEdgeGetExp", vertex, vertex, &count, nullptr);
        fact("fabric edges", count);
    }
    code("level 0", "zeDeviceReserveCacheExt", theDevice, std::size_t{0}, std::size_t{4096});
    code("level 3", "zeDeviceReserveCacheExt", theDevice, std::size_t{3}, std::size_t{4096});
    code("level 4", "zeDeviceReserveCacheExt", theDevice, std::size_t{4}, std::size_t{4096});
    void* memory = nullptr;
    const auto description = described<ze_device_mem_alloc_desc_t>(ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
    zeMemAllocDevice(theContext, &description, 4096, 0, theDevice, &memory);
    for (std::uint32_t region = 0; region < 3; ++region)
        code(("region " + std::to_string(region)).c_str(), "zeDeviceSetCacheAdviceExt", theDevice, memory,
             std::size_t{4096}, region);
    zeMemFree(theContext, memory);
}

ze_event_handle_t counter(const char* label, ze_event_counter_based_flags_t flags) {
    auto description = described<ze_event_counter_based_desc_t>(ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC);
    description.flags = flags;
    ze_event_handle_t event = nullptr;
    code(label, "zeEventCounterBasedCreate", theContext, theDevice, &description, &event);
    return event;
}

ze_command_list_handle_t immediateList(ze_command_queue_flags_t flags, ze_command_queue_mode_t mode) {
    auto description = described<ze_command_queue_desc_t>(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
    description.flags = flags;
    description.mode = mode;
    ze_command_list_handle_t list = nullptr;
    code("good", "zeCommandListCreateImmediate", theContext, theDevice, &description, &list);
    return list;
}

void eventCodes() {
    auto* const both = counter("both", 3);
    counter("none", 0);
    counter("ipc", 1 | 4);
    counter("unknown flag", 1 << 12);
    auto* const plain = immediateList(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    auto* const inOrder = immediateList(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    code("out of order", "zeCommandListAppendSignalEvent", plain, both);
    code("in order", "zeCommandListAppendSignalEvent", inOrder, both);
    code("counter", "zeCommandListAppendEventReset", inOrder, both);
    code("counter", "zeEventHostReset", both);
    code("counter", "zeEventHostSignal", both);
    std::uint64_t value = 0;
    std::uint64_t address = 0;
    code("good", "zeEventCounterBasedGetDeviceAddress", both, &value, &address);
    ze_event_counter_based_flags_t flags = 0;
    code("good", "zeEventGetCounterBasedFlags", both, &flags);
    fact("counter flags", flags);
    code("null", "zeEventGetCounterBasedFlags", both, nullptr);
    ze_ipc_event_counter_based_handle_t shared{};
    code("not for IPC", "zeEventCounterBasedGetIpcHandle", both, &shared);
    auto pool = described<ze_event_pool_desc_t>(ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
    pool.count = 1;
    ze_event_pool_handle_t regular = nullptr;
    code("good", "zeEventPoolCreate", theContext, &pool, 0u, nullptr, &regular);
    ze_event_handle_t event = nullptr;
    const auto description = described<ze_event_desc_t>(ZE_STRUCTURE_TYPE_EVENT_DESC);
    code("good", "zeEventCreate", regular, &description, &event);
    auto beyond = description;
    beyond.index = 1;
    ze_event_handle_t none = nullptr;
    code("index beyond", "zeEventCreate", regular, &beyond, &none);
    code("regular", "zeEventGetCounterBasedFlags", event, &flags);
    code("regular", "zeEventCounterBasedGetDeviceAddress", event, &value, &address);
    code("regular", "zeEventCounterBasedGetIpcHandle", event, &shared);
    code("unsignalled", "zeEventQueryStatus", event);
    ze_kernel_timestamp_result_t times{};
    code("unsignalled", "zeEventQueryKernelTimestamp", event, &times);
    pool.count = 0;
    code("no events", "zeEventPoolCreate", theContext, &pool, 0u, nullptr, &regular);
    pool.count = 1;
    pool.flags = 1 << 12;
    code("unknown flag", "zeEventPoolCreate", theContext, &pool, 0u, nullptr, &regular);
}

void graphCodes() {
    auto* const list = immediateList(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    auto* const synchronous = immediateList(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t regular = nullptr;
    const auto description = described<ze_command_list_desc_t>(ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
    code("good", "zeCommandListCreate", theContext, theDevice, &description, &regular);
    ze_graph_handle_t graph = nullptr;
    ze_graph_handle_t empty = nullptr;
    ze_executable_graph_handle_t executable = nullptr;
    const void* const nothing = nullptr;
    code("good", "zeGraphCreateExt", theContext, nothing, &empty);
    code("never captured", "zeGraphIsEmptyExt", empty);
    code("never captured", "zeGraphInstantiateExt", empty, nothing, &executable);
    ze_command_list_handle_t primary = nullptr;
    code("never captured", "zeGraphGetPrimaryCommandListExt", empty, &primary);
    code("not capturing", "zeCommandListIsGraphCaptureEnabledExt", list);
    code("not capturing", "zeCommandListEndGraphCaptureExt", list, nothing, &graph);
    code("not capturing", "zeCommandListGetGraphExt", list, &graph);
    code("synchronous", "zeCommandListBeginGraphCaptureExt", synchronous, nothing);
    code("regular", "zeCommandListBeginGraphCaptureExt", regular, nothing);
    code("good", "zeCommandListBeginGraphCaptureExt", list, nothing);
    code("twice", "zeCommandListBeginGraphCaptureExt", list, nothing);
    code("twice", "zeCommandListBeginCaptureIntoGraphExt", list, empty, nothing);
    code("capturing", "zeCommandListIsGraphCaptureEnabledExt", list);
    code("capturing", "zeCommandListHostSynchronize", list, std::uint64_t{0});
    code("capturing", "zeCommandListAppendBarrier", list, nullptr, 0u, nullptr);
    code("capturing", "zeCommandListGetGraphExt", list, &graph);
    code("null", "zeCommandListEndGraphCaptureExt", list, nothing, nullptr);
    code("good", "zeCommandListEndGraphCaptureExt", list, nothing, &graph);
    code("of a barrier", "zeGraphIsEmptyExt", graph);
    code("captured", "zeGraphGetPrimaryCommandListExt", graph, &primary);
    code("full", "zeCommandListBeginCaptureIntoGraphExt", list, graph, nothing);
    code("good", "zeGraphInstantiateExt", graph, nothing, &executable);
    ze_graph_handle_t source = nullptr;
    code("good", "zeExecutableGraphGetSourceGraphExt", executable, &source);
    fact("graph source is the graph", source == graph);
    code("null path", "zeGraphDumpContentsExt", graph, nullptr, nothing);
    code("no directory", "zeGraphDumpContentsExt", graph, "/nowhere/at/all", nothing);
    code("good", "zeGraphDumpContentsExt", graph, "/dev/null", nothing);
    code("no callback", "zeGraphSetDestructionCallbackExt", graph, nullptr, nullptr, nothing);
    code("not capturing", "zeGraphPauseCaptureExt", graph);
    code("not capturing", "zeGraphResumeCaptureExt", graph);
    std::uint64_t id = 0;
    code("good", "zeGraphGetIdExt", graph, &id);
    code("null", "zeGraphGetIdExt", graph, nullptr);
    code("null list", "zeCommandListAppendGraphExt", nullptr, executable, nothing, nullptr, 0u, nullptr);
    code("null graph", "zeCommandListAppendGraphExt", list, nullptr, nothing, nullptr, 0u, nullptr);
    code("good", "zeCommandListAppendGraphExt", list, executable, nothing, nullptr, 0u, nullptr);
    code("good", "zeExecutableGraphDestroyExt", executable);
    code("good", "zeGraphDestroyExt", graph);
    code("good", "zeGraphDestroyExt", empty);
    code("null", "zeGraphDestroyExt", nullptr);
    code("null", "zeExecutableGraphDestroyExt", nullptr);
    code("null", "zeGraphIsEmptyExt", nullptr);
    code("null", "zeCommandListIsGraphCaptureEnabledExt", nullptr);
    code("null", "zeCommandListBeginGraphCaptureExt", nullptr, nothing);
    code("null", "zeGraphCreateExt", nullptr, nothing, &graph);
}

void listCodes() {
    ze_command_list_handle_t regular = nullptr;
    auto description = described<ze_command_list_desc_t>(ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
    code("good", "zeCommandListCreate", theContext, theDevice, &description, &regular);
    auto* const immediate = immediateList(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    std::uint32_t number = 0;
    ze_command_queue_mode_t mode{};
    ze_command_queue_priority_t priority{};
    ze_bool_t flag = 0;
    for (const auto& [label, list] : {std::pair{"regular", regular}, std::pair{"immediate", immediate}}) {
        code(label, "zeCommandListGetOrdinal", list, &number);
        code(label, "zeCommandListImmediateGetIndex", list, &number);
        code(label, "zeCommandListGetFlags", list, &number);
        code(label, "zeCommandListImmediateGetFlags", list, &number);
        code(label, "zeCommandListImmediateGetMode", list, &mode);
        code(label, "zeCommandListImmediateGetPriority", list, &priority);
        code(label, "zeCommandListIsMutableExp", list, &flag);
        code(label, "zeCommandListClose", list);
    }
    code("closed", "zeCommandListClose", regular);
    code("closed", "zeCommandListAppendBarrier", regular, nullptr, 0u, nullptr);
    code("immediate", "zeCommandListReset", immediate);
    code("regular", "zeCommandListHostSynchronize", regular, std::uint64_t{0});
    description.commandQueueGroupOrdinal = 99;
    code("ordinal 99", "zeCommandListCreate", theContext, theDevice, &description, &regular);
    description.commandQueueGroupOrdinal = 0;
    description.flags = 1 << 20;
    code("unknown flag", "zeCommandListCreate", theContext, theDevice, &description, &regular);
    auto queues = described<ze_command_queue_desc_t>(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
    ze_command_queue_handle_t queue = nullptr;
    code("good", "zeCommandQueueCreate", theContext, theDevice, &queues, &queue);
    code("good", "zeCommandQueueGetFlags", queue, &number);
    code("good", "zeCommandQueueGetMode", queue, &mode);
    code("good", "zeCommandQueueGetPriority", queue, &priority);
    code("null", "zeCommandQueueGetFlags", queue, nullptr);
    code("null handle", "zeCommandQueueGetFlags", nullptr, &number);
    code("no lists", "zeCommandQueueExecuteCommandLists", queue, 0u, nullptr, nullptr);
    code("open list", "zeCommandQueueExecuteCommandLists", queue, 1u, nullptr, nullptr);
    code("high", "zeCommandQueueSetPriorityExt", queue, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
    queues.index = 99;
    code("index 99", "zeCommandQueueCreate", theContext, theDevice, &queues, &queue);
}

void memoryCodes() {
    void* memory = nullptr;
    auto onDevice = described<ze_device_mem_alloc_desc_t>(ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
    auto onHost = described<ze_host_mem_alloc_desc_t>(ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
    const std::size_t size = 4096;
    code("size 0", "zeMemAllocDevice", theContext, &onDevice, std::size_t{0}, std::size_t{0}, theDevice, &memory);
    code("alignment 3", "zeMemAllocDevice", theContext, &onDevice, size, std::size_t{3}, theDevice, &memory);
    code("alignment 4 GiB", "zeMemAllocDevice", theContext, &onDevice, size, std::size_t{1} << 32, theDevice, &memory);
    code("2^50 bytes", "zeMemAllocDevice", theContext, &onDevice, std::size_t{1} << 50, std::size_t{0}, theDevice,
         &memory);
    code("2^50 bytes", "zeMemAllocHost", theContext, &onHost, std::size_t{1} << 50, std::size_t{0}, &memory);
    onDevice.flags = 1 << 20;
    code("unknown flag", "zeMemAllocDevice", theContext, &onDevice, size, std::size_t{0}, theDevice, &memory);
    onDevice.flags = 0;
    code("good", "zeMemAllocDevice", theContext, &onDevice, size, std::size_t{0}, theDevice, &memory);
    int unknown = 0;
    void* base = nullptr;
    std::size_t bytes = 0;
    code("unknown", "zeMemGetAddressRange", theContext, static_cast<const void*>(&unknown), &base, &bytes);
    code("unknown", "zeMemFree", theContext, static_cast<void*>(&unknown));
    auto properties = described<ze_memory_allocation_properties_t>(ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
    ze_device_handle_t owner = nullptr;
    code("unknown", "zeMemGetAllocProperties", theContext, static_cast<const void*>(&unknown), &properties, &owner);
    code("host atomics", "zeMemSetAtomicAccessAttributeExp", theContext, theDevice, static_cast<const void*>(memory),
         size, 1u << 2);
    code("unknown flag", "zeMemSetAtomicAccessAttributeExp", theContext, theDevice, static_cast<const void*>(memory),
         size, 1u << 20);
    ze_ipc_mem_handle_t shared{};
    code("unknown", "zeMemGetIpcHandle", theContext, static_cast<const void*>(&unknown), &shared);
    auto* const list = immediateList(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    const std::uint32_t pattern = 7;
    const void* const from = &pattern;
    code("pattern 3", "zeCommandListAppendMemoryFill", list, memory, from, std::size_t{3}, std::size_t{12}, nullptr, 0u,
         nullptr);
    code("pattern 0", "zeCommandListAppendMemoryFill", list, memory, from, std::size_t{0}, std::size_t{12}, nullptr, 0u,
         nullptr);
    code("size 6 of 4", "zeCommandListAppendMemoryFill", list, memory, from, std::size_t{4}, std::size_t{6}, nullptr,
         0u, nullptr);
    code("unknown", "zeCommandListAppendMemoryFill", list, static_cast<void*>(&unknown), from, sizeof pattern,
         sizeof unknown, nullptr, 0u, nullptr);
    code("unknown", "zeContextMakeMemoryResident", theContext, theDevice, static_cast<void*>(&unknown), sizeof unknown);
    code("unknown", "zeContextEvictMemory", theContext, theDevice, static_cast<void*>(&unknown), sizeof unknown);
    code("unknown", "zeCommandListAppendMemoryPrefetch", list, static_cast<const void*>(&unknown), sizeof unknown);
    code("unknown", "zeCommandListAppendMemAdvise", list, theDevice, static_cast<const void*>(&unknown), sizeof unknown,
         ZE_MEMORY_ADVICE_SET_READ_MOSTLY);
    code("one, no array", "zeCommandListAppendWaitOnEvents", list, 1u, nullptr);
    code("one, no array", "zeCommandListAppendBarrier", list, nullptr, 1u, nullptr);
    code("null target", "zeCommandListAppendMemoryCopy", list, nullptr, from, std::size_t{4}, nullptr, 0u, nullptr);
    code("parameters missing", "zeCommandListAppendMemoryCopyWithParameters", list, memory, from, std::size_t{4},
         nullptr, nullptr, 0u, nullptr);
    code("parameters missing", "zeCommandListAppendMemoryFillWithParameters", list, memory, from, std::size_t{4},
         std::size_t{8}, nullptr, nullptr, 0u, nullptr);
    code("no function", "zeCommandListAppendHostFunction", list, nullptr, nullptr, nullptr, nullptr, 0u, nullptr);
}

void rangeCodes() {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 16, std::size_t{1} << 21, std::size_t{3} << 20}) {
        std::size_t page = 0;
        const std::string size = std::to_string(bytes) + " bytes";
        code(size.c_str(), "zeVirtualMemQueryPageSize", theContext, theDevice, bytes, &page);
        fact("page of " + size, page);
    }
    const void* const anywhere = nullptr;
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{3} << 20}) {
        const std::string size = std::to_string(bytes) + " bytes";
        void* range = nullptr;
        if (code(size.c_str(), "zeVirtualMemReserve", theContext, anywhere, bytes, &range) == ZE_RESULT_SUCCESS)
            code(size.c_str(), "zeVirtualMemFree", theContext, static_cast<const void*>(range), bytes);
        auto description = described<ze_physical_mem_desc_t>(ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC);
        description.size = bytes;
        ze_physical_mem_handle_t physical = nullptr;
        if (code(size.c_str(), "zePhysicalMemCreate", theContext, theDevice, &description, &physical) ==
            ZE_RESULT_SUCCESS)
            code(size.c_str(), "zePhysicalMemDestroy", theContext, physical);
        description.flags = 1 << 1;
        if (code((size + " on the host").c_str(), "zePhysicalMemCreate", theContext, theDevice, &description,
                 &physical) == ZE_RESULT_SUCCESS)
            code((size + " on the host").c_str(), "zePhysicalMemDestroy", theContext, physical);
    }
}

void deviceCodes() {
    auto vector =
        described<ze_device_vector_width_properties_ext_t>(ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT);
    std::uint32_t count = 0;
    code("count", "zeDeviceGetVectorWidthPropertiesExt", theDevice, &count, nullptr);
    fact("vector widths", count);
    count = 1;
    code("one", "zeDeviceGetVectorWidthPropertiesExt", theDevice, &count, &vector);
    const std::string prefix = "vector ";
    FACT(vector, vector_width_size);
    FACT(vector, preferred_vector_width_char);
    FACT(vector, preferred_vector_width_float);
    FACT(vector, native_vector_width_char);
    FACT(vector, native_vector_width_float);
    std::uint64_t value = 0;
    code("good", "zeDeviceGetCounterBasedEventMaxValue", theDevice, &value);
    fact("counter maximum", value);
    code("null", "zeDeviceGetCounterBasedEventMaxValue", theDevice, nullptr);
    std::uint32_t increment = 0;
    code("good", "zeDeviceGetAggregatedCopyOffloadIncrementValue", theDevice, &increment);
    fact("copy increment", increment);
    std::size_t size = 0;
    code("size", "zeDeviceGetRuntimeRequirements", theDevice, nullptr, &size, nullptr);
    code("size", "zeIntelGetDriverVersionString", theDriver, nullptr, &size);
    void* function = nullptr;
    code("unknown", "zeDriverGetExtensionFunctionAddress", theDriver, "zeNothing", &function);
    code("null", "zeDriverGetExtensionFunctionAddress", theDriver, nullptr, &function);
    code("good", "zeDeviceGetStatus", theDevice);
    auto* context = theContext;
    code("null", "zeContextGetStatus", nullptr);
    code("good", "zeContextGetStatus", context);
    code("good", "zeDeviceSynchronize", theDevice);
}

bool start() {
    std::uint32_t count = 1;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&count, &theDriver) != ZE_RESULT_SUCCESS || !count) return false;
    count = 1;
    if (zeDeviceGet(theDriver, &count, &theDevice) != ZE_RESULT_SUCCESS || !count) return false;
    const auto description = described<ze_context_desc_t>(ZE_STRUCTURE_TYPE_CONTEXT_DESC);
    return zeContextCreate(theDriver, &description, &theContext) == ZE_RESULT_SUCCESS;
}

struct Part {
    const char* name;
    void (*facts)();
};

void tell(const Part& part) {
    if (sigsetjmp(beforeCall, 1) == 0)
        part.facts();
    else
        fact(std::string("part ") + part.name, "dies");
}

}  // namespace

int main(int count, char** arguments) {
    for (const int number : {SIGSEGV, SIGABRT, SIGBUS}) std::signal(number, returnFromCall);
    if (!start()) {
        std::fputs("driver_facts: no driver has a device\n", stderr);
        return 1;
    }
    constexpr Part kParts[] = {{"driver", driverFacts},       {"basic", basicFacts},
                               {"compute", computeFacts},     {"module", moduleFacts},
                               {"queues", queueFacts},        {"memory", memoryFacts},
                               {"caches", cacheFacts},        {"reservation", reservationFacts},
                               {"images", imageFacts},        {"others", otherFacts},
                               {"device", deviceCodes},       {"fabric", fabricCodes},
                               {"events", eventCodes},        {"lists", listCodes},
                               {"memory calls", memoryCodes}, {"ranges", rangeCodes},
                               {"graphs", graphCodes}};
    for (const Part& part : kParts)
        if (count < 2 || std::strcmp(arguments[1], part.name) == 0) tell(part);
    std::fflush(stdout);
    _exit(0);  // a driver that executes nothing may wait for what was appended
}
