#include "emulator/peers/whole_device.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/machine/host_time.h"
#include "emulator/peers/idle_time.h"
#include "emulator/peers/peer.h"
#include "emulator/peers/peer_set.h"

namespace zetl::emulator::peers {
namespace {

/// The counts of other processes, added up. Not thread-safe.
class Peers {
  public:
    explicit Peers(std::unique_ptr<PeerSet<Peer>> all) : all_(std::move(all)) {}

    /// A moment at which a process had settled counts, and what all of them had then.
    struct Moment {
        std::uint64_t settledAt = 0;
        machine::Counts counts;
        std::uint64_t workTime = 0;
    };
    /// Takes what is new; moments of a tile go to its list.
    using Moments = std::array<std::vector<Moment>, machine::kMaxTiles>;
    void read(Moments& moments) {
        all_->serve([&](Peer& peer) { return add(peer, moments); });
        // Of those that are there: a process that was killed at work holds nobody up.
        for (std::size_t tile = 0; tile < sum_.size(); ++tile) {
            sum_[tile].inFlight = 0;
            for (const auto& peer : all_->peers()) sum_[tile].inFlight += peer->counted()[tile].inFlight != 0;
        }
    }
    /// What all of them have counted, those that ended too.
    const DeviceCounts& sum() const noexcept { return sum_; }

  private:
    /// Up to a peer's next moment, and so on: sums of several peers follow each other as they come.
    bool add(Peer& peer, Moments& moments) {
        for (std::size_t times = 0; times < SharedCounts::kKept; ++times) {
            const DeviceCounts before = peer.counted();
            if (!peer.addNext(sum_)) break;
            for (std::size_t tile = 0; tile < sum_.size(); ++tile)
                if (const std::uint64_t at = peer.counted()[tile].settledAt; at != before[tile].settledAt)
                    moments[tile].push_back({at, sum_[tile].counts, sum_[tile].workTime});
        }
        return peer.sound();
    }

    const std::unique_ptr<PeerSet<Peer>> all_;
    DeviceCounts sum_{};
};

std::unique_ptr<Peers> meet(const machine::Device& device) {
    auto all = PeerSet<Peer>::meet(readingKind(device), "counters are those of this process alone");
    return all ? std::make_unique<Peers>(std::move(all)) : nullptr;
}

class Reader final : public WholeDevice {
  public:
    explicit Reader(machine::Device& device) : device_(device), peers_(meet(device)) {
        const Lock guard(mutex_);
        for (std::uint32_t tile = 0; tile < device.profile().tiles; ++tile)
            own_[tile] = device.tile(tile).countersSoFar();
    }

    machine::Snapshot counters(std::uint32_t tile, std::uint64_t since) override {
        const Lock guard(mutex_);
        if (!peers_) return device_.tile(tile).countersSoFar();
        for (;;) {
            takeNews();
            const auto& known = moments_[tile];
            const auto next = std::ranges::upper_bound(known, since, {}, &machine::Snapshot::timestamp);
            if (next != known.end()) return *next;
            machine::Snapshot now = device_.tile(tile).countersSoFar();
            if (now.settledAt == own_[tile].settledAt) return present(tile, now);  // or there is news again
        }
    }

  private:
    /// Those of this process and of the others, in the order of time.
    void takeNews() ZETL_REQUIRES(mutex_) {
        Peers::Moments others;
        std::array<TileCounts, machine::kMaxTiles> before{};
        std::ranges::copy(peers_->sum(), before.begin());
        peers_->read(others);
        for (std::uint32_t tile = 0; tile < device_.profile().tiles; ++tile) merge(tile, before[tile], others[tile]);
    }

    void merge(std::uint32_t tile, const TileCounts& before, std::vector<Peers::Moment>& others) ZETL_REQUIRES(mutex_) {
        const auto own = device_.tile(tile).settledSince(own_[tile].settledAt);
        std::ranges::stable_sort(others, {}, &Peers::Moment::settledAt);
        Peers::Moment theirs{0, before.counts, before.workTime};
        auto ours = own.begin();
        auto other = others.begin();
        while (ours != own.end() || other != others.end()) {
            if (other == others.end() || (ours != own.end() && ours->settledAt <= other->settledAt))
                own_[tile] = *ours++;
            else
                theirs = *other++;
            add(tile, std::max(own_[tile].settledAt, theirs.settledAt), theirs);
        }
    }

