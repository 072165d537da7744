// The other processes that do something for this one, such as counting: called, accepted, and left.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/peers/log_channel.h"
#include "emulator/peers/meeting_place.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {

/// P is made of a FileDescriptor and has socket(), process(), introduced() and serve(), as Peer has them. Not
/// thread-safe.
template <class P>
class PeerSet {
  public:
    /// Calls all processes, and returns when all have looked for this one, or after a fifth of a second. `kind`: of the
    /// endpoint that they look for. Returns null, with a line in the log that begins with `alone`, if processes cannot
    /// meet.
    static std::unique_ptr<PeerSet> meet(const std::string& kind, const char* alone) {
        std::string refusal;
        auto place = MeetingPlace::find(refusal);
        if (!place) {
            log::error(kLog, "{}: {}", alone, refusal);
            return nullptr;
        }
        if (!refusal.empty()) log::error(kLog, "{}", refusal);
        auto listening = place->listen(kind);
        FileDescriptor ready(epoll_create1(EPOLL_CLOEXEC));
        if (!listening.socket || !ready) {
            log::error(kLog, "{}: {}; close files, or raise their limit (ulimit -n)", alone,
                       std::strerror(listening.socket ? errno : listening.error));
            return nullptr;
        }
        std::unique_ptr<PeerSet> set(new PeerSet(*std::move(place), std::move(listening), std::move(ready)));
        set->call();
        return set;
    }

    const std::vector<std::unique_ptr<P>>& peers() const noexcept { return peers_; }

    /// Accepts new ones, calls `take` for each, and leaves those that ended or for which `take` returns false.
    template <class Take>
    void serve(Take&& take) {
        std::array<epoll_event, 64> events{};
        const int count = epoll_wait(ready_.get(), events.data(), events.size(), 0);
        for (int i = 0; i < count; ++i) {
            const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
            if (descriptor == listening_.get())
                accept(take);
            else
                serve(descriptor, take);
        }
        std::erase_if(peers_, [&](const auto& peer) { return !take(*peer) && leave(*peer); });
        tidy();
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMostPeers = 512;
    /// How long a process that is asked may take: one that is stopped never answers.
    static constexpr std::chrono::milliseconds kCallLimit{200};
    /// How long the name of a process that left is looked after.
    static constexpr std::chrono::seconds kLeavingLimit{2};

    struct Left {
        pid_t process;
        Clock::time_point until;
    };

    PeerSet(MeetingPlace place, endpoint::Listening listening, FileDescriptor ready)
        : place_(std::move(place)),
          listening_(std::move(listening.socket)),
          name_(std::move(listening.name)),
          ready_(std::move(ready)) {
        watch(listening_.get());
    }

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

    void watch(int descriptor) const noexcept {
        epoll_event event{};
        event.events = EPOLLIN | EPOLLRDHUP;
        event.data.fd = descriptor;
        epoll_ctl(ready_.get(), EPOLL_CTL_ADD, descriptor, &event);
    }

    template <class Take>
    void serve(int descriptor, Take& take) {
        const auto found = std::ranges::find(peers_, descriptor, [](const auto& peer) { return peer->socket(); });
        if (found == peers_.end() || (*found)->serve()) return;
        take(**found);  // what it published before it ended
        leave(**found);
        peers_.erase(found);
    }

    /// The name that a killed one leaves is to go. Always true.
    bool leave(const P& peer) {
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

    template <class Take>
    void accept(Take& take) {
        for (;;) {
            FileDescriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket) return warnOf(errno);
            makeRoom();
            if (peers_.size() >= kMostPeers || !isOwnUsers(socket.get())) continue;
            const int descriptor = socket.get();
            peers_.push_back(std::make_unique<P>(std::move(socket)));
            watch(descriptor);
            serve(descriptor, take);  // the introduction came with it
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
    std::vector<std::unique_ptr<P>> peers_;
    std::vector<Left> left_;
    bool warned_ = false;
};

}  // namespace zetl::emulator::peers
