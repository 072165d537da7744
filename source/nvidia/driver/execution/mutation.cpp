#include "nvidia/driver/execution/mutation.h"

namespace zetl::nvidia {

Status Mutation::setSignalEvent(std::uint64_t id, ze_event_handle_t event) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT);
    if (!target) return target.code();
    auto signal = signalOf(event, false);
    if (!signal) return signal.code();
    (*target)->events.signal = *std::move(signal);
    return ZE_RESULT_SUCCESS;
}

Status Mutation::setWaitEvents(std::uint64_t id, std::uint32_t count, const ze_event_handle_t* events) {
    const auto target = command(id, ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS);
    if (!target) return target.code();
    auto& own = (*target)->events;
    if (const Status bad = driver::checkWaitCount(events, count, own.waitPlaces); bad != ZE_RESULT_SUCCESS) return bad;
    auto waits = waitsOf(events ? count : 0, events, false, true);
    if (!waits) return waits.code();
    own.waits = *std::move(waits);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
