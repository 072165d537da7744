#include "emulator/machine/execution/work_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/log.h"
#include "base/settings.h"
#include "emulator/isa/float_mode.h"
#include "emulator/machine/execution/local_overruns.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/trace_recorder.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kSlmAlignment = 64;

/// Lanes that thread `index` starts with. A kernel of one work-item a thread is vector code that masks its lanes
/// itself: it starts with all of them.
std::uint32_t lanesOf(const Launch& launch, std::uint32_t groupItems, std::uint32_t index) noexcept {
    const std::uint32_t lanes = launch.simd == 1 ? 32 : std::min(launch.simd, groupItems - index * launch.simd);
    return lanes == 32 ? ~0u : (1u << lanes) - 1;
}

/// Registers of a thread that are not as reset() left them when it ends, if nobody but its program writes any.
isa::Program::Written writtenBy(const Launch& launch) noexcept {
    constexpr std::uint32_t kBytes = isa::layout::kRegisterBytes;
    isa::Program::Written written = launch.code->program()->written;
    const std::uint32_t given = 1 + (launch.preloadBytes + kBytes - 1) / kBytes +
                                (static_cast<std::uint32_t>(launch.inlineData.size()) + kBytes - 1) / kBytes;
    written.registers = std::min(std::max(written.registers, given), isa::layout::kGrfRegisters);
    return written;
}

ThreadMask firstThreads(std::uint32_t count) noexcept { return count >= 64 ? ~ThreadMask{0} : bit(count) - 1; }

}  // namespace

std::unique_ptr<HardwareThread> Worker::take() {
    if (spare.empty()) return std::make_unique<HardwareThread>();
    auto thread = std::move(spare.back());
    spare.pop_back();
    return thread;
}

WorkGroup::WorkGroup(std::shared_ptr<ActiveDispatch> dispatch, Placement placement, const Extent& id)
    : dispatch_(std::move(dispatch)), placement_(std::move(placement)), id_(id) {
    if (const std::uint32_t bytes = dispatch_->launch().slmBytes; bytes != 0) {
        slmStorage_ = std::make_unique<std::byte[]>(placement_.slmBytes + kSlmAlignment);
        const auto begin = reinterpret_cast<std::uintptr_t>(slmStorage_.get());
        givenSlm_ = {slmStorage_.get() + (-begin & (kSlmAlignment - 1)), placement_.slmBytes};
        slm_ = givenSlm_.first(bytes);
    }
    threads_.resize(placement_.slots.size());
    causes.resize(threads_.size(), StopCause::none);
    live_.store(firstThreads(static_cast<std::uint32_t>(threads_.size())), std::memory_order_relaxed);
}

WorkGroup::~WorkGroup() = default;

void WorkGroup::start(Worker& worker) {
    const std::uint32_t count = static_cast<std::uint32_t>(threads_.size());
    std::ranges::fill(givenSlm_, std::byte{0});
    barriers_.reset(count, dispatch_->launch().barrierCount);
    barrierMisuse_.reset();
    fault_ = {};
    unprepared_ = firstThreads(count);
    passesStatesOn_ = passesOn();
    if (!passesStatesOn_) prepareRest(worker);
    beginTrace();
    started_ = true;
    live_.store(firstThreads(count), std::memory_order_release);
    Tally& tally = dispatch_->tally(worker.index);
    tally.add(Counter::groups, 1);
    tally.add(Counter::threads, count);
    if (dispatch_->launch().recordFrom == 0) return;
    for (const auto& thread : threads_) loadArguments(*thread, worker);
}

// Threads that need not live at the same time are prepared when it is their turn, mostly in the state that the one
// before left in the cache. Whoever looks at threads from outside finds a state for each that has not ended.
bool WorkGroup::passesOn() const noexcept {
    const Launch& launch = dispatch_->launch();
    return launch.recordFrom == 0 && dispatch_->model() == nullptr && !tile().isDebugged();
}

void WorkGroup::prepareOne(Worker& worker, std::uint32_t index) {
    if ((unprepared_ & bit(index)) == 0) return;
    if (!threads_[index]) threads_[index] = worker.take();
    prepare(*threads_[index], index);
    unprepared_ &= ~bit(index);
}

