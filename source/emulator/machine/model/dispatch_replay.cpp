#include "emulator/machine/model/dispatch_replay.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace zetl::emulator::machine {
namespace {

/// From the sub-slice that is first in a round to the one that is first in the next: a sub-slice that is early in one
/// round is late in others. About the golden section, and prime to their number, so that each is first equally often.
std::size_t strideOf(std::size_t subslices) noexcept {
    std::size_t stride = std::max<std::size_t>(1, subslices * 5 / 8);
    while (std::gcd(stride, subslices) > 1) --stride;
    return stride;
}

}  // namespace

DispatchReplay::DispatchReplay(const DeviceProfile& profile, TileCache& cache)
    : memory_(profile, cache),
      common_{profile, {}, memory_, tally_},
      threads_(Subslice::threadsOf(profile) * profile.subslices()) {}

DispatchReplay::DispatchReplay(const DispatchReplay& other, TileCache& cache)
    : memory_(other.memory_, cache),
      tally_(other.tally_),
      common_{other.common_.profile, other.common_.need, memory_, tally_, other.common_.more},
      threads_(other.threads_.size()),
      queue_(other.queue_),
      groups_(other.groups_),
      stopsAtBatches_(other.stopsAtBatches_),
      begun_(other.begun_),
      window_(other.window_),
      roundEnd_(other.roundEnd_),
      first_(other.first_),
      most_(other.most_),
      unknown_(other.unknown_),
      executed_(other.executed_),
      taken_(other.taken_) {
    const std::size_t each = Subslice::threadsOf(common_.profile);
    for (const Subslice& subslice : other.subslices_)
        subslices_.emplace_back(subslice, common_, std::span(threads_).subspan(subslices_.size() * each, each));
}

void DispatchReplay::begin(const GroupNeed& need, std::uint64_t groups, const Part& part) {
    memory_.begin(part.subslices, part.of);
    tally_ = {};
    common_.need = need;
    common_.ended.clear();
    subslices_.clear();
    queue_.clear();
    groups_ = groups;
    stopsAtBatches_ = part.subslices != part.of;
    begun_ = 0;
    executed_ = {};
    common_.more = left() != 0;
    roundEnd_ = window_ = std::min<std::uint64_t>(MemorySystem::kCrowdedWindow, common_.profile.timing.window);
    first_ = most_ = 0;
    unknown_ = false;
    taken_ = {};
    const std::size_t each = Subslice::threadsOf(common_.profile);
    for (std::uint32_t i = 0; i < part.subslices; ++i)
        subslices_.emplace_back(common_, i, std::span(threads_).subspan(i * each, each));
}

void DispatchReplay::close() noexcept {
    groups_ = begun_ + queue_.size();
    common_.more = left() != 0;
}

std::vector<const GroupTrace*> DispatchReplay::takeEnded() noexcept { return std::exchange(common_.ended, {}); }

const GroupTrace* DispatchReplay::takeNext() noexcept {
    const GroupTrace* const group = queue_.front();
    queue_.pop_front();
    ++begun_;
    common_.more = left() != 0;
    return group;
}

void DispatchReplay::run() {
    do {
        beginGroups();
        if (unknown_ || (common_.more && queue_.empty())) return;
    } while (beginRound());
}

/// Those for which there is room before the round ends, in the order of that time; of several sub-slices with room, the
/// one with the fewest groups goes first.
void DispatchReplay::beginGroups() {
    const auto urgency = [](const Subslice& subslice) { return std::pair(subslice.roomSince(), subslice.groups()); };
    while (common_.more && !queue_.empty() && !unknown_) {
        Subslice& subslice = *std::ranges::min_element(subslices_, {}, urgency);
        if (subslice.roomSince() >= roundEnd_) return;
        if (const GroupTrace* const group = takeNext()) subslice.begin(*group);
        most_ = std::max(most_, subslice.groups());
        if (common_.more)
            subslice.run(roundEnd_);
        else
            passOn();
        unknown_ = unknown_ || subslice.unknown();
    }
}

