#include "nvidia/access/query.h"

#include <cstring>

#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/event.h"

namespace zetl::nvidia::access {
namespace {

zetl_status_t waitFor(std::uint32_t count, const ze_event_handle_t* events) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto event = driver::find<Event>(events[i]);
        if (!event) return ZETL_GONE;
        if ((*event)->hostSynchronize(UINT64_MAX) != ZE_RESULT_SUCCESS) return ZETL_LOST;
    }
    return ZETL_OK;
}

}  // namespace

Query::Query(CountedPlan counted, std::uint32_t slots)
    : provider::Query(std::move(counted.plan), slots),
      lease_(std::move(counted.lease)),
      setup_{plan().texts(), std::move(counted.configuration), {}},
      reader_(counted.chip, ZETL_SOURCE_QUERY, plan().texts()),
      open_(slots) {}

zetl_status_t Query::now(std::uint64_t& time) const {
    const auto pair = lease_->work->clock.now();
    if (!pair) return ZETL_LOST;
    time = pair->device;
    return ZETL_OK;
}

zetl_status_t Query::beginNow(std::uint32_t slot) {
    const Lock guard(mutex_);
    counted_.erase(slot);
    if (lease_->work->clock.lost()) return ZETL_LOST;
    if (const auto bad = lease_->ranges->begin(setup_); bad != ZETL_OK) return bad;
    open_ = slot;
    return now(begin_);
}

zetl_status_t Query::endNow(std::uint32_t slot) {
    const Lock guard(mutex_);
    if (open_ != slot) return ZETL_MISUSE;
    open_ = slots();
    if (lease_->work->clock.lost()) {
        lease_->ranges->abandon();
        return ZETL_LOST;
    }
    if (const auto bad = lease_->ranges->end(); bad != ZETL_OK) return bad;
    Counted counted{ZETL_OK, std::vector<std::uint64_t>(plan().reportWords()), 0};
    const auto timed = now(counted.end);
    if (const auto bad = lease_->ranges->decode(); bad != ZETL_OK) return bad;
    if (timed != ZETL_OK) return timed;
    counted.words[0] = begin_;
    auto* const values = counted.words.data() + plan().firstWord();
    if (const auto bad = reader_.read(setup_.data, 0, counted.end - begin_, values); bad != ZETL_OK) return bad;
    counted_[slot] = std::move(counted);
    return ZETL_OK;
}

/// The first refusal is the cause of later ones: without a begin there is no end.
Status Query::executed(std::uint32_t slot, zetl_status_t status) {
    if (status == ZETL_LOST) return ZE_RESULT_ERROR_DEVICE_LOST;
    if (status == ZETL_OK) return ZE_RESULT_SUCCESS;
    const Lock guard(mutex_);
    auto& kept = counted_[slot].status;
    if (kept == ZETL_NOT_READY) kept = status;
    return ZE_RESULT_SUCCESS;
}

zetl_status_t Query::record(std::uint32_t slot, zetl_status_t (Query::*sample)(std::uint32_t),
                            ze_command_list_handle_t handle, const EventUse& use) {
    const auto list = driver::find<CommandList>(handle);
    if (!list) return ZETL_GONE;
    const Status status = (*list)->appendSubmitterWork(
        [self = shared_from_this(), slot, sample](CUstream) { return self->executed(slot, ((*self).*sample)(slot)); },
        use);
    if (status == ZE_RESULT_ERROR_DEVICE_LOST) return ZETL_LOST;
    return status == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
}

zetl_status_t Query::begin(std::uint32_t slot, ze_command_list_handle_t list) {
    return list ? record(slot, &Query::beginNow, list, {}) : beginNow(slot);
}

zetl_status_t Query::end(std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                         std::uint32_t waitCount, const ze_event_handle_t* waits) {
    if (list) return record(slot, &Query::endNow, list, {signal, waitCount, const_cast<ze_event_handle_t*>(waits)});
    if (const auto bad = waitFor(waitCount, waits); bad != ZETL_OK) return bad;
    const auto status = endNow(slot);
    if (status != ZETL_OK || !signal) return status;
    const auto event = driver::find<Event>(signal);
    if (!event) return ZETL_GONE;
    return (*event)->hostSignal() == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_LOST;
}

zetl_status_t Query::reset(std::uint32_t slot) {
    const Lock guard(mutex_);
    if (open_ == slot) return ZETL_BUSY;
    counted_.erase(slot);
    return ZETL_OK;
}

zetl_status_t Query::read(std::uint32_t slot, void* report, std::uint64_t& time) {
    const Lock guard(mutex_);
    const auto found = counted_.find(slot);
    if (found == counted_.end()) return lease_->work->clock.lost() ? ZETL_LOST : ZETL_NOT_READY;
    if (found->second.status != ZETL_OK) return found->second.status;
    std::memcpy(report, found->second.words.data(), plan().reportBytes());
    time = found->second.end;
    return ZETL_OK;
}

zetl_status_t Query::destroy() {
    const Lock guard(mutex_);
    return open_ == slots() ? ZETL_OK : ZETL_BUSY;
}

}  // namespace zetl::nvidia::access
