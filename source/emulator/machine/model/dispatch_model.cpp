#include "emulator/machine/model/dispatch_model.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.h"
#include "emulator/machine/host_time.h"
#include "emulator/machine/model/scaled_counts.h"
#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kTraceWords = (std::uint64_t{512} << 20) / sizeof(std::uint32_t);  // of a dispatch
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 24;                               // of a thread
constexpr std::uint64_t kFewestWords = 4096;

/// A batch that is complete sooner is never previewed.
constexpr std::chrono::milliseconds kShortBatch{20};
/// Pauses between previews are longer than the previews by this factor.
constexpr int kPauses = 4;

std::uint64_t in(std::chrono::nanoseconds time) noexcept {
    return HostTime::monotonicRaw() + static_cast<std::uint64_t>(time.count());
}

/// The number of groups that a sub-slice holds at once.
std::uint64_t residentGroups(const DeviceProfile& profile, const GroupNeed& need) noexcept {
    std::uint64_t groups = profile.threadsPerSubslice() / std::max(1u, need.threads * need.slots);
    if (need.slmBytes != 0) groups = std::min<std::uint64_t>(groups, profile.slmBytes / need.slmBytes);
    return std::max<std::uint64_t>(groups, 1);
}

SamplePlan planFor(const DeviceProfile& profile, const GroupNeed& need, std::uint64_t groups, ModelDetail detail) {
    const std::uint64_t rows = residentGroups(profile, need);
    return detail == ModelDetail::full ? SamplePlan::whole(groups, profile.subslices(), 2 * rows)
                                       : SamplePlan::sampled(groups, profile.subslices(), rows);
}

/// Of lines that were counted as if no others shared them.
std::uint64_t estimated(std::uint64_t counted, const SharedLines::Lines& lines) noexcept {
    return lines.alone == 0 ? counted : share(counted, lines.estimated, lines.alone);
}

std::size_t wordsOfThread(std::uint64_t threads) noexcept {
    return std::clamp(kTraceWords / std::max<std::uint64_t>(threads, 1), kFewestWords, kMostWords);
}

}  // namespace

DispatchModel::DispatchModel(TileModel& tile, const GroupNeed& need, std::uint64_t groups,
                             std::shared_ptr<void> collecting, ModelDetail detail)
    : tile_(tile),
      detail_(detail),
      need_(need),
      plan_(planFor(tile.profile(), need, groups, detail)),
      groups_(plan_.count()),
      batch_(plan_.batch()),
      limit_(wordsOfThread(std::min(groups_, 2 * batch_) * need.threads)),
      collecting_(std::move(collecting)),
      ended_(std::min(groups_, 2 * batch_)),
      seenLooks_(tile.looks()),
      nextPreview_(in(kShortBatch)) {}

bool DispatchModel::admits(std::uint64_t group) const noexcept {
    return !follows(group) || place(group) < admittedUntil() || failed_.load(std::memory_order_relaxed);
}

