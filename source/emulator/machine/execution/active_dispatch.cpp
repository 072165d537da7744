#include "emulator/machine/execution/active_dispatch.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "emulator/machine/execution/kernel_start.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/model/scaled_counts.h"

namespace zetl::emulator::machine {
namespace {

std::atomic<std::uint64_t> lastId{0};

std::uint64_t product(const Extent& extent) noexcept { return std::uint64_t{extent[0]} * extent[1] * extent[2]; }

// Order of the state base registers in the register set SBA of Intel's debug interface (gdb, intelgt).
enum StateBase : std::size_t {
    kGeneral,
    kSurface,
    kDynamic,
    kIndirectObject,
    kInstruction,
    kBindlessSurfaces,
    kBindlessSamplers,
    kScratch = 8
};

const Fault& lostFault() {
    static NeverDestroyed<Fault> fault([] {
        Fault f;
        f.kind = FaultKind::deviceLost;
        f.detail = "the process forked, and the device belongs to the parent";
        return f;
    }());
    return *fault;
}

}  // namespace

ActiveDispatch::ActiveDispatch(TileRuntime& tile, Launch launch, Completion completion)
    : tile_(tile),
      id_(++lastId),
      launch_(std::move(launch)),
      completion_(std::move(completion)),
      workers_(tile.scheduler().workers()),
      slots_(tile.scheduler().slots()),
      order_(tile.scheduler().order()),
      number_(tile.scheduler().numberDispatch()),
      tallies_(std::make_unique<std::atomic<Tally*>[]>(slots_)) {
    const std::uint64_t items = product(launch_.groupSize);
    const std::uint64_t threads = (items + launch_.simd - 1) / std::max(launch_.simd, 1u);
    items_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(items, UINT32_MAX));
    need_ = {static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, UINT32_MAX)), launch_.slmBytes,
             launch_.grfCount};
    total_ = product(launch_.groupCount);
}

ActiveDispatch::~ActiveDispatch() {
    for (std::uint32_t w = 0; w < slots_; ++w) delete tallies_[w].load(std::memory_order_relaxed);
}

bool ActiveDispatch::bind(IndirectArena& arena, ScratchAreas& scratch, std::uint64_t instructionBase) {
    auto block = arena.allocate(launch_.indirect.size());
    if (!block) return false;
    block_ = std::move(*block);
    std::ranges::copy(launch_.indirect, block_.bytes().begin());
    for (const SelfReference& reference : launch_.references) {
        const std::uint64_t target = block_.address() + reference.target;
        if (reference.at + sizeof target > launch_.indirect.size()) continue;
        std::memcpy(block_.bytes().data() + reference.at, &target, sizeof target);
    }
    if (launch_.scratchBytes != 0) scratch_ = scratch.find(launch_.scratchBytes);
    stateBases_[kGeneral] = stateBases_[kIndirectObject] = block_.address();
    stateBases_[kInstruction] = instructionBase;
    stateBases_[kBindlessSurfaces] = stateBases_[kBindlessSamplers] = launch_.stateHeap;
    stateBases_[kScratch] = scratch_.base;
    return true;
}

std::optional<Extent> ActiveDispatch::takeGroup() noexcept {
    const GroupRange one = takeGroups(1);
    if (one.empty()) return {};
    return groupAt(one.next);
}

/// The number of the group that is taken as number `index`.
std::uint64_t ActiveDispatch::taken(std::uint64_t index) const noexcept {
    if (takesInOrder()) return index;
    return order_.isShuffled() ? order_.group(number_, index, total_) : total_ - 1 - index;
}

/// What one worker may take of so many groups at once, so that all end at about the same time.
std::uint64_t ActiveDispatch::shareOf(std::uint64_t groups) const noexcept {
    constexpr std::uint64_t kPartsOfWorkers = 8;
    return groups / (workers_ * kPartsOfWorkers);
}

bool ActiveDispatch::isLarge() const noexcept { return workers_ > 1 && takesInOrder() && shareOf(total_) > 1; }

ActiveDispatch::GroupRange ActiveDispatch::takeGroups(std::uint64_t most) noexcept {
    std::uint64_t index = next_.load(std::memory_order_relaxed);
    std::uint64_t count = 0;
    do {
        if (stopping() || index >= total_ || (model_ && !model_->admits(index))) return {};
        count = takesInOrder() ? std::clamp<std::uint64_t>(shareOf(total_ - index), 1, most) : 1;
        if (model_) count = std::max<std::uint64_t>(model_->unfollowedFrom(index, count), 1);
    } while (!next_.compare_exchange_weak(index, index + count, std::memory_order_relaxed));
    if (!takesInOrder()) index = taken(index);
    return {index, index + count};
}

