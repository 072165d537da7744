// Launches that have ended get their places in the model's time, in the order of the program. Until then they are not
// done, unless the launches before them take long.
#include <algorithm>
#include <array>
#include <optional>

#include "base/log.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

/// Cycles of threads, and engines, that a launch took longer because of others beside it: as many of all as of the
/// tile's. Work-groups that wait for slots or local memory have not begun.
Counts waitsOf(const Counts& alone, const WorkSchedule::Placement& placement) noexcept {
    constexpr std::array<std::optional<Counter>, kResources> kReasons{std::nullopt,         std::nullopt,
                                                                      Counter::pipeStalls,  Counter::sendStalls,
                                                                      Counter::tokenStalls, Counter::tokenStalls};
    Counts waits;
    const std::uint64_t cycles = alone[Counter::workCycles];
    waits[Counter::workCycles] = placement.end - placement.begin - std::min(cycles, placement.end - placement.begin);
    for (std::size_t i = 0; i < kResources; ++i) {
        if (!kReasons[i]) continue;
        const std::uint64_t waited = share(alone[Counter::occupiedCycles], placement.waited[i], cycles);
        waits[*kReasons[i]] += waited;
        waits[Counter::occupiedCycles] += waited;
        waits[Counter::busyCycles] += share(alone[Counter::busyCycles], placement.waited[i], cycles);
    }
    return waits;
}

/// As samples of stalls have them.
StallCycles stallsOf(const Counts& waits) noexcept {
    StallCycles stalls{};
    stalls[static_cast<std::size_t>(StallReason::pipe)] = waits[Counter::pipeStalls];
    stalls[static_cast<std::size_t>(StallReason::send)] = waits[Counter::sendStalls];
    stalls[static_cast<std::size_t>(StallReason::token)] = waits[Counter::tokenStalls];
    return stalls;
}

class Expected final : public ExpectedWork {
  public:
    Expected(TileRuntime& tile, WorkSchedule& schedule, std::uint64_t submission, std::uint64_t from)
        : tile_(tile), schedule_(schedule) {
        schedule_.open(this, submission, from);
    }
    ~Expected() override {
        schedule_.close(this);
        tile_.placeEnded();
    }
    void passed(std::uint64_t time) noexcept override {
        schedule_.passed(this, time);
        tile_.placeEnded();
    }
    void pause(bool pauses) noexcept override {
        schedule_.pause(this, pauses);
        if (pauses) tile_.placeEnded();
    }

  private:
    TileRuntime& tile_;
    WorkSchedule& schedule_;
};

}  // namespace

std::shared_ptr<ExpectedWork> TileRuntime::expect(std::uint64_t submission, std::uint64_t from) {
    return model_.collecting() ? std::make_shared<Expected>(*this, schedule_, submission, from) : nullptr;
}

/// The first that waits for its place and for which that is true; null if there is none.
template <class F>
TileRuntime::DispatchPointer TileRuntime::findUnplaced(F&& may) noexcept {
    const Lock guard(countsMutex_);
    const auto found = std::ranges::find_if(unretired_, [&](const DispatchPointer& dispatch) {
        const ActiveDispatch::Place place = dispatch->inTime.load(std::memory_order_acquire);
        const bool waits = place == ActiveDispatch::Place::wanted || place == ActiveDispatch::Place::later;
        return waits && may(*dispatch);
    });
    return found == unretired_.end() ? nullptr : *found;
}

void TileRuntime::placeEnded() noexcept {
    if (unplaced_.load(std::memory_order_acquire) == 0) return;
    {
        const Lock guard(placing_);
        placeAll();
    }
    doRest();
}

void TileRuntime::placeAll() noexcept {
    const auto mayPlace = [this](const ActiveDispatch& dispatch) {
        return control_.attached() || schedule_.mayPlace(&dispatch, dispatch.work);
    };
    const auto mayEnd = [&](const ActiveDispatch& dispatch) {  // another may have ended meanwhile
        return dispatch.inTime.load(std::memory_order_relaxed) == ActiveDispatch::Place::wanted &&
               !mayPlace(dispatch) && schedule_.mayEnd(&dispatch, dispatch.work);
    };
    for (;;) {
        while (const DispatchPointer dispatch = findUnplaced(mayPlace)) place(*dispatch);
        finishPlaced();
        const DispatchPointer dispatch = findUnplaced(mayEnd);
        if (!dispatch) return;
        placeLater(*dispatch);
    }
}

