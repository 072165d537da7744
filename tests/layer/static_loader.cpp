// The loader that a program contains. It opens the shared loader, whose layers and drivers it uses: what it offers by
// itself and that one lacks is not there.
#include <dlfcn.h>

#include <string_view>

#include "support/level_zero.h"

#define LINKED(name) extern "C" void linked_##name() __asm__(#name)
LINKED(zesInit);
LINKED(zeInitDrivers);
LINKED(zelEnableTracingLayer);
LINKED(zelDisableTracingLayer);

namespace zetl::test {
namespace {

struct Linked {
    std::string_view name;
    void (*function)();
};
constexpr Linked kLinked[] = {{"zesInit", linked_zesInit},
                              {"zeInitDrivers", linked_zeInitDrivers},
                              {"zelEnableTracingLayer", linked_zelEnableTracingLayer},
                              {"zelDisableTracingLayer", linked_zelDisableTracingLayer}};

bool sharedLoaderHas(const char* name) {
    void* const shared = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return shared && dlsym(shared, name);
}

}  // namespace

void* loaderFunction(const char* name) {
    for (const auto& each : kLinked)
        if (each.name == name && sharedLoaderHas(name)) return reinterpret_cast<void*>(each.function);
    return nullptr;
}

}  // namespace zetl::test
