#include "emulator/machine/execution/tile_runtime.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/kernel_start.h"
#include "emulator/machine/execution/launch_lanes.h"
#include "emulator/machine/model/share.h"
#include "emulator/machine/tools/host_code_share.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kBetweenTellings = 1'000'000;  // nanoseconds
constexpr std::size_t kKeptMoments = 256;              // that readers find who come late
constexpr std::uint64_t kLongestBatch = 700'000'000;   // nanoseconds; readers wait no longer for one to end

LineNumbers::Home homeOf(const Memory& memory, std::uint64_t address) {
    const auto allocation = memory.find(address);
    if (!allocation) return {};
    return {.begin = allocation->begin, .host = allocation->kind == MemoryKind::host, .bytes = allocation->bytes()};
}

/// What was executed and is not replayed yet is counted once it is.
void holdBack(Counts& counts, const DispatchModel& model) noexcept {
    const std::uint64_t executed = counts[Counter::instructions];
    const std::uint64_t replayed = std::min(model.replayedInstructions(), executed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::issueCycles); ++i)
        counts.values[i] = executed == 0 ? 0 : share(counts.values[i], replayed, executed);
}

}  // namespace

TileRuntime::TileRuntime(DeviceRuntime& device, std::uint32_t index, Scheduler& scheduler, Memory& memory)
    : device_(device),
      index_(index),
      scheduler_(scheduler),
      memory_(memory),
      codeBase_(device.code().base()),
      watchpoints_(memory.table()),
      conditions_(memory.table()),
      environment_(memory, device.code(), device.clock(), device.overruns(), scheduler.history(), watchpoints_),
      scratch_(memory, device.profile().threads()),
      model_(device.profile(), codeBase_, [&memory](std::uint64_t address) { return homeOf(memory, address); }),
      slots_(device.profile()),
      occupants_(device.profile().threads()),
      control_(device, index, *this, watchpoints_, conditions_) {}

TileRuntime::~TileRuntime() = default;

Device& TileRuntime::device() const noexcept { return device_; }
Overruns& TileRuntime::overruns() const noexcept { return device_.overruns(); }
TraceRecorder& TileRuntime::recorder() const noexcept { return device_.recorder(); }

std::shared_ptr<Dispatch> TileRuntime::refused(DispatchPointer dispatch, Fault fault) {
    dispatch->fail(std::move(fault));
    finishUnbegun(*dispatch);
    return dispatch;
}

void TileRuntime::finishUnbegun(ActiveDispatch& dispatch) {
    dispatch.count({});
    dispatch.finish(device_.clock().timestamp());
    dispatch.complete();
}

void TileRuntime::translate(const Launch& launch) const {
    launch.code->program()->translate(entryOf(launch), fullLanes(launch), launch.kernel);
}

/// Called before the first of its threads starts. Each executes its kernel's lines at least about once: with so many
/// threads host code certainly pays; with fewer, the instructions that they execute decide.
void TileRuntime::prepareCode(ActiveDispatch& dispatch) {
    const Launch& launch = dispatch.launch();
    const LoadedProgram& program = *launch.code->program();
    if (dispatch.model() != nullptr && dispatch.model()->samples()) {
        const LoadedProgram& recording = recorder().recording(program);
        const isa::Reported reported{&recorder(), recorder().linesOf(recording)};
        recording.translateReporting(entryOf(launch), fullLanes(launch), std::span(&reported, 1), launch.kernel);
    }
    dispatch.endsAlone = dispatch.isLarge() && !program.mayWaitForOthers(entryOf(launch));
    const std::vector<isa::Reported> reported = device_.observers().reportedOf(program);
    if (!reported.empty())
        program.translateReporting(entryOf(launch), fullLanes(launch), reported, launch.kernel);
    else if (translate::policy() == translate::Policy::whenLaunched ||
             dispatch.threads() >= translate::executionsThatPay())
        translate(launch);
    else
        dispatch.warmUp = program.warmUp(entryOf(launch), fullLanes(launch));
    dispatch.start = std::make_unique<const KernelStart>(dispatch, program, device_.code().version());
}

