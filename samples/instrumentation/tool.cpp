#include "instrumentation/tool.h"

#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace tool {
namespace {

using zetl::instrumentation::Program;

struct State {
    std::mutex mutex;
    ze_context_handle_t context = nullptr;
    bool rewrites = false;  ///< the driver calls rewrite()
    std::vector<std::uint8_t> rewritten;
};
State& state() {
    static State* const value = new State;  // read by the report, after destructors have run
    return *value;
}

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

/// The binary with the tool's insertions; empty if the tool leaves it unchanged.
std::vector<std::uint8_t> instrumented(std::span<const std::uint8_t> binary) {
    std::string failure;
    std::vector<std::uint8_t> rewritten;
    const auto program = Program::read(binary, failure);
    if (program && actions().instrument(*program)) rewritten = program->write(failure);
    if (!failure.empty()) std::fprintf(stderr, "instrumentation: a module stays as it is: %s\n", failure.c_str());
    return rewritten;
}

/// The driver calls it before it loads a module.
const void* rewrite(void*, zetl_device_t, std::uint32_t, const void* image, std::uint64_t bytes,
                    std::uint64_t* newBytes) {
    const std::lock_guard guard(state().mutex);
    state().rewritten = instrumented({static_cast<const std::uint8_t*>(image), bytes});
    *newBytes = state().rewritten.size();
    return state().rewritten.empty() ? nullptr : state().rewritten.data();
}

std::vector<std::uint8_t> nativeOf(ze_module_handle_t module) {
    std::size_t size = 0;
    if (zeModuleGetNativeBinary(module, &size, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<std::uint8_t> binary(size);
    if (zeModuleGetNativeBinary(module, &size, binary.data()) != ZE_RESULT_SUCCESS) binary.clear();
    return binary;
}

/// For drivers that offer no device access: a second module, made of the first one's changed binary, takes its place.
void replace(ze_context_handle_t context, ze_device_handle_t device, ze_module_handle_t* module) {
    const std::lock_guard guard(state().mutex);
    const auto binary = instrumented(nativeOf(*module));
    if (binary.empty()) return;
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(), binary.data(), "", nullptr};
    ze_module_handle_t changed = nullptr;
    static auto* const create = next<decltype(zeModuleCreate)>("zeModuleCreate");
    if (create(context, device, &description, &changed, nullptr) != ZE_RESULT_SUCCESS) {
        std::fprintf(stderr,
                     "instrumentation: the driver does not take the changed module; the program's own is used\n");
        return;
    }
    zeModuleDestroy(*module);
    *module = changed;
}

void report() {
    const std::lock_guard guard(state().mutex);
    actions().report();
}

/// The device-access interface of a driver; null if it has none.
const zetl_device_access_t* accessOf(ze_driver_handle_t driver) {
    void* function = nullptr;
    if (zeDriverGetExtensionFunctionAddress(driver, ZETL_DEVICE_ACCESS_FUNCTION, &function) != ZE_RESULT_SUCCESS)
        return nullptr;
    return reinterpret_cast<zetl_get_device_access_t>(function)(ZETL_DEVICE_ACCESS_VERSION);
}

bool letsRewrite(ze_driver_handle_t driver) {
    const auto* const access = accessOf(driver);
    return access && access->modules && access->modules->rewrite_before_load(rewrite, nullptr) == ZETL_OK;
}

/// Follows the first driver that lets tools rewrite modules. If there is none, or if INSTRUMENTATION_REPLACES is set,
/// follows the first driver and replaces modules. The context is the tool's own, since the program's contexts are gone
/// when the report is made.
void follow() {
    std::atexit(report);
    std::uint32_t count = 0;
    if (zeDriverGet(&count, nullptr) != ZE_RESULT_SUCCESS || count == 0) return;
    std::vector<ze_driver_handle_t> drivers(count);
    if (zeDriverGet(&count, drivers.data()) != ZE_RESULT_SUCCESS) return;
    ze_driver_handle_t chosen = drivers.front();
    if (!std::getenv("INSTRUMENTATION_REPLACES"))
        for (ze_driver_handle_t driver : drivers)
            if (!state().rewrites && letsRewrite(driver)) {
                state().rewrites = true;
                chosen = driver;
            }
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    zeContextCreate(chosen, &description, &state().context);
}

}  // namespace

std::uint64_t* sharedMemory(std::size_t words) {
    const ze_host_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    constexpr std::size_t kAlignment = 64;
    void* memory = nullptr;
    if (zeMemAllocHost(state().context, &description, words * sizeof(std::uint64_t), kAlignment, &memory) !=
        ZE_RESULT_SUCCESS)
        return nullptr;
    std::memset(memory, 0, words * sizeof(std::uint64_t));
    return static_cast<std::uint64_t*>(memory);
}

}  // namespace tool

// The program's own call enters here first: the driver is then initialised, and no module is loaded yet.
extern "C" __attribute__((visibility("default"))) ze_result_t ZE_APICALL
zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t* description,
               ze_module_handle_t* module, ze_module_build_log_handle_t* log) {
    static std::once_flag once;
    std::call_once(once, tool::follow);
    static auto* const original = tool::next<decltype(zeModuleCreate)>("zeModuleCreate");
    const auto result = original(context, device, description, module, log);
    if (result == ZE_RESULT_SUCCESS && !tool::state().rewrites) tool::replace(context, device, module);
    return result;
}
