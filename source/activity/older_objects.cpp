// Objects that the application created before a late collector: their facts are asked of the driver when they are met.
#include <string>

#include "activity/state.h"

namespace zetl::activity {
namespace {

/// The answer of a function that returns one value of an object; nothing if it fails or the loader lacks it.
template <class Function, class Handle, class Value>
bool ask(const LevelZero& calls, const char* name, Handle object, Value& value) {
    const auto function = calls.later<Function*>(name);
    return function && function(object, &value) == ZE_RESULT_SUCCESS;
}

template <class Handle>
Handle as(const void* handle) {
    return static_cast<Handle>(const_cast<void*>(handle));
}

/// The engine that an immediate list was created on.
ze_command_queue_desc_t engineOf(const LevelZero& calls, ze_command_list_handle_t list) {
    ze_command_queue_desc_t engine{};
    ask<decltype(zeCommandListGetOrdinal)>(calls, "zeCommandListGetOrdinal", list, engine.ordinal);
    ask<decltype(zeCommandListImmediateGetIndex)>(calls, "zeCommandListImmediateGetIndex", list, engine.index);
    return engine;
}

}  // namespace

ListState* Collector::State::listOf(const void* handle) {
    if (auto* const known = objects.list(handle); known || !late) return known;
    auto* const asked = as<ze_command_list_handle_t>(handle);
    auto& list = objects.lists[handle];
    ze_bool_t immediate = 0;
    list.measured =
        ask<decltype(zeCommandListGetContextHandle)>(calls, "zeCommandListGetContextHandle", asked, list.context) &&
        ask<decltype(zeCommandListGetDeviceHandle)>(calls, "zeCommandListGetDeviceHandle", asked, list.device) &&
        ask<decltype(zeCommandListIsImmediate)>(calls, "zeCommandListIsImmediate", asked, immediate);
    if (!list.measured) return &list;
    list.store = &objects.store(list.context, list.device);
    if (immediate) list.stream = &objects.executions.open(handle, list.device, engineOf(calls, asked), true);
    return &list;
}

StreamState* Collector::State::queueOf(const void* handle, const ListState* executed) {
    if (!late || !executed || !executed->device) return nullptr;
    auto* const asked = as<ze_command_queue_handle_t>(handle);
    ze_command_queue_desc_t engine{};
    ask<decltype(zeCommandQueueGetOrdinal)>(calls, "zeCommandQueueGetOrdinal", asked, engine.ordinal);
    ask<decltype(zeCommandQueueGetIndex)>(calls, "zeCommandQueueGetIndex", asked, engine.index);
    return objects.queues[handle] = &objects.executions.open(handle, executed->device, engine, false);
}

KernelState* Collector::State::kernelOf(const void* handle) {
    if (auto* const known = objects.kernel(handle); known || !late) return known;
    std::size_t bytes = 0;
    const auto getName = calls.later<decltype(&zeKernelGetName)>("zeKernelGetName");
    auto* const asked = as<ze_kernel_handle_t>(handle);
    if (!getName || getName(asked, &bytes, nullptr) != ZE_RESULT_SUCCESS) return nullptr;
    std::string full(bytes + 1, '\0');
    if (getName(asked, &bytes, full.data()) != ZE_RESULT_SUCCESS) return nullptr;
    objects.addKernel(handle, full.c_str());
    return objects.kernel(handle);
}

Timestamps Collector::State::timestampsOf(const void* event) {
    if (!late || objects.events.contains(event)) return objects.timestampsOf(event);
    constexpr std::uint32_t kTimestamps =
        ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
    ze_event_pool_handle_t pool = nullptr;
    ze_event_pool_flags_t flags = 0;
    const bool answered =
        ask<decltype(zeEventGetEventPool)>(calls, "zeEventGetEventPool", as<ze_event_handle_t>(event), pool) &&
        ask<decltype(zeEventPoolGetFlags)>(calls, "zeEventPoolGetFlags", pool, flags);
    return objects.events[event] = answered && (flags & kTimestamps) ? Timestamps::asked : Timestamps::none;
}

}  // namespace zetl::activity
