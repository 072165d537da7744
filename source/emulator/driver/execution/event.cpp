#include "emulator/driver/execution/event.h"

#include <algorithm>

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/endless_waits.h"
#include "emulator/driver/execution/graph.h"
#include "emulator/driver/execution/stream.h"
#include "emulator/driver/execution/work_order.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/program/printf_output.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr ze_event_scope_flags_t kKnownScopes =
    ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST;

constexpr ze_event_counter_based_flags_t kKnownCounterFlags = 0x7f;
constexpr ze_event_counter_based_flags_t kListKinds =
    ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE;
constexpr ze_event_counter_based_flags_t kBothTimestamps =
    ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;

// ze_event_counter_based_external_..._desc_t, which headers before specification 1.15 do not have.
constexpr std::uint32_t kExternalSyncAllocation = 0x0002003b;
constexpr std::uint32_t kExternalAggregateStorage = 0x0002003f;
// The same of Intel's driver.
constexpr std::uint32_t kExternalSyncAllocationExp = 0x0003001d;
constexpr std::uint32_t kExternalAggregateStorageExp = 0x00030027;

struct PoolFlag {
    ze_event_counter_based_flags_t counter;
    ze_event_pool_flags_t pool;
};
constexpr PoolFlag kPoolFlags[] = {
    {ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_HOST_VISIBLE},
    {ZE_EVENT_COUNTER_BASED_FLAG_IPC, ZE_EVENT_POOL_FLAG_IPC},
    {ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP},
    {ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP, ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP},
};

ze_event_pool_flags_t poolFlags(ze_event_counter_based_flags_t counter) noexcept {
    ze_event_pool_flags_t flags = 0;
    for (const PoolFlag& row : kPoolFlags)
        if (counter & row.counter) flags |= row.pool;
    return flags;
}

/// ze_event_counter_based_external_sync_allocation_desc_t: the event waits for the word.
struct SyncAllocation {
    ze_structure_type_t stype;
    const void* pNext;
    std::uint64_t* deviceAddress;
    std::uint64_t* hostAddress;
    std::uint64_t completionValue;
};
/// ze_event_counter_based_external_aggregate_storage_desc_t: commands that signal it add to the word, too.
struct AggregateStorage {
    ze_structure_type_t stype;
    const void* pNext;
    std::uint64_t* deviceAddress;
    std::uint64_t incrementValue;
    std::uint64_t completionValue;
};

Result<Event::OwnCounter> ownCounter(const SyncAllocation& given) {
    if (!given.deviceAddress)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event's counter has no address on the device");
    const auto address = reinterpret_cast<std::uint64_t>(given.deviceAddress);
    if (const Status bad = checkWatched(address, false); bad != ZE_RESULT_SUCCESS) return bad;
    return Event::OwnCounter{std::make_shared<WatchedWord>(address, given.completionValue), 0};
}

Result<Event::OwnCounter> ownCounter(const AggregateStorage& given) {
    if (given.incrementValue == 0)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event's counter would never grow: its increment is 0");
    const auto address = reinterpret_cast<std::uint64_t>(given.deviceAddress);
    if (const Status bad = checkWatched(address, true); bad != ZE_RESULT_SUCCESS) return bad;
    return Event::OwnCounter{std::make_shared<WatchedWord>(address, given.completionValue), given.incrementValue};
}

/// The counter that the description brings; the last one if it brings several.
Result<Event::OwnCounter> ownCounter(const ze_event_counter_based_desc_t& description) {
    Result<Event::OwnCounter> own = Event::OwnCounter{};
    forEachLink(&description, ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC, [&](const ChainLink& link) {
        const auto type = static_cast<std::uint32_t>(link.stype);
        const bool waits = type == kExternalSyncAllocation || type == kExternalSyncAllocationExp;
        const bool adds = type == kExternalAggregateStorage || type == kExternalAggregateStorageExp;
        if (own && waits) own = ownCounter(reinterpret_cast<const SyncAllocation&>(link));
        if (own && adds) own = ownCounter(reinterpret_cast<const AggregateStorage&>(link));
        return waits || adds;
    });
    if (own && own->word && (description.flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC))
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "an event with a counter of the application cannot be shared; share the counter's memory");
    return own;
}

