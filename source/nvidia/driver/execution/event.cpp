#include "nvidia/driver/execution/event.h"

#include "base/enumerate.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/execution/graph_parts.h"
#include "nvidia/driver/execution/stream.h"

namespace zetl::nvidia {
namespace {

constexpr ze_event_scope_flags_t kKnownScopes =
    ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST;

constexpr ze_event_counter_based_flags_t kKnownCounterFlags = 0x7f;
constexpr ze_event_counter_based_flags_t kDeviceTimes = ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP;
constexpr ze_event_counter_based_flags_t kHostTimes = ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;

struct PoolFlag {
    ze_event_counter_based_flags_t counter;
    ze_event_pool_flags_t pool;
};
constexpr PoolFlag kPoolFlags[] = {
    {ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_HOST_VISIBLE},
    {kDeviceTimes, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP},
    {kHostTimes, ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP},
};

Status checkCounter(const ze_event_counter_based_desc_t& description) {
    if ((description.flags & ~kKnownCounterFlags) || ((description.signal | description.wait) & ~kKnownScopes))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if ((description.flags & kDeviceTimes) && (description.flags & kHostTimes))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "timestamps of device and host cannot be combined");
    if (description.flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "counter-based events are not shared between processes; share an event pool");
    if (description.pNext)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "counters of the application are not supported");
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<std::shared_ptr<Event>> Event::createCounter(std::shared_ptr<Context> context, Context::Member place,
                                                    const ze_event_counter_based_desc_t& description) {
    if (const Status bad = checkCounter(description); bad != ZE_RESULT_SUCCESS) return bad;
    ze_event_pool_desc_t pools{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, CounterStates::kWords};
    for (const PoolFlag& row : kPoolFlags)
        if (description.flags & row.counter) pools.flags |= row.pool;
    auto pool = EventPool::create(std::move(context), std::move(place), pools);
    if (!pool) return pool.code();
    constexpr ze_event_counter_based_flags_t kKindsOfLists =
        ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE;
    auto flags = description.flags;
    if (!(flags & kKindsOfLists)) flags |= ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE;
    const ze_event_desc_t own{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, description.signal, description.wait};
    auto event = createCounting(*std::move(pool), 0, own, flags);
    if (event) (*event)->noteComing();  // it is signalled: no command is to do it
    return event;
}

Result<std::shared_ptr<Event>> Event::createCounting(std::shared_ptr<EventPool> pool, std::uint32_t value,
                                                     const ze_event_desc_t& description,
                                                     ze_event_counter_based_flags_t flags) {
    auto event = pool->createState(0, value, description);
    if (!event) return event;
    (*event)->counter_ = std::make_unique<CounterStates>(std::move(pool), description);
    (*event)->counterFlags_ = flags;
    return event;
}

std::shared_ptr<Event> Event::toWaitForRecorded() {
    auto latest = counter_ ? counter_->latest() : nullptr;
    return latest ? latest : shared_from_this();
}

/// Before the first execution of a recorded command that signals it, the event that is recorded: it cannot be told yet
/// which state it will have.
std::shared_ptr<Event> Event::toWaitFor() {
    auto state = toWaitForRecorded();
    return state.get() == this || !state->counter_ ? state : state->toWaitFor();
}

Result<std::shared_ptr<Event>> Event::toSignal() {
    if (counter_) return counter_->next();
    return shared_from_this();
}

Result<std::shared_ptr<Event>> Event::toSignalRecorded() {
    if (!counter_) return shared_from_this();
    constexpr std::uint32_t kFirstValue = 1;  // which the first execution gives the first word
    auto pool = pool_->another();
    if (!pool) return pool.code();
    auto recorded = createCounting(*std::move(pool), kFirstValue,
                                   {ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, signalScope_, waitScope_}, counterFlags_);
    if (recorded) counter_->follow(*recorded);
    return recorded;
}

Status Event::checkSignalledBy(bool immediate) const {
    const auto wanted = immediate ? ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE : ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE;
    if (!counter_ || (counterFlags_ & wanted)) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event is for {} lists; create it with {} for this one",
                  immediate ? "regular" : "immediate",
                  immediate ? "ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE" : "ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE");
}

const Event& Event::looked(std::shared_ptr<Event>& keep) const noexcept {
    keep = counter_ ? counter_->latest() : nullptr;
    if (!keep) return *this;
    std::shared_ptr<Event> inner;
    const Event& state = keep->looked(inner);
    if (inner) keep = std::move(inner);
    return state;
}

bool Event::isComing() const noexcept {
    std::shared_ptr<Event> keep;
    const Event& state = looked(keep);
    return state.coming_.load() || state.word_.isShared();
}

Status Event::appendWait(CUstream stream) const noexcept {
    std::shared_ptr<Event> keep;
    return looked(keep).word_.appendWait(stream);
}

Result<std::shared_ptr<Event>> Event::create(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate,
                                             const ze_event_desc_t& description) {
    if ((description.signal | description.wait) & ~kKnownScopes) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!pool->isOpened()) word.set(false);
    return createUnreset(std::move(pool), std::move(word), gate, description);
}

