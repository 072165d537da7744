#include "attachment/service.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "attachment/message.h"
#include "base/log.h"
#include "base/settings.h"
#include "endpoint/process_endpoint.h"

namespace zetl::attachment {
namespace {

constexpr auto kLog = log::Channel::tracing;
/// After a failure of the system: trying again at once would not help.
constexpr std::chrono::milliseconds kPause{100};
/// The time that a client has for its request.
constexpr timeval kRequestLimit{2, 0};

void logPassedOver(const endpoint::Listening& listening) {
    const auto reason = listening.refusal.empty() ? std::strerror(listening.error) : listening.refusal.c_str();
    log::warn(kLog, "a directory for zetl trace --attach is passed over: {}", reason);
}

bool isOfOurUser(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

/// A client that went away reads no answer.
void say(int socket, char what, const std::string& why = {}) {
    const auto message = what + why;
    send(socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Service::Service(endpoint::Listening listening, FileDescriptor wake)
    : listening_(std::move(listening.socket)), name_(std::move(listening.name)), thread_(std::move(wake)) {}

bool Service::begin() noexcept {
    return thread_.start(kLog, "zetl-attach", [this] { run(); });
}

void Service::run() noexcept {
    while (!thread_.ending()) try {
            serveOnce();
        } catch (const std::exception& failure) {  // memory is short
            log::error(kLog, "zetl trace --attach: {}", failure.what());
            std::this_thread::sleep_for(kPause);
        }
}

void Service::serveOnce() {
    pollfd polled[] = {
        {listening_.get(), POLLIN, 0}, {thread_.wake(), POLLIN, 0}, {client_ ? client_->get() : -1, POLLIN, 0}};
    if (poll(polled, std::size(polled), -1) < 0) {
        if (errno != EINTR) std::this_thread::sleep_for(kPause);
        return;
    }
    if (polled[1].revents) thread_.drainWake();
    if (polled[2].revents) end();
    if (polled[0].revents & POLLIN) accept();
}

void Service::accept() {
    FileDescriptor client(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) {
        if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kPause);
        return;
    }
    if (const auto refusal = answer(client.get()); !refusal.empty()) {
        log::warn(kLog, "zetl trace --attach is refused: {}", refusal);
        return say(client.get(), kRefused, refusal);
    }
    say(client.get(), kRecording);
    client_ = std::make_unique<endpoint::UnsharedDescriptor>(std::move(client));
}

std::string Service::answer(int client) {
    if (!isOfOurUser(client)) return "you are not the user of the process; run zetl as that user";
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &kRequestLimit, sizeof kRequestLimit);
    std::vector<char> request(kMostBytes);
    const auto got =
        recv(client, request.data(), request.size(), 0);  // first: an unread one would take the answer away
    if (client_) return "another zetl records it already; end that one first";
    const std::string_view text(request.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    if (text.substr(0, text.find('\0')) != kGreeting || !text.ends_with('\0'))
        return "its layer is of another version than zetl; start the program again with this zetl";
    if (auto refusal = recorder_.load(); !refusal.empty()) return refusal;
    return recorder_.begin(text.substr(kGreeting.size() + 1));
}

void Service::end() noexcept {
    char request[1];
    recv(client_->get(), request, sizeof request, MSG_DONTWAIT);  // an unread one would take the answer's place
    recorder_.end();
    say(client_->get(), kEnded);
    client_.reset();
    recorder_.release();
}

void Service::startIfWanted() noexcept try {
    static constinit std::atomic<bool> asked{false};
    if (asked.exchange(true) || !settings::enabled(settings::kAttach)) return;
    endpoint::Listening listening;
    auto wake = PollingThread::makeWake();
    if (!wake || endpoint::listenAs(kEndpointKind, listening, logPassedOver) != endpoint::Listens::yes) {
        log::error(kLog,
                   "zetl trace cannot attach to this process: there is no directory for its socket; mount /proc, and "
                   "make XDG_RUNTIME_DIR or /tmp writable");
        return;
    }
    auto service = std::make_unique<Service>(std::move(listening), std::move(wake));
    static Service* running = nullptr;  // until the process ends
    if (service->begin()) running = service.release();
    static_cast<void>(running);
} catch (const std::exception& failure) {
    log::error(kLog, "zetl trace cannot attach to this process: {}", failure.what());
}

}  // namespace zetl::attachment
