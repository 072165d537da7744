// How threads of a group start: r0, per-thread data, masks. Each thread has a state of its own or, as long as threads
// end without waiting for each other, takes the state that the one before left.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/isa/float_mode.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/trace_recorder.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kLanesOfVectorCode = 32;
constexpr std::uint32_t kScratchSurface = 1;  // any but 0: there is one surface, that of the thread

/// The lanes with which thread `index` starts. A kernel with one work-item per thread is vector code that masks its
/// lanes itself, and starts with all of them.
std::uint32_t lanesOf(const Launch& launch, std::uint32_t groupItems, std::uint32_t index) noexcept {
    const std::uint32_t lanes =
        launch.simd == 1 ? kLanesOfVectorCode : std::min(launch.simd, groupItems - index * launch.simd);
    return lanes == 32 ? ~0u : (1u << lanes) - 1;
}

std::uint32_t fullLanes(const Launch& launch) noexcept { return launch.simd == 1 ? kLanesOfVectorCode : launch.simd; }

/// The lanes with which all threads of a group start; 0 if the last one has fewer.
std::uint32_t commonLanes(const Launch& launch, std::uint32_t groupItems) noexcept {
    return groupItems % launch.simd == 0 ? fullLanes(launch) : 0;
}

constexpr std::uint32_t registersFor(std::size_t bytes) noexcept {
    return (static_cast<std::uint32_t>(bytes) + isa::layout::kRegisterBytes - 1) / isa::layout::kRegisterBytes;
}

/// The registers with which a thread starts, or that tell its place.
void addGiven(isa::StateSlots& slots, const Launch& launch) noexcept {
    namespace layout = isa::layout;
    const std::uint32_t given = 1 + registersFor(launch.preloadBytes) + registersFor(launch.inlineData.size());
    slots.add(layout::kGrf, given * layout::kRegisterBytes);
    for (const std::uint32_t place : {layout::kStatus, layout::kControl, layout::kDebug}) slots.add(place, 1);
}

/// Registers of a thread that are not as reset() left them when it ends, if only its program writes any.
isa::StateSlots writtenBy(const Launch& launch) noexcept {
    isa::StateSlots written = launch.code->program()->written;
    addGiven(written, launch);
    return written;
}

/// Registers in which a thread may see values of the thread before it; `lanes` as for Program::readFirst().
isa::StateSlots seenAtFirst(const LoadedProgram& loaded, std::uint32_t entry, std::uint32_t lanes) {
    isa::StateSlots seen = loaded.readFirst(entry, lanes);
    seen.keep(loaded.hostWritten());
    seen.add(isa::layout::kControl, 1);  // the machine looks at it, too
    return seen;
}

/// Its threads stop at barriers, in host code that can handle them.
bool meetsInHostCode(const Launch& launch) noexcept {
    return launch.barrierCount != 0 && launch.recordFrom == 0 && launch.code->program()->translations() != 0;
}

}  // namespace

void WorkGroup::start(Worker& worker) {
    const std::uint32_t count = static_cast<std::uint32_t>(threads_.size());
    std::ranges::fill(reachesGiven_ ? givenSlm_ : slm_, std::byte{0});
    barriers_.reset(count, dispatch_->launch().barrierCount);
    common_.forget();
    barrierMisuse_.reset();
    fault_ = {};
    unprepared_ = firstThreads(count);
    passesStatesOn_ = passesOn();
    usesLane_ = passesStatesOn_ && !threadsStop_ && dispatch_->launch().recordFrom == 0;
    keepsStates_ = passesStatesOn_ && !usesLane_ && meetsInHostCode(dispatch_->launch());
    if (!passesStatesOn_) prepareRest(worker);
    beginTrace();
    started_ = true;
    live_.store(firstThreads(count), std::memory_order_release);
    Tally& tally = dispatch_->tally(worker.index);
    tally.add(Counter::groups, 1);
    tally.add(Counter::threads, count);
}

