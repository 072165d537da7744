#include "emulator/machine/tools/thread_control.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/isa/registers.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {
namespace {

// The control register as Intel's gdb (intelgt) and driver use it: suppression in cr0.0, causes in cr0.1, where bit 16
// is their software's convention for page faults, and the instruction pointer in cr0.2.
constexpr std::uint32_t kControl0 = isa::layout::kControl;
constexpr std::uint32_t kControl1 = kControl0 + 4;
constexpr std::uint32_t kControlIp = kControl0 + 8;
constexpr std::uint32_t kBreakpointSuppress = 1u << 15;
constexpr std::uint32_t kBreakpointStatus = 1u << 31;
constexpr std::uint32_t kExternalHalt = 1u << 30;
constexpr std::uint32_t kSoftwareException = 1u << 29;
constexpr std::uint32_t kIllegalOpcode = 1u << 28;
constexpr std::uint32_t kForceException = 1u << 26;
constexpr std::uint32_t kPageFault = 1u << 16;

std::uint32_t statusBits(StopCause cause) noexcept {
    switch (cause) {
        case StopCause::halt:
            return kExternalHalt | kForceException;
        case StopCause::breakpoint:
        case StopCause::step:
            return kBreakpointStatus;
        case StopCause::illegal:
            return kIllegalOpcode;
        case StopCause::software:
            return kSoftwareException;
        case StopCause::fault:
            return kPageFault;
        case StopCause::none:
            return 0;
    }
    return 0;
}

StopCause causeOf(FaultKind kind) noexcept {
    return kind == FaultKind::illegalInstruction || kind == FaultKind::unsupported ? StopCause::illegal
                                                                                   : StopCause::fault;
}

isa::RegisterFile registersOf(const ResidentGroup& group, const DeviceProfile& profile) noexcept {
    return {profile.architecture(), group.dispatch().launch().grfCount};
}

}  // namespace

ThreadControl::~ThreadControl() = default;

/// Calls f(slot, group, thread) for the slots of the set that are a group's.
template <class F>
void ThreadControl::eachSlot(const ThreadId& set, F&& f) const {
    const DeviceProfile& profile = device_.profile();
    const bool all = set == ThreadId{};
    const auto visit = [&](std::uint32_t slot) ZETL_REQUIRES(kTurns) {
        const TilePlaces::Occupant occupant = places_.occupant(slot);
        if (occupant.group == nullptr || (!all && !set.contains(profile.threadAt(slot)))) return;
        f(slot, *occupant.group, occupant.thread);
    };
    if (set.single()) {
        if (profile.has(set)) visit(profile.slotOf(set));
        return;
    }
    const std::uint32_t slots = profile.threads();
    for (std::uint32_t slot = 0; slot < slots; ++slot) visit(slot);
}

/// Calls f(slot, group, thread) for the slots of the set that hold a thread which has not ended.
template <class F>
void ThreadControl::eachOccupied(const ThreadId& set, F&& f) const {
    eachSlot(set, [&](std::uint32_t slot, ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns) {
        if ((group.live() & bit(thread)) != 0) f(slot, group, thread);
    });
}

bool ThreadControl::attach(Sink sink) {
    const TurnLock guard(places_.mutex());
    if (attached()) return false;
    auto pump = std::make_unique<EventPump>(std::move(sink));
    if (!pump->start()) return false;
    pump_ = std::move(pump);
    attached_.store(true);
    device_.code().arm();
    return true;
}

void ThreadControl::detach() {
    std::unique_ptr<EventPump> pump;
    {
        const TurnLock guard(places_.mutex());
        if (!attached()) return;
        attached_.store(false);
        watchpoints_.watch({});
        conditions_.clear();
        device_.code().disarm(TileMask{1} << tile_);
        requests_.clear();
        // Also for groups that are between two turns: a thread that finds it set would wait for a debugger.
        eachSlot({}, [](std::uint32_t, ResidentGroup& group, std::uint32_t) ZETL_REQUIRES(kTurns) {
            group.halting.store(0);
            group.haltRequests.clear();
        });
        runLocked({});
        pump = std::move(pump_);
    }
}

void ThreadControl::post(StopEvent event) {
    if (pump_) pump_->post(std::move(event));
}

void ThreadControl::answer(const Request& request) {
    StopEvent event{StopEvent::Kind::halted, request.set, StopCause::halt, request.token, 0, {}};
    eachOccupied(request.set, [&](std::uint32_t, ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns) {
        event.stopped += (group.stopped.load() & bit(thread)) != 0;
    });
    // No thread is stopped, so none will be resumed: groups that wait for a place must not wait for that.
    if (!anyStopped()) holding_ = false;
    post(std::move(event));
}

