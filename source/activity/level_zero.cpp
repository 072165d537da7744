#include "activity/level_zero.h"

#include <dlfcn.h>

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
    commandListGetGraph = reinterpret_cast<decltype(commandListGetGraph)>(dlsym(loader, "zeCommandListGetGraphExt"));
    return look(loader, "zeDeviceGetProperties", deviceGetProperties, missing) &&
           look(loader, "zeDeviceGetGlobalTimestamps", deviceGetGlobalTimestamps, missing) &&
           look(loader, "zeEventPoolCreate", eventPoolCreate, missing) &&
           look(loader, "zeEventPoolDestroy", eventPoolDestroy, missing) &&
           look(loader, "zeEventCreate", eventCreate, missing) &&
           look(loader, "zeEventDestroy", eventDestroy, missing) &&
           look(loader, "zeEventHostReset", eventHostReset, missing) &&
           look(loader, "zeEventQueryStatus", eventQueryStatus, missing) &&
           look(loader, "zeEventQueryKernelTimestamp", eventQueryKernelTimestamp, missing) &&
           look(layer, "zetlTracerSetResult", tracerSetResult, missing);
}

}  // namespace zetl::activity