// Threads that need not live at the same time are prepared when it is their turn, mostly in the state that the one
// before left in the cache. A reader of threads from outside finds a state for each that has not ended.
bool WorkGroup::passesOn() const noexcept { return dispatch_->model() == nullptr && !tile().isDebugged(); }

void WorkGroup::prepareOne(Worker& worker, std::uint32_t index, std::uint64_t codeVersion) {
    if ((unprepared_ & bit(index)) == 0) return;
    if (!threads_[index]) threads_[index] = worker.take();
    HardwareThread& thread = *threads_[index];
    const bool again = keepsStates_ && fits(thread, codeVersion);
    again ? beginAgain(thread, index) : prepare(thread, index);
    if (keepsStates_ && !again) learnBeginning(thread);
    unprepared_ &= ~bit(index);
}

void WorkGroup::prepareRest(Worker& worker) {
    const std::uint64_t version = codeVersion();
    for (ThreadMask rest = unprepared_; rest != 0; rest &= rest - 1)
        prepareOne(worker, static_cast<std::uint32_t>(std::countr_zero(rest)), version);
}

std::uint64_t WorkGroup::codeVersion() const noexcept { return tile().device().code().version(); }

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

std::unique_ptr<GroupTrace> WorkGroup::traceSoFar() const {
    if (!trace_ || !started_) return nullptr;
    auto known = std::make_unique<GroupTrace>();
    known->index = trace_->index;
    known->threads.reserve(threads_.size());
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        const ThreadTrace& trace = trace_->threads[i];
        const bool goesOn = (live() & bit(static_cast<std::uint32_t>(i))) != 0;
        known->threads.push_back(dispatch_->model()->knowsTraces() ? ThreadTrace::unbegun()
                                 : goesOn                          ? trace.soFar(dispatch_->model()->askedWords())
                                                                   : trace);
        known->threads.back().executed = threads_[i]->state.executed;
    }
    return known;
}

// Old compilers make no room for the record that functions read at the address in r0.0, where the kernel itself expects
// its arguments. The kernel reads those before anything else, so both can have what they need.
bool WorkGroup::loadArguments(HardwareThread& thread) {
    const Launch& launch = dispatch_->launch();
    const std::uint32_t end = launch.kernelOffset + launch.recordFrom;
    const bool goesOn = isa::runWithin(thread.state, launch.kernelOffset, end);
    const std::uint32_t ip = thread.state.ip();
    thread.loadsArguments = ip >= launch.kernelOffset && ip < end;
    if (!thread.loadsArguments) std::memcpy(thread.state.grf(0), &launch.recordAt, sizeof launch.recordAt);
    return goesOn;
}

// Most threads end without waiting for others: these share one state, which keeps what is the same for all during a
// worker's turn. A thread that does not end takes the state with it and is continued like any other.
bool WorkGroup::executeInLane(Worker& worker, std::uint32_t index, std::int64_t instructions, std::int64_t& budget) {
    if (laneFits(worker)) {
        beginAgain(*lane_, index);
    } else {
        beginLane(worker, index);
    }
    unprepared_ &= ~bit(index);
    isa::Thread& state = lane_->state;
    isa::start(state, instructions, begins_.setsMode);
    budget -= static_cast<std::int64_t>(state.executed) + state.charged;
    if (state.status == isa::Status::done && !barrierMisuse_) {
        live_.store(live() & ~bit(index), std::memory_order_release);
        return true;
    }
    threadsStop_ = true;
    threads_[index] = std::move(lane_);
    return settle(*threads_[index], worker);
}

/// The state is as a thread of this launch left it, and what is known of how they begin holds.
bool WorkGroup::fits(const HardwareThread& thread, std::uint64_t codeVersion) const {
    return thread.codeVersion == codeVersion && begins_.codeVersion == codeVersion && thread.onlyProgram &&
           begins_.entry.program != nullptr && thread.loaded->translations() == begins_.translations;
}

