// Entry points of zeEventCounterBased...
#include "driver/property.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL create(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_event_counter_based_desc_t* description, ze_event_handle_t* out) noexcept {
    return onObject<Context>("zeEventCounterBasedCreate", context, {}, [&](Context& object) -> Status {
        auto where = find<Device>(device);
        if (!where) return where.code();
        if (!description || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        auto event = Event::createCounter(object.shared_from_this(), *std::move(where), *description);
        if (!event) return event.code();
        *out = live<Event>().add(*std::move(event));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getIpcHandle(ze_event_handle_t event, ze_ipc_event_counter_based_handle_t* out) noexcept {
    return onObject<Event>("zeEventCounterBasedGetIpcHandle", event, {out}, [&](Event& object) -> Status {
        const auto handle = object.counterHandle();
        if (!handle) return handle.code();
        writeIpcHandle(*handle, *out);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL openIpc(ze_context_handle_t context, ze_ipc_event_counter_based_handle_t bytes,
                               ze_event_handle_t* out) noexcept {
    return onObject<Context>("zeEventCounterBasedOpenIpcHandle", context, {out}, [&](Context& object) -> Status {
        const auto handle = readIpcHandle(IpcHandle::Kind::counterEvent, &bytes);
        if (!handle) return handle.code();
        auto pool = EventPool::open(object.shared_from_this(), *handle);
        if (!pool) return pool.code();
        *out = live<Event>().add(Event::openCounter(*std::move(pool)));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL closeIpc(ze_event_handle_t event) noexcept {
    return onObject<Event>("zeEventCounterBasedCloseIpcHandle", event, {}, [&](Event& object) -> Status {
        if (!object.pool().opened())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event was created, not opened; destroy it instead");
        live<Event>().remove(event);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getFlags(ze_event_handle_t event, ze_event_counter_based_flags_t* out) noexcept {
    return answer<Event>("zeEventGetCounterBasedFlags", event, out, &Event::counterFlags);
}

}  // namespace

Rows counterEventRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeEventCounterBasedCreate, create),
        ZETL_SERVES(zeEventCounterBasedGetIpcHandle, getIpcHandle),
        ZETL_SERVES(zeEventCounterBasedOpenIpcHandle, openIpc),
        ZETL_SERVES(zeEventCounterBasedCloseIpcHandle, closeIpc),
        ZETL_SERVES(zeEventGetCounterBasedFlags, getFlags),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
