#include "activity/executions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace zetl::activity {
namespace {

constexpr std::uint64_t kCorrelationAge = 10'000'000;  // nanoseconds after which both clocks are read again
constexpr std::size_t kTakenByACall = 16;              // times, and two for each command that was added meanwhile

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
    place->second.recorded = times.serves(handle);
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
            kept_.erase(&each);
        }
    drop(stream);
    takeTimes(Taken::all);
    stream.closed = true;
    if (stream.recorded == 0) streams_.erase(stream.facts.id);
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
    toldUnread_ = ++missing_.unread;
    sink_.unread(toldUnread_);
    if (command.tag != 0) return addRecorded(stream, {command, submitted, time, false, false});
    auto& execution = stream.executions.emplace_back(Execution{command, submitted, time, givesBack, false});
    if (!execution.isNameless()) running_[command.event] = {&stream, &execution};
}

std::uint64_t Executions::beginTag() {
    times.tag(++lastTag_);
    appending_.push_back(lastTag_);
    return lastTag_;
}

void Executions::endTag(std::uint64_t tag) {
    times.tag(0);
    std::erase(appending_, tag);
    if (!early_.empty()) std::erase_if(early_, [tag](const auto& each) { return each.tag == tag; });
}

void Executions::addRecorded(StreamState& stream, const Execution& execution) {
    const auto tag = execution.command.tag;
    ++stream.recorded;
    ++added_;
    recorded_.emplace_hint(recorded_.upper_bound(tag), tag, Recorded{&stream, execution});
    const auto known = std::find_if(early_.begin(), early_.end(), [tag](const auto& each) { return each.tag == tag; });
    if (known == early_.end()) return;
    tell(*known);
    early_.erase(known);
    tellUnread();
}

void Executions::takeTimes(Taken taken) {
    if (recorded_.empty()) return;  // no time is expected
    std::array<zetl_command_time_t, 64> ready{};
    auto left = taken == Taken::all ? SIZE_MAX : kTakenByACall + 2 * std::exchange(added_, 0);
    while (const auto count = times.take(static_cast<std::uint32_t>(std::min(left, ready.size())), ready.data())) {
        left -= count;
        for (const auto& time : std::span(ready).first(count))
            if (!tell(time) && std::ranges::find(appending_, time.tag) != appending_.end()) early_.push_back(time);
    }
    tellUnread();
}

/// Returns false if the execution is not known: it is just being added, or it was not to be measured.
bool Executions::tell(const zetl_command_time_t& time) {
    const auto found = recorded_.lower_bound(time.tag);
    if (found == recorded_.end() || found->first != time.tag) return false;
    auto& [stream, execution] = found->second;
    if (time.outcome == ZETL_COMMAND_TIMED && time.end < execution.time) return false;
    if (time.outcome == ZETL_COMMAND_TIMED && !unclear_.contains(time.tag))
        report(*stream, execution, time.begin, time.end);
    else if (time.outcome != ZETL_COMMAND_WITHOUT_WORK)
        missed();
    --missing_.unread;
    if (--stream->recorded == 0 && stream->closed) streams_.erase(stream->facts.id);
    recorded_.erase(found);
    return true;
}

void Executions::keep(ze_event_handle_t event, const std::shared_ptr<KeptTimes>& kept, std::size_t place) {
    const auto found = running_.find(event);
    if (found == running_.end()) return;
    auto& execution = *found->second.execution;
    execution.kept = true;
    execution.command.event = nullptr;
    execution.command.store = nullptr;
    kept_[&execution] = {kept, place};
    running_.erase(found);
}

void Executions::withdraw(const Command& command) {
    if (command.tag != 0) {
        const auto [first, end] = recorded_.equal_range(command.tag);
        if (first == end) return;
        unclear_.insert(command.tag);
        --std::prev(end)->second.stream->recorded;
        recorded_.erase(std::prev(end));
        --missing_.unread;
        return tellUnread();
    }
    const auto found = running_.find(command.event);
    if (found == running_.end()) return;
    const auto [stream, execution] = found->second;
    end(*execution);
    drop(*stream);
}

/// Keeps executions that were submitted before others that are still under way.
void Executions::drop(StreamState& stream) {
    while (!stream.executions.empty() && stream.executions.front().over) stream.executions.pop_front();
    tellUnread();
}

void Executions::tellUnread() {
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
    const auto begin = clock.hostTime(times.global.kernelStart, execution.time);
    report(stream, execution, begin, begin + clock.duration(times.global.kernelStart, times.global.kernelEnd));
}

void Executions::report(StreamState& stream, const Execution& execution, std::uint64_t begin, std::uint64_t end) {
    if (!stream.told) sink_.opened(stream.facts);
    stream.told = true;
    const auto& command = execution.command;
    sink_.took({command.work, stream.facts.id, command.kernel, begin, end, command.bytes, command.appended,
                execution.submitted, execution.time, command.shape});
}

/// Returns true if the execution is over, whether or not its times could be read.
bool Executions::read(StreamState& stream, Execution& execution, Moment& now) {
    ze_kernel_timestamp_result_t times{};
    const auto result = execution.kept ? keptTimes(execution, times)
                                       : calls_.eventQueryKernelTimestamp(execution.command.event, &times);
    if (result == ZE_RESULT_NOT_READY) return false;
    if (result == ZE_RESULT_SUCCESS)
        tell(stream, execution, times, now);
    else
        missed();
    end(execution);
    return true;
}

ze_result_t Executions::keptTimes(const Execution& execution, ze_kernel_timestamp_result_t& times) {
    const auto kept = kept_.find(&execution);
    const auto* const found = kept->second.times->of(kept->second.place);
    if (!found) return ZE_RESULT_NOT_READY;
    times = *found;
    kept_.erase(kept);
    return ZE_RESULT_SUCCESS;
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
    takeTimesOnceIdle();
}

void Executions::submitted(StreamState& stream) {
    constexpr std::size_t kReadBehind = 64;  // of an immediate list nobody may ever wait for
    Moment now;
    if (stream.synchronous)
        read(stream, Extent::all, now);
    else if (stream.facts.immediate && stream.executions.size() >= kReadBehind)
        read(stream, Extent::oldest, now);
    takeTimes(Taken::some);
    tookBesideWork_.store(true, std::memory_order_relaxed);
}

/// Behind a wait the device has nothing to do until the program goes on, so every microsecond here is one more for the
/// program. The call that submitted the work has taken times while the device executed it.
void Executions::takeTimesOnceIdle() {
    if (!tookBesideWork_.exchange(false, std::memory_order_relaxed)) takeTimes(Taken::some);
}

bool Executions::isReadBesideWork(const StreamState& stream) const noexcept {
    return stream.executions.empty() && tookBesideWork_.load(std::memory_order_relaxed);
}

bool Executions::isReadBesideWork() const noexcept {
    return std::all_of(streams_.begin(), streams_.end(),
                       [this](const auto& each) { return isReadBesideWork(each.second); });
}

void Executions::readAll(Extent extent) {
    Moment now;
    for (auto& [id, stream] : streams_) read(stream, extent, now);
    if (extent == Extent::oldest) return takeTimesOnceIdle();
    if (!recorded_.empty()) times.flush(false);
    takeTimes(Taken::all);
}

void Executions::readLast() {
    if (!recorded_.empty()) times.flush(true);
    readAll(Extent::all);
}

void Executions::lastLook(ze_event_handle_t event) {
    const auto found = running_.find(event);
    if (found == running_.end()) return;
    const auto [stream, execution] = found->second;
    Moment now;
    if (read(*stream, *execution, now)) drop(*stream);
}

}  // namespace zetl::activity
