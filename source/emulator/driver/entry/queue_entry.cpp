// Entry points of zeCommandQueue..., zeFence..., zeDeviceSynchronize
#include "driver/property.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/command_queue.h"
#include "emulator/driver/execution/fence.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL create(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_command_queue_desc_t* description, ze_command_queue_handle_t* out) noexcept {
    return onObject<Context>("zeCommandQueueCreate", context, {}, [&](Context& object) -> Status {
        auto target = find<Device>(device);
        if (!target) return target.code();
        if (!description || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        auto queue = CommandQueue::create(object.shared_from_this(), *std::move(target), *description);
        if (!queue) return queue.code();
        *out = live<CommandQueue>().add(*std::move(queue));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL destroy(ze_command_queue_handle_t queue) noexcept {
    return onRemoval<CommandQueue>("zeCommandQueueDestroy", queue, [](CommandQueue&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL executeCommandLists(ze_command_queue_handle_t queue, std::uint32_t count,
                                           ze_command_list_handle_t* lists, ze_fence_handle_t fence) noexcept {
    return onObject<CommandQueue, ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                    ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT>(
        "zeCommandQueueExecuteCommandLists", queue, {lists}, [&](CommandQueue& object) -> Status {
            if (count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
            if (!fence) return object.execute(count, lists, nullptr);
            const auto signalled = find<Fence>(fence);
            return signalled ? object.execute(count, lists, signalled->get()) : signalled.code();
        });
}

ze_result_t ZE_APICALL synchronize(ze_command_queue_handle_t queue, std::uint64_t timeout) noexcept {
    return onObject<CommandQueue, ZE_RESULT_NOT_READY>(
        "zeCommandQueueSynchronize", queue, {}, [&](CommandQueue& object) { return object.synchronize(timeout); });
}

ze_result_t ZE_APICALL getOrdinal(ze_command_queue_handle_t queue, std::uint32_t* out) noexcept {
    return answer<CommandQueue>("zeCommandQueueGetOrdinal", queue, out,
                                [](CommandQueue& object) { return object.engine().ordinal; });
}

ze_result_t ZE_APICALL getIndex(ze_command_queue_handle_t queue, std::uint32_t* out) noexcept {
    return answer<CommandQueue>("zeCommandQueueGetIndex", queue, out,
                                [](CommandQueue& object) { return object.engine().index; });
}

ze_result_t ZE_APICALL getFlags(ze_command_queue_handle_t queue, ze_command_queue_flags_t* out) noexcept {
    return answer<CommandQueue>("zeCommandQueueGetFlags", queue, out,
                                [](CommandQueue& object) { return object.engine().flags; });
}

ze_result_t ZE_APICALL getMode(ze_command_queue_handle_t queue, ze_command_queue_mode_t* out) noexcept {
    return answer<CommandQueue>("zeCommandQueueGetMode", queue, out,
                                [](CommandQueue& object) { return object.engine().mode; });
}

ze_result_t ZE_APICALL getPriority(ze_command_queue_handle_t queue, ze_command_queue_priority_t* out) noexcept {
    return answer<CommandQueue>("zeCommandQueueGetPriority", queue, out,
                                [](CommandQueue& object) { return object.engine().priority; });
}

/// Waits for the work of every queue and immediate list on the device, or on one of its tiles if it is a root device.
ze_result_t ZE_APICALL synchronizeDevice(ze_device_handle_t device) noexcept {
    return onObject<Device>("zeDeviceSynchronize", device, {}, [](Device& object) {
        Status worst = ZE_RESULT_SUCCESS;
        const auto wait = [&](auto& place) {
            const Device& where = *place.engine().device;
            if (&where != &object && where.parent() != &object) return;
            if (const Status status = place.synchronize(kForever); status != ZE_RESULT_SUCCESS) worst = status;
        };
        for (const auto& queue : live<CommandQueue>().all()) wait(*queue);
        for (const auto& list : live<CommandList>().all())
            if (list->immediate()) wait(*list);
        return worst;
    });
}

ze_result_t ZE_APICALL createFence(ze_command_queue_handle_t queue, const ze_fence_desc_t* description,
                                   ze_fence_handle_t* out) noexcept {
    return onObject<CommandQueue>("zeFenceCreate", queue, {description, out}, [&](CommandQueue& object) -> Status {
        auto fence = Fence::create(object.shared_from_this(), *description);
        if (!fence) return fence.code();
        *out = live<Fence>().add(*std::move(fence));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL destroyFence(ze_fence_handle_t fence) noexcept {
    return onRemoval<Fence>("zeFenceDestroy", fence, [](Fence&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL synchronizeFence(ze_fence_handle_t fence, std::uint64_t timeout) noexcept {
    return onObject<Fence, ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT>(
        "zeFenceHostSynchronize", fence, {}, [&](Fence& object) { return object.synchronize(timeout); });
}

ze_result_t ZE_APICALL queryFence(ze_fence_handle_t fence) noexcept {
    return onObject<Fence, ZE_RESULT_NOT_READY>("zeFenceQueryStatus", fence, {},
                                                [](Fence& object) { return object.query(); });
}

ze_result_t ZE_APICALL resetFence(ze_fence_handle_t fence) noexcept {
    return onObject<Fence>("zeFenceReset", fence, {}, [](Fence& object) {
        object.reset();
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace

Rows queueRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeCommandQueueCreate, create),
        ZETL_SERVES(zeCommandQueueDestroy, destroy),
        ZETL_SERVES(zeCommandQueueExecuteCommandLists, executeCommandLists),
        ZETL_SERVES(zeCommandQueueSynchronize, synchronize),
        ZETL_SERVES(zeCommandQueueGetOrdinal, getOrdinal),
        ZETL_SERVES(zeCommandQueueGetIndex, getIndex),
        ZETL_SERVES(zeCommandQueueGetFlags, getFlags),
        ZETL_SERVES(zeCommandQueueGetMode, getMode),
        ZETL_SERVES(zeCommandQueueGetPriority, getPriority),
        ZETL_SERVES(zeDeviceSynchronize, synchronizeDevice),
        ZETL_SERVES(zeFenceCreate, createFence),
        ZETL_SERVES(zeFenceDestroy, destroyFence),
        ZETL_SERVES(zeFenceHostSynchronize, synchronizeFence),
        ZETL_SERVES(zeFenceQueryStatus, queryFence),
        ZETL_SERVES(zeFenceReset, resetFence),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
