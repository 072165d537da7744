#include "debug/agent.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/polling_thread.h"
#include "debug/connection.h"
#include "debug/endpoint.h"
#include "debug/log_channel.h"

namespace zetl::debug {
namespace {

using wire::Clock;

constexpr std::size_t kMostConnections = 32;
/// The time that a debugger has from its connection to its proof, or to read that it was refused.
constexpr std::chrono::seconds kIntroductionLimit{2};
/// After an accept that failed, or when memory is short: trying again at once would not help.
constexpr std::chrono::milliseconds kPause{100};

// indices among the polled descriptors
constexpr std::size_t kListening = 0;
constexpr std::size_t kWake = 1;
constexpr std::size_t kFirstConnection = 2;

bool passing(int error) { return error == EAGAIN || error == EINTR || error == ECONNABORTED; }

int untilMilliseconds(const std::optional<Clock::time_point>& when) {
    if (!when) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*when - Clock::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

}  // namespace

class Agent::Service {
  public:
    Service(Listening listening, FileDescriptor wake, device::Devices& devices)
        : listening_(std::move(listening.socket)),
          name_(std::move(listening.name)),
          devices_(devices),
          thread_(std::move(wake)) {
        connections_.reserve(kMostConnections);
        polled_.reserve(kFirstConnection + kMostConnections);
    }
    /// False, with a log line, if the system gives no thread.
    bool begin() noexcept {
        return thread_.start(kLog, "zetl-agent", [this] { run(); });
    }

  private:
    struct Served {
        std::unique_ptr<Connection> connection;
        Clock::time_point introducedBy;
    };

    void run() noexcept {
        while (!thread_.ending()) {
            try {
                serveOnce();
            } catch (const std::exception& failure) {  // memory is short
                log::error(kLog, "debuggers that have not attached yet are dropped: {}", failure.what());
                dropStrangers();
                std::this_thread::sleep_for(kPause);
            }
        }
        connections_.clear();
    }

    bool full() const { return connections_.size() >= kMostConnections || acceptAgain_; }

    void serveOnce() {
        if (acceptAgain_ && *acceptAgain_ <= Clock::now()) acceptAgain_.reset();
        polled_.assign({{full() ? -1 : listening_.get(), POLLIN, 0}, {thread_.wake(), POLLIN, 0}});
        for (const auto& each : connections_) polled_.push_back({each.connection->socket(), POLLIN, 0});
        if (poll(polled_.data(), polled_.size(), untilMilliseconds(nextDeadline())) < 0) {
            if (errno != EINTR) std::this_thread::sleep_for(kPause);
            return;
        }
        if (polled_[kWake].revents) thread_.drainWake();
        serveConnections();
        if (polled_[kListening].revents & POLLIN) accept();
    }

    std::optional<Clock::time_point> nextDeadline() const {
        auto next = acceptAgain_;
        for (const auto& each : connections_)
            if (!each.connection->admitted()) next = std::min(next.value_or(each.introducedBy), each.introducedBy);
        return next;
    }

    /// In the order in which they were polled.
    void serveConnections() {
        std::size_t place = kFirstConnection;
        std::erase_if(connections_, [&](const Served& each) { return !serve(each, polled_[place++].revents); });
    }

    static bool serve(const Served& each, int events) noexcept {
        try {
            if (!each.connection->flush() || (events && !each.connection->serve())) return false;
        } catch (const std::exception& failure) {
            log::error(kLog, "a debugger is dropped: {}", failure.what());
            return false;
        }
        return each.connection->admitted() || Clock::now() < each.introducedBy;
    }

    void dropStrangers() noexcept {
        std::erase_if(connections_, [](const Served& each) { return !each.connection->admitted(); });
    }

    void accept() {
        FileDescriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (socket) {
            auto connection = std::make_unique<Connection>(std::move(socket), devices_, thread_.wake());
            connections_.push_back({std::move(connection), Clock::now() + kIntroductionLimit});
        } else if (!passing(errno)) {
            log::warn(kLog, "a debugger has to wait: {}; close files, or raise their limit (ulimit -n)",
                      std::generic_category().message(errno));
            acceptAgain_ = Clock::now() + kPause;
        }
    }

    const UnsharedDescriptor listening_;
    const std::unique_ptr<PublishedName> name_;
    device::Devices& devices_;
    std::vector<Served> connections_;
    std::vector<pollfd> polled_;
    std::optional<Clock::time_point> acceptAgain_;  ///< no connection is accepted before
    PollingThread thread_;
};

std::unique_ptr<Agent> Agent::start(device::Devices& devices) noexcept try {
    auto listening = listenForDebuggers();
    if (!listening.socket) return nullptr;
    auto wake = PollingThread::makeWake();
    if (!wake) {
        log::error(kLog, "no debugger can attach: no event descriptor; close files, or raise their limit (ulimit -n)");
        return nullptr;
    }
    const auto path = listening.path;
    std::unique_ptr<Service, DeletedByMaker<Service>> service(
        new Service(std::move(listening), std::move(wake), devices));
    if (!service->begin()) {
        log::error(kLog, "no debugger can attach: the debug agent has no thread");
        return nullptr;
    }
    log::info(kLog, "debuggers can attach at {}", path);
    return std::unique_ptr<Agent>(new Agent(std::move(service)));
} catch (const std::exception& failure) {
    log::error(kLog, "no debugger can attach: {}", failure.what());
    return nullptr;
}

Agent::Agent(std::unique_ptr<Service, DeletedByMaker<Service>> service) : service_(std::move(service)) {}

Agent::~Agent() = default;

}  // namespace zetl::debug
