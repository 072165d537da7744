#include "ddi/outdated_loader.h"

#include <elf.h>
#include <link.h>

#include <optional>
#include <string_view>

#include "ddi/loader.h"

namespace zetl::ddi {
namespace {

constexpr int kOldestMinor = 28;  // of loader 1.x
constexpr std::string_view kAdapter = "libur_adapter_level_zero";
constexpr std::string_view kLoader = "libze_loader.so";

const ElfW(Dyn) * dynamicOf(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    return nullptr;
}

/// The dynamic linker has checked it: an adapter that names functions which this loader lacks is not loaded.
bool isLinkedToLoader(const dl_phdr_info& object) {
    const auto* const dynamic = dynamicOf(object);
    std::uintptr_t names = 0;
    for (const auto* each = dynamic; each && each->d_tag != DT_NULL; ++each)
        if (each->d_tag == DT_STRTAB) names = each->d_un.d_ptr;
    if (names == 0) return false;
    if (names < object.dlpi_addr) names += object.dlpi_addr;
    for (const auto* each = dynamic; each->d_tag != DT_NULL; ++each)
        if (each->d_tag == DT_NEEDED &&
            std::string_view(reinterpret_cast<const char*>(names + each->d_un.d_val)).starts_with(kLoader))
            return true;
    return false;
}

/// An adapter that brings a loader's code along, into `path`.
int findAdapter(dl_phdr_info* object, std::size_t, void* path) {
    const std::string_view name = object->dlpi_name ? object->dlpi_name : "";
    const auto file = name.substr(name.rfind('/') + 1);
    if (!file.starts_with(kAdapter) || isLinkedToLoader(*object)) return 0;
    *static_cast<const char**>(path) = object->dlpi_name;
    return 1;
}

}  // namespace

void reportOutdatedLoader(log::Channel channel) noexcept {
    const char* adapter = nullptr;
    if (dl_iterate_phdr(findAdapter, &adapter) == 0) return;
    const auto loader = loaderVersion(SharedObject::named(kLoaderName));
    if (!loader || loader->major != 1 || loader->minor >= kOldestMinor) return;
    log::error(
        channel,
        "SYCL's run time here ({}) wants a Level Zero loader of 1.{} or newer, and ends this program by SIGSEGV with "
        "{}.{}.{}: put the directory of a newer libze_loader.so.1 in front of LD_LIBRARY_PATH "
        "(https://github.com/oneapi-src/level-zero/releases)",
        adapter, kOldestMinor, loader->major, loader->minor, loader->patch);
}

}  // namespace zetl::ddi
