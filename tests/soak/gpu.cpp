#include "soak/gpu.h"

#include <fstream>
#include <iterator>

namespace zetl::soak {
namespace {

/// The tests' kernels as SPIR-V, read once, while there is memory.
const std::vector<std::uint8_t>& kernels() {
    static const std::vector<std::uint8_t> spirv = [] {
        std::ifstream file(ZETL_SOAK_KERNELS, std::ios::binary);
        return std::vector<std::uint8_t>{std::istreambuf_iterator<char>(file), {}};
    }();
    return spirv;
}

}  // namespace

Gpu::Gpu() {
    SOAK_CALL(zeInit(0));
    std::uint32_t count = 1;
    SOAK_CALL(zeDriverGet(&count, &driver_));
    count = 1;
    SOAK_CALL(zeDeviceGet(driver_, &count, &device_));
    SOAK_CALL(zeDriverGetExtensionFunctionAddress(driver_, "zeCommandListHostSynchronize",
                                                  reinterpret_cast<void**>(&hostSynchronize_)));
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    SOAK_CALL(zeContextCreate(driver_, &description, context_.place()));
    module_ = module();
}

Memory Gpu::allocate(ze_memory_type_t type, std::size_t bytes) const {
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    if (type == ZE_MEMORY_TYPE_DEVICE)
        SOAK_CALL(zeMemAllocDevice(context_, &onDevice, bytes, 64, device_, &memory));
    else if (type == ZE_MEMORY_TYPE_HOST)
        SOAK_CALL(zeMemAllocHost(context_, &onHost, bytes, 64, &memory));
    else
        SOAK_CALL(zeMemAllocShared(context_, &onDevice, &onHost, bytes, 64, device_, &memory));
    return {context_, memory};
}

Queue Gpu::queue(ze_command_queue_mode_t mode) const {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = mode;
    Queue queue;
    SOAK_CALL(zeCommandQueueCreate(context_, device_, &description, queue.place()));
    return queue;
}

List Gpu::list() const {
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
    List list;
    SOAK_CALL(zeCommandListCreate(context_, device_, &description, list.place()));
    return list;
}

List Gpu::immediate(ze_command_queue_mode_t mode) const {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = mode;
    List list;
    SOAK_CALL(zeCommandListCreateImmediate(context_, device_, &description, list.place()));
    return list;
}

EventPool Gpu::pool(std::uint32_t count, ze_event_pool_flags_t flags) const {
    const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, flags, count};
    EventPool pool;
    SOAK_CALL(zeEventPoolCreate(context_, &description, 0, nullptr, pool.place()));
    return pool;
}

Event Gpu::event(ze_event_pool_handle_t pool, std::uint32_t index) {
    const ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, index, ZE_EVENT_SCOPE_FLAG_HOST,
                                      ZE_EVENT_SCOPE_FLAG_HOST};
    Event event;
    SOAK_CALL(zeEventCreate(pool, &description, event.place()));
    return event;
}

Module Gpu::module(const char* flags) const {
    const auto& spirv = kernels();
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, spirv.size(), spirv.data(), flags, nullptr};
    Module module;
    SOAK_CALL(zeModuleCreate(context_, device_, &description, module.place(), nullptr));
    return module;
}

Kernel Gpu::kernel(ze_module_handle_t module, const char* name, std::uint32_t groupSize) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    Kernel kernel;
    SOAK_CALL(zeKernelCreate(module, &description, kernel.place()));
    SOAK_CALL(zeKernelSetGroupSize(kernel, groupSize, 1, 1));
    return kernel;
}

void Gpu::synchronize(ze_command_list_handle_t list) const { SOAK_CALL(hostSynchronize_(list, UINT64_MAX)); }

}  // namespace zetl::soak
