#include "nvidia/access/query.h"

#include <cstring>

namespace zetl::nvidia::access {

Query::Query(CountedPlan counted, std::uint32_t slots)
    : lease_(std::move(counted.lease)),
      plan_(std::move(counted.plan)),
      slots_(slots),
      setup_{plan_.texts(), std::move(counted.configuration), {}},
      reader_(counted.chip, ZETL_SOURCE_QUERY, plan_.texts()),
      open_(slots) {}

zetl_status_t Query::now(std::uint64_t& time) const {
    const auto pair = lease_->work->clock.now();
    if (!pair) return ZETL_LOST;
    time = pair->device;
    return ZETL_OK;
}

zetl_status_t Query::begin(std::uint32_t slot) {
    const Lock guard(mutex_);
    counted_.erase(slot);
    if (lease_->work->clock.lost()) return ZETL_LOST;
    if (const auto bad = lease_->ranges->begin(setup_); bad != ZETL_OK) return bad;
    open_ = slot;
    return now(begin_);
}

zetl_status_t Query::end(std::uint32_t slot) {
    const Lock guard(mutex_);
    if (open_ != slot) return ZETL_MISUSE;
    open_ = slots_;
    if (lease_->work->clock.lost()) {
        lease_->ranges->abandon();
        return ZETL_LOST;
    }
    if (const auto bad = lease_->ranges->end(); bad != ZETL_OK) return bad;
    Counted counted{ZETL_OK, std::vector<std::uint64_t>(plan_.reportWords()), 0};
    const auto timed = now(counted.end);
    if (const auto bad = lease_->ranges->decode(); bad != ZETL_OK) return bad;
    if (timed != ZETL_OK) return timed;
    counted.words[0] = begin_;
    if (const auto bad = reader_.read(setup_.data, 0, counted.words.data() + plan_.firstWord()); bad != ZETL_OK)
        return bad;
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

Status Query::executeBegin(std::uint32_t slot) { return executed(slot, begin(slot)); }
Status Query::executeEnd(std::uint32_t slot) { return executed(slot, end(slot)); }

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
    std::memcpy(report, found->second.words.data(), plan_.reportBytes());
    time = found->second.end;
    return ZETL_OK;
}

bool Query::inFlight() const {
    const Lock guard(mutex_);
    return open_ != slots_;
}

}  // namespace zetl::nvidia::access
