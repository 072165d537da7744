#include "emulator/driver/sysman/device_events.h"

#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr zes_event_type_flags_t kKnownEvents = 0xffff;
constexpr auto kLookEvery = std::chrono::milliseconds(5);
constexpr std::uint32_t kHealthy = 0;
constexpr std::uint32_t kFailed = 3;

struct Registration {
    zes_event_type_flags_t events = 0;  ///< what is wanted; what has been heard is no longer
    std::uint64_t clearings = 0;        ///< each ends the waits that have begun before
};

/// By root device.
using Wanted = Synchronized<std::map<const Device*, Registration>>;

Wanted& wanted() {
    static NeverDestroyed<Wanted> all;
    return *all;
}

/// The events of the device that nobody has heard of yet.
zes_event_type_flags_t takeEvents(Device& device) {
    if (device.status() == ZE_RESULT_SUCCESS) return 0;
    return wanted().write([&](auto& all) {
        zes_event_type_flags_t& events = all[&device.root()].events;
        const zes_event_type_flags_t happened = events & ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED;
        events &= ~happened;
        return happened;
    });
}

std::uint64_t clearings(const std::vector<std::shared_ptr<Device>>& devices) {
    return wanted().write([&](auto& all) {
        std::uint64_t sum = 0;
        for (const auto& device : devices) sum += all[&device->root()].clearings;
        return sum;
    });
}

}  // namespace

Status registerEvents(Device& device, zes_event_type_flags_t events) {
    if (events & ~kKnownEvents) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    wanted().write([&](auto& all) {
        Registration& registration = all[&device.root()];
        registration.events = events;
        registration.clearings += events == 0 ? 1 : 0;
    });
    return ZE_RESULT_SUCCESS;
}

Status listen(Driver& driver, std::uint32_t timeout, std::uint32_t count, zes_device_handle_t* devices,
              std::uint32_t& happened, zes_event_type_flags_t* events) {
    return listenLong(driver, timeout == UINT32_MAX ? UINT64_MAX : timeout, count, devices, happened, events);
}

Status listenLong(Driver&, std::uint64_t timeout, std::uint32_t count, zes_device_handle_t* devices,
                  std::uint32_t& happened, zes_event_type_flags_t* events) {
    const auto all = findAll<Device>(count, reinterpret_cast<ze_device_handle_t*>(devices));
    if (!all) return all.code();
    const auto begin = std::chrono::steady_clock::now();
    const auto cleared = clearings(*all);
    for (;;) {
        happened = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            events[i] = takeEvents(*(*all)[i]);
            happened += events[i] ? 1 : 0;
        }
        const auto waited = std::chrono::steady_clock::now() - begin;
        const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
        const bool over = static_cast<std::uint64_t>(milliseconds) >= timeout || clearings(*all) != cleared;
        if (happened > 0 || over) return ZE_RESULT_SUCCESS;
        std::this_thread::sleep_for(kLookEvery);
    }
}

Status registerDriverEvents(Driver&, zes_event_type_flags_t events) noexcept {
    constexpr zes_event_type_flags_t kLogHasData = 1u << 16;
    return (events & ~kLogHasData) ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

Status setHealth(std::uint32_t health) {
    if (health > kFailed) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return refuse(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "the health of an emulated device follows from its faults");
}

std::uint32_t health(Device& device) noexcept { return device.status() == ZE_RESULT_SUCCESS ? kHealthy : kFailed; }

}  // namespace zetl::emulator::driver
