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

    /// What all of them have counted, those that ended too.
    const DeviceCounts& read() {
        serve();
        return sum_;
    }

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

    void serve() {
        std::array<epoll_event, 64> events{};
        const int count = epoll_wait(ready_.get(), events.data(), events.size(), 0);
        for (int i = 0; i < count; ++i) {
            const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
            if (descriptor == listening_.get())
                accept();
            else
                serve(descriptor);
        }
        std::erase_if(peers_, [this](const PeerPointer& peer) { return !peer->addTo(sum_) && leave(*peer); });
        // Of those that are there: a process that was killed at work holds nobody up.
        for (std::size_t tile = 0; tile < sum_.size(); ++tile) {
            sum_[tile].inFlight = 0;
            for (const PeerPointer& peer : peers_) sum_[tile].inFlight += peer->counted()[tile].inFlight != 0;
        }
        tidy();
    }

    void serve(int descriptor) {
        const auto found = std::ranges::find(peers_, descriptor, [](const auto& peer) { return peer->socket(); });
        if (found == peers_.end() || (*found)->serve()) return;
        (*found)->addTo(sum_);  // counts that it published before it ended
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

    void accept() {
        for (;;) {
            FileDescriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket) return warnOf(errno);
            makeRoom();
            if (peers_.size() >= kMostPeers || !isOwnUsers(socket.get())) continue;
            const int descriptor = socket.get();
            peers_.push_back(std::make_unique<Peer>(std::move(socket)));
            watch(descriptor);
            serve(descriptor);  // the introduction came with it
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
    explicit Reader(machine::Device& device) : device_(device), peers_(meet(device)) {}

    machine::Snapshot counters(std::uint32_t tile) override {
        const Lock guard(mutex_);
        if (!peers_) return device_.tile(tile).countersSoFar();
        const auto& others = peers_->read();
        machine::Snapshot now = device_.tile(tile).countersSoFar();
        now.counts += others[tile].counts;
        now.workTime += others[tile].workTime;
        settle(tile, now, others[tile]);
        now.coreClocks = clocks_[tile].at(device_, now);
        return now;
    }

  private:
    /// What settled since the last reading gets its own time, and so does all while work is in flight.
    void settle(std::uint32_t tile, machine::Snapshot& now, const TileCounts& others) ZETL_REQUIRES(mutex_) {
        const std::uint64_t time = machine::HostTime::monotonicRaw();
        const std::uint64_t settled = std::min(std::max(now.settledAt, others.settledAt), time);
        const bool isNew = settled > std::exchange(settled_[tile], settled);
        const bool inFlight = now.inFlight != 0 || others.inFlight != 0;
        if ((inFlight || isNew) && time - settled < kPatience) now.timestamp = device_.clock().at(settled);
    }

    /// Nanoseconds for which a process that was stopped at work holds up the readings of others.
    static constexpr std::uint64_t kPatience = 2'000'000'000;

    /// The core clock of a tile.
    class CoreClock {
      public:
        std::uint64_t at(machine::Device& device, const machine::Snapshot& now) noexcept {
            const auto time = device.clock().nanoseconds(now.timestamp);
            if (begin_ == 0) {
                begin_ = time;
                workBefore_ = now.workTime;
            }
            const auto idle = idle_.of(time - begin_, now.workTime - workBefore_);
            const std::uint64_t mhz = device.profile().coreClockMhz;
            return idle / 1000 * mhz + idle % 1000 * mhz / 1000 + now.counts[machine::Counter::workCycles];
        }

      private:
        std::uint64_t begin_ = 0;
        std::uint64_t workBefore_ = 0;
        IdleTime idle_;
    };

    machine::Device& device_;
    Mutex mutex_;
    std::unique_ptr<Peers> peers_ ZETL_GUARDED_BY(mutex_);
    std::array<std::uint64_t, machine::kMaxTiles> settled_ ZETL_GUARDED_BY(mutex_){};  ///< host nanoseconds
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
