#include "emulator/machine/model/tile_model.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/log.h"
#include "emulator/machine/code/schedule.h"
#include "emulator/machine/host_time.h"

namespace zetl::emulator::machine {
namespace {

/// Counters of the cycles in which threads did not issue, in the order of the reasons behind `active`.
constexpr Counter kStallCounters[] = {Counter::controlStalls,  Counter::pipeStalls,  Counter::sendStalls,
                                      Counter::distanceStalls, Counter::tokenStalls, Counter::syncStalls,
                                      Counter::fetchStalls,    Counter::otherStalls};
static_assert(std::size(kStallCounters) == kStallReasons - 1);

/// The counts of a batch, extrapolated to all that was executed.
std::uint64_t scaled(std::uint64_t value, std::uint64_t executed, std::uint64_t replayed) noexcept {
    __extension__ using Wide = unsigned __int128;
    return replayed == 0 ? value : static_cast<std::uint64_t>(Wide{value} * executed / replayed);
}

Counts scaled(Counts counts, std::uint64_t executed, std::uint64_t replayed) noexcept {
    for (std::uint64_t& value : counts.values) value = scaled(value, executed, replayed);
    return counts;
}

/// Host nanoseconds between two looks that counters ask for: a tool that only counts slows no kernel down noticeably.
constexpr std::uint64_t kBetweenLooks = 100'000'000;

/// Cycles for which a sub-slice runs before others follow: accesses to L3 are out of order by as much.
constexpr std::uint64_t kWindow = 4096;

}  // namespace

TileModel::TileModel(const DeviceProfile& profile, std::uint64_t codeBase, LineNumbers::IsHost isHost)
    : profile_(profile), codeBase_(codeBase), memory_(profile_, std::move(isHost)) {}

void TileModel::acquire() {
    const Lock guard(mutex_);
    if (holders_.fetch_add(1, std::memory_order_acq_rel) == 0) memory_.clear();
}

/// Runs them all to their end, or to that of what is known of them. Windows are long, so that what a sub-slice works
/// with stays in the host's caches; each begins with another one, so that none is always the first to come to L3.
void TileModel::simulate(std::deque<Subslice>& subslices, MemorySystem& memory, std::uint64_t clock) {
    const auto unknown = [&] { return std::ranges::any_of(subslices, &Subslice::unknown); };
    for (Subslice& subslice : subslices) subslice.begin(clock);
    for (std::size_t first = 0; !unknown(); first = (first + 1) % subslices.size()) {
        std::uint64_t next = Subslice::kNever;
        for (const Subslice& subslice : subslices) next = std::min(next, subslice.next());
        if (next == Subslice::kNever) break;
        memory.passed(next);
        const auto at = [&](std::size_t i) -> Subslice& { return subslices[(first + i) % subslices.size()]; };
        for (std::size_t i = 0; i < subslices.size(); ++i) {
            at(i + 2).prepareThreads();
            at(i + 1).prepareTraces();
            at(i).run(next + kWindow);
            if (at(i).unknown()) break;
        }
    }
}

TileModel::Outcome TileModel::run(const Batch& batch, MemorySystem& memory, std::vector<ThreadRun>& threads,
                                  std::uint64_t clock) const {
    if (batch.firstIndex == 0) memory.invalidateL1();
    Outcome outcome;
    Counts& counts = outcome.counts;
    std::deque<Subslice> subslices;
    const std::size_t each = Subslice::threadsOf(profile_);
    threads.resize(each * profile_.subslices());
    for (std::uint32_t i = 0; i < profile_.subslices(); ++i)
        subslices.emplace_back(profile_, i, memory, outcome.stalls, std::span(threads).subspan(i * each, each));
    for (std::size_t i = 0; i < batch.groups.size(); ++i) {
        const GroupTrace* const group = batch.groups[i];
        if (group == nullptr) continue;
        subslices[(batch.firstIndex + i) % subslices.size()].add(*group, batch.need);
        for (const ThreadTrace& thread : group->threads) outcome.executed += thread.executed;
    }
    simulate(subslices, memory, clock);
    const bool goesOn = std::ranges::any_of(subslices, &Subslice::unknown);
    outcome.end = clock;
    for (Subslice& subslice : subslices) {
        if (goesOn) subslice.pause();
        outcome.end = std::max(outcome.end, subslice.finished());
    }
    for (const Subslice& subslice : subslices) subslice.addTo(counts);
    counts[Counter::workCycles] = outcome.end - clock;
    memory.takeCounts(counts);
    for (const auto& [schedule, lines] : outcome.stalls)
        for (const StallCycles& cycles : lines) {
            outcome.replayed += cycles[0];  // active: one an instruction
            for (std::size_t i = 0; i < std::size(kStallCounters); ++i) counts[kStallCounters[i]] += cycles[i + 1];
        }
    const bool whole = std::ranges::all_of(batch.groups, [](const GroupTrace* group) {
        return group == nullptr || std::ranges::all_of(group->threads, &ThreadTrace::complete);
    });
    outcome.exhausted = !goesOn;
    if (whole || !outcome.exhausted) outcome.executed = outcome.replayed;
    return outcome;
}

TileModel::StallsByAddress TileModel::byAddress(const LineStalls& stalls) const {
    StallsByAddress all;
    for (const auto& [schedule, lines] : stalls) {
        for (isa::Line line = 0; line < lines.size(); ++line) {
            if (std::ranges::all_of(lines[line], [](std::uint64_t cycles) { return cycles == 0; })) continue;
            StallCycles& sum = all[codeBase_ + schedule->program.program->ipOf(line)];
            std::ranges::transform(sum, lines[line], sum.begin(), std::plus<>());
        }
    }
    return all;
}

void TileModel::add(StallsByAddress& sum, const Preview& part) {
    for (const auto& [address, cycles] : part.stalls) {
        StallCycles& all = sum[address];
        for (std::size_t r = 0; r < kStallReasons; ++r) all[r] += scaled(cycles[r], part.executed, part.replayed);
    }
}

Counts TileModel::replay(const void* dispatch, const Batch& batch) {
    const Lock guard(mutex_);
    Outcome outcome = run(batch, memory_, threads_, clock_);
    clock_ = outcome.end;
    outcome.counts = scaled(outcome.counts, outcome.executed, outcome.replayed);
    const Lock stalls(stallsMutex_);
    previews_.erase(dispatch);
    add(stalls_, {{}, byAddress(outcome.stalls), outcome.executed, outcome.replayed});
    return outcome.counts;
}

// It works on a copy of the caches: the batch will be replayed when all of it is known, with the same result.
bool TileModel::preview(const void* dispatch, const Batch& batch) {
    std::unique_ptr<MemorySystem> memory;
    std::uint64_t clock = 0;
    {
        const Lock guard(mutex_);
        memory = std::make_unique<MemorySystem>(memory_);
        clock = clock_;
    }
    std::vector<ThreadRun> threads;
    const Outcome outcome = run(batch, *memory, threads, clock);
    const Lock stalls(stallsMutex_);
    previews_[dispatch] = {outcome.counts, byAddress(outcome.stalls), outcome.executed, outcome.replayed};
    return outcome.exhausted;
}

void TileModel::goOn(const void* dispatch, std::uint64_t executed) {
    const Lock guard(stallsMutex_);
    if (const auto found = previews_.find(dispatch); found != previews_.end())
        found->second.executed = std::max(found->second.executed, executed);
}

void TileModel::end(const void* dispatch) noexcept {
    const Lock guard(stallsMutex_);
    const auto found = previews_.find(dispatch);
    if (found == previews_.end()) return;
    cut_ += scaled(found->second.counts, found->second.executed, found->second.replayed);
    try {
        add(stalls_, found->second);
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "samples of a dispatch are lost: the host is out of memory");
    }
    previews_.erase(found);
}

