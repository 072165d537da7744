#include "debug/agent.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/threads.h"
#include "debug/connection.h"

namespace zetl::debug {
namespace {

/// The listening socket of the agent of this process, for the handler that runs in a forked child: were it left open
/// there, the child would keep the parent's endpoint alive.
std::atomic<int> listeningInParent{-1};

void closeInChild() {
    const int inherited = listeningInParent.exchange(-1);
    if (inherited >= 0) close(inherited);
}

}  // namespace

class Agent::Service {
  public:
    Service(FileDescriptor listening, FileDescriptor wake, device::Devices& devices)
        : listening_(std::move(listening)), wake_(std::move(wake)), devices_(devices), process_(getpid()) {
        static const int registered = pthread_atfork(nullptr, nullptr, closeInChild);
        static_cast<void>(registered);
        listeningInParent = listening_.get();
        thread_ = startServiceThread([this] { run(); });
    }
    ~Service() {
        listeningInParent = -1;
        if (getpid() != process_) {  // a child: the thread stayed with the parent
            thread_.detach();
            return;
        }
        ending_ = true;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
        thread_.join();
    }

  private:
    void run() {
        while (!ending_) {
            std::vector<pollfd> entries = {{listening_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
            for (const auto& connection : connections_) entries.push_back({connection->socket(), POLLIN, 0});
            if (poll(entries.data(), entries.size(), -1) < 0) continue;
            if (entries[1].revents) drainWake();
            serveConnections(entries);
            if (entries[0].revents & POLLIN) accept();
        }
        connections_.clear();
    }

    void drainWake() {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = read(wake_.get(), &count, sizeof count);
    }

    void serveConnections(const std::vector<pollfd>& entries) {
        constexpr std::size_t kFirstConnection = 2;
        std::vector<std::unique_ptr<Connection>> kept;
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            auto& connection = connections_[i];
            const auto events = entries[kFirstConnection + i].revents;
            bool alive = connection->flush();
            if (alive && events) alive = connection->serve();
            if (alive) kept.push_back(std::move(connection));
        }
        connections_ = std::move(kept);
    }

    void accept() {
        FileDescriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket) return;
        const auto peer = peerOf(socket.get());
        if (!peer || !mayDebugUs(peer->uid)) {
            log::warn(log::Module::debug, "debugger refused: process {} of user {} may not debug this one",
                      peer ? peer->pid : 0, peer ? peer->uid : 0);
            wire::Message refusal;
            refusal.head.status = ZETL_NEEDS_PRIVILEGE;
            wire::send(socket.get(), refusal, 0);
            return;
        }
        connections_.push_back(std::make_unique<Connection>(std::move(socket), devices_, wake_.get()));
    }

    const FileDescriptor listening_;
    const FileDescriptor wake_;
    device::Devices& devices_;
    const pid_t process_;
    std::atomic<bool> ending_{false};
    std::vector<std::unique_ptr<Connection>> connections_;
    std::thread thread_;
};

std::unique_ptr<Agent> Agent::start(device::Devices& devices) {
    const auto name = endpointName(getpid());
    auto listening = name ? listenAt(*name) : FileDescriptor();
    FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!listening || !wake) {
        log::error(log::Module::debug, "no debugger can attach: the endpoint {} cannot be opened", name.value_or("?"));
        return nullptr;
    }
    return std::unique_ptr<Agent>(new Agent(std::make_unique<Service>(std::move(listening), std::move(wake), devices)));
}

Agent::Agent(std::unique_ptr<Service> service) : service_(std::move(service)) {}

Agent::~Agent() = default;

}  // namespace zetl::debug
