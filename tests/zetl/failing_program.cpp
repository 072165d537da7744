// A program that allocates memory twice, and treats an allocation that fails as its argument says.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "ze_tools_layer/level_zero.h"

namespace {

struct Gpu {
    ze_context_handle_t context = nullptr;
    ze_device_handle_t device = nullptr;

    Gpu() {
        std::uint32_t count = 1;
        ze_driver_handle_t driver = nullptr;
        const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&count, &driver) != ZE_RESULT_SUCCESS ||
            zeDeviceGet(driver, &count, &device) != ZE_RESULT_SUCCESS ||
            zeContextCreate(driver, &description, &context) != ZE_RESULT_SUCCESS)
            _exit(3);
    }
    void* allocate() const {
        const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
        void* memory = nullptr;
        zeMemAllocDevice(context, &description, 64, 64, device, &memory);
        return memory;
    }
};

/// Does what the word says.
int failed(const char* word) {
    if (std::strcmp(word, "reports") == 0) std::puts("no memory");
    if (std::strcmp(word, "crashes") == 0) std::raise(SIGSEGV);
    if (std::strcmp(word, "hangs") == 0)
        for (;;) pause();
    return std::strcmp(word, "reports") == 0 || std::strcmp(word, "leaks") == 0 ? 1 : 0;
}

}  // namespace

int main(int, char** arguments) {
    const char* const word = arguments[1];
    const Gpu gpu;
    void* const first = gpu.allocate();
    if (first == nullptr) {
        zeContextDestroy(gpu.context);
        return failed(word);
    }
    void* const second = gpu.allocate();
    const int code = second == nullptr ? failed(word) : 0;
    if (code == 0 || std::strcmp(word, "leaks") != 0) zeMemFree(gpu.context, first);
    if (second != nullptr) zeMemFree(gpu.context, second);
    zeContextDestroy(gpu.context);
    return code;
}
