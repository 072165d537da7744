// Entry points of zeEventPool..., zeEvent...
#include "driver/property.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL createPool(ze_context_handle_t context, const ze_event_pool_desc_t* description,
                                  std::uint32_t deviceCount, ze_device_handle_t* devices,
                                  ze_event_pool_handle_t* out) noexcept {
    return onObject<Context, ZE_RESULT_ERROR_INVALID_SIZE>(
        "zeEventPoolCreate", context, {description, out}, [&](Context& object) -> Status {
            auto pool = EventPool::create(object.shared_from_this(), *description, deviceCount, devices);
            if (!pool) return pool.code();
            *out = live<EventPool>().add(*std::move(pool));
            return ZE_RESULT_SUCCESS;
        });
}

ze_result_t ZE_APICALL destroyPool(ze_event_pool_handle_t pool) noexcept {
    return onRemoval<EventPool>("zeEventPoolDestroy", pool, [](EventPool&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL getPoolIpcHandle(ze_event_pool_handle_t pool, ze_ipc_event_pool_handle_t* out) noexcept {
    return onObject<EventPool>("zeEventPoolGetIpcHandle", pool, {out}, [&](EventPool& object) -> Status {
        const auto handle = object.ipcHandle();
        if (!handle) return handle.code();
        writeIpcHandle(*handle, *out);
        return ZE_RESULT_SUCCESS;
    });
}

/// The handle's descriptor is the pool's own, so nothing has to be released.
ze_result_t ZE_APICALL putPoolIpcHandle(ze_context_handle_t context, ze_ipc_event_pool_handle_t handle) noexcept {
    return onObject<Context>("zeEventPoolPutIpcHandle", context, {},
                             [&](Context&) { return readIpcHandle(IpcHandle::Kind::eventPool, &handle).code(); });
}

ze_result_t ZE_APICALL openPoolIpc(ze_context_handle_t context, ze_ipc_event_pool_handle_t bytes,
                                   ze_event_pool_handle_t* out) noexcept {
    return onObject<Context>("zeEventPoolOpenIpcHandle", context, {out}, [&](Context& object) -> Status {
        const auto handle = readIpcHandle(IpcHandle::Kind::eventPool, &bytes);
        if (!handle) return handle.code();
        auto pool = EventPool::open(object.shared_from_this(), *handle);
        if (!pool) return pool.code();
        *out = live<EventPool>().add(*std::move(pool));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL closePoolIpc(ze_event_pool_handle_t pool) noexcept {
    return onObject<EventPool>("zeEventPoolCloseIpcHandle", pool, {}, [&](EventPool& object) -> Status {
        if (!object.opened())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was created, not opened; destroy it instead");
        live<EventPool>().remove(pool);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getPoolContext(ze_event_pool_handle_t pool, ze_context_handle_t* out) noexcept {
    return answer<EventPool>("zeEventPoolGetContextHandle", pool, out,
                             [](EventPool& object) { return object.context().handle(); });
}

ze_result_t ZE_APICALL getPoolFlags(ze_event_pool_handle_t pool, ze_event_pool_flags_t* out) noexcept {
    return answer<EventPool>("zeEventPoolGetFlags", pool, out, &EventPool::flags);
}

ze_result_t ZE_APICALL create(ze_event_pool_handle_t pool, const ze_event_desc_t* description,
                              ze_event_handle_t* out) noexcept {
    return onObject<EventPool>("zeEventCreate", pool, {description, out}, [&](EventPool& object) -> Status {
        auto event = Event::create(object.shared_from_this(), *description);
        if (!event) return event.code();
        *out = live<Event>().add(*std::move(event));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL destroy(ze_event_handle_t event) noexcept {
    return onRemoval<Event>("zeEventDestroy", event, [](Event&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL hostSignal(ze_event_handle_t event) noexcept {
    return onObject<Event>("zeEventHostSignal", event, {}, [](Event& object) { return object.hostSignal(); });
}

ze_result_t ZE_APICALL hostReset(ze_event_handle_t event) noexcept {
    return onObject<Event>("zeEventHostReset", event, {}, [](Event& object) { return object.hostReset(); });
}

ze_result_t ZE_APICALL hostSynchronize(ze_event_handle_t event, std::uint64_t timeout) noexcept {
    return onObject<Event, ZE_RESULT_NOT_READY>("zeEventHostSynchronize", event, {},
                                                [&](Event& object) { return object.synchronize(timeout); });
}

ze_result_t ZE_APICALL queryStatus(ze_event_handle_t event) noexcept {
    return onObject<Event, ZE_RESULT_NOT_READY>("zeEventQueryStatus", event, {},
                                                [](Event& object) { return object.query(); });
}

ze_result_t ZE_APICALL queryKernelTimestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t* out) noexcept {
    return onObject<Event, ZE_RESULT_NOT_READY>("zeEventQueryKernelTimestamp", event, {out},
                                                [&](Event& object) { return object.timestamps(*out); });
}

/// Calls write(i, packet) for as many of the event's packets as the caller has room for, and returns their number in
/// `count`. The signal decides the number; before it, `count` is the most there can be.
template <class F>
Status eachPacket(ze_device_handle_t handle, Event& event, std::uint32_t* count, F&& write) {
    const auto device = find<Device>(handle);
    if (!device) return device.code();
    const auto packets = event.packets(**device);
    if (!packets && *count == 0) {
        *count = (*device)->tiles();
        return ZE_RESULT_SUCCESS;
    }
    if (!packets) return packets.code();
    const auto total = static_cast<std::uint32_t>(packets->size());
    const std::uint32_t wanted = std::min(*count, total);
    *count = *count == 0 ? total : wanted;
    for (std::uint32_t i = 0; i < wanted; ++i) write(i, (*packets)[i]);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL queryTimestamps(ze_event_handle_t event, ze_device_handle_t device, std::uint32_t* count,
                                       ze_kernel_timestamp_result_t* out) noexcept {
    return onObject<Event, ZE_RESULT_NOT_READY>("zeEventQueryTimestampsExp", event, {count}, [&](Event& object) {
        return eachPacket(device, object, count, [&](std::uint32_t i, const SignalState::Span& span) {
            if (out) out[i] = kernelTimestamps(span, object.pool().device());
        });
    });
}

/// Times on the clock that zeDeviceGetGlobalTimestamps returns as host time, even if another process measured the span.
/// Signals of the host itself have no span.
ze_synchronized_timestamp_result_ext_t hostTimestamps(const SignalState::Span& span, Device& device) noexcept {
    if (span.end == 0) return {};
    const machine::Clock& clock = device.machine().clock();
    const ze_synchronized_timestamp_data_ext_t data{clock.hostAt(span.start), clock.hostAt(span.end)};
    return {data, data};
}

ze_result_t ZE_APICALL
queryKernelTimestampsExt(ze_event_handle_t event, ze_device_handle_t device, std::uint32_t* count,
                         ze_event_query_kernel_timestamps_results_ext_properties_t* out) noexcept {
    return onObject<Event, ZE_RESULT_NOT_READY>("zeEventQueryKernelTimestampsExt", event, {count}, [&](Event& object) {
        const bool mapped = out && out->pSynchronizedTimestampsBuffer && object.pool().hasMappedTimestamps();
        return eachPacket(device, object, count, [&](std::uint32_t i, const SignalState::Span& span) {
            if (out && out->pKernelTimestampsBuffer)
                out->pKernelTimestampsBuffer[i] = kernelTimestamps(span, object.pool().device());
            if (mapped) out->pSynchronizedTimestampsBuffer[i] = hostTimestamps(span, object.pool().device());
        });
    });
}

ze_result_t ZE_APICALL getEventPool(ze_event_handle_t event, ze_event_pool_handle_t* out) noexcept {
    return onObject<Event>("zeEventGetEventPool", event, {out}, [&](Event& object) -> Status {
        if (!live<EventPool>().find(object.pool().handle()))
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event has no pool, or the pool was destroyed");
        *out = object.pool().handle();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getSignalScope(ze_event_handle_t event, ze_event_scope_flags_t* out) noexcept {
    return answer<Event>("zeEventGetSignalScope", event, out, &Event::signalScope);
}

ze_result_t ZE_APICALL getWaitScope(ze_event_handle_t event, ze_event_scope_flags_t* out) noexcept {
    return answer<Event>("zeEventGetWaitScope", event, out, &Event::waitScope);
}

}  // namespace

Rows eventRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeEventPoolCreate, createPool),
        ZETL_SERVES(zeEventPoolDestroy, destroyPool),
        ZETL_SERVES(zeEventPoolGetIpcHandle, getPoolIpcHandle),
        ZETL_SERVES(zeEventPoolPutIpcHandle, putPoolIpcHandle),
        ZETL_SERVES(zeEventPoolOpenIpcHandle, openPoolIpc),
        ZETL_SERVES(zeEventPoolCloseIpcHandle, closePoolIpc),
        ZETL_SERVES(zeEventPoolGetContextHandle, getPoolContext),
        ZETL_SERVES(zeEventPoolGetFlags, getPoolFlags),
        ZETL_SERVES(zeEventCreate, create),
        ZETL_SERVES(zeEventDestroy, destroy),
        ZETL_SERVES(zeEventHostSignal, hostSignal),
        ZETL_SERVES(zeEventHostReset, hostReset),
        ZETL_SERVES(zeEventHostSynchronize, hostSynchronize),
        ZETL_SERVES(zeEventQueryStatus, queryStatus),
        ZETL_SERVES(zeEventQueryKernelTimestamp, queryKernelTimestamp),
        ZETL_SERVES(zeEventQueryTimestampsExp, queryTimestamps),
        ZETL_SERVES(zeEventQueryKernelTimestampsExt, queryKernelTimestampsExt),
        ZETL_SERVES(zeEventGetEventPool, getEventPool),
        ZETL_SERVES(zeEventGetSignalScope, getSignalScope),
        ZETL_SERVES(zeEventGetWaitScope, getWaitScope),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
