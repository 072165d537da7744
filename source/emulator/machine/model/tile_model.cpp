#include "emulator/machine/model/tile_model.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/log.h"
#include "emulator/machine/code/schedule.h"
#include "emulator/machine/host_time.h"
#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

/// The counts of what was looked at, extrapolated to all that was executed.
std::uint64_t scaled(std::uint64_t value, std::uint64_t executed, std::uint64_t replayed) noexcept {
    return replayed == 0 ? value : share(value, executed, replayed);
}

Counts scaled(Counts counts, std::uint64_t executed, std::uint64_t replayed) noexcept {
    for (std::uint64_t& value : counts.values) value = scaled(value, executed, replayed);
    return counts;
}

/// Of what was replayed, for all that it stands for.
Counts weighed(Counts counts, const SamplePlan::Weights& weights) noexcept {
    const std::uint64_t cycles = weights.cycles.of(counts[Counter::workCycles]);
    for (std::uint64_t& value : counts.values) value = weights.counts.of(value);
    counts[Counter::workCycles] = cycles;
    return counts;
}

/// Host nanoseconds between two looks that counters ask for: a tool that only counts slows no kernel down noticeably.
constexpr std::uint64_t kBetweenLooks = 100'000'000;

/// A replay takes some MB, and most often there is one at a time.
constexpr std::size_t kMostSpare = 2;

}  // namespace

TileModel::TileModel(const DeviceProfile& profile, std::uint64_t codeBase, LineNumbers::FindHome findHome)
    : profile_(profile),
      codeBase_(codeBase),
      launches_(configuredModel({}).percent),
      cache_(profile_, std::move(findHome)) {}

void TileModel::acquire(ModelDetail detail) {
    const Lock guard(mutex_);
    if (detail == ModelDetail::full) full_.fetch_add(1, std::memory_order_acq_rel);
    if (holders_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
    cache_.clear();
    launches_.clear();
}

void TileModel::release(ModelDetail detail) noexcept {
    if (detail == ModelDetail::full) full_.fetch_sub(1, std::memory_order_acq_rel);
    holders_.fetch_sub(1, std::memory_order_acq_rel);
}

TileModel::Replay TileModel::beginReplay(const GroupNeed& need, std::uint64_t groups,
                                         const DispatchReplay::Part& part) {
    const Lock guard(mutex_);
    Replay replay;
    if (spare_.empty()) {
        replay = std::make_unique<DispatchReplay>(profile_, cache_);
    } else {
        replay = std::move(spare_.back());
        spare_.pop_back();
    }
    replay->begin(need, groups, part);
    return replay;
}

void TileModel::keep(Replay replay) noexcept try {
    const Lock guard(mutex_);
    if (replay && spare_.size() < kMostSpare) spare_.push_back(std::move(replay));
} catch (const std::bad_alloc&) {
    log::debug(log::Channel::emulator, "the memory of a replay is not kept for the next one");
}

StallsByAddress TileModel::byAddress(const LineStalls& stalls, const SamplePlan::Weight& weight) const {
    StallsByAddress all;
    for (const auto& [schedule, lines] : stalls) {
        for (isa::Line line = 0; line < lines.size(); ++line) {
            if (std::ranges::all_of(lines[line], [](std::uint64_t cycles) { return cycles == 0; })) continue;
            StallCycles& sum = all[codeBase_ + schedule->program.program->ipOf(line)];
            std::ranges::transform(sum, lines[line], sum.begin(), [&](std::uint64_t before, std::uint64_t cycles) {
                return before + weight.of(cycles);
            });
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

TileModel::Growth TileModel::replay(const void* dispatch, DispatchReplay& replay, const SamplePlan::Weights& weights) {
    const Lock guard(mutex_);
    replay.run();
    const DispatchReplay::Growth growth = replay.takeGrowth();
    const Lock stalls(stallsMutex_);
    previews_.erase(dispatch);
    Growth weighedGrowth{weighed(growth.counts, weights), byAddress(growth.stalls, weights.counts),
                         growth.counts[Counter::workCycles], growth.spread};
    addTo(stalls_, weighedGrowth.stalls);
    stallsFound_.fetch_add(1, std::memory_order_release);
    return weighedGrowth;
}

// It works on copies of the replay and of the cache: what it goes through will be replayed when all of it is known,
// with the same result.
bool TileModel::preview(const void* dispatch, const DispatchReplay& soFar, std::span<const GroupTrace* const> groups,
                        const SamplePlan::Weights& weights) {
    std::unique_ptr<TileCache> cache;
    {
        const Lock guard(mutex_);
        cache = std::make_unique<TileCache>(cache_);
    }
    DispatchReplay replay(soFar, *cache);
    std::uint64_t executed = 0;
    for (const GroupTrace* const group : groups) {
        replay.add(group);
        for (const ThreadTrace& thread : group->threads) executed += thread.executed;
    }
    replay.run();
    const DispatchReplay::Growth growth = replay.takeGrowth();
    const Lock stalls(stallsMutex_);
    previews_[dispatch] = {weighed(growth.counts, weights), byAddress(growth.stalls, weights.counts), executed,
                           executed};
    return !replay.unknown();
}

void TileModel::takeOver(const LaunchFindings& findings, std::uint64_t executed) {
    const Lock guard(stallsMutex_);
    add(stalls_, {{}, findings.stalls, executed, findings.instructions});
    stallsFound_.fetch_add(1, std::memory_order_release);
}

/// What division leaves over goes to the address with the most.
void TileModel::addWaits(const StallsByAddress& launch, const StallCycles& waits) {
    const Lock guard(stallsMutex_);
    for (std::size_t reason = 0; reason < kStallReasons; ++reason) {
        if (waits[reason] == 0 || launch.empty()) continue;
        const auto of = [&](const auto& at) { return at.second[reason]; };
        std::uint64_t all = 0;
        for (const auto& at : launch) all += of(at);
        std::uint64_t left = waits[reason];
        for (const auto& at : launch) {
            const std::uint64_t part = share(waits[reason], of(at), all);
            stalls_[at.first][reason] += part;
            left -= part;
        }
        stalls_[std::ranges::max_element(launch, {}, of)->first][reason] += left;
    }
    stallsFound_.fetch_add(1, std::memory_order_release);
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
        stallsFound_.fetch_add(1, std::memory_order_release);
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

std::uint64_t TileModel::cyclesAhead(const void* dispatch) const {
    const Lock guard(stallsMutex_);
    const auto found = previews_.find(dispatch);
    if (found == previews_.end()) return 0;
    const Preview& preview = found->second;
    return scaled(preview.counts[Counter::workCycles], preview.executed, preview.replayed);
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