/// Null for an event whose signals nobody may poll.
std::shared_ptr<EventCounter> counterOf(const EventPool& pool, const Event::OwnCounter& own) {
    if (own.increment != 0) return std::make_shared<EventCounter>(own.word, own.increment);
    return pool.counterBased() && !pool.opened() ? EventCounter::create() : nullptr;
}

/// Times on the clock that zeDeviceGetGlobalTimestamps returns as host time, even if another process measured the span.
/// Signals of the host itself have no span.
ze_synchronized_timestamp_result_ext_t hostTimestamps(const SignalState::Span& span, Device& device) noexcept {
    if (span.end == 0) return {};
    const machine::Clock& clock = device.machine().clock();
    const ze_synchronized_timestamp_data_ext_t data{clock.hostAt(span.start), clock.hostAt(span.end)};
    return {data, data};
}

}  // namespace

Status codeOf(SignalState::Value value) noexcept {
    if (value == SignalState::Value::lost) return ZE_RESULT_ERROR_DEVICE_LOST;
    return value == SignalState::Value::signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_kernel_timestamp_result_t kernelTimestamps(const SignalState::Span& span, Device& device) noexcept {
    const auto width = device.profile().kernelTimestampWidth();
    const ze_kernel_timestamp_data_t data{width.cut(span.start), width.cut(span.end)};
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

Result<std::shared_ptr<Event>> Event::createCounter(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                                    const ze_event_counter_based_desc_t& description) {
    if ((description.flags & ~kKnownCounterFlags) || ((description.signal | description.wait) & ~kKnownScopes))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if ((description.flags & kBothTimestamps) == kBothTimestamps)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "timestamps of device and host cannot be combined");
    if ((description.flags & ZE_EVENT_COUNTER_BASED_FLAG_IPC) && (description.flags & kBothTimestamps))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "flags {:#x}: an event for other processes has no timestamps; leave out one of both",
                      description.flags);
    auto counter = ownCounter(description);
    if (!counter) return counter.code();
    auto pool = EventPool::createCounter(std::move(context), std::move(device), poolFlags(description.flags));
    const ze_event_desc_t own{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, description.signal, description.wait};
    // Without a kind of list the specification takes the immediate one.
    const auto flags =
        description.flags & kListKinds ? description.flags : description.flags | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE;
    return std::make_shared<Event>(std::move(pool), own, flags, *std::move(counter));
}

Result<std::shared_ptr<Event>> Event::createCounter2(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                                     const ze_event_counter_based_desc_t* description) {
    ze_event_counter_based_desc_t own{};
    if (description) {
        own = *description;
    } else {
        own.flags = kListKinds | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE;
        own.signal = ZE_EVENT_SCOPE_FLAG_HOST;
        own.wait = ZE_EVENT_SCOPE_FLAG_DEVICE;
    }
    own.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;  // the members are the same
    return createCounter(std::move(context), std::move(device), own);
}

Result<std::shared_ptr<Event>> Event::createFormerCounter(std::shared_ptr<Context> context,
                                                          std::shared_ptr<Device> device, std::uint64_t* deviceAddress,
                                                          std::uint64_t* hostAddress, std::uint64_t value,
                                                          const ze_event_desc_t& description) {
    const SyncAllocation allocation{static_cast<ze_structure_type_t>(kExternalSyncAllocation), nullptr, deviceAddress,
                                    hostAddress, value};
    ze_event_counter_based_desc_t own{};
    if (deviceAddress || hostAddress) own.pNext = &allocation;
    own.flags = kListKinds | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE;
    own.signal = description.signal;
    own.wait = description.wait;
    return createCounter2(std::move(context), std::move(device), &own);
}

ze_event_counter_based_flags_t Event::signalledBy() const noexcept {
    // A handle of another process does not say what its event was created for.
    if (pool_->opened()) return kListKinds;
    return (counterFlags_ ? counterFlags_ : pool_->counterFlags()) & kListKinds;
}