void ThreadControl::halt(const ThreadId& set, std::uint64_t token) {
    const TurnLock guard(places_.mutex());
    if (!attached()) return;
    const bool all = set == ThreadId{};
    Request request{++lastRequest_, set, token, 0};
    eachSlot(set, [&](std::uint32_t, ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns) {
        const bool stands = places_.isBetweenTurns(group);
        const bool live = (group.live() & bit(thread)) != 0;
        if ((group.stopped.load() & bit(thread)) != 0) return;
        if (!live && (stands || !all)) return;  // in its turn, the place may have no live thread for an instant
        if (stands) return stop(group, thread, StopCause::halt);
        group.halting.fetch_or(bit(thread));
        if (!group.haltRequests.empty() && group.haltRequests.back() == request.id) return;
        group.haltRequests.push_back(request.id);
        ++request.outstanding;
        // Its other threads may all be stopped: it needs a turn to look.
        places_.wake(group);
    });
    if (all) {
        holding_ = true;
        places_.placeWaiting();
    }
    places_.settleTurns();
    if (request.outstanding != 0) {
        requests_.push_back(request);
        return;
    }
    answer(request);
    places_.placeWaiting();
}

// Thousands stop at once, and few of them are looked at: their registers are set to show the stop when that happens.
void ThreadControl::stop(ResidentGroup& group, std::uint32_t thread, StopCause cause) {
    group.causes[thread] = cause;
    if (HardwareThread* const state = group.thread(thread)) state->mayHoldAnything();
    group.shown &= ~bit(thread);
    group.stopped.fetch_or(bit(thread), std::memory_order_release);
}

void ThreadControl::show(ResidentGroup& group, std::uint32_t index) {
    if ((group.shown & bit(index)) != 0) return;
    HardwareThread& thread = *group.thread(index);
    isa::Thread& state = thread.state;
    thread.stoppedIp = state.ip();
    state.at<std::uint32_t>(kControl1) |= statusBits(group.causes[index]);
    state.at<std::uint32_t>(kControlIp) = thread.stoppedIp;
    group.shown |= bit(index);
}

void ThreadControl::haltThreads(ResidentGroup& group) {
    const TurnLock guard(places_.mutex());
    haltAfterTurn(group);
}

void ThreadControl::haltAfterTurn(ResidentGroup& group) {
    const ThreadMask wanted = group.halting.exchange(0) & group.live() & ~group.stopped.load();
    for (ThreadMask rest = attached() ? wanted : 0; rest != 0; rest &= rest - 1) {
        stop(group, static_cast<std::uint32_t>(std::countr_zero(rest)), StopCause::halt);
    }
    acknowledge(group);
}

void ThreadControl::haltBetween(ResidentGroup& group) {
    const TurnLock guard(places_.mutex());
    const bool all = std::ranges::any_of(requests_, [&](const Request& request) ZETL_REQUIRES(kTurns) {
        return request.set == ThreadId{} && std::ranges::count(group.haltRequests, request.id) != 0;
    });
    if (!all) haltAfterTurn(group);
}

void ThreadControl::acknowledge(ResidentGroup& group) {
    for (const std::uint64_t id : group.haltRequests) {
        const auto found = std::ranges::find(requests_, id, &Request::id);
        if (found == requests_.end() || --found->outstanding != 0) continue;
        answer(*found);
        requests_.erase(found);
    }
    group.haltRequests.clear();
}

void ThreadControl::forget(ResidentGroup& group) {
    group.halting.store(0);
    acknowledge(group);
}

void ThreadControl::passBreakpoint(HardwareThread& thread) noexcept {
    thread.state.at<std::uint32_t>(kControl1) &= ~kBreakpointStatus;
    thread.state.at<std::uint32_t>(kControl0) |= kBreakpointSuppress;
}

void ThreadControl::stopAtBreakpoint(ResidentGroup& group, HardwareThread& thread) {
    const std::uint32_t ip = thread.state.ip();
    if (!thread.stepping && conditions_.passes(thread, ip)) return passBreakpoint(thread);
    const TurnLock guard(places_.mutex());
    const bool marked = thread.loaded->program->hasBreakpoint(thread.loaded->program->lineAt(ip));
    const bool others = marked && !device_.code().stopsTile(ip, tile_);
    if (!attached() || (others && !thread.stepping)) {
        // Compilers mark a kernel's first instruction; without a debugger the mark means nothing.
        return passBreakpoint(thread);
    }
    const StopCause cause = marked && !others ? StopCause::breakpoint : StopCause::step;
    stop(group, thread.index, cause);
    const ThreadId id = device_.profile().threadAt(thread.slot);
    post({StopEvent::Kind::stopped, id, cause, 0, 1, {}});
}

