#include "emulator/peers/whole_device.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/machine/host_time.h"
#include "emulator/peers/idle_time.h"
#include "emulator/peers/log_channel.h"
#include "emulator/peers/meeting_place.h"
#include "emulator/peers/peer.h"

namespace zetl::emulator::peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostPeers = 512;
/// How long a process that is asked to count may take: one that is stopped never does it.
constexpr std::chrono::milliseconds kCallLimit{200};
/// How long the name of a process that left is looked after.
constexpr std::chrono::seconds kLeavingLimit{2};

/// The other processes: found, accepted, added up. Not thread-safe.
class Peers {
  public:
    Peers(MeetingPlace place, endpoint::Listening listening, FileDescriptor ready)
        : place_(std::move(place)),
          listening_(std::move(listening.socket)),
          name_(std::move(listening.name)),
          ready_(std::move(ready)) {
        watch(listening_.get());
    }

    /// Tells all that count to look for this reader.
    void call() const {
        std::vector<FileDescriptor> calls;
        for (const auto& name : place_.others(kCountingKind))
            if (auto socket = place_.connect(name)) calls.push_back(std::move(socket));
        for (const auto deadline = Clock::now() + kCallLimit; !calls.empty() && Clock::now() < deadline;) {
            std::vector<pollfd> polled;
            polled.reserve(calls.size());
            for (const auto& call : calls) polled.push_back({call.get(), POLLIN, 0});
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
            poll(polled.data(), polled.size(), static_cast<int>(std::max<long>(left, 0)));
            std::size_t at = 0;
            std::erase_if(calls, [&](const auto&) { return polled[at++].revents != 0; });
        }
        if (!calls.empty()) log::error(kLog, "{} processes do not answer, and are not counted yet", calls.size());
    }

    /// A moment at which a process had settled counts, and what all of them had then.
    struct Moment {
        std::uint64_t settledAt = 0;
        machine::Counts counts;
        std::uint64_t workTime = 0;
    };
    /// Takes what is new; moments of a tile go to its list.
    using Moments = std::array<std::vector<Moment>, machine::kMaxTiles>;
    void read(Moments& moments) { serve(moments); }
    /// What all of them have counted, those that ended too.
    const DeviceCounts& sum() const noexcept { return sum_; }

  private:
    using PeerPointer = std::unique_ptr<Peer>;
    struct Left {
        pid_t process;
        Clock::time_point until;
    };

    void watch(int descriptor) const noexcept {
        epoll_event event{};
        event.events = EPOLLIN | EPOLLRDHUP;
        event.data.fd = descriptor;
        epoll_ctl(ready_.get(), EPOLL_CTL_ADD, descriptor, &event);
    }

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

    void serve(Moments& moments) {
        std::array<epoll_event, 64> events{};
        const int count = epoll_wait(ready_.get(), events.data(), events.size(), 0);
        for (int i = 0; i < count; ++i) {
            const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
            if (descriptor == listening_.get())
                accept(moments);
            else
                serve(descriptor, moments);
        }
        std::erase_if(peers_, [&](const PeerPointer& peer) { return !add(*peer, moments) && leave(*peer); });
        // Of those that are there: a process that was killed at work holds nobody up.
        for (std::size_t tile = 0; tile < sum_.size(); ++tile) {
            sum_[tile].inFlight = 0;
            for (const PeerPointer& peer : peers_) sum_[tile].inFlight += peer->counted()[tile].inFlight != 0;
        }
        tidy();
    }

    void serve(int descriptor, Moments& moments) {
        const auto found = std::ranges::find(peers_, descriptor, [](const auto& peer) { return peer->socket(); });
        if (found == peers_.end() || (*found)->serve()) return;
        add(**found, moments);  // counts that it published before it ended
        leave(**found);
        peers_.erase(found);
    }

    /// The name that a killed one leaves is to go. Always true.
    bool leave(const Peer& peer) {
        left_.push_back({peer.process(), Clock::now() + kLeavingLimit});
        return true;
    }
    /// A process that is being killed may still listen for a moment.
    void tidy() {
        if (left_.empty()) return;
        const auto names = place_.others(kCountingKind);
        std::erase_if(left_, [&](const Left& left) {
            const auto part = fmt::format("-{}-", left.process);
            const auto found =
                std::ranges::find_if(names, [&](const auto& name) { return name.find(part) != std::string::npos; });
            return found == names.end() || place_.removeIfDead(*found) || Clock::now() > left.until;
        });
    }

    void accept(Moments& moments) {
        for (;;) {
            FileDescriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket) return warnOf(errno);
            makeRoom();
            if (peers_.size() >= kMostPeers || !isOwnUsers(socket.get())) continue;
            const int descriptor = socket.get();
            peers_.push_back(std::make_unique<Peer>(std::move(socket)));
            watch(descriptor);
            serve(descriptor, moments);  // the introduction came with it
        }
    }
    /// Once: it is tried again at each reading.
    void warnOf(int error) {
        if ((error != EMFILE && error != ENFILE) || std::exchange(warned_, true)) return;
        log::error(kLog, "a process is not counted yet: {}; close files, or raise their limit (ulimit -n)",
                   std::strerror(error));
    }
    /// If there are too many peers, drops those that never introduced themselves.
    void makeRoom() {
        if (peers_.size() >= kMostPeers) std::erase_if(peers_, [](const auto& peer) { return !peer->introduced(); });
    }

    const MeetingPlace place_;
    const endpoint::UnsharedDescriptor listening_;
    const std::unique_ptr<endpoint::PublishedName> name_;
    const FileDescriptor ready_;
    std::vector<PeerPointer> peers_;
    DeviceCounts sum_{};
    std::vector<Left> left_;
    bool warned_ = false;
};

std::unique_ptr<Peers> meet(const machine::Device& device) {
    constexpr const char* kAlone = "counters are those of this process alone";
    std::string refusal;
    auto place = MeetingPlace::find(refusal);
    if (!place) {
        log::error(kLog, "{}: {}", kAlone, refusal);
        return nullptr;
    }
    if (!refusal.empty()) log::error(kLog, "{}", refusal);
    auto listening = place->listen(readingKind(device));
    FileDescriptor ready(epoll_create1(EPOLL_CLOEXEC));
    if (!listening.socket || !ready) {
        log::error(kLog, "{}: {}; close files, or raise their limit (ulimit -n)", kAlone,
                   std::strerror(listening.socket ? errno : listening.error));
        return nullptr;
    }
    auto peers = std::make_unique<Peers>(*std::move(place), std::move(listening), std::move(ready));
    peers->call();
    return peers;
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