std::shared_ptr<Event> Event::openCounter(std::shared_ptr<EventPool> pool) {
    const ze_event_desc_t own{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ze_event_counter_based_flags_t flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE;
    for (const PoolFlag& row : kPoolFlags)
        if (pool->flags() & row.pool) flags |= row.counter;
    return std::make_shared<Event>(std::move(pool), own, flags);
}

Event::Event(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description,
             ze_event_counter_based_flags_t counterFlags, OwnCounter own)
    : pool_(std::move(pool)),
      signalScope_(description.signal),
      waitScope_(description.wait),
      counterFlags_(counterFlags),
      counter_(counterOf(*pool_, own)),
      current_(first(pool_, description.index)) {
    current_.write([&](Current& current) { current.word = std::move(own.word); });
}

Event::Current Event::first(const std::shared_ptr<EventPool>& pool, std::uint32_t index) {
    if (pool->opened()) return {pool->state(index), pool};
    if (!pool->counterBased()) {
        Current current{pool->state(index), pool};
        noteReset(current.state);
        current.state->reset();
        return current;
    }
    Current current{pool->shared() ? pool->state(0) : std::make_shared<SignalState>(), pool};
    current.state->signal({});
    return current;
}

Event::Current Event::fresh() const {
    if (!pool_->shared()) return {std::make_shared<SignalState>(), pool_};
    auto pool = EventPool::createCounter(pool_->context().shared_from_this(), pool_->device().shared_from_this(),
                                         pool_->flags());
    auto state = pool->state(0);
    return {std::move(state), std::move(pool)};
}

std::shared_ptr<SignalState> Event::state() const {
    const Current now = current_.read([](const Current& current) { return current; });
    return now.word ? now.word->state() : now.state;
}

Event::Claim Event::claim() {
    const Current next = pool_->counterBased() ? fresh() : current_.read([](const Current& now) { return now; });
    Claim claim;
    claim.event_ = shared_from_this();
    claim.state_ = next.state;
    claim.shared_ = next.shared;
    if (counter_) claim.number_ = counter_->next();
    return claim;
}

void Event::Claim::keep(Signaller by) const {
    if (!event_) return;
    if (event_->counter_) event_->counter_->accepted(number_);
    event_->renew({state_, shared_, std::move(by)});
}

void Event::adopt(std::shared_ptr<SignalState> state, Signaller by, std::uint64_t number) {
    if (counter_) counter_->accepted(number);
    renew({std::move(state), pool_, std::move(by)});
}

void Event::renew(Current next) {
    const bool keepsWord = aggregates();
    current_.write([&](Current& current) {
        if (keepsWord) next.word = current.word;
        std::swap(current, next);
    });
}

Result<IpcHandle> Event::counterHandle() const {
    if (!pool_->counterBased())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event is of a pool; share the pool");
    return current_.read([](const Current& current) { return current.shared->ipcHandle(); });
}

Status Event::deviceAddress(std::uint64_t& value, std::uint64_t& address) const {
    if (!counter_)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event is {}; create it with zeEventCounterBasedCreate",
                      pool_->opened() ? "another process's" : "not counter-based");
    const auto word = current_.read([](const Current& current) { return current.word; });
    if (word) {
        value = word->value();
        address = word->address();
        return ZE_RESULT_SUCCESS;
    }
    if (counter_->awaited() == 0)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no command is to signal the event yet");
    value = counter_->awaited();
    address = counter_->address();
    return ZE_RESULT_SUCCESS;
}

Status Event::hostSignal() {
    if (pool_->counterBased())
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a counter-based event is signalled by commands only");
    const auto now = state();
    noteHostSignal(now);
    now->signal({.work = HostWork::time()});
    return ZE_RESULT_SUCCESS;
}

Status Event::hostReset() {
    if (pool_->counterBased())
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "a counter-based event needs no reset, the next signal renews it");
    const auto now = state();
    noteReset(now);
    now->reset();
    return ZE_RESULT_SUCCESS;
}

namespace {

/// The host has seen that it is signalled.
void see(const std::shared_ptr<SignalState>& state) {
    HostWork::saw(state->times().work);
    noteSeen(state);
}

}  // namespace

Status Event::query() const {
    const Current now = current_.read([](const Current& current) { return current; });
    const Status status = codeOf(now.word ? now.word->look() : now.state->value());
    if (status == ZE_RESULT_SUCCESS) see(now.word ? now.word->state() : now.state);
    return status;
}