namespace {

/// A kernel that loads its threads' blocks as the hardware would have given them to it may as well do so: threads that
/// start alike are what host code knows to run together.
void preferLoading(Launch& launch) {
    const LoadedProgram* const loaded = launch.code ? launch.code->program() : nullptr;
    if (loaded == nullptr || launch.entryOffset == 0 || launch.preloadBytes == 0) return;
    if (launch.preloadAt < launch.argumentsAt) return;
    const isa::Prologue prologue{.entry = launch.kernelOffset,
                                 .behind = entryOf(launch),
                                 .blockBytes = launch.preloadBytes,
                                 .inlineBytes = static_cast<std::uint32_t>(launch.inlineData.size()),
                                 .blocksAt = launch.preloadAt - launch.argumentsAt};
    if (!loaded->loadsBlocks(prologue)) return;
    launch.entryOffset = 0;
    launch.preloadBytes = 0;
}

}  // namespace

std::shared_ptr<Dispatch> TileRuntime::submit(Launch launch, Completion completion) {
    preferLoading(launch);
    auto dispatch = std::make_shared<ActiveDispatch>(*this, std::move(launch), std::move(completion));
    if (Fault fault = refuse(*dispatch)) return refused(std::move(dispatch), std::move(fault));
    if (dispatch->empty()) {
        finishUnbegun(*dispatch);
        return dispatch;
    }
    if (model_.collecting()) follow(*dispatch);
    if (!dispatch->launch().awaited && dispatch->isLarge()) scheduler_.expectGroups();
    prepareCode(*dispatch);
    DispatchList waiting{dispatch};
    DispatchList unfinished{dispatch};
    DispatchList unretired{dispatch};
    DispatchList finished;
    {
        const Lock counts(countsMutex_);
        unretired_.splice(unretired_.end(), unretired);
    }
    {
        const TurnLock guard(scheduler_.mutex());
        if (shutDown_) {
            Fault fault;
            fault.kind = FaultKind::cancelled;
            dispatch->fail(std::move(fault));
        } else {
            dispatch->waitingSince = HostTime::monotonicRaw();
            dispatch->helped = dispatch->small =
                dispatch->launch().awaited && !isObserved() && scheduler_.history() == nullptr;
            waiting_.splice(waiting_.end(), waiting);
        }
        unfinished_.splice(unfinished_.end(), unfinished);
        placeWaiting();
        finished = takeFinished();
    }
    retire(finished);
    return dispatch;
}

