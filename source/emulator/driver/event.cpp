#include "emulator/driver/event.h"

#include "emulator/driver/device.h"
#include "emulator/driver/printf_output.h"
#include "emulator/driver/refusal.h"

namespace zetl::emulator::driver {
namespace {

constexpr ze_event_scope_flags_t kKnownScopes =
    ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST;

std::uint64_t cut(std::uint64_t ticks, std::uint32_t bits) noexcept {
    return bits >= 64 ? ticks : ticks & ((std::uint64_t{1} << bits) - 1);
}

std::shared_ptr<SignalState> signalledState() {
    auto state = std::make_shared<SignalState>();
    state->signal({});
    return state;
}

}  // namespace

Status codeOf(SignalState::Value value) noexcept {
    if (value == SignalState::Value::lost) return ZE_RESULT_ERROR_DEVICE_LOST;
    return value == SignalState::Value::signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_kernel_timestamp_result_t kernelTimestamps(const SignalState::Span& span, Device& device) noexcept {
    const auto bits = device.profile().kernelTimestampValidBits;
    const ze_kernel_timestamp_data_t data{cut(span.start, bits), cut(span.end, bits)};
    return {data, data};
}

ze_kernel_timestamp_result_t kernelTimestamps(const SignalState& state, Device& device) noexcept {
    const auto times = state.times();
    return kernelTimestamps(SignalState::Span{times.start, times.end}, device);
}

Result<std::shared_ptr<Event>> Event::create(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description) {
    if ((description.signal | description.wait) & ~kKnownScopes) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.index >= pool->count())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "event index {} in a pool of {}", description.index,
                      pool->count());
    return std::make_shared<Event>(std::move(pool), description);
}

Event::Event(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description)
    : pool_(std::move(pool)),
      signalScope_(description.signal),
      waitScope_(description.wait),
      state_(pool_->counterBased() ? signalledState() : pool_->state(description.index)) {
    if (!pool_->counterBased() && !pool_->opened()) state()->reset();
}

std::shared_ptr<SignalState> Event::state() const {
    return state_.read([](const auto& state) { return state; });
}

std::shared_ptr<SignalState> Event::stateToSignal() {
    if (!pool_->counterBased()) return state();
    auto fresh = std::make_shared<SignalState>();
    state_.write([&](auto& state) { state = fresh; });
    return fresh;
}

Status Event::hostSignal() {
    if (pool_->counterBased())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a counter-based event is signalled by commands only");
    state()->signal({});
    return ZE_RESULT_SUCCESS;
}

Status Event::hostReset() {
    if (pool_->counterBased())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "a counter-based event needs no reset, the next signal renews it");
    state()->reset();
    return ZE_RESULT_SUCCESS;
}

Status Event::query() const { return codeOf(state()->value()); }

Status Event::synchronize(std::uint64_t nanoseconds) const {
    const Status status = codeOf(state()->wait(nanoseconds));
    if (status == ZE_RESULT_SUCCESS) flushPrintf();
    return status;
}

Result<SignalState::Times> Event::signalledTimes() const {
    if (!pool_->hasTimestamps())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "the event's pool was created without ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP");
    const auto now = state();
    if (const Status status = codeOf(now->value()); status != ZE_RESULT_SUCCESS) return status;
    return now->times();
}

Status Event::timestamps(ze_kernel_timestamp_result_t& out) const {
    const auto times = signalledTimes();
    if (!times) return times.code();
    out = kernelTimestamps(SignalState::Span{times->start, times->end}, pool_->device());
    return ZE_RESULT_SUCCESS;
}

Result<std::vector<SignalState::Span>> Event::packets(Device& device) const {
    const auto times = signalledTimes();
    if (!times) return times.code();
    const auto& tiles = times->tiles;
    if (times->tileCount == 0) return std::vector{SignalState::Span{times->start, times->end}};
    if (device.isSubDevice() && device.firstTile() < times->tileCount) return std::vector{tiles[device.firstTile()]};
    return std::vector(tiles.begin(), tiles.begin() + times->tileCount);
}

}  // namespace zetl::emulator::driver