bool WorkGroup::laneFits(const Worker& worker) const {
    return lane_ && lane_->turn == worker.turn && fits(*lane_, codeVersion());
}

void WorkGroup::beginAgain(HardwareThread& thread, std::uint32_t index) {
    if (thread.state.strayed) thread.state.reset(thread.dirty);
    thread.state.strayed = false;
    const std::uint32_t lanes = lanesOf(dispatch_->launch(), dispatch_->groupItems(), index);
    isa::restart(thread.state, begins_.entry, lanes,
                 lanes == begins_.entry.lanes ? begins_.registers : begins_.registersOfLast);
    place(thread, index);
}

/// Threads that start with all lanes on: all, or all but the last.
std::uint32_t WorkGroup::wholeThreads() const noexcept {
    const Launch& launch = dispatch_->launch();
    return launch.simd == 1 ? static_cast<std::uint32_t>(threads_.size()) : dispatch_->groupItems() / launch.simd;
}

/// All threads of the group from this one on by one call of host code, if there is code for that; not the last one if
/// some of its lanes are off. The first that it did not do.
std::uint32_t WorkGroup::executeTogether(Worker& worker, std::uint32_t index, std::int64_t& budget) {
    constexpr std::uint32_t kMostRefusals = 16;
    const std::uint32_t count = wholeThreads();
    if (index >= count) return index;
    const ThreadMask rest = firstThreads(count) & ~firstThreads(index);
    const ThreadMask able = live() & ~stopped.load(std::memory_order_acquire) & unprepared_;
    if (!begins_.group || laneRefusals_ == kMostRefusals || (able & rest) != rest || !laneFits(worker)) return index;
    if (begins_.entry.pc->handler() != begins_.group->entered) return index;  // somebody watches
    const auto threads = static_cast<std::uint32_t>(threads_.size());
    const translate::GroupWork left = callGroup({.first = index, .threads = threads, .partial = threads - count});
    const std::uint32_t next = left.groups == 0 ? count : left.first;
    laneRefusals_ = next == count ? 0 : laneRefusals_ + 1;
    budget -= std::int64_t{next - index} * begins_.group->work;
    const ThreadMask others = rest & ~firstThreads(next);
    live_.store(others | (live() & ~rest), std::memory_order_release);
    unprepared_ = others | (unprepared_ & ~rest);
    return next;
}

/// Threads of this group from the first on, and groups behind it, in the lane, by their host code.
translate::GroupWork WorkGroup::callGroup(translate::GroupWork work) {
    isa::Thread& state = lane_->state;
    beginAgain(*lane_, work.first);
    state.at<std::uint32_t>(isa::layout::kControl) = 0;
    if (!begins_.group->setsMode) isa::setFloatMode(state);
    begins_.group->run(state, work);
    return work;
}

/// Nobody wants to see a thread, has changed the code or ends the dispatch since the lane began.
bool WorkGroup::isUndisturbed() const noexcept {
    return halting.load(std::memory_order_relaxed) == 0 && !dispatch_->stopping() && !tile().isDebugged() &&
           begins_.entry.pc->handler() == begins_.group->entered && begins_.codeVersion == codeVersion();
}

/// That follow in the first dimension and were taken, as many as leave soon enough who is wanted elsewhere.
std::uint32_t WorkGroup::groupsAtOnce(std::int64_t workOfEach) const noexcept {
    constexpr std::int64_t kWork = 1 << 13;
    const auto wanted = static_cast<std::uint64_t>(std::max<std::int64_t>(kWork / workOfEach, 1));
    return static_cast<std::uint32_t>(
        std::min({wanted, taken_.end - taken_.next, std::uint64_t{dispatch_->groupsInLine(id_)}}));
}