Extent ActiveDispatch::groupAt(std::uint64_t number) const noexcept {
    const Extent& count = launch_.groupCount;
    const Extent& first = launch_.firstGroup;
    if (number < count[0]) return {first[0] + static_cast<std::uint32_t>(number), first[1], first[2]};  // no division
    return Extent{first[0] + static_cast<std::uint32_t>(number % count[0]),
                  first[1] + static_cast<std::uint32_t>(number / count[0] % count[1]),
                  first[2] + static_cast<std::uint32_t>(number / count[0] / count[1])};
}

std::uint32_t ActiveDispatch::groupsInLine(const Extent& group) const noexcept {
    return launch_.firstGroup[0] + launch_.groupCount[0] - group[0];
}

GroupNeed ActiveDispatch::groupNeed(const DeviceProfile& profile) const noexcept {
    return {need_.threads,
            profile.threadsPerSubslice() / std::max(profile.usableThreadsPerSubslice(need_.grfCount), 1u),
            profile.slmGiven(need_.slmBytes)};
}

void ActiveDispatch::follow(TileModel& tile, std::shared_ptr<void> collecting, ModelDetail detail) {
    model_ = std::make_unique<DispatchModel>(tile, groupNeed(tile.profile()), total_, std::move(collecting), detail);
}

void ActiveDispatch::place(const WorkSchedule::Placement& placement, const Counts& waits) noexcept {
    endAt(placement.end);
    const Lock guard(mutex_);
    waits_ = waits;
}

std::uint64_t ActiveDispatch::numberOf(const Extent& group) const noexcept {
    const Extent& count = launch_.groupCount;
    const Extent& first = launch_.firstGroup;
    return group[0] - first[0] +
           std::uint64_t{count[0]} * (group[1] - first[1] + std::uint64_t{count[1]} * (group[2] - first[2]));
}

void ActiveDispatch::fail(Fault fault) noexcept {
    fault.dispatch = id_;
    const Lock guard(mutex_);
    if (fault_ || done_) return;
    fault_ = std::move(fault);
    stopping_.store(true, std::memory_order_relaxed);
    // Still with the mutex: a thread that sees the dispatch done reads the fault without it.
    try {
        if (fault_.kernel.empty()) fault_.kernel = launch_.kernel;
        if (fault_.kind != FaultKind::cancelled) log::error(log::Channel::emulator, "{}", fault_.describe());
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "a fault in kernel '{}', and no memory to describe it", launch_.kernel);
    }
    if (fault_.kind == FaultKind::cancelled)
        log::info(log::Channel::emulator, "dispatch {} of kernel '{}' is stopped on request", id_, launch_.kernel);
}

void ActiveDispatch::failForMemory() noexcept {
    Fault fault;
    fault.kind = FaultKind::outOfMemory;
    fail(std::move(fault));
}

Tally& ActiveDispatch::tally(std::uint32_t worker) {
    std::atomic<Tally*>& slot = tallies_[worker];
    Tally* known = slot.load(std::memory_order_relaxed);
    if (known == nullptr) slot.store(known = new Tally, std::memory_order_release);
    return *known;
}

/// Groups go to the sub-slices one by one, as in the model, and so do threads to their engines: the fullest engine has
/// so many threads, and each takes its share of the busiest port.
std::uint64_t ActiveDispatch::issueCycles(const Counts& portCycles) const noexcept {
    __extension__ using Wide = unsigned __int128;
    const DeviceProfile& profile = tile_.device().profile();
    const auto parts = [](std::uint64_t all, std::uint64_t of) { return (all + of - 1) / of; };
    const std::uint64_t fullest = parts(parts(total_, profile.subslices()) * need_.threads, profile.eusPerSubslice);
    const Wide threads = Wide{total_} * need_.threads;
    const std::uint64_t busiest = std::ranges::max(portCycles.values);
    return threads == 0 ? 0 : static_cast<std::uint64_t>((Wide{busiest} * fullest + threads - 1) / threads);
}

/// Calls f for the tallies of workers that executed some of it.
template <class F>
void ActiveDispatch::eachTally(F&& f) const {
    for (std::uint32_t w = 0; w < slots_; ++w)
        if (Tally* const tally = tallies_[w].load(std::memory_order_acquire)) f(*tally);
}

