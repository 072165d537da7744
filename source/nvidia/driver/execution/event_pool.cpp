#include "nvidia/driver/execution/event_pool.h"

#include "nvidia/driver/execution/event.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint32_t kMostEvents = 1 << 20;
constexpr ze_event_pool_flags_t kKnownFlags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC |
                                              ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP |
                                              ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;

Status check(const ze_event_pool_desc_t& description) {
    if (description.flags & ~kKnownFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (description.count > kMostEvents)
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "{} events in one pool; at most {}", description.count,
                      kMostEvents);
    if (description.flags & ZE_EVENT_POOL_FLAG_IPC)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "events are not shared between processes");
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<std::shared_ptr<EventPool>> EventPool::create(std::shared_ptr<Context> context, Context::Member place,
                                                     const ze_event_pool_desc_t& description) {
    if (const Status bad = check(description); bad != ZE_RESULT_SUCCESS) return bad;
    auto words = SignalWords::create(place.work, 2 * description.count);
    if (!words) return words.code();
    auto pool = std::make_shared<EventPool>(
        Parts{std::move(context), std::move(place), *std::move(words), description.count, description.flags});
    // The clock's first reading takes its time, which is not to fall into the work that is measured.
    if (pool->hasTimestamps())
        if (const Status bad = pool->place().work->clock.start(); bad != ZE_RESULT_SUCCESS) return bad;
    return pool;
}

Result<std::shared_ptr<Event>> EventPool::createEvent(const ze_event_desc_t& description) {
    if (description.index >= parts_.count)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "event {} of a pool of {}", description.index, parts_.count);
    return Event::create(shared_from_this(), SignalWord(parts_.words, description.index),
                         Gate(parts_.words, parts_.count + description.index), description);
}

Status EventPool::getContext(ze_context_handle_t* out) {
    *out = parts_.context->handle();
    return ZE_RESULT_SUCCESS;
}

Status EventPool::getFlags(ze_event_pool_flags_t* out) {
    *out = parts_.flags;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
