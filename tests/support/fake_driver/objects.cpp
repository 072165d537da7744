#include "support/fake_driver/objects.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "support/fake_driver/slots.h"
#include "ze_tools_layer/device_access.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

/// Handles are addresses of these; the loader may read the first words.
struct Object {
    void* words[8] = {};
};
Object driver;
Object devices[2];

template <class H>
H handleOf(Object& object) {
    return reinterpret_cast<H>(&object);
}

/// Count, then fill: the API's idiom for lists.
template <class H>
ze_result_t list(std::uint32_t* count, H* handles, Object* objects, std::uint32_t available) {
    if (handles)
        for (std::uint32_t i = 0; i < std::min(*count, available); ++i) handles[i] = handleOf<H>(objects[i]);
    if (*count == 0 || *count > available) *count = available;
    return ZE_RESULT_SUCCESS;
}

ze_result_t initResult() {
    static const char* const value = std::getenv("ZETL_FAKE_INIT_RESULT");
    return value ? static_cast<ze_result_t>(std::stoul(value, nullptr, 0)) : ZE_RESULT_SUCCESS;
}

ze_result_t init(ze_init_flags_t) { return initResult(); }
ze_result_t driverGet(std::uint32_t* count, ze_driver_handle_t* handles) { return list(count, handles, &driver, 1); }
ze_result_t initDrivers(std::uint32_t* count, ze_driver_handle_t* handles, ze_init_driver_type_desc_t*) {
    return initResult() == ZE_RESULT_SUCCESS ? driverGet(count, handles) : initResult();
}
ze_result_t driverGetApiVersion(ze_driver_handle_t, ze_api_version_t* version) {
    *version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, kNewestMinor));
    return ZE_RESULT_SUCCESS;
}
ze_result_t driverGetProperties(ze_driver_handle_t, ze_driver_properties_t* properties) {
    properties->driverVersion = 1;
    std::fill_n(properties->uuid.id, ZE_MAX_DRIVER_UUID_SIZE, std::uint8_t{0xfa});
    return ZE_RESULT_SUCCESS;
}
ze_result_t driverGetExtensionProperties(ze_driver_handle_t, std::uint32_t* count, ze_driver_extension_properties_t*) {
    *count = 0;
    return ZE_RESULT_SUCCESS;
}
ze_result_t driverGetExtensionFunctionAddress(ze_driver_handle_t, const char* name, void** function) {
    *function = std::strcmp(name, ZETL_DEVICE_ACCESS_FUNCTION) == 0 ? control.deviceAccess.load() : nullptr;
    return *function ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
ze_result_t deviceGet(ze_driver_handle_t, std::uint32_t* count, ze_device_handle_t* handles) {
    return list(count, handles, devices, 2);
}
ze_result_t deviceGetSubDevices(ze_device_handle_t, std::uint32_t* count, ze_device_handle_t*) {
    *count = 0;
    return ZE_RESULT_SUCCESS;
}
ze_result_t deviceGetProperties(ze_device_handle_t, ze_device_properties_t* properties) {
    properties->type = ZE_DEVICE_TYPE_GPU;
    properties->vendorId = 0x8086;
    properties->deviceId = 0xfa4e;
    properties->timerResolution = 1'000'000'000;
    properties->timestampValidBits = properties->kernelTimestampValidBits = 64;
    std::snprintf(properties->name, ZE_MAX_DEVICE_NAME, "fake device");
    if (const auto* uuid = control.uuid.load()) properties->uuid = *uuid;
    return ZE_RESULT_SUCCESS;
}

/// Both clocks are the host's, in nanoseconds.
ze_result_t deviceGetGlobalTimestamps(ze_device_handle_t, std::uint64_t* host, std::uint64_t* device) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    *host = *device = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    return ZE_RESULT_SUCCESS;
}

/// Each command took a microsecond and ended when it is asked for.
ze_result_t eventQueryKernelTimestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t* times) {
    static_cast<void>(event);
    std::uint64_t host = 0;
    *times = {};
    deviceGetGlobalTimestamps(nullptr, &host, &times->global.kernelEnd);
    times->global.kernelStart = times->global.kernelEnd - 1000;
    times->context = times->global;
    return ZE_RESULT_SUCCESS;
}

template <class H>
ze_result_t make(H* handle) {
    *handle = handleOf<H>(*new Object);
    return ZE_RESULT_SUCCESS;
}
template <class H>
ze_result_t destroy(H handle) {
    delete reinterpret_cast<Object*>(handle);
    return ZE_RESULT_SUCCESS;
}