Result<std::shared_ptr<Event>> Event::createUnreset(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate,
                                                    const ze_event_desc_t& description) {
    const bool timed = pool->hasTimestamps();
    auto event = std::make_shared<Event>(std::move(pool), std::move(word), gate, description);
    if (!timed) return event;
    const Current current(event->word_.work().context);
    Status status = ZETL_CUDA(cuEventCreate(&event->begin_, CU_EVENT_DEFAULT));
    if (status == ZE_RESULT_SUCCESS) status = ZETL_CUDA(cuEventCreate(&event->end_, CU_EVENT_DEFAULT));
    if (status != ZE_RESULT_SUCCESS) return status;
    return event;
}

Event::Event(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate, const ze_event_desc_t& description)
    : pool_(std::move(pool)),
      word_(std::move(word)),
      gate_(gate),
      signalScope_(description.signal),
      waitScope_(description.wait) {}

Event::~Event() {
    if (!begin_) return;
    const Current current(word_.work().context);
    cuda().cuEventDestroy(begin_);
    if (end_) cuda().cuEventDestroy(end_);
}

Status Event::appendStart(CUstream stream, bool closely) noexcept {
    if (!begin_) return ZE_RESULT_SUCCESS;
    if (closely)
        if (const Status bad = gate_.appendTo(stream); bad != ZE_RESULT_SUCCESS) return bad;
    return ZETL_CUDA(cuEventRecord(begin_, stream));
}

Status Event::appendSignal(CUstream stream) noexcept {
    if (end_) {
        if (const Status bad = ZETL_CUDA(cuEventRecord(end_, stream)); bad != ZE_RESULT_SUCCESS) return bad;
        recorded_.store(true);
    }
    const Status status = word_.appendSignal(stream);
    if (status == ZE_RESULT_SUCCESS) coming_.store(true);
    return status;
}

Status Event::appendReset(CUstream stream) noexcept {
    coming_.store(false);
    return word_.appendReset(stream);
}

Status Event::hostSignal() {
    if (counter_)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a counter-based event is signalled by commands only");
    if (end_) {
        const auto now = word_.work().clock.now();
        if (!now) return now.code();
        hostTime_.store(now->device);
        recorded_.store(false);
    }
    word_.set(true);
    coming_.store(true);
    advanceStreams();
    return ZE_RESULT_SUCCESS;
}

Status Event::hostReset() {
    if (counter_)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "a counter-based event needs no reset, the next signal renews it");
    coming_.store(false);
    word_.set(false);
    return ZE_RESULT_SUCCESS;
}

Status Event::queryStatus() {
    std::shared_ptr<Event> keep;
    const auto& word = looked(keep).word_;
    const Status status = word.query();
    return status == ZE_RESULT_NOT_READY && word.work().clock.lost() ? ZE_RESULT_ERROR_DEVICE_LOST : status;
}

Status Event::hostSynchronize(std::uint64_t nanoseconds) {
    if (captures::any() && captures::isRecorded(*this))
        return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, "the event is signalled by a graph that is recorded");
    std::shared_ptr<Event> keep;
    return looked(keep).word_.wait(nanoseconds);
}

Result<ze_kernel_timestamp_data_t> Event::span() {
    if (std::shared_ptr<Event> keep; &looked(keep) != this) return keep->span();
    if (!end_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was created without timestamps");
    if (const Status status = queryStatus(); status != ZE_RESULT_SUCCESS) return status;
    if (!recorded_.load()) return ze_kernel_timestamp_data_t{hostTime_.load(), hostTime_.load()};
    DeviceClock& clock = word_.work().clock;
    const auto end = clock.timeOf(end_);
    if (!end) return end.code();
    // The length from the two events themselves: it is exact to the timer's step, where each one's place is not.
    const Current current(word_.work().context);
    float milliseconds = 0;
    if (const Status bad = ZETL_CUDA(cuEventElapsedTime(&milliseconds, begin_, end_)); bad != ZE_RESULT_SUCCESS)
        return bad;
    return ze_kernel_timestamp_data_t{*end - static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6), *end};
}

Status Event::queryKernelTimestamp(ze_kernel_timestamp_result_t* out) {
    const auto times = span();
    if (!times) return times.code();
    *out = {*times, *times};
    return ZE_RESULT_SUCCESS;
}

Status Event::queryTimestamps(std::uint32_t* count, ze_kernel_timestamp_result_t* out) {
    if (*count == 0)
        return enumerate<ze_kernel_timestamp_result_t>(1, count, nullptr,
                                                       [](auto) { return ze_kernel_timestamp_result_t{}; });
    const auto times = span();
    if (!times) return times.code();
    return enumerate(1, count, out, [&](auto) { return ze_kernel_timestamp_result_t{*times, *times}; });
}

Status Event::getEventPool(ze_event_pool_handle_t* out) {
    if (counter_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a counter-based event has no pool");
    *out = pool_->handle();
    return ZE_RESULT_SUCCESS;
}

Status Event::getDeviceAddress(std::uint64_t* value, std::uint64_t* address) {
    if (!counter_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only counter-based events have an address");
    std::shared_ptr<Event> keep;
    const auto& word = looked(keep).word_;
    *value = word.value();
    *address = word.address();
    return ZE_RESULT_SUCCESS;
}

Status Event::getSignalScope(ze_event_scope_flags_t* out) {
    *out = signalScope_;
    return ZE_RESULT_SUCCESS;
}

Status Event::getWaitScope(ze_event_scope_flags_t* out) {
    *out = waitScope_;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
