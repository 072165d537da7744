// Sub-slices change hands when a group or dispatch waits for one and no group ends: endless work-groups in every slot
// do not keep other dispatches out. Registers, local memory and barriers stay in the displaced WorkGroup; it returns to
// the same slots, because its threads know their numbers.
#include <algorithm>

#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/tile_runtime.h"

namespace zetl::emulator::machine {
namespace {

/// A group keeps its place for at least this long, and one without a place waits at least this long; host nanoseconds.
constexpr std::uint64_t kSlice = 20'000'000;

bool sliceIsOver(std::uint64_t since, std::uint64_t now) noexcept { return now > since + kSlice; }

}  // namespace

/// Called after a turn that ended with its group running on. While a debugger is attached, threads stay where it saw
/// them.
void TileRuntime::preempt() noexcept {
    if (waiting_.empty() && displaced_.empty()) return;
    try {
        if (!control_.attached()) makeRoom();
    } catch (const std::bad_alloc&) {
        // No group is displaced this time.
    }
    placeWaiting();
}

void TileRuntime::makeRoom() {
    const std::uint64_t now = HostTime::monotonicRaw();
    if (!claim_) claim_ = longestWaiting(now);
    if (!claim_) return;
    // Groups in a turn follow when it ends.
    for (const auto& group : resident_) {
        const bool movable = group->placed && group->state == WorkGroup::State::queued;
        if (movable && group->placement().subslice == claim_->subslice) displace(*group);
    }
}

/// The displaced group or starving dispatch that has waited for longest.
std::optional<TileRuntime::Claim> TileRuntime::longestWaiting(std::uint64_t now) const {
    WorkGroup* const displaced = displaced_.empty() ? nullptr : displaced_.front();
    DispatchPointer starving;
    for (const DispatchPointer& dispatch : waiting_) {
        const bool longer = !starving || dispatch->waitingSince < starving->waitingSince;
        if (longer && isStarving(*dispatch, now)) starving = dispatch;
    }
    if (starving && (displaced == nullptr || starving->waitingSince < displaced->since))
        return claimFor(std::move(starving), now);
    if (displaced == nullptr || !sliceIsOver(displaced->since, now)) return {};
    return Claim{displaced->placement().subslice, displaced, nullptr};
}

/// From the work-group that has had its place for longest.
std::optional<TileRuntime::Claim> TileRuntime::claimFor(DispatchPointer dispatch, std::uint64_t now) const {
    const WorkGroup* oldest = nullptr;
    for (const auto& group : resident_) {
        if (!group->placed || group->state != WorkGroup::State::queued || group->dispatchPointer() == dispatch)
            continue;
        if (oldest == nullptr || group->since < oldest->since) oldest = group.get();
    }
    if (oldest == nullptr || !sliceIsOver(oldest->since, now)) return {};
    return Claim{oldest->placement().subslice, nullptr, std::move(dispatch)};
}

/// True if it has nothing on the tile, or less than its share, and got no place for a slice of time. Displaced groups
/// count, so that a grid does not begin more and more groups that none of its own can end.
bool TileRuntime::isStarving(const ActiveDispatch& dispatch, std::uint64_t now) const {
    if (dispatch.exhausted() || dispatch.heldBack() || hasEnough(dispatch) || !sliceIsOver(dispatch.waitingSince, now))
        return false;
    const std::uint64_t threads = std::uint64_t{dispatch.residentGroups + 1} * dispatch.need().threads;
    return dispatch.residentGroups == 0 || threads * unfinished_.size() <= occupants_.size();
}

/// Returns true if there is no claim any more for which others would have to wait.
bool TileRuntime::grantClaim() {
    if (!claim_ || control_.attached()) {
        claim_.reset();
        return true;
    }
    const bool over = claim_->group != nullptr
                          ? restore(*claim_->group)
                          : claim_->dispatch->exhausted() || claim_->dispatch->heldBack() || placeOne(claim_->dispatch);
    if (over) claim_.reset();
    return over;
}

void TileRuntime::displace(WorkGroup& group) {
    std::list<WorkGroup*> entry{&group};
    group.saveSlotMemory();
    scheduler_.park(group);
    vacate(group, HostTime::monotonicRaw());
    displaced_.splice(displaced_.end(), entry);
}

bool TileRuntime::restore(WorkGroup& group) {
    const std::uint64_t now = HostTime::monotonicRaw();
    if (!slots_.reclaim(group.placement(), now)) return false;
    std::erase(displaced_, &group);
    group.restoreSlotMemory();
    occupy(group, now);
    return true;
}

void TileRuntime::restoreDisplaced() {
    for (auto next = displaced_.begin(); next != displaced_.end();) restore(**next++);
}

/// The dispatch stops: its groups end where they are.
void TileRuntime::forgetDisplaced(const ActiveDispatch& dispatch) {
    std::erase_if(displaced_, [&](const WorkGroup* group) { return &group->dispatch() == &dispatch; });
    if (claim_ && claim_->group != nullptr && &claim_->group->dispatch() == &dispatch) claim_.reset();
}

}  // namespace zetl::emulator::machine