void WorkGroup::prepareRest(Worker& worker) {
    for (ThreadMask rest = unprepared_; rest != 0; rest &= rest - 1)
        prepareOne(worker, static_cast<std::uint32_t>(std::countr_zero(rest)));
}

void WorkGroup::beginTrace() {
    DispatchModel* const model = dispatch_->model();
    if (model == nullptr) return;
    trace_ = model->begin(dispatch_->numberOf(id_));
    for (const auto& thread : threads_) {
        thread->trace = trace_ ? &trace_->threads[thread->index] : nullptr;
        if (trace_) tile().recorder().begin(thread->state);
    }
}

void WorkGroup::endTrace() noexcept {
    DispatchModel* const model = dispatch_->model();
    if (model == nullptr) return;
    for (const auto& thread : threads_) {
        if (trace_) trace_->threads[thread->index].executed = thread->state.executed;
        thread->trace = nullptr;
    }
    model->end(dispatch_->numberOf(id_), std::move(trace_));
}

// Old compilers make no room for the record that functions read at the place to which r0.0 points, where the kernel
// itself expects its arguments. It reads those before anything else, so both can have what they want. A fault on the
// way is met again when the thread is executed.
void WorkGroup::loadArguments(HardwareThread& thread, Worker& worker) {
    const Launch& launch = dispatch_->launch();
    attach(thread, worker);
    if (isa::advanceTo(thread.state, launch.kernelOffset + launch.recordFrom))
        std::memcpy(thread.state.grf(0), &launch.recordAt, sizeof launch.recordAt);
}

// Initial state of a thread, as code of Intel's graphics compiler expects it (its documentation/visa/4_visa_header.md,
// and visa/TranslateSendSync.cpp for what barriers take from r0.2): r0, per-thread data, inline data.
void WorkGroup::prepare(HardwareThread& thread, std::uint32_t index) {
    namespace place = isa::layout;
    const Launch& launch = dispatch_->launch();
    isa::Thread& state = thread.state;
    thread.group = this;
    thread.index = index;
    thread.slot = placement_.slots[index];
    state.reset(thread.dirty.registers, thread.dirty.accumulators);
    thread.dirty = writtenBy(launch);
    state.owner = &thread;
    state.environment = &tile().environment();
    state.local = slm_;
    state.payload = dispatch_->payload();
    state.stateBases = dispatch_->stateBases();
    state.scratch =
        launch.scratchBytes == 0 ? std::span<std::byte>() : dispatch_->scratch().of(thread.slot, launch.scratchBytes);

    // By words: a copy of words just written would wait for them.
    auto* const r0 = reinterpret_cast<std::uint32_t*>(state.grf(0));
    r0[0] = launch.argumentsAt;
    r0[1] = id_[0];
    r0[2] = index | static_cast<std::uint32_t>(threads_.size()) << 24;
    r0[5] = 1u << 10;
    r0[6] = id_[1];
    r0[7] = id_[2];
    if (launch.preloadBytes != 0) {
        std::memcpy(state.grf(1), state.payload.data() + launch.preloadAt + index * launch.preloadBytes,
                    launch.preloadBytes);
    }
    if (!launch.inlineData.empty()) {
        const std::uint32_t after = (launch.preloadBytes + place::kRegisterBytes - 1) / place::kRegisterBytes;
        std::memcpy(state.grf(1 + after), launch.inlineData.data(), launch.inlineData.size());
    }
    state.dispatched = lanesOf(launch, dispatch_->groupItems(), index);
    state.at<std::uint32_t>(place::kStatus) = tile().device().profile().statusRegister(thread.slot);
    state.at<std::uint32_t>(place::kStatus + 8) = state.dispatched;
    const std::uint32_t entry = launch.kernelOffset + launch.entryOffset;
    state.at<std::uint32_t>(place::kDebug) = entry;
    thread.codeVersion = tile().device().code().version();
    thread.loaded = launch.code->program();
    thread.stepping = false;
    state.enter(*thread.loaded->program, entry);
}

