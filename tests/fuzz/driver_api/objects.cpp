#include "fuzz/driver_api/objects.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace zetl::test {
namespace {

/// Adds what a function lists.
template <class From, class H>
std::vector<H> addListed(HandlePool& pool, ze_result_t (*list)(From, std::uint32_t*, H*), From from) {
    std::vector<H> handles(64);
    auto count = static_cast<std::uint32_t>(handles.size());
    handles.resize(list(from, &count, handles.data()) == ZE_RESULT_SUCCESS ? count : 0);
    for (H handle : handles) pool.add(handle);
    return handles;
}

/// Calls a creating function, whose last argument takes the handle, and adds it.
template <class H, class F, class... A>
void addMade(HandlePool& pool, F create, A... arguments) {
    H made = nullptr;
    if (create(arguments..., &made) == ZE_RESULT_SUCCESS) pool.add(made);
}

void addSysman(HandlePool& pool, ze_device_handle_t device) {
    auto* const handle = reinterpret_cast<zes_device_handle_t>(device);
    addListed(pool, DRIVER_FUNCTION(zesDeviceEnumMemoryModules), handle);
    addListed(pool, DRIVER_FUNCTION(zesDeviceEnumFrequencyDomains), handle);
    addListed(pool, DRIVER_FUNCTION(zesDeviceEnumEngineGroups), handle);
    addListed(pool, DRIVER_FUNCTION(zesDeviceEnumRasErrorSets), handle);
}

void addFabric(HandlePool& pool, ze_driver_handle_t driver) {
    const auto vertices = addListed(pool, DRIVER_FUNCTION(zeFabricVertexGetExp), driver);
    for (auto* from : vertices) {
        for (auto* to : vertices) {
            std::uint32_t count = 1;
            ze_fabric_edge_handle_t edge = nullptr;
            DRIVER_FUNCTION(zeFabricEdgeGetExp)(from, to, &count, &edge);
            if (edge) pool.add(edge);
        }
    }
}

void addProgram(HandlePool& pool, ze_context_handle_t context, ze_device_handle_t device) {
    const ze_module_desc_t description = testProgram();
    ze_module_handle_t module = nullptr;
    ze_module_build_log_handle_t log = nullptr;
    DRIVER_FUNCTION(zeModuleCreate)(context, device, &description, &module, &log);
    if (log) pool.add(log);
    if (!module) return;
    pool.add(module);
    const ze_kernel_desc_t kernel{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "step"};
    addMade<ze_kernel_handle_t>(pool, DRIVER_FUNCTION(zeKernelCreate), module, &kernel);
}

void addImages(HandlePool& pool, ze_context_handle_t context, ze_device_handle_t device) {
    ze_image_desc_t image{};
    image.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    image.type = ZE_IMAGE_TYPE_2D;
    image.format = {ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT, ZE_IMAGE_FORMAT_SWIZZLE_R,
                    ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_1};
    image.width = 4;
    image.height = 4;
    image.depth = 1;
    addMade<ze_image_handle_t>(pool, DRIVER_FUNCTION(zeImageCreate), context, device, &image);
    const ze_sampler_desc_t sampler{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                    ZE_SAMPLER_FILTER_MODE_NEAREST, true};
    addMade<ze_sampler_handle_t>(pool, DRIVER_FUNCTION(zeSamplerCreate), context, device, &sampler);
}

void addQueues(HandlePool& pool, ze_context_handle_t context, ze_device_handle_t device) {
    ze_command_queue_desc_t queue{};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    addMade<ze_command_queue_handle_t>(pool, DRIVER_FUNCTION(zeCommandQueueCreate), context, device, &queue);
    const ze_fence_desc_t fence{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    addMade<ze_fence_handle_t>(pool, DRIVER_FUNCTION(zeFenceCreate), pool.last<ze_command_queue_handle_t>(), &fence);
    const ze_command_list_desc_t list{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
    addMade<ze_command_list_handle_t>(pool, DRIVER_FUNCTION(zeCommandListCreate), context, device, &list);
    queue.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    addMade<ze_command_list_handle_t>(pool, DRIVER_FUNCTION(zeCommandListCreateImmediate), context, device, &queue);
}

void addEvents(HandlePool& pool, ze_context_handle_t context) {
    const ze_event_pool_desc_t events{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 4};
    addMade<ze_event_pool_handle_t>(pool, DRIVER_FUNCTION(zeEventPoolCreate), context, &events, 0u, nullptr);
    const ze_event_desc_t event{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    addMade<ze_event_handle_t>(pool, DRIVER_FUNCTION(zeEventCreate), pool.last<ze_event_pool_handle_t>(), &event);
}

/// A graph of one barrier.
void addGraph(HandlePool& pool) {
    auto* const list = pool.last<ze_command_list_handle_t>();
    DRIVER_FUNCTION(zeCommandListBeginGraphCaptureExt)(list, nullptr);
    DRIVER_FUNCTION(zeCommandListAppendBarrier)(list, nullptr, 0, nullptr);
    addMade<ze_graph_handle_t>(pool, DRIVER_FUNCTION(zeCommandListEndGraphCaptureExt), list, nullptr);
    addMade<ze_executable_graph_handle_t>(pool, DRIVER_FUNCTION(zeGraphInstantiateExt), pool.last<ze_graph_handle_t>(),
                                          nullptr);
}

/// The group whose metrics are begins and ends of commands. Groups last, so each device is asked once.
zet_metric_group_handle_t tracedGroup(ze_device_handle_t device) {
    static std::map<ze_device_handle_t, zet_metric_group_handle_t> known;
    if (const auto found = known.find(device); found != known.end()) return found->second;
    HandlePool groups;
    for (auto* group : addListed(groups, DRIVER_FUNCTION(zetMetricGroupGet), device)) {
        zet_metric_group_properties_t properties{};
        DRIVER_FUNCTION(zetMetricGroupGetProperties)(group, &properties);
        if (properties.samplingType == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED)
            return known[device] = group;
    }
    return nullptr;
}

void addMetrics(HandlePool& pool, ze_device_handle_t device) {
    DRIVER_FUNCTION(zetIntelDeviceEnableMetricsExp)(device);
    auto* const group = tracedGroup(device);
    if (!group) return;
    pool.add(group);
    addListed(pool, DRIVER_FUNCTION(zetMetricGet), group);
    addListed(pool, DRIVER_FUNCTION(zetIntelMetricSupportedScopesGetExp), pool.last<zet_metric_handle_t>());
}

/// Adds a tracer of the device, with its decoder, and an operation for what it gives; false if it has one already.
bool traces(HandlePool& pool, ze_device_handle_t device) {
    auto* const context = pool.last<ze_context_handle_t>();
    DRIVER_FUNCTION(zetIntelDeviceEnableMetricsExp)(device);
    auto* group = tracedGroup(device);
    if (!group) return false;
    DRIVER_FUNCTION(zetContextActivateMetricGroups)(context, device, 1, &group);
    zet_intel_metric_hw_buffer_size_exp_desc_t small{ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC, nullptr,
                                                     1 << 10};
    zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, &small, 0};
    zet_metric_tracer_exp_handle_t tracer = nullptr;
    if (DRIVER_FUNCTION(zetMetricTracerCreateExp)(context, device, 1, &group, &description, nullptr, &tracer) !=
        ZE_RESULT_SUCCESS)
        return false;
    pool.add(tracer);
    addMade<zet_metric_decoder_exp_handle_t>(pool, DRIVER_FUNCTION(zetMetricDecoderCreateExp), tracer);
    HandlePool listed;
    addListed(listed, DRIVER_FUNCTION(zetMetricGet), group);
    auto scopes =
        addListed(listed, DRIVER_FUNCTION(zetIntelMetricSupportedScopesGetExp), listed.last<zet_metric_handle_t>());
    zet_intel_metric_calculation_exp_desc_t desc{};
    desc.stype = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULATION_DESC_EXP;
    desc.metricGroupCount = 1;
    desc.phMetricGroups = &group;
    desc.metricScopesCount = static_cast<std::uint32_t>(scopes.size());
    desc.phMetricScopes = scopes.data();
    addMade<zet_intel_metric_calculation_operation_exp_handle_t>(
        pool, DRIVER_FUNCTION(zetIntelMetricCalculationOperationCreateExp), context, device, &desc);
    return true;
}

template <class H>
void destroyAll(HandlePool& pool, ze_result_t (*destroy)(H)) {
    for (void* handle : pool.of<H>()) destroy(static_cast<H>(handle));
}

}  // namespace

ze_module_desc_t testProgram() {
    static const std::vector<char> bytes = [] {
        std::ifstream file(ZETL_TEST_PROGRAM, std::ios::binary);
        return std::vector<char>(std::istreambuf_iterator<char>(file), {});
    }();
    if (bytes.empty()) std::abort();  // the file is missing
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = bytes.size();
    description.pInputModule = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return description;
}

void addLasting(HandlePool& pool) {
    composeDriver();
    DRIVER_FUNCTION(zeInit)(0);
    DRIVER_FUNCTION(zesInit)(0);
    std::uint32_t count = 1;
    ze_driver_handle_t driver = nullptr;
    DRIVER_FUNCTION(zeDriverGet)(&count, &driver);
    pool.add(driver);
    const auto devices = addListed(pool, DRIVER_FUNCTION(zeDeviceGet), driver);
    for (auto* device : devices) addListed(pool, DRIVER_FUNCTION(zeDeviceGetSubDevices), device);
    if (!devices.empty()) addSysman(pool, devices.front());
    if (!devices.empty()) addMetrics(pool, devices.front());
    addFabric(pool, driver);
}

void addObjects(HandlePool& pool) {
    auto* const driver = pool.last<ze_driver_handle_t>();
    auto* const device = static_cast<ze_device_handle_t>(pool.of<ze_device_handle_t>().front());
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    addMade<ze_context_handle_t>(pool, DRIVER_FUNCTION(zeContextCreate), driver, &description);
    auto* const context = pool.last<ze_context_handle_t>();
    addQueues(pool, context, device);
    addEvents(pool, context);
    addGraph(pool);
    ze_physical_mem_desc_t physical{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, 1 << 21};
    addMade<ze_physical_mem_handle_t>(pool, DRIVER_FUNCTION(zePhysicalMemCreate), context, device, &physical);
    addProgram(pool, context, device);
    addImages(pool, context, device);
}

void addTracer(HandlePool& pool) {
    for (void* device : pool.of<ze_device_handle_t>())
        if (traces(pool, static_cast<ze_device_handle_t>(device))) return;
}

void destroyObjects(HandlePool& pool) {
    for (void* queue : pool.of<ze_command_queue_handle_t>())
        DRIVER_FUNCTION(zeCommandQueueSynchronize)(static_cast<ze_command_queue_handle_t>(queue), UINT64_MAX);
    destroyAll(pool, DRIVER_FUNCTION(zetIntelMetricCalculationOperationDestroyExp));
    destroyAll(pool, DRIVER_FUNCTION(zetMetricDecoderDestroyExp));
    destroyAll(pool, DRIVER_FUNCTION(zetMetricTracerDestroyExp));
    destroyAll(pool, DRIVER_FUNCTION(zeFenceDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeExecutableGraphDestroyExt));
    destroyAll(pool, DRIVER_FUNCTION(zeGraphDestroyExt));
    destroyAll(pool, DRIVER_FUNCTION(zeCommandListDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeCommandQueueDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeEventDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeEventPoolDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeKernelDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeModuleDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeModuleBuildLogDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeSamplerDestroy));
    destroyAll(pool, DRIVER_FUNCTION(zeImageDestroy));
    for (void* memory : pool.of<ze_physical_mem_handle_t>())
        for (void* context : pool.of<ze_context_handle_t>()) DRIVER_FUNCTION(zePhysicalMemDestroy)
    (static_cast<ze_context_handle_t>(context), static_cast<ze_physical_mem_handle_t>(memory));
    destroyAll(pool, DRIVER_FUNCTION(zeContextDestroy));
}

}  // namespace zetl::test
