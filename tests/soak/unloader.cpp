// Opens the Level Zero loader, fills memory, and closes the loader, as plugins do (scripts/soak).
//
//   soak_unloader ROUNDS
//
// Exit code 1: a call failed or a result was wrong.
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::printf("soak: FAILED with the loader opened anew: %s\n", what);
    std::exit(1);
}

template <class F>
F* function(void* loader, const char* name) {
    void* const address = dlsym(loader, name);
    require(address != nullptr, name);
    return reinterpret_cast<F*>(address);
}
#define CALL(name, ...) require(function<decltype(name)>(loader, #name)(__VA_ARGS__) == ZE_RESULT_SUCCESS, #name)

void fillOnce(void* loader, std::uint32_t pattern) {
    CALL(zeInit, 0);
    std::uint32_t count = 1;
    ze_driver_handle_t driver = nullptr;
    CALL(zeDriverGet, &count, &driver);
    ze_device_handle_t device = nullptr;
    count = 1;
    CALL(zeDeviceGet, driver, &count, &device);
    const ze_context_desc_t contextDescription{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t context = nullptr;
    CALL(zeContextCreate, driver, &contextDescription, &context);
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* memory = nullptr;
    constexpr std::size_t kBytes = 4096;
    CALL(zeMemAllocDevice, context, &onDevice, kBytes, 64, device, &memory);
    ze_command_queue_desc_t queue{};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    queue.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    CALL(zeCommandListCreateImmediate, context, device, &queue, &list);
    CALL(zeCommandListAppendMemoryFill, list, memory, &pattern, sizeof pattern, kBytes, nullptr, 0, nullptr);
    CALL(zeCommandListAppendBarrier, list, nullptr, 0, nullptr);
    std::uint32_t back = 0;
    CALL(zeCommandListAppendMemoryCopy, list, &back, memory, sizeof back, nullptr, 0, nullptr);
    require(back == pattern, "the filled word");
    CALL(zeCommandListDestroy, list);
    CALL(zeMemFree, context, memory);
    CALL(zeContextDestroy, context);
}

}  // namespace

int main(int count, char** values) {
    const long rounds = count > 1 ? std::strtol(values[1], nullptr, 10) : 10;
    for (long round = 0; round < rounds; ++round) {
        void* const loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
        require(loader != nullptr, "dlopen");
        fillOnce(loader, static_cast<std::uint32_t>(round));
        dlclose(loader);
    }
    std::printf("soak: %ld rounds with the loader opened anew\n", rounds);
}
