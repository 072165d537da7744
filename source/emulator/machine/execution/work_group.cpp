#include "emulator/machine/execution/work_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/settings.h"
#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "emulator/machine/code/warm_up.h"
#include "emulator/machine/execution/history.h"
#include "emulator/machine/execution/overruns.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/worker.h"
#include "emulator/machine/tools/measured_turn.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kSlmAlignment = 64;

}  // namespace

WorkGroup::WorkGroup(std::shared_ptr<ActiveDispatch> dispatch, Placement placement, const Extent& id)
    : dispatch_(std::move(dispatch)), placement_(std::move(placement)), id_(id) {
    if (const std::uint32_t bytes = dispatch_->launch().slmBytes; bytes != 0) {
        slmStorage_ = std::make_unique_for_overwrite<std::byte[]>(placement_.slmBytes + kSlmAlignment);
        const auto begin = reinterpret_cast<std::uintptr_t>(slmStorage_.get());
        givenSlm_ = {slmStorage_.get() + (-begin & (kSlmAlignment - 1)), placement_.slmBytes};
        slm_ = givenSlm_.first(bytes);
    }
    causes.resize(threads_.count(), StopCause::none);
}

WorkGroup::~WorkGroup() = default;

void WorkGroup::signalBarrier(std::uint32_t thread, const isa::BarrierSignal& signal) noexcept {
    if (!barriers_.signal(thread, signal)) barrierMisuse_ = thread;
}

bool WorkGroup::mayRun(const HardwareThread& thread) const noexcept {
    switch (thread.state.status) {
        case isa::Status::done:
            return false;
        case isa::Status::atBarrier:
            return barriers_.open(thread.index, thread.state.barrier);
        default:
            return true;
    }
}

ThreadMask WorkGroup::runnable() const noexcept {
    ThreadMask able = live() & ~stopped.load(std::memory_order_acquire);
    if (!started_) return able;
    for (std::uint32_t i = 0; i < threads_.count(); ++i) {
        const HardwareThread* const thread = threads_.find(i);
        if ((able & bit(i)) != 0 && thread != nullptr && !mayRun(*thread)) able &= ~bit(i);
    }
    return able;
}

// Instructions that leave a trace take up to ten times as long, and a debugger that halts a thread waits for the end of
// its quantum.
Quantum WorkGroup::quantum() const noexcept {
    if (tile().scheduler().order().isShuffled()) return {1 << 8, 1 << 10};
    return isModelled() || tile().isDebugged() ? Quantum{1 << 13, 1 << 15} : Quantum{1 << 16, 1 << 18};
}

bool WorkGroup::settle(HardwareThread& thread, Worker& worker) {
    isa::Thread& state = thread.state;
    threads_.countTraffic(thread);
    if (barrierMisuse_) {
        failedThread_ = *barrierMisuse_;
        fault_.kind = FaultKind::divergentBarrier;
        fault_.detail = barriers_.problem();
        return false;
    }
    if (state.status == isa::Status::faulted && thread.meetsWatch && writesWatched(thread)) return true;
    switch (state.status) {
        case isa::Status::done:
            run_->end(thread, worker);
            return true;
        case isa::Status::breakpoint:
            tile().stopAtBreakpoint(*this, thread);
            return true;
        case isa::Status::faulted:
            if (goesOn(thread)) return true;
            failedThread_ = thread.index;
            return false;
        default:
            return true;
    }
}

/// The thread executes its write to watched bytes. Returns whether nothing else is to be done about it.
bool WorkGroup::writesWatched(HardwareThread& thread) {
    isa::Thread& state = thread.state;
    const std::uint64_t before = state.executed;
    const bool steps = thread.stepping;
    thread.meetsWatch = false;
    const bool changed = tile().watchpoints().letWrite(thread);
    threads_.countTraffic(thread);
    if (History* const history = tile().scheduler().history()) history->afterTurn(thread, 0, state.executed - before);
    if (state.status != isa::Status::breakpoint) return false;  // it has ended, or fails
    if (changed && tile().stopAtWatch(*this, thread)) return true;
    if (steps) return false;
    state.at<std::uint32_t>(isa::layout::kControl + 4) &= ~(1u << 31);
    state.status = isa::Status::ready;
    return true;
}