/// Groups that were taken with the one that has ended, as long as host code does all of their threads: what start(),
/// round() and next() would do for each is done once. The first that it does not do to its end is this place's then.
void WorkGroup::executeTaken(Worker& worker, std::int64_t& budget) {
    const auto count = static_cast<std::uint32_t>(threads_.size());
    const bool able = begins_.group && laneRefusals_ == 0 && usesLane_ && !threadsStop_ && wholeThreads() == count;
    if (!able || taken_.empty() || budget <= 0 || !laneFits(worker)) return;
    const std::int64_t work = std::int64_t{count} * begins_.group->work;
    std::uint32_t done = count;
    std::uint64_t groups = 0;
    live_.store(firstThreads(count), std::memory_order_release);
    while (!taken_.empty() && budget > 0 && done == count && isUndisturbed()) {
        id_ = dispatch_->groupAt(taken_.next);
        const std::uint32_t asked = groupsAtOnce(work);
        const auto left = callGroup({.threads = count, .groups = asked});
        const std::uint32_t ended = asked - left.groups;
        groups += ended;
        budget -= ended * work;
        taken_.next += ended;
        if (left.groups == 0) continue;
        id_[0] += ended;
        ++taken_.next;
        done = left.first;
    }
    live_.store(0, std::memory_order_release);
    Tally& tally = dispatch_->tally(worker.index);
    tally.add(Counter::groups, groups);
    tally.add(Counter::threads, groups * count);
    if (done != count) {
        start(worker);
        const ThreadMask left = live() & ~firstThreads(done);
        unprepared_ &= left;
        live_.store(left, std::memory_order_release);
        budget -= std::int64_t{done} * begins_.group->work;
    }
    countLane();
}

void WorkGroup::beginLane(Worker& worker, std::uint32_t index) {
    if (!lane_) lane_ = worker.take();
    prepare(*lane_, index);
    attach(*lane_, worker, codeVersion());
    learnBeginning(*lane_);
    if (begins_.group) lane_->dirty.add(begins_.group->written);
}

/// A group whose threads wait for each other, and which began without host code that knows how, goes on in it as soon
/// as there is some. What its threads wrote by steps is cleared when their states are given to others.
void WorkGroup::joinHostCode() {
    const bool able = threadsStop_ && passesStatesOn_ && !keepsStates_ && meetsInHostCode(dispatch_->launch());
    if (!able || live() != firstThreads(static_cast<std::uint32_t>(threads_.size())) || unprepared_ != 0) return;
    usesLane_ = false;
    keepsStates_ = true;
    for (const auto& thread : threads_) thread->state.strayed = true;
    learnBeginning(*threads_.front());
}

void WorkGroup::learnBeginning(const HardwareThread& thread) {
    const Launch& launch = dispatch_->launch();
    const LoadedProgram& loaded = *thread.loaded;
    const bool known = begins_.codeVersion == thread.codeVersion && begins_.translations == loaded.translations();
    if (known && begins_.entry.program != nullptr) return;
    const std::uint32_t entry = launch.kernelOffset + launch.entryOffset;
    const std::uint32_t lanes = commonLanes(launch, dispatch_->groupItems());
    begins_.codeVersion = thread.codeVersion;
    begins_.translations = loaded.translations();
    begins_.entry = isa::entryOf(*loaded.program, entry, lanesOf(launch, dispatch_->groupItems(), 0));
    const std::uint32_t firstLanes = dispatch_->groupItems() < launch.simd ? 0 : fullLanes(launch);
    begins_.registers = seenAtFirst(loaded, entry, firstLanes).runs();
    begins_.registersOfLast = seenAtFirst(loaded, entry, lanes).runs();
    begins_.setsMode = isa::setsFloatModeFirst(*loaded.program, entry);
    begins_.group = launch.preloadBytes != 0 ? nullptr : loaded.groupCode(entry, fullLanes(launch));
    if (begins_.group && begins_.group->setsMode && !begins_.setsMode) begins_.group.reset();
}

/// What the lane's threads moved so far is counted.
void WorkGroup::countLane() noexcept {
    if (lane_ && lane_->tally != nullptr) countTraffic(*lane_);
}