// A group may be continued by another worker than before, and a debugger may have replaced the code.
void WorkGroup::attach(HardwareThread& thread, Worker& worker) {
    Tally& tally = dispatch_->tally(worker.index);
    thread.tally = &tally;
    if (thread.turn != worker.turn) thread.state.dropWindows();
    thread.turn = worker.turn;
    CodeHeap& code = tile().device().code();
    if (const std::uint64_t version = code.version(); version != thread.codeVersion) {
        thread.codeVersion = version;
        const LoadedProgram* now = code.programAt(thread.state.ip());
        if (now != nullptr && now != thread.loaded && thread.state.rebind(*now->program)) {
            thread.loaded = now;
            thread.dirty = HardwareThread::kAllDirty;
        }
    }
    thread.state.hostMode = worker.hostMode;
    thread.state.runs = tally.runs(*thread.loaded);
}

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
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
        if ((able & bit(i)) != 0 && threads_[i] && !mayRun(*threads_[i])) able &= ~bit(i);
    }
    return able;
}

void WorkGroup::end(HardwareThread& thread, Worker& worker) {
    const std::uint32_t index = thread.index;
    live_.store(live() & ~bit(index), std::memory_order_release);  // nobody else writes it during a turn
    if (!passesStatesOn_) return;
    worker.give(std::move(threads_[index]));
    threads_[index].reset();
}

// Instructions that leave a trace take up to ten times as long, and a debugger that halts a thread waits for the end of
// its quantum.
WorkGroup::Quantum WorkGroup::quantum() const noexcept {
    return dispatch_->model() != nullptr || tile().isDebugged() ? Quantum{1 << 13, 1 << 15} : Quantum{1 << 16, 1 << 18};
}

/// Runs one thread for its quantum. False: the group cannot go on as it is.
bool WorkGroup::execute(HardwareThread& thread, Worker& worker, std::int64_t instructions, std::int64_t& budget) {
    isa::Thread& state = thread.state;
    attach(thread, worker);
    Tally& tally = *thread.tally;
    const std::uint64_t before = state.executed;
    isa::resume(state, instructions, isa::Windows::kept);
    budget -= static_cast<std::int64_t>(state.executed - before);
    tally.add(state.traffic);
    state.traffic = {};
    if (barrierMisuse_) {
        failedThread_ = *barrierMisuse_;
        fault_.kind = FaultKind::divergentBarrier;
        fault_.detail = barriers_.problem();
        return false;
    }
    switch (state.status) {
        case isa::Status::done:
            end(thread, worker);
            return true;
        case isa::Status::breakpoint:
            tile().stopAtBreakpoint(*this, thread);
            return true;
        case isa::Status::faulted:
            if (toleratesOverrun(state)) return true;
            failedThread_ = thread.index;
            return false;
        default:
            return true;
    }
}

/// An access beyond the kernel's own local memory, within what the group was given, harms nobody on the hardware: the
/// thread may repeat it with all that memory in sight.
bool WorkGroup::toleratesOverrun(isa::Thread& state) {
    const bool more = state.local.size() < givenSlm_.size();
    if (state.fault.kind != isa::FaultKind::localOverrun || !more || tile().localOverruns().areFaults()) return false;
    const std::uint64_t offset = state.fault.address & isa::kLocalOffsetMask;
    if (offset + state.fault.bytes > givenSlm_.size()) return false;
    if (tile().localOverruns().isFirstOf(dispatch_->launch().kernel))
        log::warn(log::Channel::emulator,
                  "kernel {}: {}-byte {} at offset 0x{:x} of local memory, of which it has {} bytes; the hardware "
                  "gives {}, so it "
                  "goes on, and this is said once a kernel ({}=1 makes it a fault)",
                  dispatch_->launch().kernel, state.fault.bytes, state.fault.write ? "write" : "read", offset,
                  state.local.size(), givenSlm_.size(), settings::kStrictMemory);
    state.local = givenSlm_;
    state.retry();
    return true;
}