Counts ActiveDispatch::countsWith(const std::vector<Tally::LineCounts>& lines) const {
    Counts sum;
    Counts portCycles;
    eachTally([&](const Tally& tally) { sum += tally.direct(); });
    for (const Tally::LineCounts& part : lines) part.addTo(sum, portCycles);
    sum[Counter::issueCycles] = issueCycles(portCycles);
    sum[Counter::floatSlots] = portCycles[Counter::floatInstructions];
    sum[Counter::integerSlots] = portCycles[Counter::integerInstructions];
    sum[Counter::matrixSlots] = portCycles[Counter::matrixInstructions];
    if (begun()) sum[Counter::dispatches] = 1;
    const Executed executed{sum[Counter::instructions], sum[Counter::sendInstructions]};
    if (model_) sum += model_->counts(executed);
    if (findings_)
        sum += scaledToAll(findings_->counts, executed, {findings_->instructions, findings_->messages},
                           tile_.device().profile().timing.lineBytes);
    const Lock guard(mutex_);
    sum += waits_;
    return sum;
}

Counts ActiveDispatch::readCounts() const { return countsWith(readLines()); }

std::vector<Tally::LineCounts> ActiveDispatch::readLines() const {
    std::vector<Tally::LineCounts> all;
    eachTally([&](const Tally& tally) { std::ranges::move(tally.lines(), std::back_inserter(all)); });
    return all;
}

std::vector<Tally::LineCounts> ActiveDispatch::takeLines() {
    std::vector<Tally::LineCounts> all;
    eachTally([&](Tally& tally) { std::ranges::move(tally.takeLines(), std::back_inserter(all)); });
    return all;
}

void ActiveDispatch::begin(std::uint64_t ticks) noexcept {
    start_ = ticks;
    begun_.store(true, std::memory_order_relaxed);
}

void ActiveDispatch::finish(std::uint64_t ticks) noexcept {
    block_ = {};
    const Lock guard(mutex_);
    if (!begun()) start_ = ticks - 1;
    end_ = ticks;
    done_.store(true, std::memory_order_release);
    finished_.notify_all();
}

void ActiveDispatch::count(const std::vector<Tally::LineCounts>& lines) noexcept {
    counts_ = countsWith(lines);
    counted_.store(true, std::memory_order_release);
}

const Counts& ActiveDispatch::counts() const noexcept {
    const bool counted = counted_.load(std::memory_order_acquire) || fork_.inChild();
    if (!counted && done()) tile_.settleNow(*this);
    return counts_;
}

void ActiveDispatch::complete() {
    if (!completion_) return;
    const Completion completion = std::move(completion_);
    completion_ = {};
    completion(*this);
}

bool ActiveDispatch::done() const noexcept { return done_.load(std::memory_order_acquire) || fork_.inChild(); }

bool ActiveDispatch::wait(std::chrono::nanoseconds timeout) const {
    if (done()) return true;
    const auto begin = std::chrono::steady_clock::now();
    const auto left = [&] { return timeout - (std::chrono::steady_clock::now() - begin); };
    tile_.scheduler().helpOut([&] { return done() || left() <= timeout.zero(); });
    timeout = left();
    Lock guard(mutex_);
    return finished_.wait_for(guard, timeout, [this] { return done(); });
}

void ActiveDispatch::wait() const {
    if (done()) return;
    if (launch_.awaited) tile_.scheduler().help(*this);
    while (!waitAWhile()) tile_.placeOverdue();
}

/// Without a limit, unless it may end before those that its place in the model's time depends on.
bool ActiveDispatch::waitAWhile() const {
    tile_.scheduler().helpOut([this] { return done() || tile_.someEnded(); });
    Lock guard(mutex_);
    const auto isDone = [this] { return done(); };
    if (isCollected()) return finished_.wait_for(guard, TileRuntime::kPatience / 4, isDone);
    finished_.wait(guard, isDone);
    return true;
}

void ActiveDispatch::cancel() noexcept {
    if (done()) return;
    Fault fault;
    fault.kind = FaultKind::cancelled;
    fail(std::move(fault));
    tile_.kick(*this);
}

const Fault& ActiveDispatch::fault() const noexcept {
    return !done_.load(std::memory_order_acquire) && fork_.inChild() ? lostFault() : fault_;
}

}  // namespace zetl::emulator::machine
