// What a test can ask of the fake driver in its process.
//
// The driver offers every function of every table. A function does nothing and succeeds, in about a nanosecond, unless
// it makes or lists objects. Armed, it counts its calls, runs a hook, and returns what the test chose.
//
// Environment, read when the driver is opened:
//   ZETL_FAKE_INIT_RESULT=<number>  what zeInit and zeInitDrivers return
//   ZETL_FAKE_WITHOUT=<prefix>      leave the tables of getters that start so empty (zet: a driver without tools)
//   ZETL_FAKE_GETTER_RESULT=<number>  what those getters then return (default success)
#pragma once

#include <level_zero/zet_api.h>

#include <atomic>
#include <cstdint>

#include "support/tables.h"

namespace zetl::test {

struct FakeDriverControl {
    std::atomic<bool> armed{false};
    std::atomic<std::uint64_t> calls[kSlotCount]{};
    std::atomic<ze_result_t> results[kSlotCount]{};
    /// Runs inside each armed call, on the caller's thread; may block.
    std::atomic<void (*)(int slot)> hook{nullptr};

    /// The device access that the driver offers, and by which UUID its devices are known there; none if null.
    std::atomic<void*> deviceAccess{nullptr};
    std::atomic<const ze_device_uuid_t*> uuid{nullptr};

    /// What zetDeviceGetDebugProperties says, and how often zetDebugAttach was called.
    std::atomic<zet_device_debug_property_flags_t> debugFlags{0};
    std::atomic<std::uint32_t> debugAttached{0};

    std::uint64_t callsOf(std::string_view function) const { return calls[slotOf(function)]; }
};

/// Exported by the driver under this name.
using FakeDriverControlFunction = FakeDriverControl* (*)();
inline constexpr const char* kFakeDriverControl = "zetlFakeDriverControl";

}  // namespace zetl::test