Counts TileModel::countsSoFar() const {
    const std::uint64_t now = HostTime::monotonicRaw();
    std::uint64_t last = countsAsked_.load(std::memory_order_relaxed);
    if (now - last >= kBetweenLooks && countsAsked_.compare_exchange_strong(last, now, std::memory_order_relaxed))
        looks_.fetch_add(1, std::memory_order_relaxed);
    const Lock guard(stallsMutex_);
    Counts sum = cut_;
    for (const auto& [dispatch, preview] : previews_) sum += scaled(preview.counts, preview.executed, preview.replayed);
    return sum;
}

std::vector<InstructionStalls> TileModel::stalls() const {
    looks_.fetch_add(1, std::memory_order_relaxed);
    const Lock guard(stallsMutex_);
    StallsByAddress sum = stalls_;
    for (const auto& [dispatch, preview] : previews_) add(sum, preview);
    std::vector<InstructionStalls> all;
    all.reserve(sum.size());
    for (const auto& [address, cycles] : sum) all.push_back({address, cycles});
    return all;
}

void TileModel::beginWork(std::uint64_t now) {
    const Lock guard(workMutex_);
    if (working_++ == 0) workSince_ = now;
}

void TileModel::endWork(std::uint64_t now) {
    const Lock guard(workMutex_);
    if (--working_ == 0) workTime_ += now - std::min(now, workSince_);
}

std::uint32_t TileModel::working() const {
    const Lock guard(workMutex_);
    return working_;
}

std::uint64_t TileModel::workTime(std::uint64_t now) const {
    const Lock guard(workMutex_);
    return workTime_ + (working_ != 0 ? now - std::min(now, workSince_) : 0);
}

}  // namespace zetl::emulator::machine
