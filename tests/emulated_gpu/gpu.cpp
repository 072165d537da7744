#include "emulated_gpu/gpu.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace zetl::test {
namespace {

void require(ze_result_t result, const char* call) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::cerr << call << " -> 0x" << std::hex << result << std::endl;
    std::exit(3);
}
#define REQUIRE_OK(call) require(call, #call)

}  // namespace

Process emulated(const std::string& scenario, const std::string& profile) {
    return Process({thisProgram(), "--scenario=" + scenario})
        .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_emulated_gpu.so.1"))
        .with("ZETL_EMULATED_DEVICE", profile)
        .with("ZETL_LOG", "emulator=warn");
}

std::vector<std::uint8_t> readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Gpu::Gpu(unsigned driver) {
    REQUIRE_OK(zeInit(0));
    std::uint32_t count = 0;
    REQUIRE_OK(zeDriverGet(&count, nullptr));
    std::vector<ze_driver_handle_t> drivers(count);
    REQUIRE_OK(zeDriverGet(&count, drivers.data()));
    driver_ = drivers.at(driver);
    count = 1;
    REQUIRE_OK(zeDeviceGet(driver_, &count, &device_));
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    REQUIRE_OK(zeContextCreate(driver_, &description, &context_));
}

Gpu Gpu::on(ze_device_handle_t device) const {
    auto other = *this;
    other.device_ = device;
    return other;
}

void* Gpu::extension(const char* name) const {
    void* address = nullptr;
    REQUIRE_OK(zeDriverGetExtensionFunctionAddress(driver_, name, &address));
    return address;
}

void* Gpu::allocate(ze_memory_type_t type, std::size_t bytes) const {
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    if (type == ZE_MEMORY_TYPE_DEVICE)
        REQUIRE_OK(zeMemAllocDevice(context_, &onDevice, bytes, 64, device_, &memory));
    else if (type == ZE_MEMORY_TYPE_HOST)
        REQUIRE_OK(zeMemAllocHost(context_, &onHost, bytes, 64, &memory));
    else
        REQUIRE_OK(zeMemAllocShared(context_, &onDevice, &onHost, bytes, 64, device_, &memory));
    return memory;
}

ze_command_queue_handle_t Gpu::queue() const {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    ze_command_queue_handle_t queue = nullptr;
    REQUIRE_OK(zeCommandQueueCreate(context_, device_, &description, &queue));
    return queue;
}

ze_command_list_handle_t Gpu::list() const {
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
    ze_command_list_handle_t list = nullptr;
    REQUIRE_OK(zeCommandListCreate(context_, device_, &description, &list));
    return list;
}

ze_command_list_handle_t Gpu::immediate(ze_command_queue_mode_t mode, ze_command_queue_flags_t flags) const {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = mode;
    description.flags = flags;
    ze_command_list_handle_t list = nullptr;
    REQUIRE_OK(zeCommandListCreateImmediate(context_, device_, &description, &list));
    return list;
}

ze_event_pool_handle_t Gpu::pool(std::uint32_t count, ze_event_pool_flags_t flags, const void* chained) const {
    const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, chained, flags, count};
    ze_event_pool_handle_t pool = nullptr;
    REQUIRE_OK(zeEventPoolCreate(context_, &description, 0, nullptr, &pool));
    return pool;
}

ze_event_handle_t Gpu::event(ze_event_pool_handle_t pool, std::uint32_t index) {
    const ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, index, ZE_EVENT_SCOPE_FLAG_HOST,
                                      ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = nullptr;
    REQUIRE_OK(zeEventCreate(pool, &description, &event));
    return event;
}

ze_module_handle_t Gpu::moduleOf(const std::string& source, const char* flags) const {
    const auto spirv = readFile(inBuildTree("tests/emulated_gpu/kernels/" + source + ".spv"));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, spirv.size(), spirv.data(), flags, nullptr};
    ze_module_handle_t module = nullptr;
    REQUIRE_OK(zeModuleCreate(context_, device_, &description, &module, nullptr));
    return module;
}

ze_kernel_handle_t Gpu::kernelOf(ze_module_handle_t module, const char* name, std::uint32_t groupSize) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    ze_kernel_handle_t kernel = nullptr;
    REQUIRE_OK(zeKernelCreate(module, &description, &kernel));
    REQUIRE_OK(zeKernelSetGroupSize(kernel, groupSize, 1, 1));
    return kernel;
}

void Gpu::set(ze_kernel_handle_t kernel, std::uint32_t index, std::size_t size, const void* value) {
    REQUIRE_OK(zeKernelSetArgumentValue(kernel, index, size, value));
}

ze_result_t Gpu::run(ze_command_list_handle_t list) const {
    zeCommandListClose(list);
    const auto target = queue();
    if (const auto result = zeCommandQueueExecuteCommandLists(target, 1, &list, nullptr); result != ZE_RESULT_SUCCESS)
        return result;
    return zeCommandQueueSynchronize(target, UINT64_MAX);
}

}  // namespace zetl::test