void TileRuntime::place(ActiveDispatch& dispatch) noexcept {
    countWaits(dispatch, schedule_.place(&dispatch, dispatch.work));
    if (dispatch.inTime.exchange(ActiveDispatch::Place::taken) == ActiveDispatch::Place::later) {
        --later_;
    } else {
        model_.endWork(HostTime::monotonicRaw());  // the listener sees the whole time
        ended_.fetch_sub(1, std::memory_order_relaxed);
    }
    unplaced_.fetch_sub(1, std::memory_order_relaxed);
    settleReading();
}

void TileRuntime::finishPlaced() noexcept {
    const Lock guard(countsMutex_);
    for (const DispatchPointer& dispatch : unretired_) {
        const bool placed = dispatch->inTime.load(std::memory_order_relaxed) == ActiveDispatch::Place::taken;
        if (placed && !dispatch->done()) dispatch->finish(device_.clock().timestamp());
    }
}

/// It is done, since others may wait for it, such as the launch that holds it up. What follows it begins as if it had
/// its place now.
void TileRuntime::placeLater(ActiveDispatch& dispatch) noexcept {
    constexpr std::uint32_t kMost = 16;  // each end looks at all of them
    dispatch.endAt(schedule_.endOf(&dispatch, dispatch.work));
    schedule_.takesLong(&dispatch);
    if (++later_ > kMost) schedule_.giveUp(&dispatch);
    model_.endWork(HostTime::monotonicRaw());
    settleReading();
    dispatch.inTime.store(ActiveDispatch::Place::later, std::memory_order_release);
    dispatch.finish(device_.clock().timestamp());
    ended_.fetch_sub(1, std::memory_order_relaxed);
}

void TileRuntime::doRest() noexcept {
    for (Rest rest = takeRest(); rest.dispatch; rest = takeRest()) {
        if (rest.completes) rest.dispatch->complete();
        if (rest.settles) settle(*rest.dispatch);
    }
}

TileRuntime::Rest TileRuntime::takeRest() noexcept {
    const Lock guard(countsMutex_);
    for (const DispatchPointer& dispatch : unretired_) {
        if (!dispatch->done()) continue;
        auto taken = ActiveDispatch::Place::taken;
        const bool settles = dispatch->inTime.compare_exchange_strong(taken, ActiveDispatch::Place::counted);
        const bool completes = (settles || taken == ActiveDispatch::Place::later) && !dispatch->completes;
        if (completes) dispatch->completes = true;
        if (completes || settles) return {dispatch, completes, settles};
    }
    return {};
}

void TileRuntime::placeOverdue() noexcept {
    if (!someEnded()) return;
    const std::uint64_t now = HostTime::monotonicRaw();
    const auto patience = static_cast<std::uint64_t>(std::chrono::nanoseconds(kPatience).count());
    {
        const Lock guard(countsMutex_);
        for (const DispatchPointer& dispatch : unretired_) {
            if (dispatch->inTime.load(std::memory_order_acquire) != ActiveDispatch::Place::wanted) continue;
            if (now - std::min(now, dispatch->endsSince) >= patience) schedule_.takesLong(dispatch.get());
        }
    }
    placeEnded();
}

void TileRuntime::countWaits(ActiveDispatch& dispatch, const WorkSchedule::Placement& placement) noexcept try {
    const Counts waits = waitsOf(dispatch.readCounts(), placement);
    dispatch.place(placement, waits);
    if (waits[Counter::occupiedCycles] == 0) return;
    const LaunchFindings* const known = dispatch.findings();
    model_.addWaits(known != nullptr ? known->stalls : dispatch.model()->stalls(), stallsOf(waits));
} catch (const std::bad_alloc&) {
    log::debug(log::Channel::emulator, "what a launch waited for others is not counted: the host is out of memory");
}

/// All that is left to know is who worked beside it.
void TileRuntime::noteEnd(ActiveDispatch& dispatch) noexcept try {
    const Counts counts = dispatch.readCounts();
    const DeviceProfile& profile = device_.profile();
    dispatch.work = {counts[Counter::workCycles], useOf(counts, dispatch.groupNeed(profile), profile)};
    wantPlace(dispatch);
} catch (const std::bad_alloc&) {
    wantPlace(dispatch);
}

void TileRuntime::wantPlace(ActiveDispatch& dispatch) noexcept {
    dispatch.endsSince = HostTime::monotonicRaw();
    ended_.fetch_add(1, std::memory_order_relaxed);
    unplaced_.fetch_add(1, std::memory_order_release);
    dispatch.inTime.store(ActiveDispatch::Place::wanted, std::memory_order_release);
}

void TileRuntime::settleNow(const ActiveDispatch& dispatch) noexcept {
    schedule_.giveUp(&dispatch);
    placeEnded();
    doRest();
    settle(dispatch);
}

}  // namespace zetl::emulator::machine