std::unique_ptr<GroupTrace> DispatchModel::begin(std::uint64_t group) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return nullptr;
    try {
        auto trace = tile_.spareTraces().take(need_.threads, limit_);
        trace->index = group;
        const Lock guard(mutex_);
        ++begunIn_[place(group) / batch_ % 2];
        return trace;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void DispatchModel::end(std::uint64_t group, std::unique_ptr<GroupTrace> trace) noexcept {
    const std::uint64_t number = place(group);
    const Lock guard(mutex_);
    if (failed_.load(std::memory_order_relaxed)) return;
    if (trace == nullptr) ++begunIn_[number / batch_ % 2];  // there was no memory for it
    ended_[number % ended_.size()] = std::move(trace);
    ++endedIn_[number / batch_ % 2];
    offers_.erase(number);
}

std::uint64_t DispatchModel::batchAt(std::uint64_t first) const noexcept { return std::min(batch_, groups_ - first); }

bool DispatchModel::complete() const {
    const Lock guard(mutex_);
    const std::uint64_t first = replayed_.load(std::memory_order_relaxed);
    return !failed_ && first < groups_ && endedIn_[first / batch_ % 2] == batchAt(first);
}

// The numbers of a batch are 0 from the begin of its replay on.
bool DispatchModel::catchesUp() const {
    const Lock guard(mutex_);
    const std::uint64_t first = replayed_.load(std::memory_order_relaxed);
    if (failed_ || first >= groups_) return false;
    const auto batch = first / batch_ % 2;
    return begunIn_[batch] == 0 || endedIn_[batch] == batchAt(first);
}

DispatchReplay& DispatchModel::begunReplay() {
    // The end of the last groups, behind which the replay is closed, is no part of a batch that stands for others.
    const std::uint64_t end = plan_.leavesRowsOut() ? 1 : 0;
    if (!replaying_) replaying_ = tile_.beginReplay(need_, groups_ + end, {plan_.columns(), plan_.width()});
    return *replaying_;
}

/// A batch is complete.
bool DispatchModel::replayNext() noexcept {
    const std::uint64_t first = replayed_.load(std::memory_order_relaxed);
    try {
        Traces batch(batchAt(first));
        {
            const Lock guard(mutex_);
            for (std::uint64_t i = 0; i < batch.size(); ++i) batch[i] = std::move(ended_[(first + i) % ended_.size()]);
            endedIn_[first / batch_ % 2] = begunIn_[first / batch_ % 2] = 0;
        }
        for (auto& trace : batch) {
            const GroupTrace* const group = trace.get();
            if (group != nullptr) inReplay_[group] = std::move(trace);
            begunReplay().add(group);
        }
        replayMore(first / batch_);
        const Lock guard(mutex_);
        replayed_.store(first + batch.size(), std::memory_order_release);
        exhausted_ = false;
        askedWords_ = kFirstLook;
        forgetOffers(tile_.looks(), kShortBatch);
        return true;
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "the rest of a dispatch is not modelled: the host is out of memory");
        failed_ = true;
        return true;
    }
}

/// What is found now counts with the weights of a batch.
void DispatchModel::replayMore(std::uint64_t batch) {
    DispatchReplay& replay = begunReplay();
    const SamplePlan::Weights weights = plan_.weightsOf(batch);
    replay.weigh(
        share(SharedLines::kWeight * weights.counts.all, plan_.columns(), weights.counts.replayed * plan_.width()));
    TileModel::Growth growth = tile_.replay(this, replay, weights);
    const Executed executed = replay.executed() - std::exchange(weighed_, replay.executed());
    Traces done;
    for (const GroupTrace* const group : replay.takeEnded()) {
        const auto found = inReplay_.find(group);
        done.push_back(std::move(found->second));
        inReplay_.erase(found);
    }
    tile_.spareTraces().keep(std::move(done));
    const Lock guard(mutex_);
    counts_ += growth.counts;
    addTo(stalls_, growth.stalls);
    if (samples()) error_.add({weights.cycles.replayed, growth.cycles, weights.cycles, growth.spread});
    linesRead_ = replay.sharedLines().read();
    lines_ = replay.sharedLines().all();
    asked_ = replay.asked();
    messages_.fetch_add(weights.counts.of(executed.messages), std::memory_order_relaxed);
    issued_.fetch_add(weights.counts.of(executed.instructions), std::memory_order_release);
}

bool DispatchModel::advance() noexcept {
    bool progress = false;
    // A thread that completes a batch while another one replays leaves it to that one, which therefore looks again.
    while (complete() || previewIsPrepared()) {
        if (!replay_.try_lock()) break;
        const Lock lock(replay_, std::adopt_lock);
        while (complete()) progress = replayNext();
        if (previewIsPrepared()) preview();
    }
    return progress;
}

bool DispatchModel::previewIsDue() const noexcept {
    return tile_.looks() != seenLooks_.load(std::memory_order_relaxed) &&
           HostTime::monotonicRaw() >= nextPreview_.load(std::memory_order_relaxed);
}

/// Whether all groups that have begun and go on have offered their traces.
bool DispatchModel::previewIsPrepared() const {
    if (!previewIsDue()) return false;
    const Lock guard(mutex_);
    const auto batch = replayed_.load(std::memory_order_relaxed) / batch_ % 2;
    return !failed_ && !offers_.empty() && offers_.size() + endedIn_[batch] >= begunIn_[batch];
}

bool DispatchModel::isInBatch(std::uint64_t group) const noexcept {
    return group - replayed_.load(std::memory_order_relaxed) < batch_;
}

bool DispatchModel::asks(std::uint64_t group) const noexcept {
    if (!follows(group) || !isInBatch(place(group)) || !previewIsDue()) return false;
    const Lock guard(mutex_);
    return !offers_.contains(place(group));
}

