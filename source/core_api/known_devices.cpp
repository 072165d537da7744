#include "core_api/known_devices.h"

#include <atomic>

#include "base/never_destroyed.h"

namespace zetl::core_api {
namespace {

constinit std::atomic<const KnownDevices*> published{nullptr};
NeverDestroyed<const KnownDevices> none;

}  // namespace

void know(KnownDevices devices) { published.store(new KnownDevices(std::move(devices)), std::memory_order_release); }

const KnownDevices& known() noexcept {
    const auto* const devices = published.load(std::memory_order_acquire);
    return devices ? *devices : *none;
}

const KnownDevice* deviceOf(zetl_device_t id) noexcept {
    const auto& all = known().all;
    return id == 0 || id > all.size() ? nullptr : &all[id - 1];
}

zetl_device_t idOf(const void* handle) noexcept {
    const auto& all = known().all;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].handle == handle) return i + 1;
    return 0;
}

}  // namespace zetl::core_api
