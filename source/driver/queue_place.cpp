#include "driver/queue_place.h"

#include "driver/refusal.h"

namespace zetl::driver {
namespace {

// Up to ..._COPY_OFFLOAD_HINT and beyond, which older headers lack: flags of newer specifications are hints as well.
constexpr ze_command_queue_flags_t kQueueFlags = 0xf;
constexpr ze_command_list_flags_t kListFlags = 0xff;

Status exists(std::span<const QueueGroup> groups, std::uint32_t ordinal, std::uint32_t index) {
    if (ordinal >= groups.size())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue group {}; the device has {}", ordinal, groups.size());
    if (index >= groups[ordinal].queues)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue {} of group {}, which has {}", index, ordinal,
                      groups[ordinal].queues);
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<QueuePlace> placeOf(std::span<const QueueGroup> groups, const ze_command_queue_desc_t& description) {
    if ((description.flags & ~kQueueFlags) || description.mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS ||
        description.priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const Status bad = exists(groups, description.ordinal, description.index);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return QueuePlace{description.ordinal, description.index, description.mode, description.priority,
                      description.flags};
}

Result<QueuePlace> placeOf(std::span<const QueueGroup> groups, const ze_command_list_desc_t& description) {
    if (description.flags & ~kListFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const Status bad = exists(groups, description.commandQueueGroupOrdinal, 0);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    QueuePlace place;
    place.ordinal = description.commandQueueGroupOrdinal;
    place.flags = description.flags;
    return place;
}

Status checkExecution(bool immediate, const QueuePlace& list, const QueuePlace& executing, bool sameDevice) {
    if (immediate) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an immediate list cannot be executed by a queue");
    if (list.ordinal != executing.ordinal || !sameDevice)
        return refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                      "the list is for queue group {}{}, the queue is of group {}", list.ordinal,
                      sameDevice ? "" : " of another device", executing.ordinal);
    return ZE_RESULT_SUCCESS;
}

Status checkWait(bool immediate) {
    if (immediate) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists can be waited for; wait for the queue");
}

}  // namespace zetl::driver
