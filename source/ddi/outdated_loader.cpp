#include "ddi/outdated_loader.h"

#include <link.h>

#include <optional>
#include <string_view>

#include "ddi/loader.h"
#include "ddi/loader_clients.h"

namespace zetl::ddi {
namespace {

constexpr int kOldestMinor = 28;  // of loader 1.x
constexpr std::string_view kAdapter = "libur_adapter_level_zero";

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