bool ThreadControl::stopAtWatch(ResidentGroup& group, HardwareThread& thread) {
    const TurnLock guard(places_.mutex());
    if (!attached()) return false;
    stop(group, thread.index, StopCause::step);
    post({StopEvent::Kind::stopped, device_.profile().threadAt(thread.slot), StopCause::step, 0, 1, {}});
    return true;
}

bool ThreadControl::watch(std::span<const WatchedRange> ranges) { return watchpoints_.watch(ranges); }

bool ThreadControl::stopAtFault(ResidentGroup& group, HardwareThread& thread, const Fault& fault) {
    if (!attached()) return false;
    const StopCause cause = causeOf(fault.kind);
    stop(group, thread.index, cause);
    post({StopEvent::Kind::stopped, fault.thread, cause, 0, 1, fault});
    return true;
}

/// Lets one stopped thread go. If the debugger has not repaired a fault by moving the thread, the access is dropped. An
/// illegal instruction is passed over, too, unless there is other code now.
void ThreadControl::release(ResidentGroup& group, std::uint32_t thread) {
    const bool untouched = group.causes[thread] == StopCause::halt && (group.shown & bit(thread)) == 0;
    if (!untouched) takeBack(group, thread);
    group.causes[thread] = StopCause::none;
    group.stopped.fetch_and(~bit(thread), std::memory_order_release);
}

/// What a debugger wrote into the registers of the thread that is let go has its effect.
void ThreadControl::takeBack(ResidentGroup& group, std::uint32_t thread) {
    show(group, thread);
    HardwareThread& context = *group.thread(thread);
    isa::Thread& state = context.state;
    const StopCause cause = group.causes[thread];
    state.at<std::uint32_t>(kControl1) &= ~(kExternalHalt | kForceException | kPageFault | kIllegalOpcode);
    std::uint32_t& ip = state.at<std::uint32_t>(kControlIp);
    const bool repaired = cause == StopCause::illegal && device_.code().programAt(ip) != &context.loaded->original();
    if ((cause == StopCause::fault || cause == StopCause::illegal) && ip == context.stoppedIp && !repaired) {
        const isa::Program& program = *context.loaded->program;
        const isa::Line line = program.lineAt(ip);
        if (line != isa::kNoLine) ip += program.instruction(line).bytes;
    }
    if (ip != state.ip()) {
        state.status = isa::Status::ready;  // away from a barrier, for one
        if (Recorded* const recorded = places_.recorded()) recorded->changed();
    }
    context.stepping = (state.at<std::uint32_t>(kControl1) & kBreakpointStatus) != 0;
    if (context.stepping) device_.code().stopEverywhere(device_.code().base() + ip);  // whatever comes next
}

bool ThreadControl::anyStopped() const {
    bool any = false;
    eachOccupied({}, [&](std::uint32_t, ResidentGroup& group, std::uint32_t)
                         ZETL_REQUIRES(kTurns) { any |= group.stopped.load() != 0; });
    return any;
}

std::size_t ThreadControl::runLocked(const ThreadId& set) {
    std::size_t released = 0;
    eachOccupied(set, [&](std::uint32_t, ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns) {
        if ((group.stopped.load() & bit(thread)) == 0) return;
        release(group, thread);
        ++released;
        places_.wake(group);
    });
    if (holding_) {
        holding_ = set != ThreadId{} && anyStopped();
        places_.placeWaiting();
    }
    return released;
}

std::size_t ThreadControl::run(const ThreadId& set) {
    const TurnLock guard(places_.mutex());
    if (Recorded* const recorded = places_.recorded(); recorded != nullptr && anyStopped()) recorded->goesOn();
    return runLocked(set);
}

ThreadState ThreadControl::state(const ThreadId& thread, StopCause* cause) const {
    const TurnLock guard(places_.mutex());
    ThreadState found = ThreadState::idle;
    if (cause != nullptr) *cause = StopCause::none;
    if (!thread.single()) return found;
    eachOccupied(thread, [&](std::uint32_t, ResidentGroup& group, std::uint32_t index) ZETL_REQUIRES(kTurns) {
        const bool stands = (group.stopped.load() & bit(index)) != 0;
        found = stands ? ThreadState::stopped : ThreadState::running;
        if (stands && cause != nullptr) *cause = group.causes[index];
    });
    return found;
}