std::shared_ptr<void> TileRuntime::collect(ModelDetail detail) {
    struct Hold {
        Hold(TileRuntime& of, ModelDetail in) : tile(of), detail(in) {
            if (detail == ModelDetail::full) recording = of.device_.observers().hold(of.recorder());
            tile.model_.acquire(detail);
        }
        ~Hold() { tile.model_.release(detail); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        TileRuntime& tile;
        const ModelDetail detail;
        std::shared_ptr<void> recording;
    };
    return std::make_shared<Hold>(*this, detail);
}

/// Groups of a sample run a program that only the recorder watches. So every group is replayed if others watch, too, or
/// want to see the same threads run in the same way.
ModelDetail TileRuntime::detailOfLaunch() {
    const bool watched = control_.attached() || scheduler_.history() != nullptr || scheduler_.order().isShuffled() ||
                         device_.observers().any();
    return watched ? ModelDetail::full : model_.detail();
}

/// Makes the model follow the dispatch, of which no group has been placed yet, unless it knows one like it.
void TileRuntime::follow(ActiveDispatch& dispatch) {
    LaunchMemory::Advice advice{nullptr, detailOfLaunch()};
    dispatch.teaches = advice.detail == ModelDetail::sampled;
    if (dispatch.teaches) advice = model_.launches().recall(LaunchKey(dispatch.launch()));
    if (advice.known)
        dispatch.takeOver(std::move(advice.known));
    else
        dispatch.follow(model_, collect(advice.detail), advice.detail);
    // Of launches without a number, those come first that are submitted first.
    constexpr std::uint64_t kWithoutNumber = std::uint64_t{1} << 63;
    const Launch& launch = dispatch.launch();
    const std::uint64_t number = kWithoutNumber + submitted_.fetch_add(1, std::memory_order_relaxed);
    schedule_.open(&dispatch, launch.submission != 0 ? launch.submission : number, launch.after);
    model_.beginWork(HostTime::monotonicRaw());
}

/// Shows the group's trace so far to readers of stalls, while kernels run.
void TileRuntime::offerTrace(const WorkGroup& group) noexcept try {
    DispatchModel* const model = group.dispatch().model();
    if (model == nullptr) return;
    const std::uint64_t number = group.dispatch().numberOf(group.id());
    if (model->asks(number)) model->offer(number, group.traceSoFar());
} catch (const std::bad_alloc&) {
    log::debug(log::Channel::emulator, "a group that goes on is not looked at: the host is out of memory");
}

/// Lets the model replay what it can, and gives places to groups that waited for that. Without locks.
void TileRuntime::replay(ActiveDispatch& dispatch) noexcept {
    if (dispatch.model() == nullptr || !dispatch.model()->advance()) return;
    settleReading();
    const TurnLock guard(scheduler_.mutex());
    placeWaiting();
}

bool TileRuntime::hasEnough(const ActiveDispatch& dispatch) const {
    if (scheduler_.history() != nullptr) return dispatch.residentGroups >= History::kGroupsAtOnce;
    const bool shuffled = scheduler_.order().isShuffled();
    const std::uint32_t enough = shuffled ? TurnOrder::kGroupsAtOnce : dispatch.small ? 1 : scheduler_.workers();
    return !dispatch.lasting && dispatch.residentGroups >= enough && waiting_.size() == 1 &&
           (dispatch.model() == nullptr || dispatch.model()->samples()) && !control_.attached();
}

bool TileRuntime::placeOne(const DispatchPointer& dispatch) noexcept {
    try {
        return tryToPlace(dispatch);
    } catch (const std::bad_alloc&) {
        dispatch->failForMemory();
        return false;
    }
}

bool TileRuntime::tryToPlace(const DispatchPointer& dispatch) {
    if (!dispatch->bound && !dispatch->bind(device_.arena(), scratch_, codeBase_)) return false;
    dispatch->bound = true;
    const std::uint64_t now = HostTime::monotonicRaw();
    std::list<std::unique_ptr<WorkGroup>> group(1);
    const auto placement = slots_.place(dispatch->need(), now);
    if (!placement) return false;
    try {
        if (const auto id = dispatch->takeGroup())
            group.front() = std::make_unique<WorkGroup>(dispatch, *placement, *id);
    } catch (const std::bad_alloc&) {
        slots_.release(*placement, now);
        throw;
    }
    if (!group.front()) {
        slots_.release(*placement, now);
        return false;
    }
    group.front()->self = group.begin();
    resident_.splice(resident_.end(), group);
    ++dispatch->residentGroups;
    dispatch->waitingSince = now;
    occupy(*resident_.back(), now);
    if (History* const history = scheduler_.history()) history->placed(*resident_.back());
    return true;
}

/// The group, whose slots are taken, begins or goes on.
void TileRuntime::occupy(WorkGroup& group, std::uint64_t now) {
    const auto& slots = group.placement().slots;
    for (std::uint32_t i = 0; i < slots.size(); ++i) occupants_[slots[i]] = {&group, i};
    group.placed = true;
    group.since = now;
    scheduler_.enqueue(group);
}

void TileRuntime::vacate(WorkGroup& group, std::uint64_t now) {
    slots_.release(group.placement(), now);
    for (const std::uint32_t slot : group.placement().slots) occupants_[slot] = {};
    group.placed = false;
    group.since = now;
}

// Dispatches take places in turn, so a large grid does not keep a small one waiting until its end.
void TileRuntime::placeWaiting() noexcept {
    std::erase_if(waiting_, [](const DispatchPointer& dispatch) { return dispatch->exhausted(); });
    updatePlaceWanted();
    if (control_.holding() || !grantClaim()) return;
    restoreDisplaced();
    for (std::size_t refusals = 0; !waiting_.empty() && refusals < waiting_.size();) {
        refusals = !hasEnough(*waiting_.front()) && placeOne(waiting_.front()) ? 0 : refusals + 1;
        if (waiting_.front()->exhausted()) {
            waiting_.pop_front();
        } else {
            waiting_.splice(waiting_.end(), waiting_, waiting_.begin());
        }
    }
    updatePlaceWanted();
}

bool TileRuntime::isBetweenTurns(const ResidentGroup& resident) const noexcept {
    const auto& group = static_cast<const WorkGroup&>(resident);
    return group.state != WorkGroup::State::running && (group.started() || group.waitsForOthers());
}

void TileRuntime::wake(ResidentGroup& resident) {
    auto& group = static_cast<WorkGroup&>(resident);
    if (group.state == WorkGroup::State::parked) scheduler_.enqueue(group);
}

void TileRuntime::settleTurns() {
    scheduler_.park([](const WorkGroup& group) {
        const bool canLeave = group.dispatch().stopping();
        return !canLeave && group.started() && (group.live() & ~group.stopped.load()) == 0;
    });
    scheduler_.advance([](const WorkGroup& group) { return group.halting.load() != 0; });
}

void TileRuntime::updatePlaceWanted() {
    placeWanted_.store(waiting_.size() > 1 || claim_ || control_.holding(), std::memory_order_relaxed);
}

void TileRuntime::beginTurn(WorkGroup& group) noexcept {
    ActiveDispatch& dispatch = group.dispatch();
    group.turnIsShort = dispatch.small;
    if (!dispatch.begun()) dispatch.begin(device_.clock().timestamp());
}

void TileRuntime::handleFault(WorkGroup& group) {
    const Fault fault = group.failure();
    {
        const TurnLock guard(scheduler_.mutex());
        if (control_.stopAtFault(group, *group.thread(group.failedThread()), fault)) return;
    }
    group.dispatch().fail(fault);
    kick(group.dispatch());
}

void TileRuntime::followTurn(WorkGroup& group, TurnEnd end) noexcept {
    try {
        if (end == TurnEnd::faulted) handleFault(group);
    } catch (const std::bad_alloc&) {
        group.dispatch().failForMemory();
    }
    if (end == TurnEnd::again) offerTrace(group);
    replay(group.dispatch());
    tellListenerNowAndThen();
    placeOverdue();
}

TileRuntime::DispatchList TileRuntime::endTurn(WorkGroup& group, TurnEnd end, EndedGroups& ended) noexcept {
    if (group.halting.load() != 0 && (group.started() || group.waitsForOthers())) control_.haltAfterTurn(group);
    if (end == TurnEnd::finished) return leave(group, ended);
    const bool wanted =
        end == TurnEnd::again || group.dispatch().stopping() || group.halting.load() != 0 || group.runnable() != 0;
    if (wanted)
        scheduler_.enqueue(group);
    else
        group.state = WorkGroup::State::parked;
    if (end == TurnEnd::again) goOn(group);
    return {};
}

/// The group's turn ended before the group did. It may wait for groups that have no place yet, unless the turn was a
/// short one: then others may help.
void TileRuntime::goOn(WorkGroup& group) noexcept {
    ActiveDispatch& dispatch = group.dispatch();
    const bool grows = std::exchange(dispatch.small, false) ||
                       (group.started() && !group.turnIsShort && !std::exchange(dispatch.lasting, true));
    if (grows) placeWaiting();
    preempt();
}

TileRuntime::DispatchList TileRuntime::leave(WorkGroup& group, EndedGroups& ended) {
    control_.forget(group);
    if (History* const history = scheduler_.history()) {
        history->left(group);
        for (const auto& other : resident_)
            if (other->waitsForOthers() && other->state == WorkGroup::State::parked) scheduler_.enqueue(*other);
    }
    if (group.placed) vacate(group, HostTime::monotonicRaw());
    --group.dispatch().residentGroups;
    ended.splice(ended.end(), resident_, group.self);
    placeWaiting();
    return takeFinished();
}

TileRuntime::DispatchList TileRuntime::takeFinished() noexcept {
    DispatchList finished;
    for (auto next = unfinished_.begin(); next != unfinished_.end();) {
        const auto one = next++;
        if ((*one)->exhausted() && (*one)->residentGroups == 0) finished.splice(finished.end(), unfinished_, one);
    }
    return finished;
}

void TileRuntime::retire(const DispatchList& finished) noexcept {
    for (const DispatchPointer& dispatch : finished) retire(dispatch);
}

/// Of the cycles of all launches, those that they spent side by side. Those that have no place in the model's time yet
/// count as far as the one that goes furthest.
std::uint64_t TileRuntime::sideBySide() const {
    const std::uint64_t end = schedule_.end();
    std::uint64_t all = 0;
    std::uint64_t furthest = 0;
    for (const DispatchPointer& dispatch : unretired_) {
        const auto begin = schedule_.beginOf(dispatch.get());
        if (!begin) continue;
        std::uint64_t cycles = dispatch->readCounts()[Counter::workCycles];
        if (dispatch->model() != nullptr) cycles += model_.cyclesAhead(dispatch->model());
        const std::uint64_t known = std::max(end, *begin);
        all += cycles;
        furthest = std::max(furthest, *begin + cycles - std::min(known, *begin + cycles));
    }
    return schedule_.shared() + all - furthest;
}

/// Of one that is done.
void TileRuntime::count(ActiveDispatch& dispatch) {
    const std::vector<Tally::LineCounts> lines = dispatch.takeLines();
    const bool share = log::enabled(log::Channel::emulator, log::Level::debug);
    HostCodeShare host;
    for (const Tally::LineCounts& part : lines) {
        part.program->retire(*this, part.executed);
        if (log::enabled(log::Channel::emulator, log::Level::info)) usage_.add(part);
        if (share) host.add(part);
    }
    if (share) host.write(dispatch.launch().kernel, dispatch.executedBefore.load());
    dispatch.count(lines);
}

void TileRuntime::listen(Listening to, std::shared_ptr<CountsListener> listener) {
    const Lock guard(countsMutex_);
    listeners_[static_cast<std::size_t>(to)].swap(listener);
    listened_ = std::ranges::any_of(listeners_, [](const auto& each) { return each != nullptr; });
}

/// Turns then do more than execute groups, and callers' threads must not do that work.
bool TileRuntime::isObserved() const noexcept {
    return control_.attached() || model_.collecting() || listened_.load(std::memory_order_relaxed);
}

void TileRuntime::tellListenerNowAndThen() {
    if (!listened_.load(std::memory_order_relaxed)) return;
    if (HostTime::monotonicRaw() - toldAt_.load(std::memory_order_relaxed) >= kBetweenTellings) tellListener();
}

void TileRuntime::tellListener() {
    if (!listened_.load(std::memory_order_relaxed)) return;
    toldAt_.store(HostTime::monotonicRaw(), std::memory_order_relaxed);
    Listeners listeners;
    {
        const Lock guard(countsMutex_);
        listeners = listeners_;
    }
    for (const auto& listener : listeners)
        if (listener) listener->counted();
}

/// Of a dispatch that ended and is not done yet, so that the next one finds it.
void TileRuntime::learnFrom(const ActiveDispatch& dispatch) noexcept try {
    if (dispatch.stopping()) return;
    const Counts counts = dispatch.readCounts();
    const std::uint64_t executed = counts[Counter::instructions];
    if (const LaunchFindings* const known = dispatch.findings()) {
        model_.takeOver(*known, executed);
        if (executed != known->instructions) model_.launches().forget(LaunchKey(dispatch.launch()));
    } else if (dispatch.teaches && dispatch.model()->isWhole()) {
        LaunchFindings found{executed, {}, dispatch.model()->stalls(), counts[Counter::sendInstructions]};
        const auto first = static_cast<std::ptrdiff_t>(Counter::workCycles);
        std::copy(counts.values.begin() + first, counts.values.end(), found.counts.values.begin() + first);
        model_.launches().learn(LaunchKey(dispatch.launch()), std::move(found));
    }
} catch (const std::bad_alloc&) {
    log::debug(log::Channel::emulator, "a launch is not remembered: the host is out of memory");
}

/// None of its groups runs any more: makes it done. Threads that wait for it do not wait for the books. Without locks.
void TileRuntime::retire(const DispatchPointer& dispatch) noexcept {
    if (!dispatch->isCollected()) {
        tellListener();
        complete(*dispatch);
        return;
    }
    if (dispatch->model() != nullptr) dispatch->model()->finish();
    learnFrom(*dispatch);
    noteEnd(*dispatch);
    placeEnded();
}

void TileRuntime::complete(ActiveDispatch& dispatch) noexcept {
    dispatch.finish(device_.clock().timestamp());
    dispatch.complete();
    settle(dispatch);
}

void TileRuntime::settle(const ActiveDispatch& dispatch) noexcept {
    const Lock guard(countsMutex_);
    const auto found = std::ranges::find(unretired_, &dispatch, &DispatchPointer::get);
    if (found == unretired_.end()) return;
    try {
        count(**found);
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "instructions of a dispatch are not counted: the host is out of memory");
        (*found)->count({});
    }
    retiredCounts_ += (*found)->counts();
    unretired_.erase(found);
    quiet_.notify_all();
}

