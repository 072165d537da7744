#include "session/session.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "session/check.h"
#include "session/spirv.h"

namespace session {
namespace {

/// All items of a "count, then fill" query.
template <class T, class Get>
std::vector<T> listOf(Get get) {
    std::uint32_t count = 0;
    CHECK(get(&count, nullptr));
    std::vector<T> items(count);
    CHECK(get(&count, items.data()));
    return items;
}

ze_device_handle_t firstGpu(ze_driver_handle_t driver) {
    const auto devices = listOf<ze_device_handle_t>(
        [&](std::uint32_t* count, ze_device_handle_t* all) { return zeDeviceGet(driver, count, all); });
    for (auto* device : devices) {
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
        CHECK(zeDeviceGetProperties(device, &properties));
        if (properties.type == ZE_DEVICE_TYPE_GPU) return device;
    }
    return nullptr;
}

void printBuildLog(ze_module_build_log_handle_t log) {
    std::size_t size = 0;
    if (!log || zeModuleBuildLogGetString(log, &size, nullptr) != ZE_RESULT_SUCCESS) return;
    std::string text(size, '\0');
    if (zeModuleBuildLogGetString(log, &size, text.data()) == ZE_RESULT_SUCCESS)
        std::fprintf(stderr, "build log: %s\n", text.c_str());
}

}  // namespace

Session::Session() {
    if (const auto result = zeInit(ZE_INIT_FLAG_GPU_ONLY); result != ZE_RESULT_SUCCESS) {
        std::fprintf(stderr, "zeInit: result %#x; `zetl doctor` says what is wrong, `zetl run` gives an emulated GPU\n",
                     static_cast<unsigned int>(result));
        std::exit(EXIT_FAILURE);
    }
    for (auto* candidate : listOf<ze_driver_handle_t>(zeDriverGet))
        if (auto* found = device ? nullptr : firstGpu(candidate)) {
            driver = candidate;
            device = found;
        }
    if (!device) {
        std::fprintf(stderr, "no driver has a GPU; `zetl run` gives an emulated one\n");
        std::exit(EXIT_FAILURE);
    }
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    CHECK(zeDeviceGetProperties(device, &properties));
    ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    CHECK(zeContextCreate(driver, &description, &context));
    std::printf("device: %s\n", properties.name);
}

Session::~Session() { zeContextDestroy(context); }

Kernel::Kernel(const Session& session, const std::string& source, const char* name, const char* options,
               const char* file) {
    const auto spirv = compileToSpirv(source, options, file);
    const char* const more = std::getenv("SAMPLE_BUILD_FLAGS");
    const std::string flags = std::string(options) + (more ? std::string(" ") + more : "");
    ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                 nullptr,
                                 ZE_MODULE_FORMAT_IL_SPIRV,
                                 spirv.size(),
                                 spirv.data(),
                                 flags.c_str(),
                                 nullptr};
    ze_module_build_log_handle_t log = nullptr;
    const auto result = zeModuleCreate(session.context, session.device, &description, &module, &log);
    if (result != ZE_RESULT_SUCCESS) printBuildLog(log);
    if (log) zeModuleBuildLogDestroy(log);
    CHECK(result);
    ze_kernel_desc_t kernelDescription{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    CHECK(zeKernelCreate(module, &kernelDescription, &kernel));
}

Kernel::~Kernel() {
    zeKernelDestroy(kernel);
    zeModuleDestroy(module);
}

Commands::Commands(const Session& session) {
    ze_command_queue_desc_t queueDescription{};
    queueDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    CHECK(zeCommandQueueCreate(session.context, session.device, &queueDescription, &queue));
    ze_command_list_desc_t listDescription{};
    listDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
    CHECK(zeCommandListCreate(session.context, session.device, &listDescription, &list));
}

Commands::~Commands() {
    zeCommandListDestroy(list);
    zeCommandQueueDestroy(queue);
}

void Commands::run() {
    CHECK(zeCommandListClose(list));
    CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
    CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    CHECK(zeCommandListReset(list));
}

Buffer::Buffer(const Session& owner, std::size_t bytes) : session(owner) {
    ze_device_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    CHECK(zeMemAllocDevice(owner.context, &description, bytes, 64, owner.device, &pointer));
}

Buffer::~Buffer() { zeMemFree(session.context, pointer); }

}  // namespace session
