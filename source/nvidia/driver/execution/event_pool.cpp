#include "nvidia/driver/execution/event_pool.h"

#include <cstring>

#include "nvidia/driver/execution/event.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint32_t kMostEvents = 1 << 20;
constexpr ze_event_pool_flags_t kTimestamps =
    ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
constexpr ze_event_pool_flags_t kKnownFlags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC |
                                              ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP |
                                              ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;

Status check(const ze_event_pool_desc_t& description) {
    if (description.flags & ~kKnownFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (description.count > kMostEvents)
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "{} events in one pool; at most {}", description.count,
                      kMostEvents);
    if ((description.flags & ZE_EVENT_POOL_FLAG_IPC) && (description.flags & kTimestamps))
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "CUDA shares no times between processes; create the pool without timestamps");
    return ZE_RESULT_SUCCESS;
}

/// A word and a gate for each event.
constexpr std::size_t bytesFor(std::uint32_t count) { return 2 * std::size_t{count} * SignalWords::kStride; }

Result<std::shared_ptr<SignalWords>> wordsFor(const Context::Member& place, const ze_event_pool_desc_t& description) {
    if (!(description.flags & ZE_EVENT_POOL_FLAG_IPC)) return SignalWords::create(place.work, 2 * description.count);
    auto shared = SharedWords::create(bytesFor(description.count));
    return shared ? SignalWords::createShared(place.work, *std::move(shared)) : shared.code();
}

}  // namespace

Result<std::shared_ptr<EventPool>> EventPool::open(std::shared_ptr<Context> context,
                                                   const ze_ipc_event_pool_handle_t& bytes) {
    const auto handle = readSharedWordsHandle(bytes);
    if (!handle) return handle.code();
    const ze_event_pool_desc_t described{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, handle->flags, handle->count};
    if (!(handle->flags & ZE_EVENT_POOL_FLAG_IPC) || check(described) != ZE_RESULT_SUCCESS)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle is not as zeEventPoolGetIpcHandle made it");
    auto shared = SharedWords::open(*handle, bytesFor(handle->count));
    if (!shared) return shared.code();
    auto place = context->first();
    auto words = SignalWords::createShared(place.work, *std::move(shared));
    if (!words) return words.code();
    return std::make_shared<EventPool>(
        Parts{std::move(context), std::move(place), *std::move(words), handle->count, handle->flags, true});
}

Status EventPool::getIpcHandle(ze_ipc_event_pool_handle_t* out) {
    if (!parts_.words->isShared())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was created without ZE_EVENT_POOL_FLAG_IPC");
    const auto handle = parts_.words->shared().handle(parts_.count, parts_.flags);
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, &handle, sizeof handle);
    return ZE_RESULT_SUCCESS;
}

Status EventPool::close() {
    if (!isOpened())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was not opened by a handle; destroy it instead");
    live<EventPool>().remove(handle());
    return ZE_RESULT_SUCCESS;
}

Result<std::shared_ptr<EventPool>> EventPool::create(std::shared_ptr<Context> context, Context::Member place,
                                                     const ze_event_pool_desc_t& description) {
    if (const Status bad = check(description); bad != ZE_RESULT_SUCCESS) return bad;
    auto words = wordsFor(place, description);
    if (!words) return words.code();
    auto pool = std::make_shared<EventPool>(
        Parts{std::move(context), std::move(place), *std::move(words), description.count, description.flags, false});
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

Result<std::shared_ptr<EventPool>> EventPool::another() const {
    return create(parts_.context, parts_.place,
                  {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, parts_.flags, parts_.count});
}

Result<std::shared_ptr<Event>> EventPool::createState(std::uint32_t index, std::uint32_t value,
                                                      const ze_event_desc_t& description) {
    return Event::createUnreset(shared_from_this(), SignalWord(parts_.words, index, value),
                                Gate(parts_.words, parts_.count + index, value - 1), description);
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