void TileRuntime::kick(ActiveDispatch& dispatch) {
    DispatchList finished;
    {
        const TurnLock guard(scheduler_.mutex());
        for (const auto& group : resident_) {
            if (&group->dispatch() == &dispatch && group->state == WorkGroup::State::parked) scheduler_.enqueue(*group);
        }
        forgetDisplaced(dispatch);
        placeWaiting();
        finished = takeFinished();
    }
    retire(finished);
}

TileRuntime::DispatchPointer TileRuntime::firstGoingOn() {
    const TurnLock guard(scheduler_.mutex());
    shutDown_ = true;
    const auto found = std::ranges::find_if(unfinished_, [](const auto& dispatch) { return !dispatch->stopping(); });
    return found == unfinished_.end() ? nullptr : *found;
}

void TileRuntime::shutDown() {
    control_.detach();
    while (const DispatchPointer dispatch = firstGoingOn()) dispatch->cancel();
    schedule_.stopWaiting();
    placeEnded();
    scheduler_.helpOut([this] {
        const Lock guard(countsMutex_);
        return unretired_.empty();
    });
    Lock lock(countsMutex_);
    quiet_.wait(lock, [this]() ZETL_REQUIRES(countsMutex_) { return unretired_.empty(); });
    usage_.write();
}

