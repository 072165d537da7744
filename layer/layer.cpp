#include "layer.h"

#include <pthread.h>

#include <memory>
#include <type_traits>

#include "attachment/service.h"
#include "entries.h"
#include "global_scope.h"
#include "log_channel.h"
#include "tools_entry.h"

namespace zetl::layer {

namespace {

ddi::SharedObject self() noexcept { return ddi::SharedObject::holding(reinterpret_cast<const void*>(&self)); }

[[maybe_unused]] const int forkHandled = pthread_atfork(nullptr, nullptr, [] { Layer::instance().freeInChild(); });

}  // namespace

Layer& Layer::instance() noexcept {
    static_assert(std::is_trivially_destructible_v<Layer>, "the host may call until the process is gone");
    static constinit Layer layer;  // made by the compiler: no first use for a fork to meet
    return layer;
}

void Layer::freeInChild() noexcept { std::construct_at(&mutex_); }

/// Our routes hold one chain. A second loader in the process has other functions below and may wrap handles, so its
/// tables stay as they are unless the first loader is gone. A loader's getter may end in a jump to ours: the return
/// address is then in the loader's caller, which is no loader and says nothing about it.
bool Layer::owns(const ddi::SharedObject& caller, ddi::Table table) noexcept {
    if (owner_ == caller || !caller.symbol(ddi::getter(table)) || caller == self()) return true;
    if (owner_.loaded()) {
        log::error(kLog, "{}: another loader of this process is served already; this one's calls pass by the layer",
                   ddi::getter(table));
        return false;
    }
    owner_ = caller;
    return true;
}

/// Asks the caller, which may be the loader, for its exact version, where that matters.
bool Layer::untouchable(ddi::Table table, ze_api_version_t version, const ddi::SharedObject& caller) const noexcept {
    if (!ddi::mayDeviate(table, version)) return false;
    auto loader = ddi::loaderVersion(caller);
    if (!loader) loader = ddi::loaderVersion(owner_ ? owner_ : ddi::SharedObject::named(ddi::kLoaderName));
    if (!loader || !ddi::deviates(table, *loader)) return false;
    log::error(kLog, "{}: loader {}.{}.{} has another table than its version {}.{} says; its calls pass by the layer",
               ddi::getter(table), loader->major, loader->minor, loader->patch, ZE_MAJOR_VERSION(version),
               ZE_MINOR_VERSION(version));
    return true;
}

ze_result_t Layer::fill(ddi::Table table, ze_api_version_t version, void** entries, const void* caller) noexcept {
    if (!entries) {
        log::warn(kLog, "{}: no table given; nothing filled", ddi::getter(table));
        return ZE_RESULT_SUCCESS;
    }
    const auto asking = ddi::SharedObject::holding(caller);
    const auto usable = ddi::usableSlots(table, version);
    if (const auto meant = meantGetter(table, asking, entries, usable)) {
        const Forwarding scope;
        if (const auto code = meant(version, entries); code != ZE_RESULT_SUCCESS) return code;
    }
    attachment::Service::startIfWanted();
    const Lock lock(mutex_);
    log::debug(kLog, "{}: version {}.{}, {} of {} entries usable", ddi::getter(table), ZE_MAJOR_VERSION(version),
               ZE_MINOR_VERSION(version), usable, ddi::slots(table));
    if (!owns(asking, table) || untouchable(table, version, asking)) return ZE_RESULT_SUCCESS;
    if (table == ddi::Table::zeDriver && usable > 0 &&
        !isOurs(ddi::Function::zeDriverGet, reinterpret_cast<ddi::Address>(entries[0])))
        driver_ = ddi::SharedObject::holding(entries[0]);
    next_.offer(table, version, entries, usable);
    takeOver(table, entries, usable);
    toolsSwitches();  // the environment counts as it is at zeInit
    attached_.store(true, std::memory_order_release);
    return ZE_RESULT_SUCCESS;
}

ddi::SharedObject Layer::driver() noexcept {
    const Lock lock(mutex_);
    return driver_;
}

}  // namespace zetl::layer
