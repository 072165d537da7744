#include "emulator/driver/execution/engine.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/queue_group.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

// Up to ..._COPY_OFFLOAD_HINT and beyond, which older headers lack: what newer specifications add are hints as well.
constexpr ze_command_queue_flags_t kQueueFlags = 0xf;
constexpr ze_command_list_flags_t kListFlags = 0xff;

Result<Engine> place(std::shared_ptr<Context> context, std::shared_ptr<Device> device, std::uint32_t ordinal,
                     std::uint32_t index) {
    if (!context->holds(*device))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one of those the context was created for");
    const auto groups = queueGroups();
    if (ordinal >= groups.size())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue group {}; the device has {}", ordinal, groups.size());
    if (index >= groups[ordinal].queues)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "queue {} of group {}, which has {}", index, ordinal,
                      groups[ordinal].queues);
    return Engine{std::move(context), std::move(device), ordinal, index};
}

}  // namespace

bool Engine::computes() const noexcept { return queueGroups()[ordinal].computes(); }

Result<Engine> engineOf(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                        const ze_command_queue_desc_t& description) {
    if ((description.flags & ~kQueueFlags) || description.mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS ||
        description.priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    auto engine = place(std::move(context), std::move(device), description.ordinal, description.index);
    if (!engine) return engine;
    engine->mode = description.mode;
    engine->priority = description.priority;
    engine->flags = description.flags;
    return engine;
}

Result<Engine> engineOf(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                        const ze_command_list_desc_t& description) {
    if (description.flags & ~kListFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    auto engine = place(std::move(context), std::move(device), description.commandQueueGroupOrdinal, 0);
    if (engine) engine->flags = description.flags;
    return engine;
}

}  // namespace zetl::emulator::driver