    void add(std::uint32_t tile, std::uint64_t settledAt, const Peers::Moment& theirs) ZETL_REQUIRES(mutex_) {
        auto& known = moments_[tile];
        machine::Snapshot moment = own_[tile];
        moment.counts += theirs.counts;
        moment.workTime += theirs.workTime;
        moment.timestamp = device_.clock().at(settledAt);
        // Each process publishes moments of its own, and their order is known late.
        if (!known.empty()) moment.timestamp = std::max(moment.timestamp, known.back().timestamp + 1);
        raise(tile, moment);
        moment.more = true;
        known.push_back(moment);
        if (known.size() > kMostMoments) known.pop_front();
    }

    /// While work is in flight it is as it was when it settled last.
    machine::Snapshot present(std::uint32_t tile, machine::Snapshot now) ZETL_REQUIRES(mutex_) {
        const TileCounts& others = peers_->sum()[tile];
        now.counts += others.counts;
        now.workTime += others.workTime;
        const std::uint64_t time = machine::HostTime::monotonicRaw();
        const std::uint64_t settled = std::min(std::max(now.settledAt, others.settledAt), time);
        const bool inFlight = now.inFlight != 0 || others.inFlight != 0;
        if (inFlight && time - settled < kPatience) now.timestamp = device_.clock().at(settled);
        raise(tile, now);
        return now;
    }

    /// No value is less than one that was told before: of other processes' work some is settled, and some is not
    /// modelled.
    void raise(std::uint32_t tile, machine::Snapshot& now) ZETL_REQUIRES(mutex_) {
        auto& told = told_[tile].values;
        std::ranges::transform(told, now.counts.values, told.begin(), [](auto a, auto b) { return std::max(a, b); });
        now.counts.values = told;
        now.coreClocks = clocks_[tile].at(device_, now);
    }

    static constexpr std::size_t kMostMoments = 1024;
    /// Nanoseconds for which a process that was stopped at work holds up the readings of others.
    static constexpr std::uint64_t kPatience = 2'000'000'000;

    /// The core clock of a tile.
    class CoreClock {
      public:
        std::uint64_t at(machine::Device& device, const machine::Snapshot& now) noexcept {
            const auto time = last_ = std::max(last_, device.clock().nanoseconds(now.timestamp));
            const auto work = lastWork_ = std::max(lastWork_, now.workTime);
            if (begin_ == 0) {
                begin_ = time;
                workBefore_ = work;
            }
            const auto idle = idle_.of(time - begin_, work - workBefore_);
            const std::uint64_t mhz = device.profile().coreClockMhz;
            return idle / 1000 * mhz + idle % 1000 * mhz / 1000 + now.counts[machine::Counter::workCycles];
        }

      private:
        std::uint64_t begin_ = 0;
        std::uint64_t workBefore_ = 0;
        std::uint64_t last_ = 0;
        std::uint64_t lastWork_ = 0;
        IdleTime idle_;
    };

    machine::Device& device_;
    Mutex mutex_;
    std::unique_ptr<Peers> peers_ ZETL_GUARDED_BY(mutex_);
    /// By tile: the greatest values so far, this process's at its last moment, and the latest moments of all.
    std::array<machine::Counts, machine::kMaxTiles> told_ ZETL_GUARDED_BY(mutex_){};
    std::array<machine::Snapshot, machine::kMaxTiles> own_ ZETL_GUARDED_BY(mutex_){};
    std::array<std::deque<machine::Snapshot>, machine::kMaxTiles> moments_ ZETL_GUARDED_BY(mutex_);
    std::array<CoreClock, machine::kMaxTiles> clocks_ ZETL_GUARDED_BY(mutex_);
};

using Readers = Synchronized<std::map<const machine::Device*, std::weak_ptr<WholeDevice>>>;

Readers& readers() {
    static NeverDestroyed<Readers> all;
    return *all;
}

}  // namespace

std::shared_ptr<WholeDevice> WholeDevice::of(machine::Device& device) {
    return readers().write([&](auto& all) {
        auto found = all[&device].lock();
        if (!found) all[&device] = found = std::make_shared<Reader>(device);
        return found;
    });
}

}  // namespace zetl::emulator::peers