/// How many groups a sub-slice has in reserve when a round begins, so that it need not stop for each. There are none
/// near the end, where they would be missing elsewhere.
std::size_t DispatchReplay::reserves() const noexcept {
    constexpr std::uint64_t kPart = 4;
    if (stopsAtBatches_) return 0;
    return static_cast<std::size_t>(std::min<std::uint64_t>(most_, left() / (kPart * subslices_.size())));
}

/// In turns, so that neighbours are on different sub-slices.
void DispatchReplay::deal(std::size_t each) {
    for (std::size_t reserved = 0; reserved < each; ++reserved)
        for (Subslice& subslice : subslices_)
            if (subslice.reserved() <= reserved) subslice.reserve(takeNext());
}

/// Lets all sub-slices come to the end of the round, or to where they have room for a group.
void DispatchReplay::passOn() {
    const auto at = [&](std::size_t i) -> Subslice& { return subslices_[(first_ + i) % subslices_.size()]; };
    for (std::size_t i = 0; i < subslices_.size() && !unknown_; ++i) {
        at(i + 2).prepareThreads();
        at(i + 1).prepareTraces();
        at(i).run(roundEnd_);
        unknown_ = at(i).unknown();
    }
}

std::uint64_t DispatchReplay::nextTime() const noexcept {
    std::uint64_t next = Subslice::kNever;
    for (const Subslice& subslice : subslices_)
        next = std::min({next, subslice.next(), common_.more ? subslice.roomSince() : Subslice::kNever});
    return next;
}

/// Where the way to memory is crowded, a sub-slice that is early in a round would take all that its groups ask for from
/// those that come later in the round. So rounds are short there, and become longer again where nobody waits.
std::uint64_t DispatchReplay::nextWindow() noexcept {
    const std::uint64_t longest = common_.profile.timing.window;
    return std::min(longest, memory_.takeCrowded() ? MemorySystem::kCrowdedWindow : 2 * window_);
}

/// Rounds are long, so that what a sub-slice works with stays in the host's caches; each begins with another one, so
/// that none is always the first to come to L3. Returns false if it goes no further for now.
bool DispatchReplay::beginRound() {
    const std::uint64_t next = nextTime();
    if (next == Subslice::kNever) return false;
    const std::size_t each = reserves();
    if (queue_.size() < each * subslices_.size()) return false;  // it goes on here once they are known
    deal(each);
    memory_.passed(next);
    window_ = nextWindow();
    roundEnd_ = next + window_;
    first_ = (first_ + strideOf(subslices_.size())) % subslices_.size();
    passOn();
    return !unknown_;
}

/// Since when the next group could begin, if it waits for that: until then a batch lasts, whatever its groups still do.
std::uint64_t DispatchReplay::neededSince() const noexcept {
    if (!common_.more || !queue_.empty()) return Subslice::kNever;
    return std::ranges::min_element(subslices_, {}, &Subslice::roomSince)->roomSince();
}

DispatchReplay::Growth DispatchReplay::takeGrowth() {
    Growth now;
    ReplayTally tally = tally_;
    std::uint64_t latest = 0;
    std::uint64_t earliest = Subslice::kNever;
    for (const Subslice& subslice : subslices_) {
        const std::uint64_t end = subslice.addLoaded(tally);
        latest = std::max(latest, end);
        earliest = std::min(earliest, end);
    }
    tally.addTo(now.counts);
    memory_.addTo(now.counts);
    now.counts[Counter::workCycles] = std::min(latest, neededSince());
    executed_ = tally.executed();
    now.stalls = std::move(tally.stalls);
    Growth growth{now.counts - taken_.counts, now.stalls, latest - std::min(latest, earliest)};
    for (const auto& [schedule, lines] : taken_.stalls)
        for (std::size_t line = 0; line < lines.size(); ++line)
            std::ranges::transform(growth.stalls[schedule][line], lines[line], growth.stalls[schedule][line].begin(),
                                   std::minus<>());
    taken_ = std::move(now);
    return growth;
}

}  // namespace zetl::emulator::machine