/// Whether a thread that failed may repeat its access, because the hardware would not notice what is wrong with it.
bool WorkGroup::goesOn(HardwareThread& thread) {
    if (OverrunObserver* const observer = tile().overruns().observer()) observer->failed(thread);
    if (!std::exchange(thread.overran, false)) return toleratesOverrun(thread.state);
    constexpr std::uint8_t kLanes = 32;
    const bool again = std::exchange(thread.overranAt, thread.state.executed) == thread.state.executed;
    thread.mayOverrun = again ? kLanes : 1;  // most messages reach out of one allocation
    thread.state.retry();
    return true;
}

/// An access beyond the kernel's own local memory, within what the group was given, harms nobody on the hardware: the
/// thread may repeat it with all that memory in sight.
bool WorkGroup::toleratesOverrun(isa::Thread& state) {
    const bool more = state.local.size() < givenSlm_.size();
    if (state.fault.kind != isa::FaultKind::localOverrun || !more || tile().overruns().areFaults()) return false;
    const std::uint64_t offset = state.fault.address & isa::kLocalOffsetMask;
    if (offset + state.fault.bytes > givenSlm_.size()) return false;
    if (tile().overruns().isFirstOf(dispatch_->launch().kernel, Overruns::Of::localMemory))
        log::warn(log::Channel::emulator,
                  "kernel {}: {}-byte {} at offset 0x{:x} of local memory, of which it has {} bytes; the hardware "
                  "gives {}, so it "
                  "goes on, and this is said once a kernel ({}=1 makes it a fault)",
                  dispatch_->launch().kernel, state.fault.bytes, state.fault.write ? "write" : "read", offset,
                  state.local.size(), givenSlm_.size(), settings::kStrictMemory);
    if (!std::exchange(reachesGiven_, true)) std::ranges::fill(givenSlm_.subspan(slm_.size()), std::byte{0});
    state.local = givenSlm_;
    state.retry();
    return true;
}

void WorkGroup::start(Worker& worker) {
    std::ranges::fill(reachesGiven_ ? givenSlm_ : slm_, std::byte{0});
    barriers_.reset(threads_.count(), dispatch_->launch().barrierCount);
    threads_.begin();
    tracing_.choose();
    run_.choose();
    if (run_.isFollowed()) {
        run_->prepareRest(worker);
        tracing_.begin();
    }
    started_ = true;
    executed_ = 0;
    threads_.allLive();
    Tally& tally = dispatch_->tally(worker.index);
    tally.add(Counter::groups, 1);
    tally.add(Counter::threads, threads_.count());
}

/// A kernel that has run by its steps for as long as translating it takes is translated; its threads enter the host
/// code on their way.
void WorkGroup::warmUp(std::int64_t executed) {
    WarmUp* const kernel = dispatch_->warmUp.get();
    if (kernel == nullptr || kernel->over()) return;
    dispatch_->executedBefore.fetch_add(static_cast<std::uint64_t>(executed), std::memory_order_relaxed);
    if (!kernel->add(executed)) return;
    tile().translate(dispatch_->launch());
    kernel->end();
}

