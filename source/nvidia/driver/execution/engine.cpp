#include "nvidia/driver/execution/engine.h"

#include "nvidia/driver/device/queue_group.h"

namespace zetl::nvidia {
namespace {

// What newer specifications add to the flags are hints; unknown bits beyond them are refused.
constexpr ze_command_queue_flags_t kQueueFlags = 0xf;
constexpr ze_command_list_flags_t kListFlags = 0xff;

Status exists(std::uint32_t ordinal, std::uint32_t index) {
    const auto groups = queueGroups();
    if (ordinal >= groups.size())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue group {}; the device has {}", ordinal, groups.size());
    if (index >= groups[ordinal].queues)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue {} of group {}, which has {}", index, ordinal,
                      groups[ordinal].queues);
    return ZE_RESULT_SUCCESS;
}

}  // namespace

bool Engine::computes() const noexcept { return queueGroups()[ordinal].computes(); }

Result<Engine> engineOf(std::shared_ptr<Context> context, Context::Member place,
                        const ze_command_queue_desc_t& description) {
    if ((description.flags & ~kQueueFlags) || description.mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS ||
        description.priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (const Status bad = exists(description.ordinal, description.index); bad != ZE_RESULT_SUCCESS) return bad;
    return Engine{std::move(context), std::move(place),     description.ordinal, description.index,
                  description.mode,   description.priority, description.flags};
}

Result<Engine> engineOf(std::shared_ptr<Context> context, Context::Member place,
                        const ze_command_list_desc_t& description) {
    if (description.flags & ~kListFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (const Status bad = exists(description.commandQueueGroupOrdinal, 0); bad != ZE_RESULT_SUCCESS) return bad;
    Engine engine;
    engine.context = std::move(context);
    engine.place = std::move(place);
    engine.ordinal = description.commandQueueGroupOrdinal;
    engine.flags = description.flags;
    return engine;
}

}  // namespace zetl::nvidia
