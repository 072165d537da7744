// Entry points of zeCommandList... (life and state)
#include "driver/append_parameters.h"
#include "driver/property.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

template <class D, class F>
ze_result_t creating(const char* function, ze_context_handle_t context, ze_device_handle_t device, const D* description,
                     ze_command_list_handle_t* out, F&& create) noexcept {
    return onObject<Context>(function, context, {}, [&](Context& object) -> Status {
        auto target = find<Device>(device);
        if (!target) return target.code();
        if (!description || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        auto list = create(object.shared_from_this(), *std::move(target), *description);
        if (!list) return list.code();
        *out = live<CommandList>().add(*std::move(list));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL create(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_command_list_desc_t* description, ze_command_list_handle_t* out) noexcept {
    return creating("zeCommandListCreate", context, device, description, out, CommandList::create);
}

ze_result_t ZE_APICALL createImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                       const ze_command_queue_desc_t* description,
                                       ze_command_list_handle_t* out) noexcept {
    return creating("zeCommandListCreateImmediate", context, device, description, out, CommandList::createImmediate);
}

ze_result_t ZE_APICALL createClone(ze_command_list_handle_t list, ze_command_list_handle_t* out) noexcept {
    return onObject<CommandList>("zeCommandListCreateCloneExp", list, {out}, [&](CommandList& object) -> Status {
        auto copy = object.clone();
        if (!copy) return copy.code();
        *out = live<CommandList>().add(*std::move(copy));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL destroy(ze_command_list_handle_t list) noexcept {
    return onRemoval<CommandList>("zeCommandListDestroy", list, [](CommandList&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL close(ze_command_list_handle_t list) noexcept {
    return onObject<CommandList>("zeCommandListClose", list, {}, [](CommandList& object) { return object.close(); });
}

ze_result_t ZE_APICALL reset(ze_command_list_handle_t list) noexcept {
    return onObject<CommandList>("zeCommandListReset", list, {}, [](CommandList& object) { return object.reset(); });
}

ze_result_t ZE_APICALL hostSynchronize(ze_command_list_handle_t list, std::uint64_t timeout) noexcept {
    return onObject<CommandList, ZE_RESULT_NOT_READY>("zeCommandListHostSynchronize", list, {},
                                                      [&](CommandList& object) { return object.synchronize(timeout); });
}

ze_result_t ZE_APICALL appendLists(ze_command_list_handle_t list, std::uint32_t count, ze_command_list_handle_t* lists,
                                   ze_event_handle_t signal, std::uint32_t waitCount,
                                   ze_event_handle_t* waits) noexcept {
    return onObject<CommandList, ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE>(
        "zeCommandListImmediateAppendCommandListsExp", list, {lists}, [&](CommandList& object) {
            return object.appendLists(count, lists, {signal, waitCount, waits});
        });
}

ze_result_t ZE_APICALL appendListsWithParameters(ze_command_list_handle_t list, std::uint32_t count,
                                                 ze_command_list_handle_t* lists, const void* parameters,
                                                 ze_event_handle_t signal, std::uint32_t waitCount,
                                                 ze_event_handle_t* waits) noexcept {
    return onObject<CommandList, ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE>(
        "zeCommandListImmediateAppendCommandListsWithParameters", list, {lists}, [&](CommandList& object) -> Status {
            if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
            return object.appendLists(count, lists, {signal, waitCount, waits});
        });
}

ze_result_t ZE_APICALL getDevice(ze_command_list_handle_t list, ze_device_handle_t* out) noexcept {
    return answer<CommandList>("zeCommandListGetDeviceHandle", list, out,
                               [](CommandList& object) { return object.engine().device->handle(); });
}

ze_result_t ZE_APICALL getContext(ze_command_list_handle_t list, ze_context_handle_t* out) noexcept {
    return answer<CommandList>("zeCommandListGetContextHandle", list, out,
                               [](CommandList& object) { return object.engine().context->handle(); });
}

ze_result_t ZE_APICALL getOrdinal(ze_command_list_handle_t list, std::uint32_t* out) noexcept {
    return answer<CommandList>("zeCommandListGetOrdinal", list, out,
                               [](CommandList& object) { return object.engine().ordinal; });
}

/// An immediate list was created with the flags of a queue. As in Intel's driver, the only one that it has as a list is
/// that its commands are in order.
ze_result_t ZE_APICALL getFlags(ze_command_list_handle_t list, ze_command_list_flags_t* out) noexcept {
    return answer<CommandList>("zeCommandListGetFlags", list, out, [](CommandList& object) -> ze_command_list_flags_t {
        if (!object.immediate()) return object.engine().flags;
        return object.inOrder() ? ZE_COMMAND_LIST_FLAG_IN_ORDER : 0;
    });
}

/// Returns what an immediate list was created with as a queue.
template <class T>
ze_result_t ofImmediate(const char* function, ze_command_list_handle_t list, T* out, T QueuePlace::*field) noexcept {
    return onObject<CommandList>(function, list, {out}, [&](CommandList& object) -> Status {
        if (!object.immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not immediate");
        *out = object.engine().*field;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getIndex(ze_command_list_handle_t list, std::uint32_t* out) noexcept {
    return ofImmediate("zeCommandListImmediateGetIndex", list, out, &QueuePlace::index);
}

ze_result_t ZE_APICALL getImmediateFlags(ze_command_list_handle_t list, ze_command_queue_flags_t* out) noexcept {
    return ofImmediate("zeCommandListImmediateGetFlags", list, out, &QueuePlace::flags);
}

ze_result_t ZE_APICALL getImmediateMode(ze_command_list_handle_t list, ze_command_queue_mode_t* out) noexcept {
    return ofImmediate("zeCommandListImmediateGetMode", list, out, &QueuePlace::mode);
}

ze_result_t ZE_APICALL getImmediatePriority(ze_command_list_handle_t list, ze_command_queue_priority_t* out) noexcept {
    return ofImmediate("zeCommandListImmediateGetPriority", list, out, &QueuePlace::priority);
}

ze_result_t ZE_APICALL isImmediate(ze_command_list_handle_t list, ze_bool_t* out) noexcept {
    return answer<CommandList>("zeCommandListIsImmediate", list, out, &CommandList::immediate);
}

}  // namespace

Rows listRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeCommandListCreate, create),
        ZETL_SERVES(zeCommandListCreateImmediate, createImmediate),
        ZETL_SERVES(zeCommandListCreateCloneExp, createClone),
        ZETL_SERVES(zeCommandListDestroy, destroy),
        ZETL_SERVES(zeCommandListClose, close),
        ZETL_SERVES(zeCommandListReset, reset),
        ZETL_SERVES(zeCommandListHostSynchronize, hostSynchronize),
        ZETL_SERVES(zeCommandListImmediateAppendCommandListsExp, appendLists),
        ZETL_SERVES(zeCommandListImmediateAppendCommandListsWithParameters, appendListsWithParameters),
        ZETL_SERVES(zeCommandListGetDeviceHandle, getDevice),
        ZETL_SERVES(zeCommandListGetContextHandle, getContext),
        ZETL_SERVES(zeCommandListGetOrdinal, getOrdinal),
        ZETL_SERVES(zeCommandListImmediateGetIndex, getIndex),
        ZETL_SERVES(zeCommandListImmediateGetFlags, getImmediateFlags),
        ZETL_SERVES(zeCommandListImmediateGetMode, getImmediateMode),
        ZETL_SERVES(zeCommandListImmediateGetPriority, getImmediatePriority),
        ZETL_SERVES(zeCommandListGetFlags, getFlags),
        ZETL_SERVES(zeCommandListIsImmediate, isImmediate),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