WorkGroup::Round WorkGroup::round(Worker& worker, std::int64_t& budget) {
    const std::int64_t instructions = quantum().thread;
    Round result;
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
        if (halting.load(std::memory_order_relaxed) != 0) {
            prepareRest(worker);
            tile().haltThreads(*this);
        }
        const ThreadMask able = live() & ~stopped.load(std::memory_order_acquire);
        if ((able & bit(i)) == 0) continue;
        prepareOne(worker, i);
        if (!mayRun(*threads_[i])) continue;
        result.ran = true;
        result.failed = !execute(*threads_[i], worker, instructions, budget);
        if (result.failed || dispatch_->stopping()) break;
    }
    prepareRest(worker);
    return result;
}

TurnEnd WorkGroup::turn(Worker& worker) {
    std::int64_t budget = quantum().turn;
    fault_ = {};  // of an earlier turn, which a debugger let pass
    barrierMisuse_.reset();
    ++worker.turn;
    isa::FloatModeGuard mode;
    worker.hostMode = dispatch_->model() == nullptr ? mode.current() : nullptr;  // the model computes with reals, too
    for (;;) {
        if (dispatch_->stopping()) {
            abandon(worker);
            return TurnEnd::finished;
        }
        if (!started_) start(worker);
        const Round result = round(worker, budget);
        if (result.failed) return TurnEnd::faulted;
        if (live() == 0) {
            if (!next(worker)) return TurnEnd::finished;
        } else if (!result.ran && !dispatch_->stopping()) {
            if (stopped.load(std::memory_order_acquire) != 0) return TurnEnd::parked;
            if (runnable() != 0) continue;  // a debugger let one go since
            diagnoseStandstill();
            return TurnEnd::faulted;
        }
        if (budget <= 0) return TurnEnd::again;
    }
}

/// The group has ended: takes the next one of the dispatch, if this place may be used for it.
bool WorkGroup::next(Worker& worker) {
    if (halting.load(std::memory_order_relaxed) != 0) tile().haltThreads(*this);
    endTrace();
    const auto id = tile().placeIsWanted() ? std::nullopt : dispatch_->takeGroup();
    started_ = false;
    if (!id) {
        giveBack(worker);
        return false;
    }
    id_ = *id;
    live_.store(firstThreads(static_cast<std::uint32_t>(threads_.size())), std::memory_order_release);
    return true;
}

/// Calls f(span) for what the group's threads have in memory that is divided by slots.
template <class F>
void WorkGroup::eachSlotMemory(F&& f) const {
    const Launch& launch = dispatch_->launch();
    for (const auto& thread : threads_) {
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
        // A debugger may be looking at a thread that stands still.
        std::lock_guard guard(tile().scheduler().mutex());
        live_.store(0, std::memory_order_release);
        stopped.store(0, std::memory_order_release);
    }
    started_ = false;
    for (const auto& thread : threads_)
        if (thread) thread->trace = nullptr;
    trace_.reset();
    giveBack(worker);
}

void WorkGroup::giveBack(Worker& worker) noexcept {
    for (auto& thread : threads_) {
        if (thread) worker.give(std::move(thread));
        thread.reset();
    }
}

void Worker::give(std::unique_ptr<HardwareThread> thread) noexcept {
    try {
        spare.push_back(std::move(thread));
    } catch (const std::bad_alloc&) {
        // It goes, which gives memory back.
    }
}

/// No thread can go on and no debugger holds one: says which of the barrier mistakes it is.
void WorkGroup::diagnoseStandstill() {
    const HardwareThread* first = nullptr;
    std::uint32_t waiting = 0;
    bool different = false;
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
        if ((live() & bit(i)) == 0) continue;
        const HardwareThread* const thread = threads_[i].get();
        if (first == nullptr) first = thread;
        different |= thread->state.barrier != first->state.barrier;
        ++waiting;
    }
    const std::size_t ended = threads_.size() - waiting;
    failedThread_ = first->index;
    fault_.kind = different || ended != 0 ? FaultKind::divergentBarrier : FaultKind::deadlock;
    fault_.detail = fmt::format("{} of {} threads wait and none can go on; {}{}", waiting, threads_.size(),
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
        case isa::FaultKind::barrierMisuse:
            return FaultKind::divergentBarrier;
    }
    return FaultKind::unsupported;
}

/// What the thread's own fault says.
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
    const HardwareThread& thread = *threads_[failedThread_];
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
