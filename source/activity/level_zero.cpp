#include "activity/level_zero.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>

namespace zetl::activity {
namespace {

template <class F>
bool look(void* library, const char* name, F& function, std::string& missing) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) missing = name;
    return function != nullptr;
}

}  // namespace

bool LevelZero::find(void* layer, std::string& missing) {
    void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!loader) {
        missing = "libze_loader.so.1";
        return false;
    }
    return look(loader, "zeDriverGet", driverGet, missing) && look(loader, "zeDeviceGet", deviceGet, missing) &&
           look(loader, "zeDriverGetExtensionFunctionAddress", driverGetExtensionFunctionAddress, missing) &&
           look(loader, "zeDeviceGetProperties", deviceGetProperties, missing) &&
           look(loader, "zeDeviceGetGlobalTimestamps", deviceGetGlobalTimestamps, missing) &&
           look(loader, "zeKernelGetProperties", kernelGetProperties, missing) &&
           look(loader, "zeEventPoolCreate", eventPoolCreate, missing) &&
           look(loader, "zeEventPoolDestroy", eventPoolDestroy, missing) &&
           look(loader, "zeEventCreate", eventCreate, missing) &&
           look(loader, "zeEventDestroy", eventDestroy, missing) &&
           look(loader, "zeEventHostReset", eventHostReset, missing) &&
           look(loader, "zeEventQueryStatus", eventQueryStatus, missing) &&
           look(loader, "zeEventQueryKernelTimestamp", eventQueryKernelTimestamp, missing) &&
           look(loader, "zeCommandListAppendBarrier", commandListAppendBarrier, missing) &&
           look(loader, "zeCommandListAppendEventReset", commandListAppendEventReset, missing) &&
           look(loader, "zeCommandListAppendQueryKernelTimestamps", commandListAppendQueryKernelTimestamps, missing) &&
           look(loader, "zeMemAllocHost", memAllocHost, missing) && look(loader, "zeMemFree", memFree, missing) &&
           look(layer, "zetlTracerSetResult", tracerSetResult, missing);
}

void* LevelZero::addressOf(const char* name) const {
    if (void* const loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD))
        if (void* const own = dlsym(loader, name)) return own;
    constexpr std::uint32_t kMost = 8;
    std::array<ze_driver_handle_t, kMost> drivers{};
    std::uint32_t count = kMost;
    if (driverGet(&count, drivers.data()) != ZE_RESULT_SUCCESS) return nullptr;
    for (std::uint32_t i = 0; i < count; ++i) {
        void* found = nullptr;
        if (driverGetExtensionFunctionAddress(drivers[i], name, &found) == ZE_RESULT_SUCCESS && found) return found;
    }
    return nullptr;
}

}  // namespace zetl::activity
