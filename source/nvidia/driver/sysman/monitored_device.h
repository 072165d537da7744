// Devices as NVML knows them, and their sysman components.
#pragma once

#include <level_zero/zes_api.h>

#include <memory>
#include <optional>
#include <vector>

#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/shared_parts.h"
#include "nvidia/nvml/types.h"

namespace zetl::nvidia {

/// What sysman says of what is not known.
inline constexpr int kUnknown = -1;

struct MonitoredDevice {
    Device* device = nullptr;
    NvmlDevice nvml = nullptr;
};

/// zesInit: opens NVML. UNINITIALIZED, with a log line, if it cannot be.
Status startSysman();
/// The condition of functions of devices: after zesInit, or under ZES_ENABLE_SYSMAN=1, with NVML.
Status sysmanAnswers();
/// The condition of zesDriverGet and what takes its handles, which zesInit alone makes.
Status sysmanStarted();

/// Nothing if NVML does not know the device, as with a part of one (MIG).
std::optional<MonitoredDevice> monitored(Device& device);

/// The moment of a sample, in microseconds.
std::uint64_t sampleTime() noexcept;

/// Sets everything behind stype and pNext to zero: what is not filled in afterwards is absent, such as sub-devices.
template <class T>
void clearSysman(T& out) noexcept {
    T empty{};
    empty.stype = out.stype;
    empty.pNext = out.pNext;
    out = empty;
}

/// The components of type T that a device has: those that it measures. Made when the first is asked for; they live as
/// long as the process.
template <class T>
std::vector<std::shared_ptr<T>> componentsOf(Device& device) {
    static const auto* const all = [] {
        auto made = std::make_unique<std::vector<std::shared_ptr<T>>>();
        for (const auto& each : (*Driver::instance())->devices())
            if (const auto place = monitored(*each))
                for (const auto kind : T::kKinds)
                    if (T::isMeasured(*place, kind)) made->push_back(std::make_shared<T>(*place, kind));
        for (const auto& component : *made) live<T>().add(component);
        return made.release();
    }();
    std::vector<std::shared_ptr<T>> own;
    for (const auto& component : *all)
        if (component->place().device == &device) own.push_back(component);
    return own;
}

}  // namespace zetl::nvidia