Snapshot TileRuntime::counters() const {
    const Lock guard(countsMutex_);
    return read({}, lastRead_);
}

// While the model is behind, the counts of executed work alone would put cycles and bytes where the model catches up.
// A batch that takes very long, or never ends, is seen as it is: with looks, each reading is then a settled one.
Snapshot TileRuntime::countersSoFar() const {
    const Lock guard(countsMutex_);
    const Counts more = model_.countsSoFar();  // asks for looks
    const bool behind = settled_.inFlight != 0;
    const std::uint64_t now = HostTime::monotonicRaw();
    const bool catchesUp = std::ranges::any_of(unretired_, [](const DispatchPointer& dispatch) {
        return dispatch->model() != nullptr && dispatch->model()->catchesUp();
    });
    const bool recent = now - std::min(now, settled_.settledAt) < kLongestBatch;
    const bool justNow = now - std::min(now, settled_.settledAt) < kBetweenTellings;
    if (behind && (justNow || (!overdue_ && (recent || catchesUp)))) return settled_;
    Snapshot reading = read(more, lastSoFar_);
    overdue_ = behind;
    reading.inFlight = settled_.inFlight;
    reading.settledAt = settled_.settledAt;
    if (!behind) return reading;
    reading.settledAt = now;
    remember(reading);
    return reading;
}

