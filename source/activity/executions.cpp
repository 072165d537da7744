#include "activity/executions.h"

namespace zetl::activity {
namespace {

constexpr std::uint64_t kCorrelationAge = 10'000'000;  // nanoseconds after which both clocks are read again

}  // namespace

std::uint64_t Moment::time() noexcept {
    if (time_ == 0) time_ = hostNow();
    return time_;
}

DeviceState& Executions::device(ze_device_handle_t handle) {
    auto [place, isNew] = devices_.try_emplace(handle);
    if (!isNew) return place->second;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    if (calls_.deviceGetProperties(handle, &properties) != ZE_RESULT_SUCCESS) properties.timerResolution = 0;
    place->second.handle = handle;
    place->second.clock = DeviceClock({properties.timestampValidBits, properties.kernelTimestampValidBits,
                                       nanosecondsACycle(properties.timerResolution)});
    return place->second;
}

StreamState& Executions::open(const void* handle, ze_device_handle_t device, const ze_command_queue_desc_t& description,
                              bool immediate) {
    const auto id = ++lastStream_;
    auto& stream = streams_[id];
    stream.facts = {id, immediate, description.ordinal, description.index, handle, device};
    stream.synchronous = description.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    stream.device = &this->device(device);
    return stream;
}

void Executions::close(StreamState& stream) {
    read(stream, Extent::all);
    for (auto& each : stream.executions)
        if (!each.over) {
            missed();
            forget(each);
        }
    drop(stream);
    streams_.erase(stream.facts.id);
}

bool Executions::running(ze_event_handle_t event) {
    lastLook(event);
    return running_.contains(event);
}

bool Executions::ready(const Command& command) {
    if (running(command.event)) return false;
    return command.store || calls_.eventQueryStatus(command.event) == ZE_RESULT_NOT_READY;
}

void Executions::add(StreamState& stream, const Command& command, std::uint64_t submitted, std::uint64_t time,
                     bool givesBack) {
    auto& execution = stream.executions.emplace_back(Execution{command, submitted, time, givesBack, false});
    toldUnread_ = ++missing_.unread;
    sink_.unread(toldUnread_);
    if (!execution.isNameless()) running_[command.event] = {&stream, &execution};
}

void Executions::withdraw(ze_event_handle_t event) {
    const auto found = running_.find(event);
    if (found == running_.end()) return;
    const auto [stream, execution] = found->second;
    end(*execution);
    drop(*stream);
}

/// Keeps executions that were submitted before others that are still under way.
void Executions::drop(StreamState& stream) {
    while (!stream.executions.empty() && stream.executions.front().over) stream.executions.pop_front();
    if (missing_.unread == toldUnread_) return;
    toldUnread_ = missing_.unread;
    sink_.unread(toldUnread_);
}

void Executions::forget(Execution& execution) {
    if (!execution.isNameless()) running_.erase(execution.command.event);
    execution.over = true;
    --missing_.unread;
}

void Executions::end(Execution& execution) {
    forget(execution);
    if (!execution.command.store) return;
    if (execution.givesBack)
        execution.command.store->giveBack(execution.command.event);
    else
        calls_.eventHostReset(execution.command.event);
}

void Executions::tell(StreamState& stream, const Execution& execution, const ze_kernel_timestamp_result_t& times,
                      Moment& now) {
    auto& clock = stream.device->clock;
    if (now.time() - clock.correlatedAt() > kCorrelationAge) {
        ClockPair pair;
        if (calls_.deviceGetGlobalTimestamps(stream.device->handle, &pair.host, &pair.device) == ZE_RESULT_SUCCESS)
            clock.correlate(pair);
    }
    if (!clock.usable()) return missed();
    if (!stream.told) sink_.opened(stream.facts);
    stream.told = true;
    const auto& command = execution.command;
    const auto begin = clock.hostTime(times.global.kernelStart, execution.time);
    sink_.took({command.work, stream.facts.id, command.kernel, begin,
                begin + clock.duration(times.global.kernelStart, times.global.kernelEnd), command.bytes,
                command.appended, execution.submitted, execution.time, command.shape});
}

/// Returns true if the execution is over, whether or not its times could be read.
bool Executions::read(StreamState& stream, Execution& execution, Moment& now) {
    ze_kernel_timestamp_result_t times{};
    const auto result = calls_.eventQueryKernelTimestamp(execution.command.event, &times);
    if (result == ZE_RESULT_NOT_READY) return false;
    if (result == ZE_RESULT_SUCCESS)
        tell(stream, execution, times, now);
    else
        missed();
    end(execution);
    return true;
}

void Executions::read(StreamState& stream, Extent extent, Moment& now) {
    auto& all = stream.executions;
    for (auto& each : all)
        if (!each.over && !read(stream, each, now) && extent == Extent::oldest) break;
    drop(stream);
}

void Executions::read(StreamState& stream, Extent extent) {
    Moment now;
    read(stream, extent, now);
}

void Executions::submitted(StreamState& stream) {
    constexpr std::size_t kReadBehind = 64;  // of an immediate list nobody may ever wait for
    if (stream.synchronous)
        read(stream, Extent::all);
    else if (stream.facts.immediate && stream.executions.size() >= kReadBehind)
        read(stream, Extent::oldest);
}

void Executions::readAll(Extent extent) {
    Moment now;
    for (auto& [id, stream] : streams_) read(stream, extent, now);
}

void Executions::lastLook(ze_event_handle_t event) {
    const auto found = running_.find(event);
    if (found == running_.end()) return;
    const auto [stream, execution] = found->second;
    Moment now;
    if (read(*stream, *execution, now)) drop(*stream);
}

}  // namespace zetl::activity