TurnEnd WorkGroup::turn(Worker& worker) {
    const MeasuredTurn measured(dispatch_->launch().code->program()->program->code().times.get());
    constexpr std::int64_t kShortTurn = 1 << 13;
    std::int64_t budget = turnIsShort ? kShortTurn : quantum().turn;
    std::int64_t groupsBudget = budget;
    if (dispatch_->isCollected()) tile().settleBegin(*dispatch_);
    fault_ = {};  // of an earlier turn, which a debugger let pass
    barrierMisuse_.reset();
    if (waitsForOthers_) return endOrWait(worker);
    ++worker.turn;
    isa::FloatModeGuard mode;
    worker.hostMode = mode.current();
    for (;;) {
        if (dispatch_->stopping()) {
            abandon(worker);
            return TurnEnd::finished;
        }
        if (!started_) {
            if (History* const history = tile().scheduler().history()) history->begins(*this);
            start(worker);
            groupsBudget = quantum().turn;
        }
        run_.reconsider();
        GroupRound round{worker, quantum(), groupsBudget};
        run_->round(round);
        warmUp(groupsBudget - round.left);
        executed_ += groupsBudget - round.left;
        budget -= groupsBudget - round.left;
        groupsBudget = round.left;
        if (round.failed) return TurnEnd::faulted;
        if (live() == 0) {
            run_->runTaken(worker, budget);
            if (live() != 0) {
                groupsBudget = quantum().turn;  // of one that began and goes on
            } else if (!next(worker)) {
                return endOrWait(worker);
            }
        } else if (!round.ran && !dispatch_->stopping()) {
            if (stopped.load(std::memory_order_acquire) != 0) return TurnEnd::parked;
            if (runnable() != 0) continue;  // a debugger let one go since
            diagnoseStandstill();
            return TurnEnd::faulted;
        }
        if (budget <= 0 && (groupsBudget <= 0 || !started_ || turnIsShort)) return TurnEnd::again;
    }
}

/// Workers that take short groups one by one meet at the dispatch's counter, and at the ends of each other's memory.
std::uint64_t WorkGroup::groupsToTake() const noexcept {
    constexpr std::uint64_t kMostTogether = 512;
    constexpr std::int64_t kMost = 8;
    constexpr std::int64_t kWork = 1 << 15;  // instructions, so that others who want a place soon get it
    if (run_->takesSeveral()) return kMostTogether;
    if (!dispatch_->endsAlone || tile().isDebugged()) return 1;
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(kWork / std::max<std::int64_t>(executed_, 1), 1, kMost));
}

std::optional<Extent> WorkGroup::nextGroup() noexcept {
    if (taken.empty()) {
        const bool stays = tile().scheduler().history() != nullptr;
        if (!stays && tile().placeIsWanted() && halting.load(std::memory_order_relaxed) == 0) return {};
        taken = dispatch_->takeGroups(groupsToTake());
        if (taken.empty()) return {};
    }
    if (dispatch_->stopping()) return {};
    return dispatch_->groupAt(taken.next++);
}

/// The group has ended: takes the next one of the dispatch, if this place may be used for it.
bool WorkGroup::next(Worker& worker) {
    if (halting.load(std::memory_order_relaxed) != 0) tile().haltBetween(*this);
    const bool inTwin = recordsInTwin();
    tracing_.end();
    if (inTwin) threads_.releaseAll(worker);  // the next group's may take over states of their own program only
    const auto id = nextGroup();
    started_ = false;
    if (!id) {
        History* const history = tile().scheduler().history();
        waitsForOthers_ = history != nullptr && history->keepsEnded(*this);
        return false;
    }
    id_ = *id;
    threads_.allLive();
    return true;
}

/// A recorded launch may be taken back to a time at which the group ran.
TurnEnd WorkGroup::endOrWait(Worker& worker) {
    const History* const history = tile().scheduler().history();
    if (waitsForOthers_ && history != nullptr && !history->isOver(*this)) return TurnEnd::parked;
    giveBack(worker);
    return TurnEnd::finished;
}

/// Calls f(span) for the group's parts of memory that is divided by slots.
template <class F>
void WorkGroup::eachSlotMemory(F&& f) const {
    const Launch& launch = dispatch_->launch();
    for (const auto& thread : threads_.states()) {
        if (!thread) continue;
        f(thread->state.scratch);
        if (launch.privateBytes == 0) continue;
        f(std::span(reinterpret_cast<std::byte*>(launch.privateBase + thread->slot * launch.privateBytes),
                    launch.privateBytes));
    }
}

void WorkGroup::saveSlotMemory() {
    slotMemory_.clear();  // of an attempt for which there was no memory
    if (!started_) return;
    eachSlotMemory([&](std::span<std::byte> part) { slotMemory_.insert(slotMemory_.end(), part.begin(), part.end()); });
}

void WorkGroup::restoreSlotMemory() {
    if (!started_) return;
    const std::byte* from = slotMemory_.data();
    eachSlotMemory([&](std::span<std::byte> part) {
        std::copy_n(from, part.size(), part.begin());
        from += part.size();
    });
    slotMemory_ = {};
}

