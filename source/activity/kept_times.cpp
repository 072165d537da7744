#include "activity/kept_times.h"

namespace zetl::activity {

KeptTimes::KeptTimes(const LevelZero& calls, EventStore& store, std::size_t events)
    : calls_(calls), store_(store), events_(events), done_(store.take()), times_(store.takeTimes(events)) {}

/// What the device may still write to stays where it is, until the context ends.
KeptTimes::~KeptTimes() {
    if (submitted_ && !copied()) return;
    if (done_) store_.giveBack(done_);
    if (times_) store_.giveBackTimes(times_, events_);
}

std::shared_ptr<KeptTimes> KeptTimes::append(const LevelZero& calls, EventStore& store, ze_command_list_handle_t list,
                                             std::span<ze_event_handle_t> events) {
    std::shared_ptr<KeptTimes> kept(new KeptTimes(calls, store, events.size()));
    return kept->copy(list, events) ? kept : nullptr;
}

bool KeptTimes::copy(ze_command_list_handle_t list, std::span<ze_event_handle_t> events) {
    if (!done_ || !times_) return false;
    const auto count = static_cast<std::uint32_t>(events.size());
    if (calls_.commandListAppendQueryKernelTimestamps(list, count, events.data(), times_, nullptr, done_, count,
                                                      events.data()) != ZE_RESULT_SUCCESS)
        return false;
    submitted_ = true;
    // The order of commands in a list may be any unless there are barriers.
    bool all = calls_.commandListAppendBarrier(list, nullptr, 0, nullptr) == ZE_RESULT_SUCCESS;
    for (auto* const event : events) all = calls_.commandListAppendEventReset(list, event) == ZE_RESULT_SUCCESS && all;
    return calls_.commandListAppendBarrier(list, nullptr, 0, nullptr) == ZE_RESULT_SUCCESS && all;
}

bool KeptTimes::copied() {
    copied_ = copied_ || (submitted_ && calls_.eventQueryStatus(done_) == ZE_RESULT_SUCCESS);
    return copied_;
}

const ze_kernel_timestamp_result_t* KeptTimes::of(std::size_t event) { return copied() ? &times_[event] : nullptr; }

}  // namespace zetl::activity