void TileRuntime::remember(const Snapshot& settled) const {
    settled_ = settled;
    moments_.push_back(settled);
    if (moments_.size() > kKeptMoments) moments_.pop_front();
}

std::vector<Snapshot> TileRuntime::settledSince(std::uint64_t settledAt) const {
    const Lock guard(countsMutex_);
    const auto first = std::ranges::upper_bound(moments_, settledAt, {}, &Snapshot::settledAt);
    return {first, moments_.end()};
}

void TileRuntime::settleBegin(ActiveDispatch& dispatch) noexcept {
    if (dispatch.atWork.load(std::memory_order_acquire)) return;
    const Lock guard(begins_);
    if (dispatch.atWork.load(std::memory_order_relaxed)) return;
    settleReading();
    dispatch.atWork.store(true, std::memory_order_release);
}

void TileRuntime::settleReading() noexcept {
    try {
        const Lock guard(countsMutex_);
        const std::uint64_t at = HostTime::monotonicRaw();
        Snapshot settled = read(model_.countsSoFar(), lastSoFar_, Beyond::heldBack);
        settled.inFlight = model_.working();
        settled.settledAt = at;
        remember(settled);
        overdue_ = false;
    } catch (const std::bad_alloc&) {
        log::debug(log::Channel::emulator, "counts are settled later: there is no memory to read them");
    }
    tellListener();
}