void WorkGroup::abandon(Worker& worker) {
    {
        // A debugger may be looking at a stopped thread.
        const TurnLock guard(tile().scheduler().mutex());
        threads_.setLive(0);
        stopped.store(0, std::memory_order_release);
    }
    started_ = false;
    tracing_.drop();
    giveBack(worker);
}

void WorkGroup::giveBack(Worker& worker) noexcept {
    run_.giveBack(worker);
    threads_.releaseAll(worker);
}

/// No thread can go on and no debugger holds one: finds out which barrier mistake it is.
void WorkGroup::diagnoseStandstill() {
    const HardwareThread* first = nullptr;
    std::uint32_t waiting = 0;
    bool different = false;
    for (std::uint32_t i = 0; i < threads_.count(); ++i) {
        if ((live() & bit(i)) == 0) continue;
        const HardwareThread* const thread = threads_.find(i);
        if (first == nullptr) first = thread;
        different |= thread->state.barrier != first->state.barrier;
        ++waiting;
    }
    const std::uint32_t ended = threads_.count() - waiting;
    failedThread_ = first->index;
    fault_.kind = different || ended != 0 ? FaultKind::divergentBarrier : FaultKind::deadlock;
    fault_.detail = fmt::format("{} of {} threads wait and none can go on; {}{}", waiting, threads_.count(),
                                barriers_.describe(first->state.barrier),
                                ended != 0  ? fmt::format("; {} have ended without signalling", ended)
                                : different ? "; others wait for another barrier"
                                            : "");
}

namespace {

FaultKind kindOf(isa::FaultKind kind) noexcept {
    switch (kind) {
        case isa::FaultKind::none:
            return FaultKind::none;
        case isa::FaultKind::pageFault:
            return FaultKind::pageFault;
        case isa::FaultKind::localOverrun:
            return FaultKind::slmOverrun;
        case isa::FaultKind::scratchOverrun:
            return FaultKind::scratchOverrun;
        case isa::FaultKind::payloadOverrun:
            return FaultKind::payloadOverrun;
        case isa::FaultKind::misaligned:
            return FaultKind::misaligned;
        case isa::FaultKind::illegalInstruction:
            return FaultKind::illegalInstruction;
        case isa::FaultKind::unsupportedInstruction:
        case isa::FaultKind::unsupportedMessage:
            return FaultKind::unsupported;
        case isa::FaultKind::branchTarget:
            return FaultKind::badBranch;
        case isa::FaultKind::badSurface:
            return FaultKind::badSurface;
        case isa::FaultKind::barrierMisuse:
            return FaultKind::divergentBarrier;
    }
    return FaultKind::unsupported;
}

/// The thread's own fault, in the machine's form.
Fault translate(const isa::Fault& raw, Memory& memory) {
    Fault fault;
    const Access access = raw.write ? Access::write : Access::read;
    if (raw.kind == isa::FaultKind::pageFault) fault = memory.explain(raw.address, raw.bytes, access);
    if (fault.kind == FaultKind::none) fault.kind = kindOf(raw.kind);
    fault.address = raw.address;
    fault.bytes = raw.bytes;
    fault.access = access;
    fault.detail =
        fmt::format("{}{}{}, lane {}", fault.detail, fault.detail.empty() ? "" : ", by ", raw.what, raw.lane);
    return fault;
}

}  // namespace

Fault WorkGroup::failure() const {
    const HardwareThread& thread = threads_[failedThread_];
    Fault fault = fault_ ? fault_ : translate(thread.state.fault, tile().memory());
    const std::uint32_t ip = fault_ ? thread.state.ip() : thread.state.fault.ip;
    fault.kernel = dispatch_->launch().kernel;
    fault.dispatch = dispatch_->id();
    fault.group = id_;
    fault.threadInGroup = failedThread_;
    fault.thread = tile().device().profile().threadAt(thread.slot);
    fault.ip = tile().codeBase() + ip;
    fault.ipInKernel = ip - dispatch_->launch().kernelOffset;
    fault.lanes = thread.state.active;
    return fault;
}

}  // namespace zetl::emulator::machine