// Initial state of a thread, as code of Intel's graphics compiler expects it (its documentation/visa/4_visa_header.md,
// and visa/TranslateSendSync.cpp for what barriers take from r0.2): r0, per-thread data, inline data.
void WorkGroup::prepare(HardwareThread& thread, std::uint32_t index) {
    const Launch& launch = dispatch_->launch();
    isa::Thread& state = thread.state;
    thread.group = this;
    state.reset(thread.dirty);
    thread.dirty = writtenBy(launch);
    thread.onlyProgram = true;
    state.strayed = false;
    thread.attachedIn = 0;
    state.owner = &thread;
    state.environment = &tile().environment();
    state.local = slm_;
    state.payload = dispatch_->payload();
    state.stateBases = dispatch_->stateBases();
    thread.codeVersion = codeVersion();
    thread.loaded = launch.code->program();
    thread.stepping = false;
    thread.loadsArguments = launch.recordFrom != 0;
    place(thread, index);
    state.dispatched = lanesOf(launch, dispatch_->groupItems(), index);
    state.enter(*thread.loaded->program, launch.kernelOffset + launch.entryOffset);
}

/// The part of it that one thread does not share with another of the dispatch.
void WorkGroup::place(HardwareThread& thread, std::uint32_t index) {
    const Launch& launch = dispatch_->launch();
    isa::Thread& state = thread.state;
    thread.index = index;
    thread.slot = placement_.slots[index];
    state.scratch =
        launch.scratchBytes == 0 ? std::span<std::byte>() : dispatch_->scratch().of(thread.slot, launch.scratchBytes);
    // By words: a copy of words just written would wait for them.
    auto* const r0 = reinterpret_cast<std::uint32_t*>(state.grf(0));
    const isa::ThreadStart& start = tile().device().profile().architecture().start;
    r0[start.arguments] = launch.argumentsAt;
    for (std::size_t axis = 0; axis < id_.size(); ++axis) r0[start.group[axis]] = id_[axis];
    r0[start.number] = index | static_cast<std::uint32_t>(threads_.size()) << start.threadsShift;
    r0[start.scratch] = kScratchSurface << start.scratchShift;
    if (launch.preloadBytes != 0) {
        std::memcpy(state.grf(1), state.payload.data() + launch.preloadAt + index * launch.preloadBytes,
                    launch.preloadBytes);
    }
    if (!launch.inlineData.empty()) {
        const std::uint32_t after = registersFor(launch.preloadBytes);
        std::memcpy(state.grf(1 + after), launch.inlineData.data(), launch.inlineData.size());
    }
    state.at<std::uint32_t>(isa::layout::kStatus) = statusRegisters_[index];
    if (start.subsliceInMessage)
        state.at<std::uint32_t>(isa::layout::kMessage) = tile().device().profile().messageRegister(thread.slot);
}

// A group may be continued by another worker than before, and a debugger may have replaced the code.
void WorkGroup::attach(HardwareThread& thread, Worker& worker, std::uint64_t codeVersion) {
    if (thread.attachedIn == worker.turn && thread.codeVersion == codeVersion) return;
    Tally& tally = dispatch_->tally(worker.index);
    thread.tally = &tally;
    if (thread.turn != worker.turn) thread.state.dropWindows();
    thread.turn = thread.attachedIn = worker.turn;
    if (codeVersion != thread.codeVersion) {
        thread.codeVersion = codeVersion;
        const LoadedProgram* now = tile().device().code().programAt(thread.state.ip());
        if (now != nullptr && now != thread.loaded && thread.state.rebind(*now->program)) {
            thread.loaded = now;
            thread.mayHoldAnything();
        }
    }
    thread.state.hostMode = worker.hostMode;
    thread.state.additions = &worker.additions;
    thread.state.alone = tile().scheduler().workers() == 1;
    thread.state.runs = tally.runs(*thread.loaded);
    const bool startAlike = dispatch_->launch().preloadBytes == 0 && !tile().isDebugged();
    thread.state.common = startAlike ? &common_ : nullptr;
}

}  // namespace zetl::emulator::machine
