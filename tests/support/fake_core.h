// The core functions that the modules call, for unit tests: one device handle with the scripted device's UUID, and
// events that are plain flags.
#pragma once

#include <atomic>

#include "device/core_calls.h"
#include "device/devices.h"
#include "support/fake_access.h"

namespace zetl::test::fake {

inline ze_device_handle_t deviceHandle() { return reinterpret_cast<ze_device_handle_t>(0x1000); }
/// A device that no provider knows.
inline ze_device_handle_t foreignDevice() { return reinterpret_cast<ze_device_handle_t>(0x2000); }
inline ze_context_handle_t contextHandle() { return reinterpret_cast<ze_context_handle_t>(0x3000); }
inline ze_command_list_handle_t listHandle() { return reinterpret_cast<ze_command_list_handle_t>(0x4000); }

inline ze_command_list_handle_t immediateListHandle() { return reinterpret_cast<ze_command_list_handle_t>(0x5000); }

using Event = std::atomic<bool>;
inline ze_event_handle_t handleOf(Event& event) { return reinterpret_cast<ze_event_handle_t>(&event); }

inline device::CoreCalls coreCalls() {
    device::CoreCalls core;
    core.deviceGetProperties = [](ze_device_handle_t device, ze_device_properties_t* properties) {
        properties->uuid = uuid();
        if (device == foreignDevice()) properties->uuid.id[0] = 0;
        return ZE_RESULT_SUCCESS;
    };
    core.eventHostSignal = [](ze_event_handle_t event) {
        *reinterpret_cast<Event*>(event) = true;
        return ZE_RESULT_SUCCESS;
    };
    core.eventQueryStatus = [](ze_event_handle_t event) {
        return *reinterpret_cast<Event*>(event) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
    };
    core.commandListAppendBarrier = [](ze_command_list_handle_t, ze_event_handle_t signal, std::uint32_t,
                                       ze_event_handle_t*) {
        if (signal) *reinterpret_cast<Event*>(signal) = true;
        return ZE_RESULT_SUCCESS;
    };
    core.commandListIsImmediate = [](ze_command_list_handle_t list, ze_bool_t* immediate) {
        *immediate = list == immediateListHandle();
        return ZE_RESULT_SUCCESS;
    };
    return core;
}

/// Adds the scripted device, made new, to `devices`, and gives these back.
inline device::Devices& addTo(device::Devices& devices, const Character& character = {}) {
    reset();
    become(character);
    devices.add(*device::Access::adopt(&access()));
    return devices;
}

}  // namespace zetl::test::fake
