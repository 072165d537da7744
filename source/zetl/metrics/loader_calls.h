// Calls of a loader that is opened at run time, because zetl is not linked to one.
#pragma once

#include <dlfcn.h>
#include <level_zero/zet_api.h>

#include <cstdint>
#include <vector>

namespace zetl::command {

/// The loader's functions, by name; null if it lacks one.
struct Functions {
    void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);

    template <class F>
    F* named(const char* name) const {
        return reinterpret_cast<F*>(dlsym(loader, name));
    }
};
/// A function of the variable `functions` in scope.
#define CALL(name) functions.named<decltype(name)>(#name)

/// Gets the count, then the elements.
template <class Handle, class F, class P>
std::vector<Handle> handles(F* list, P parent) {
    std::uint32_t count = 0;
    if (!list || list(parent, &count, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<Handle> found(count);
    if (list(parent, &count, found.data()) != ZE_RESULT_SUCCESS) return {};
    found.resize(count);
    return found;
}

inline std::vector<ze_driver_handle_t> driversOf(const Functions& functions) {
    std::uint32_t count = 0;
    CALL(zeDriverGet)(&count, nullptr);
    std::vector<ze_driver_handle_t> drivers(count);
    CALL(zeDriverGet)(&count, drivers.data());
    drivers.resize(count);
    return drivers;
}

}  // namespace zetl::command