std::vector<StoppedThread> ThreadControl::stopped() const {
    const TurnLock guard(places_.mutex());
    std::vector<StoppedThread> all;
    eachOccupied({}, [&](std::uint32_t slot, ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns) {
        if ((group.stopped.load() & bit(thread)) == 0) return;
        all.push_back({device_.profile().threadAt(slot), group.causes[thread]});
    });
    return all;
}

ThreadControl::Place ThreadControl::stoppedAt(const ThreadId& thread) const {
    Place place;
    if (!thread.single()) return place;
    eachOccupied(thread, [&](std::uint32_t, ResidentGroup& group, std::uint32_t index) ZETL_REQUIRES(kTurns) {
        if ((group.stopped.load(std::memory_order_acquire) & bit(index)) == 0) return;
        if (group.thread(index) == nullptr) return;  // the host has no memory for it, and the group is about to end
        show(group, index);
        place = {&group, index, group.thread(index)};
    });
    return place;
}

ControlStatus ThreadControl::registerCount(const ThreadId& thread, isa::RegisterSet set, std::uint32_t* count) const {
    const TurnLock guard(places_.mutex());
    const Place place = stoppedAt(thread);
    if (place.group == nullptr) return thread.single() ? ControlStatus::notStopped : ControlStatus::invalid;
    const auto known = isa::registerSet(registersOf(*place.group, device_.profile()), set);
    if (!known) return ControlStatus::invalid;
    *count = known->count;
    return ControlStatus::ok;
}

ControlStatus ThreadControl::readRegisters(const ThreadId& thread, isa::RegisterSet set, std::uint32_t first,
                                           std::uint32_t count, void* values) const {
    const TurnLock guard(places_.mutex());
    const Place place = stoppedAt(thread);
    if (place.group == nullptr) return thread.single() ? ControlStatus::notStopped : ControlStatus::invalid;
    const bool done =
        isa::readRegisters(place.state->state, registersOf(*place.group, device_.profile()), set, first, count, values);
    return done ? ControlStatus::ok : ControlStatus::invalid;
}

ControlStatus ThreadControl::writeRegisters(const ThreadId& thread, isa::RegisterSet set, std::uint32_t first,
                                            std::uint32_t count, const void* values) {
    const TurnLock guard(places_.mutex());
    const Place place = stoppedAt(thread);
    if (place.group == nullptr) return thread.single() ? ControlStatus::notStopped : ControlStatus::invalid;
    const bool done = isa::writeRegisters(place.state->state, registersOf(*place.group, device_.profile()), set, first,
                                          count, values);
    // A debugger writes control registers to step, which repeats in its own way.
    if (Recorded* const recorded = places_.recorded(); done && recorded != nullptr && set != isa::RegisterSet::cr)
        recorded->changed();
    return done ? ControlStatus::ok : ControlStatus::invalid;
}

ControlStatus ThreadControl::readSlm(const ThreadId& thread, std::uint64_t offset, void* to, std::size_t bytes) const {
    const TurnLock guard(places_.mutex());
    const Place place = stoppedAt(thread);
    if (place.group == nullptr) return thread.single() ? ControlStatus::notStopped : ControlStatus::invalid;
    const std::span<std::byte> slm = place.group->slm();
    if (offset > slm.size() || bytes > slm.size() - offset) return ControlStatus::outOfRange;
    std::memcpy(to, slm.data() + offset, bytes);
    return ControlStatus::ok;
}

ControlStatus ThreadControl::writeSlm(const ThreadId& thread, std::uint64_t offset, const void* from,
                                      std::size_t bytes) {
    const TurnLock guard(places_.mutex());
    const Place place = stoppedAt(thread);
    if (place.group == nullptr) return thread.single() ? ControlStatus::notStopped : ControlStatus::invalid;
    const std::span<std::byte> slm = place.group->slm();
    if (offset > slm.size() || bytes > slm.size() - offset) return ControlStatus::outOfRange;
    std::memcpy(slm.data() + offset, from, bytes);
    if (Recorded* const recorded = places_.recorded()) recorded->changed();
    return ControlStatus::ok;
}

HistoryReport ThreadControl::history(const HistoryRequest& request, std::span<const MarkedCode> code) {
    const TurnLock guard(places_.mutex());
    Recorded* const recorded = places_.recorded();
    return recorded == nullptr ? HistoryReport() : recorded->ask(request, code);
}

void ThreadControl::changes(std::uint64_t address, std::uint64_t bytes) {
    const TurnLock guard(places_.mutex());
    if (Recorded* const recorded = places_.recorded()) recorded->changes(address, bytes);
}

}  // namespace zetl::emulator::machine
