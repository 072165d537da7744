#include "emulator/machine/model/dispatch_model.h"

#include <algorithm>
#include <new>

#include "base/log.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kTraceWords = (std::uint64_t{512} << 20) / sizeof(std::uint64_t);  // of a dispatch
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 23;                               // of a thread
constexpr std::uint64_t kFewestWords = 2048;

/// Groups that a tile holds at once.
std::uint64_t residentGroups(const DeviceProfile& profile, const GroupNeed& need) noexcept {
    std::uint64_t groups = profile.threadsPerSubslice() / std::max(1u, need.threads * need.slots);
    if (need.slmBytes != 0) groups = std::min<std::uint64_t>(groups, profile.slmBytes / need.slmBytes);
    return std::max<std::uint64_t>(groups, 1) * profile.subslices();
}

std::size_t wordsOfThread(std::uint64_t threads) noexcept {
    return std::clamp(kTraceWords / std::max<std::uint64_t>(threads, 1), kFewestWords, kMostWords);
}

}  // namespace

DispatchModel::DispatchModel(TileModel& tile, const GroupNeed& need, std::uint64_t groups,
                             std::shared_ptr<void> collecting)
    : tile_(tile),
      need_(need),
      groups_(groups),
      batch_(2 * residentGroups(tile.profile(), need)),
      limit_(wordsOfThread(std::min(groups, 2 * batch_) * need.threads)),
      collecting_(std::move(collecting)),
      ended_(std::min(groups, 2 * batch_)) {}

bool DispatchModel::admits(std::uint64_t group) const noexcept {
    return group < replayed_.load(std::memory_order_acquire) + 2 * batch_ || failed_.load(std::memory_order_relaxed);
}

std::unique_ptr<GroupTrace> DispatchModel::begin(std::uint64_t group) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return nullptr;
    try {
        auto trace = std::make_unique<GroupTrace>();
        trace->index = group;
        trace->threads.assign(need_.threads, ThreadTrace(limit_));
        return trace;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void DispatchModel::end(std::uint64_t group, std::unique_ptr<GroupTrace> trace) noexcept {
    const Lock guard(mutex_);
    if (failed_.load(std::memory_order_relaxed)) return;
    ended_[group % ended_.size()] = std::move(trace);
    ++endedIn_[group / batch_ % 2];
}

std::uint64_t DispatchModel::batchAt(std::uint64_t first) const noexcept { return std::min(batch_, groups_ - first); }

bool DispatchModel::complete() const {
    const Lock guard(mutex_);
    const std::uint64_t first = replayed_.load(std::memory_order_relaxed);
    return !failed_ && first < groups_ && endedIn_[first / batch_ % 2] == batchAt(first);
}

/// If a batch is complete.
bool DispatchModel::replayNext() noexcept {
    const std::uint64_t first = replayed_.load(std::memory_order_relaxed);
    try {
        Traces batch(batchAt(first));
        {
            const Lock guard(mutex_);
            for (std::uint64_t i = 0; i < batch.size(); ++i) batch[i] = std::move(ended_[(first + i) % ended_.size()]);
            endedIn_[first / batch_ % 2] = 0;
        }
        const Counts counts = tile_.replay(batch, first, need_, first == 0);
        const Lock guard(mutex_);
        counts_ += counts;
        replayed_.store(first + batch.size(), std::memory_order_release);
        return true;
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "the rest of a dispatch is not modelled: the host is out of memory");
        failed_ = true;
        return true;
    }
}

bool DispatchModel::advance() noexcept {
    bool progress = false;
    // Whoever completes a batch while another one replays leaves it to him: so he looks again.
    while (complete()) {
        if (!replay_.try_lock()) break;
        const Lock lock(replay_, std::adopt_lock);
        while (complete()) progress = replayNext();
    }
    return progress;
}

void DispatchModel::finish() noexcept {
    const Lock lock(replay_);
    while (complete()) replayNext();
    collecting_.reset();
}

Counts DispatchModel::counts() const {
    const Lock guard(mutex_);
    return counts_;
}

}  // namespace zetl::emulator::machine