Status Event::synchronize(std::uint64_t nanoseconds) const {
    if (captures::any() && captures::isRecorded(*this))
        return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED, "the event is signalled by a graph that is recorded");
    const Current now = current_.read([](const Current& current) { return current; });
    if (const auto stream = nanoseconds == kForever ? now.by.stream.lock() : nullptr)
        stream->helpUntil(*now.state, now.by.number);
    const auto state = now.word ? now.word->state() : now.state;
    const Status status = codeOf(waitFor(*state, nanoseconds));
    if (status == ZE_RESULT_SUCCESS) see(state);
    if (status == ZE_RESULT_SUCCESS) flushPrintf();
    return status;
}

Status Event::requireTimestamps() const {
    if (pool_->hasTimestamps()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "the event's pool was created without ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP");
}

Result<SignalState::Times> Event::signalledTimes() const {
    if (const Status status = requireTimestamps(); status != ZE_RESULT_SUCCESS) return status;
    const auto now = state();
    if (const Status status = codeOf(now->value()); status != ZE_RESULT_SUCCESS) return status;
    see(now);
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
    // Parts are numbered among the visible tiles of the root device.
    const auto& subDevices = device.root().subDevices();
    const auto own = std::ranges::find(subDevices, &device, [](const auto& each) { return each.get(); });
    const auto part = static_cast<std::size_t>(own - subDevices.begin());
    if (device.isSubDevice() && part < times->tileCount) return std::vector{tiles[part]};
    return std::vector(tiles.begin(), tiles.begin() + times->tileCount);
}

Result<std::shared_ptr<Event>> Event::openCounterHandle(std::shared_ptr<Context> context,
                                                        const ze_ipc_event_counter_based_handle_t& bytes) {
    const auto handle = readIpcHandle(IpcHandle::Kind::counterEvent, &bytes);
    if (!handle) return handle.code();
    auto pool = EventPool::open(std::move(context), *handle);
    if (!pool) return pool.code();
    return openCounter(*std::move(pool));
}

Status Event::getCounterHandle(ze_ipc_event_counter_based_handle_t& out) const {
    const auto handle = counterHandle();
    if (!handle) return handle.code();
    writeIpcHandle(*handle, out);
    return ZE_RESULT_SUCCESS;
}

Status Event::closeCounter() {
    if (!pool().opened())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event was created, not opened; destroy it instead");
    live<Event>().remove(handle());
    return ZE_RESULT_SUCCESS;
}

Result<EventPool*> Event::livePool() const {
    if (!live<EventPool>().find(pool().handle()))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event has no pool, or the pool was destroyed");
    return &pool();
}

/// Calls write(i, packet) for these packets.
template <class F>
Status Event::eachPacket(Device& device, std::uint32_t& count, F&& write) const {
    const auto known = packets(device);
    if (!known && count == 0) {
        count = device.tiles();
        return ZE_RESULT_SUCCESS;
    }
    if (!known) return known.code();
    const auto total = static_cast<std::uint32_t>(known->size());
    const std::uint32_t wanted = std::min(count, total);
    count = count == 0 ? total : wanted;
    for (std::uint32_t i = 0; i < wanted; ++i) write(i, (*known)[i]);
    return ZE_RESULT_SUCCESS;
}

Status Event::queryTimestamps(Device& device, std::uint32_t& count, ze_kernel_timestamp_result_t* out) {
    return eachPacket(device, count, [&](std::uint32_t i, const SignalState::Span& span) {
        if (out) out[i] = kernelTimestamps(span, pool().device());
    });
}

Status Event::queryTimestampsExt(Device& device, std::uint32_t& count,
                                 ze_event_query_kernel_timestamps_results_ext_properties_t* out) {
    const bool mapped = out && out->pSynchronizedTimestampsBuffer && pool().hasMappedTimestamps();
    return eachPacket(device, count, [&](std::uint32_t i, const SignalState::Span& span) {
        if (out && out->pKernelTimestampsBuffer)
            out->pKernelTimestampsBuffer[i] = kernelTimestamps(span, pool().device());
        if (mapped) out->pSynchronizedTimestampsBuffer[i] = hostTimestamps(span, pool().device());
    });
}

}  // namespace zetl::emulator::driver
