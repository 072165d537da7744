#include "nvidia/driver/execution/counter_states.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "nvidia/driver/execution/event.h"

namespace zetl::nvidia {

namespace {

using Slot = CounterStates::Slot;

/// States of events that are gone, until they are signalled.
Synchronized<std::vector<Slot>>& leftBehind() {
    static NeverDestroyed<Synchronized<std::vector<Slot>>> slots;
    return *slots;
}

}  // namespace

bool CounterStates::Slot::isFree() const { return !state || state->queryStatus() != ZE_RESULT_NOT_READY; }

CounterStates::~CounterStates() {
    const auto isFree = [](const Slot& slot) { return slot.isFree(); };
    const Lock guard(mutex_);
    const auto own = std::move(slots_);
    leftBehind().write([&](std::vector<Slot>& left) {
        std::erase_if(left, isFree);
        std::ranges::remove_copy_if(own, std::back_inserter(left), isFree);
    });
}

Status CounterStates::grow() {
    auto pool = pools_.front()->another();
    if (!pool) return pool.code();
    pools_.push_back(*std::move(pool));
    next_ = slots_.size();
    slots_.resize(slots_.size() + kWords);
    return ZE_RESULT_SUCCESS;
}

Result<std::shared_ptr<Event>> CounterStates::next() {
    const Lock guard(mutex_);
    if (!slots_[next_].isFree())
        if (const Status bad = grow(); bad != ZE_RESULT_SUCCESS) return bad;
    auto& slot = slots_[next_];
    auto state =
        pools_[next_ / kWords]->createState(static_cast<std::uint32_t>(next_ % kWords), ++slot.value, description_);
    if (!state) return state;
    next_ = (next_ + 1) % slots_.size();
    return latest_ = slot.state = *std::move(state);
}

void CounterStates::follow(std::shared_ptr<Event> recorded) {
    const Lock guard(mutex_);
    latest_ = std::move(recorded);
}

std::shared_ptr<Event> CounterStates::latest() const {
    const Lock guard(mutex_);
    return latest_;
}

}  // namespace zetl::nvidia
