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

}  // namespace

Result<std::shared_ptr<Event>> Event::create(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate,
                                             const ze_event_desc_t& description) {
    if ((description.signal | description.wait) & ~kKnownScopes) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    word.set(false);
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
    coming_.store(false);
    word_.set(false);
    return ZE_RESULT_SUCCESS;
}

Status Event::queryStatus() {
    const Status status = word_.query();
    return status == ZE_RESULT_NOT_READY && word_.work().clock.lost() ? ZE_RESULT_ERROR_DEVICE_LOST : status;
}

Status Event::hostSynchronize(std::uint64_t nanoseconds) {
    if (captures::any() && captures::isRecorded(*this))
        return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, "the event is signalled by a graph that is recorded");
    return word_.wait(nanoseconds);
}

Result<ze_kernel_timestamp_data_t> Event::span() {
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
    *out = pool_->handle();
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
