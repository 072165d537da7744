#include "ddi/loader.h"

#include <dlfcn.h>
#include <level_zero/loader/ze_loader.h>
#include <link.h>

#include <cstring>
#include <vector>

namespace zetl::ddi {
namespace {

const void* baseOf(const void* address) noexcept {
    Dl_info info{};
    return address && dladdr(address, &info) ? info.dli_fbase : nullptr;
}

/// A handle of an object that is already loaded. The main program, whose name is empty, is not accepted.
void* handleOf(const void* address) noexcept {
    Dl_info info{};
    link_map* map = nullptr;
    if (!address || !dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return nullptr;
    if (!map->l_name || !*map->l_name) return dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
    return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

SharedObject SharedObject::holding(const void* address) noexcept {
    SharedObject object;
    object.base_ = baseOf(address);
    return object;
}

SharedObject SharedObject::named(const char* name) noexcept {
    void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return {};
    link_map* map = nullptr;
    const bool known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
    const auto object = known ? holding(map->l_ld) : SharedObject();
    dlclose(handle);
    return object;
}

void* SharedObject::symbol(const char* name) const noexcept {
    void* handle = handleOf(base_);
    if (!handle) return nullptr;
    void* found = dlsym(handle, name);
    dlclose(handle);  // gives back our reference; the object stays because others hold it
    return baseOf(found) == base_ ? found : nullptr;
}

bool SharedObject::loaded() const noexcept { return base_ && baseOf(base_) == base_; }

std::optional<LoaderVersion> loaderVersion(const SharedObject& object) noexcept {
    using GetVersions = ze_result_t(ZE_APICALL*)(std::size_t*, zel_component_version_t*);
    const auto get = reinterpret_cast<GetVersions>(object.symbol("zelLoaderGetVersionsInternal"));
    std::size_t count = 0;
    if (!get || get(&count, nullptr) != ZE_RESULT_SUCCESS || count == 0) return std::nullopt;
    try {
        std::vector<zel_component_version_t> components(count);
        if (get(&count, components.data()) != ZE_RESULT_SUCCESS) return std::nullopt;
        for (const auto& each : components)
            if (std::strncmp(each.component_name, "loader", sizeof each.component_name) == 0)
                return LoaderVersion{each.component_lib_version.major, each.component_lib_version.minor,
                                     each.component_lib_version.patch};
    } catch (const std::exception&) {
        // Out of memory counts as unknown.
    }
    return std::nullopt;
}

}  // namespace zetl::ddi
