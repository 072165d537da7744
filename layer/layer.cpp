#include "layer.h"

#include "base/log.h"
#include "entries.h"

namespace zetl::layer {

constexpr auto kLog = log::Module::layer;

Layer& Layer::instance() noexcept {
    static auto* const layer = new Layer;
    return *layer;
}

/// Our routes hold one chain. A second loader in the process has other functions below and may wrap handles, so its
/// tables stay as they are unless the first loader is gone.
bool Layer::owns(const ddi::Module& loader, ddi::Table table) noexcept {
    if (owner_ == loader) return true;
    if (owner_.loaded()) {
        log::warn(kLog, "{}: another loader of this process is served already; this one's calls pass by the layer",
                  ddi::getter(table));
        return false;
    }
    owner_ = loader;
    ownerVersion_.reset();
    return true;
}

bool Layer::untouchable(ddi::Table table, ze_api_version_t version, const ddi::Module& loader) noexcept {
    if (!ddi::mayDeviate(version)) return false;
    if (!ownerVersion_) ownerVersion_ = ddi::loaderVersion(loader).value_or(ddi::LoaderVersion{});
    if (!ddi::deviates(table, *ownerVersion_)) return false;
    log::warn(kLog, "{}: loader {}.{}.{} has another table than its version {}.{} says; its calls pass by the layer",
              ddi::getter(table), ownerVersion_->major, ownerVersion_->minor, ownerVersion_->patch,
              ZE_MAJOR_VERSION(version), ZE_MINOR_VERSION(version));
    return true;
}

ze_result_t Layer::fill(ddi::Table table, ze_api_version_t version, void** entries, const void* caller) noexcept {
    if (!entries) {
        log::warn(kLog, "{}: no table given; nothing filled", ddi::getter(table));
        return ZE_RESULT_SUCCESS;
    }
    const std::lock_guard lock(mutex_);
    const auto loader = ddi::Module::holding(caller);
    const auto usable = ddi::usableSlots(table, version);
    log::debug(kLog, "{}: version {}.{}, {} of {} entries usable", ddi::getter(table), ZE_MAJOR_VERSION(version),
               ZE_MINOR_VERSION(version), usable, ddi::slots(table));
    if (!owns(loader, table) || untouchable(table, version, loader)) return ZE_RESULT_SUCCESS;
    next_.offer(table, version, entries, usable);

    const auto first = ddi::index(ddi::firstFunction(table));
    for (std::size_t i = 0; i < usable; ++i) {
        const auto function = ddi::Function(first + i);
        const auto held = reinterpret_cast<ddi::Address>(entries[i]);
        if (!isOurs(function, held)) entries[i] = reinterpret_cast<void*>(takeOver(function, held));
    }
    attached_.store(true, std::memory_order_release);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::layer