ze_result_t contextCreate(ze_driver_handle_t, const ze_context_desc_t*, ze_context_handle_t* made) {
    return make(made);
}
ze_result_t commandQueueCreate(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t*,
                               ze_command_queue_handle_t* made) {
    return make(made);
}
ze_result_t commandListCreate(ze_context_handle_t, ze_device_handle_t, const ze_command_list_desc_t*,
                              ze_command_list_handle_t* made) {
    return make(made);
}
ze_result_t commandListCreateImmediate(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t*,
                                       ze_command_list_handle_t* made) {
    return make(made);
}
ze_result_t eventPoolCreate(ze_context_handle_t, const ze_event_pool_desc_t*, std::uint32_t, ze_device_handle_t*,
                            ze_event_pool_handle_t* made) {
    return make(made);
}
ze_result_t eventCreate(ze_event_pool_handle_t, const ze_event_desc_t*, ze_event_handle_t* made) { return make(made); }
ze_result_t moduleCreate(ze_context_handle_t, ze_device_handle_t, const ze_module_desc_t*, ze_module_handle_t* made,
                         ze_module_build_log_handle_t* log) {
    if (log) make(log);
    return make(made);
}
ze_result_t kernelCreate(ze_module_handle_t, const ze_kernel_desc_t*, ze_kernel_handle_t* made) { return make(made); }

ze_result_t allocate(std::size_t size, std::size_t alignment, void** memory) {
    const auto aligned = std::max<std::size_t>(alignment, 64);
    *memory = std::aligned_alloc(aligned, (size + aligned - 1) / aligned * aligned);
    return *memory ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}
ze_result_t memAllocDevice(ze_context_handle_t, const ze_device_mem_alloc_desc_t*, std::size_t size,
                           std::size_t alignment, ze_device_handle_t, void** memory) {
    return allocate(size, alignment, memory);
}
ze_result_t memAllocHost(ze_context_handle_t, const ze_host_mem_alloc_desc_t*, std::size_t size, std::size_t alignment,
                         void** memory) {
    return allocate(size, alignment, memory);
}
ze_result_t memAllocShared(ze_context_handle_t, const ze_device_mem_alloc_desc_t*, const ze_host_mem_alloc_desc_t*,
                           std::size_t size, std::size_t alignment, ze_device_handle_t, void** memory) {
    return allocate(size, alignment, memory);
}
ze_result_t memFree(ze_context_handle_t, void* memory) {
    std::free(memory);
    return ZE_RESULT_SUCCESS;
}

ze_result_t metricGroupGet(zet_device_handle_t, std::uint32_t* count, zet_metric_group_handle_t*) {
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

}  // namespace

std::span<const Implemented> implementedFunctions() {
    static const Implemented functions[] = {
        implement<slotOf("zeInit"), init>(),
        implement<slotOf("zeInitDrivers"), initDrivers>(),
        implement<slotOf("zeDriverGet"), driverGet>(),
        implement<slotOf("zeDriverGetApiVersion"), driverGetApiVersion>(),
        implement<slotOf("zeDriverGetProperties"), driverGetProperties>(),
        implement<slotOf("zeDriverGetExtensionProperties"), driverGetExtensionProperties>(),
        implement<slotOf("zeDriverGetExtensionFunctionAddress"), driverGetExtensionFunctionAddress>(),
        implement<slotOf("zeDeviceGet"), deviceGet>(),
        implement<slotOf("zeDeviceGetSubDevices"), deviceGetSubDevices>(),
        implement<slotOf("zeDeviceGetProperties"), deviceGetProperties>(),
        implement<slotOf("zeDeviceGetGlobalTimestamps"), deviceGetGlobalTimestamps>(),
        implement<slotOf("zeContextCreate"), contextCreate>(),
        implement<slotOf("zeContextDestroy"), destroy<ze_context_handle_t>>(),
        implement<slotOf("zeCommandQueueCreate"), commandQueueCreate>(),
        implement<slotOf("zeCommandQueueDestroy"), destroy<ze_command_queue_handle_t>>(),
        implement<slotOf("zeCommandListCreate"), commandListCreate>(),
        implement<slotOf("zeCommandListCreateImmediate"), commandListCreateImmediate>(),
        implement<slotOf("zeCommandListDestroy"), destroy<ze_command_list_handle_t>>(),
        implement<slotOf("zeEventPoolCreate"), eventPoolCreate>(),
        implement<slotOf("zeEventPoolDestroy"), destroy<ze_event_pool_handle_t>>(),
        implement<slotOf("zeEventCreate"), eventCreate>(),
        implement<slotOf("zeEventQueryKernelTimestamp"), eventQueryKernelTimestamp>(),
        implement<slotOf("zeEventDestroy"), destroy<ze_event_handle_t>>(),
        implement<slotOf("zeModuleCreate"), moduleCreate>(),
        implement<slotOf("zeModuleDestroy"), destroy<ze_module_handle_t>>(),
        implement<slotOf("zeKernelCreate"), kernelCreate>(),
        implement<slotOf("zeKernelDestroy"), destroy<ze_kernel_handle_t>>(),
        implement<slotOf("zeMemAllocDevice"), memAllocDevice>(),
        implement<slotOf("zeMemAllocHost"), memAllocHost>(),
        implement<slotOf("zeMemAllocShared"), memAllocShared>(),
        implement<slotOf("zeMemFree"), memFree>(),
        implement<slotOf("zetMetricGroupGet"), metricGroupGet>(),
    };
    return functions;
}

}  // namespace zetl::test
