#include "emulator/driver/entry/tables.h"

#include "driver/description.h"
#include "driver/entry.h"
#include "emulator/driver/device/compiler_info.h"
#include "emulator/driver/device/device_properties.h"
#include "emulator/driver/device/release.h"
#include "emulator/driver/entry/by_hand.h"
#include "emulator/driver/entry/extension_functions.h"
#include "emulator/driver/entry/objects.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/append_image.h"
#include "emulator/driver/execution/append_launch.h"
#include "emulator/driver/execution/append_memory.h"
#include "emulator/driver/execution/device_work.h"
#include "emulator/driver/memory/context_memory.h"
#include "emulator/driver/memory/external_pointer.h"
#include "emulator/driver/memory/ipc_memory.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/memory/virtual_memory.h"
#include "emulator/driver/program/module_calls.h"
#include "emulator/driver/program/runtime_requirements.h"
#include "emulator/driver/sysman/device_answers.h"
#include "emulator/driver/sysman/device_events.h"
#include "emulator/driver/sysman/readiness.h"

/// Headers before specification 1.11 lack it.
// NOLINTNEXTLINE(readability-redundant-declaration): newer headers declare it
ZE_APIEXPORT ze_result_t ZE_APICALL zesDeviceEnumEnabledVFExp(zes_device_handle_t device, std::uint32_t* count,
                                                              zes_vf_handle_t* out);

namespace zetl::emulator::driver {
namespace {

Rows rows() noexcept {
    static const Served all[] = {
#define SERVED(name, letters, ...) \
    {ddi::Function::name, entryOf(ZETL_ENTRY(name, decltype(::name), always, letters, __VA_ARGS__))},
#define SYSMAN(name, ready, letters, ...) \
    {ddi::Function::name, entryOf(ZETL_ENTRY(name, decltype(::name), ready, letters, __VA_ARGS__))},
#define NAMED(name, prototype, letters, ...)
#define BY_HAND(name, entry) ZETL_SERVES(name, entry),
#define BY_HAND_NAMED(name, entry)
#include "emulator/driver/entry/functions.def"
#undef BY_HAND_NAMED
#undef BY_HAND
#undef NAMED
#undef SYSMAN
#undef SERVED
    };
    return all;
}

std::span<const NamedFunction> named() noexcept {
    static const NamedFunction all[] = {
#define SERVED(name, letters, ...)
#define SYSMAN(name, ready, letters, ...)
#define NAMED(name, prototype, letters, ...) \
    {#name, entryOf(ZETL_ENTRY(name, prototype, always, letters, __VA_ARGS__))},
#define BY_HAND(name, entry)
#define BY_HAND_NAMED(name, entry) {#name, entryOf(entry)},
#include "emulator/driver/entry/functions.def"
#undef BY_HAND_NAMED
#undef BY_HAND
#undef NAMED
#undef SYSMAN
#undef SERVED
    };
    return all;
}

}  // namespace
}  // namespace zetl::emulator::driver

const zetl::driver::Description* zetlDriverDescription() noexcept {
    static const zetl::driver::Description description{
        zetl::log::Channel::emulator,
        "not offered by the emulated device; docs/reference/emulated-gpu.md lists what is",
        zetl::emulator::driver::rows(), zetl::emulator::driver::named()};
    return &description;
}
