#include "emulator/machine/execution/group_moment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "emulator/machine/code_heap.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {
namespace {

namespace layout = isa::layout;
static_assert(std::is_trivially_copyable_v<isa::Thread>);

struct Part {
    std::size_t begin;
    std::size_t end;
};

/// The bytes of isa::Thread that make up a moment. No lanes are parked in one, since host code has been left.
std::array<Part, 3> partsOf(const Launch& launch) noexcept {
    const std::size_t general = std::size_t{launch.grfCount} * layout::kRegisterBytes;
    return {Part{layout::kGrf, std::min<std::size_t>(general, layout::kGrfBytes)},
            Part{layout::kAccumulator, layout::kArchitectureEnd},
            Part{sizeof isa::Thread::state, offsetof(isa::Thread, parked)}};
}

std::shared_ptr<const ThreadMoment> keepThread(const HardwareThread& thread, const Launch& launch) {
    auto moment = std::make_shared<ThreadMoment>();
    const auto* const bytes = reinterpret_cast<const std::byte*>(&thread.state);
    for (const Part& part : partsOf(launch))
        moment->state.insert(moment->state.end(), bytes + part.begin, bytes + part.end);
    moment->scratch.assign(thread.state.scratch.begin(), thread.state.scratch.end());
    moment->executed = thread.state.executed;
    moment->ip = thread.state.ip();
    moment->loadsArguments = thread.loadsArguments;
    return moment;
}

}  // namespace

GroupMoment WorkGroup::keep(const GroupMoment* former) const {
    GroupMoment moment;
    moment.group = const_cast<WorkGroup*>(this);
    moment.id = id_;
    moment.started = started_;
    moment.waitsForOthers = waitsForOthers_;
    if (!started_) return moment;
    const bool same = former != nullptr && former->started && former->id == id_;
    moment.reachesGiven = reachesGiven_;
    moment.live = live();
    moment.barriers = barriers_;
    moment.threads.resize(threads_.count());
    const Launch& launch = dispatch_->launch();
    for (ThreadMask rest = moment.live; rest != 0; rest &= rest - 1) {
        const auto index = static_cast<std::uint32_t>(std::countr_zero(rest));
        const HardwareThread* const thread = threads_.find(index);
        if (thread == nullptr) continue;
        moment.executed += thread->state.executed;
        const auto known = same ? former->threads[index] : nullptr;
        moment.threads[index] =
            known && known->executed == thread->state.executed ? known : keepThread(*thread, launch);
    }
    const bool isLocalSame = same && former->executed == moment.executed && former->live == moment.live;
    const std::span<const std::byte> given = reachesGiven_ ? givenSlm_ : slm_;
    moment.local =
        isLocalSame ? former->local : std::make_shared<const std::vector<std::byte>>(given.begin(), given.end());
    return moment;
}

void WorkGroup::putBack(const GroupMoment& moment, Worker& worker) {
    id_ = moment.id;
    started_ = moment.started;
    waitsForOthers_ = moment.waitsForOthers;
    threads_.setLive(moment.live);
    threads_.setUnprepared(0);
    if (!started_) return;
    reachesGiven_ = moment.reachesGiven;
    barriers_ = moment.barriers;
    barrierMisuse_.reset();
    if (moment.local) std::ranges::copy(*moment.local, givenSlm_.begin());
    const Launch& launch = dispatch_->launch();
    for (std::uint32_t index = 0; index < threads_.count(); ++index) {
        const auto& kept = moment.threads[index];
        if (!kept) continue;
        HardwareThread& thread = threads_.stateOf(index, worker);
        thread.group = this;
        thread.index = index;
        thread.slot = placement_.slots[index];
        thread.mayHoldAnything();
        thread.attachedIn = thread.turn = 0;
        thread.stepping = false;
        thread.stoppedIp = kept->ip;
        thread.loadsArguments = kept->loadsArguments;
        isa::Thread& state = thread.state;
        auto* const bytes = reinterpret_cast<std::byte*>(&state);
        std::memset(state.state, 0, sizeof state.state);
        const std::byte* from = kept->state.data();
        for (const Part& part : partsOf(launch)) {
            std::memcpy(bytes + part.begin, from, part.end - part.begin);
            from += part.end - part.begin;
        }
        std::ranges::copy(kept->scratch, state.scratch.begin());
        state.dropWindows();
        state.traffic = {};
        thread.codeVersion = threads_.codeVersion();
        const LoadedProgram* const loaded = tile().device().code().programAt(kept->ip);
        if (loaded != nullptr) thread.loaded = loaded;
        state.moveTo(*thread.loaded->program, kept->ip);
    }
}

void WorkGroup::beginAgain(const Extent& id, Worker& worker) {
    id_ = id;
    waitsForOthers_ = false;
    std::ranges::fill(reachesGiven_ ? givenSlm_ : slm_, std::byte{0});
    barriers_.reset(threads_.count(), dispatch_->launch().barrierCount);
    barrierMisuse_.reset();
    threads_.begin();
    run_.choose();
    run_->prepareRest(worker);
    started_ = true;
    threads_.allLive();
}

bool WorkGroup::settleAgain(HardwareThread& thread) {
    thread.state.traffic = {};
    if (thread.state.status == isa::Status::done) threads_.hasEnded(thread.index);
    return thread.state.status != isa::Status::faulted || goesOn(thread);
}

void WorkGroup::stopAll() {
    for (StopCause& cause : causes) cause = StopCause::halt;
    halting.store(0);
    shown = 0;
    stopped.store(started_ ? live() : 0, std::memory_order_release);
}

void WorkGroup::stopAs(const GroupMoment& moment) {
    stopAll();
    std::ranges::copy(moment.causes, causes.begin());
    shown = moment.shown;
}

void WorkGroup::waitAgain() noexcept {
    waitsForOthers_ = true;
    started_ = false;
    threads_.setLive(0);
}

}  // namespace zetl::emulator::machine