void DispatchModel::offer(std::uint64_t group, std::unique_ptr<GroupTrace> soFar) noexcept try {
    const Lock guard(mutex_);
    if (soFar && isInBatch(place(group))) offers_.emplace(place(group), std::move(soFar));
} catch (const std::bad_alloc&) {
    log::debug(log::Channel::emulator, "a group that goes on is not looked at: the host is out of memory");
}

void DispatchModel::forgetOffers(std::uint64_t looks, std::chrono::nanoseconds pause) noexcept {
    offers_.clear();
    seenLooks_ = looks;
    nextPreview_ = in(pause);
}

void DispatchModel::preview() noexcept {
    const std::uint64_t begin = HostTime::monotonicRaw();
    const std::uint64_t looks = tile_.looks();
    const std::uint64_t first = replayed_.load(std::memory_order_relaxed);
    try {
        GroupTrace unbegun;
        unbegun.threads.assign(need_.threads, ThreadTrace::unbegun());
        std::vector<const GroupTrace*> groups(batchAt(first), &unbegun);
        std::map<std::uint64_t, std::shared_ptr<const GroupTrace>> offers;
        {
            const Lock guard(mutex_);
            offers = offers_;
            for (std::uint64_t i = 0; i < groups.size(); ++i)
                if (const auto& ended = ended_[(first + i) % ended_.size()]) groups[i] = ended.get();
        }
        for (const auto& [group, soFar] : offers) groups[group - first] = soFar.get();
        lookAt(groups);
    } catch (const std::bad_alloc&) {
        log::debug(log::Channel::emulator, "a kernel that goes on is not looked at: the host is out of memory");
    }
    const Lock guard(mutex_);
    const std::chrono::nanoseconds took(HostTime::monotonicRaw() - begin);
    forgetOffers(looks, std::max<std::chrono::nanoseconds>(kShortBatch, kPauses * took));
}

void DispatchModel::lookAt(const std::vector<const GroupTrace*>& groups) {
    const std::uint64_t batch = replayed_.load(std::memory_order_relaxed) / batch_;
    if (!exhausted_) {
        exhausted_ = tile_.preview(this, begunReplay(), groups, plan_.weightsOf(batch));
        askedWords_ = std::min(limit_, 2 * askedWords_);
        return;
    }
    std::uint64_t executed = 0;
    for (const GroupTrace* const group : groups)
        for (const ThreadTrace& thread : group->threads) executed += thread.executed;
    tile_.goOn(this, executed);
}

void DispatchModel::finish() noexcept {
    const Lock lock(replay_);
    while (complete()) replayNext();
    if (replaying_ && !failed_) closeReplay();
    tile_.end(this);
    finished_.store(true, std::memory_order_release);
    inReplay_.clear();
    tile_.spareTraces().trim();
    collecting_.reset();
}

/// Groups that have begun in the model come to their end, also if the dispatch was cancelled and others will not.
void DispatchModel::closeReplay() noexcept try {
    replaying_->close();
    replayMore(0);  // the end of the last groups stands for itself
    tile_.keep(std::move(replaying_));
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "the end of a dispatch is not modelled: the host is out of memory");
}

StallsByAddress DispatchModel::stalls() const {
    const Lock guard(mutex_);
    return stalls_;
}

// Which groups execute how much is known of those that it follows, and how much all of them together did.
Counts DispatchModel::counts(const Executed& executed) const {
    const Lock guard(mutex_);
    Counts counts = counts_;
    if (plan_.isWhole()) return counts;
    for (const Counter read : {Counter::memoryBytesRead, Counter::systemBytesRead})
        counts[read] = estimated(counts[read], linesRead_);
    const std::uint64_t missed = counts[Counter::l3Misses];
    counts[Counter::l3Misses] = estimated(missed, lines_);
    counts[Counter::l3Hits] += missed - counts[Counter::l3Misses];
    const Executed replayed{replayedInstructions(), messages_.load(std::memory_order_relaxed)};
    if (!finished_.load(std::memory_order_acquire) || replayed.instructions == 0) return counts;
    Counts all = scaledToAll(counts, executed, replayed, tile_.profile().timing.lineBytes);
    error_.addTo({counts, all, linesRead_, asked_, plan_.columns(), plan_.rows()});
    return all;
}

}  // namespace zetl::emulator::machine
