#include "emulator/machine/model/tile_model.h"

#include <algorithm>
#include <utility>

#include "emulator/machine/code/schedule.h"

namespace zetl::emulator::machine {
namespace {

/// Counters of the cycles that threads did not issue in, in the order of the reasons behind `active`.
constexpr Counter kStallCounters[] = {Counter::controlStalls,  Counter::pipeStalls,  Counter::sendStalls,
                                      Counter::distanceStalls, Counter::tokenStalls, Counter::syncStalls,
                                      Counter::fetchStalls,    Counter::otherStalls};
static_assert(std::size(kStallCounters) == kStallReasons - 1);

/// What a batch would have counted, had the traces held all that was executed.
std::uint64_t scaled(std::uint64_t value, std::uint64_t executed, std::uint64_t replayed) noexcept {
    __extension__ using Wide = unsigned __int128;
    return replayed == 0 ? value : static_cast<std::uint64_t>(Wide{value} * executed / replayed);
}

}  // namespace

TileModel::TileModel(const DeviceProfile& profile, std::uint64_t codeBase, LineNumbers::IsHost isHost)
    : profile_(profile), codeBase_(codeBase), memory_(profile_, std::move(isHost)) {}

void TileModel::acquire() {
    const Lock guard(mutex_);
    if (holders_.fetch_add(1, std::memory_order_acq_rel) == 0) memory_.clear();
}

/// Runs them all to their end, in windows no longer than a barrier takes, so that no engine is ahead of a barrier that
/// another one opens. When the last thread ended.
std::uint64_t TileModel::simulate(std::deque<Subslice>& subslices) {
    for (Subslice& subslice : subslices) subslice.begin(clock_);
    for (;;) {
        std::uint64_t next = Subslice::kNever;
        for (const Subslice& subslice : subslices) next = std::min(next, subslice.next());
        if (next == Subslice::kNever) break;
        for (Subslice& subslice : subslices) subslice.run(next + profile_.timing.barrier);
    }
    std::uint64_t end = clock_;
    for (const Subslice& subslice : subslices) end = std::max(end, subslice.finished());
    return end;
}

Counts TileModel::replay(std::span<const std::unique_ptr<GroupTrace>> batch, std::uint64_t firstIndex,
                         const GroupNeed& need, bool first) {
    const Lock guard(mutex_);
    if (first) memory_.invalidateL1();
    Counts counts;
    LineStalls stalls;
    std::deque<Subslice> subslices;
    for (std::uint32_t i = 0; i < profile_.subslices(); ++i)
        subslices.emplace_back(profile_, i, memory_, stalls, counts);
    std::uint64_t executed = 0;
    std::uint64_t replayed = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!batch[i]) continue;
        subslices[(firstIndex + i) % subslices.size()].add(*batch[i], need);
        for (const ThreadTrace& thread : batch[i]->threads) executed += thread.executed;
    }
    const std::uint64_t end = simulate(subslices);
    for (const Subslice& subslice : subslices) replayed += subslice.replayed();
    counts[Counter::workCycles] = end - clock_;
    clock_ = end;
    memory_.takeCounts(counts);
    for (std::size_t i = 0; i < std::size(kStallCounters); ++i) counts[kStallCounters[i]] += stalls.all[i + 1];
    const bool whole = std::ranges::all_of(
        batch, [](const auto& group) { return !group || std::ranges::all_of(group->threads, &ThreadTrace::complete); });
    if (whole) executed = replayed;
    for (std::uint64_t& value : counts.values) value = scaled(value, executed, replayed);
    keep(stalls, executed, replayed);
    return counts;
}

void TileModel::keep(const LineStalls& stalls, std::uint64_t executed, std::uint64_t replayed) {
    const Lock guard(stallsMutex_);
    for (const auto& [schedule, lines] : stalls.lines) {
        for (isa::Line line = 0; line < lines.size(); ++line) {
            if (std::ranges::all_of(lines[line], [](std::uint64_t cycles) { return cycles == 0; })) continue;
            StallCycles& sum = stalls_[codeBase_ + schedule->program.program->ipOf(line)];
            for (std::size_t r = 0; r < kStallReasons; ++r) sum[r] += scaled(lines[line][r], executed, replayed);
        }
    }
}

std::vector<InstructionStalls> TileModel::stalls() const {
    const Lock guard(stallsMutex_);
    std::vector<InstructionStalls> all;
    all.reserve(stalls_.size());
    for (const auto& [address, cycles] : stalls_) all.push_back({address, cycles});
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

std::uint64_t TileModel::workTime(std::uint64_t now) const {
    const Lock guard(workMutex_);
    return workTime_ + (working_ != 0 ? now - std::min(now, workSince_) : 0);
}

}  // namespace zetl::emulator::machine
