#include "next_layer.h"

#include <dlfcn.h>

#include "base/log.h"
#include "base/settings.h"
#include "ddi/table_size.h"
#include "entries.h"

namespace zetl::layer {
namespace {

bool hasOurs(ddi::Table table, void** entries, std::size_t usable) noexcept {
    const auto first = ddi::index(ddi::firstFunction(table));
    for (std::size_t i = 0; i < usable; ++i) {
        const auto function = ddi::Function(first + i);
        const bool countable = ddi::isTraced(function) || ddi::isTools(function);
        if (countable && isOurs(function, reinterpret_cast<ddi::Address>(entries[i]))) return true;
    }
    return false;
}

}  // namespace

void NextLayer::open() noexcept try {
    const auto path = settings::text(settings::kNextValidationLayer);
    tried_ = true;
    if (!path || path->empty()) return;
    library_ = dlopen(path->c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library_)
        log::info(log::Channel::layer, "{}={} is chained", settings::kNextValidationLayer, *path);
    else
        log::error(log::Channel::layer, "{}={}: {}; running without it", settings::kNextValidationLayer, *path,
                   dlerror());
} catch (const std::bad_alloc&) {
    log::error(log::Channel::layer, "{} cannot be read: the host is out of memory", settings::kNextValidationLayer);
}

void NextLayer::offer(ddi::Table table, ze_api_version_t version, void** entries, std::size_t usable) noexcept {
    if (!tried_) open();
    if (!library_ || hasOurs(table, entries, usable)) return;
    using Getter = ze_result_t(ZE_APICALL*)(ze_api_version_t, void*);
    const auto getter = reinterpret_cast<Getter>(dlsym(library_, ddi::getter(table)));
    if (!getter) return;
    if (const auto code = getter(version, entries); code != ZE_RESULT_SUCCESS)
        log::warn(log::Channel::layer,
                  "{}: the next validation layer answers {:#x} to version {}.{}; its checks of that table are off",
                  ddi::getter(table), unsigned(code), ZE_MAJOR_VERSION(version), ZE_MINOR_VERSION(version));
}

}  // namespace zetl::layer