// While work of the model runs, the core clock advances by the cycles that it took, otherwise with the host's time.
Snapshot TileRuntime::read(const Counts& more, Reading& last, Beyond beyond) const {
    Snapshot snapshot;
    snapshot.counts = retiredCounts_;
    snapshot.counts += more;
    for (const DispatchPointer& dispatch : unretired_) {
        Counts counts = dispatch->readCounts();
        if (beyond == Beyond::heldBack && dispatch->model() != nullptr) holdBack(counts, *dispatch->model());
        snapshot.counts += counts;
    }
    std::uint64_t& cycles = snapshot.counts[Counter::workCycles];
    cycles -= std::min(cycles, sideBySide());
    // Adding up beside running workers may miss what an earlier snapshot saw, but never sees too much.
    for (std::size_t i = 0; i < kCounters; ++i) {
        auto& known = last.counts.values[i];
        known = snapshot.counts.values[i] = std::max(snapshot.counts.values[i], known);
    }
    const std::uint64_t now = HostTime::monotonicRaw();
    snapshot.workTime = model_.workTime(now);
    const double idle = static_cast<double>(now - snapshot.workTime) * device_.profile().coreClockMhz / 1000.0;
    snapshot.timestamp = device_.clock().at(now);
    last.clock = std::max(last.clock, static_cast<std::uint64_t>(idle) + snapshot.counts[Counter::workCycles]);
    snapshot.coreClocks = last.clock;
    return snapshot;
}

std::chrono::nanoseconds TileRuntime::busyTime() const {
    const TurnLock guard(scheduler_.mutex());
    return std::chrono::nanoseconds(slots_.occupancy(HostTime::monotonicRaw()).tiles);
}

std::vector<InstructionCount> TileRuntime::instructionCounts() const {
    const Lock guard(countsMutex_);
    std::vector<Tally::LineCounts> running;
    for (const DispatchPointer& dispatch : unretired_)
        std::ranges::move(dispatch->readLines(), std::back_inserter(running));
    std::vector<InstructionCount> counts;
    for (const auto& range : device_.code().ranges()) {
        const LoadedProgram* loaded = range->program();
        if (loaded == nullptr) continue;
        std::vector<std::uint64_t> executed = loaded->retired.of(*this, loaded->lines.size());
        for (const Tally::LineCounts& part : running)
            if (part.program.get() == loaded)
                part.eachLine([&](isa::Line line, std::uint64_t times) { executed[line] += times; });
        for (isa::Line line = 0; line < executed.size(); ++line) {
            if (executed[line] == 0) continue;
            counts.push_back({codeBase_ + loaded->program->ipOf(line), executed[line],
                              executed[line] * loaded->lines[line].issueSlots});
        }
    }
    return counts;
}

}  // namespace zetl::emulator::machine
