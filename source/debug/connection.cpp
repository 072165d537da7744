#include "debug/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "debug/local_target.h"
#include "debug/log_channel.h"
#include "debug/register_sets.h"
#include "debug/register_snapshot.h"

namespace zetl::debug {
namespace {

constexpr std::size_t kMostQueuedEvents = 65536;

wire::Message reply(const wire::Message& request, zetl_status_t status) {
    wire::Message message;
    message.head.kind = wire::Kind::reply;
    message.head.sequence = request.head.sequence;
    message.head.status = status;
    return message;
}

bool readsData(wire::Kind kind) {
    return kind == wire::Kind::readMemory || kind == wire::Kind::readRegisters || kind == wire::Kind::readImage;
}

bool isSpace(std::uint32_t number) { return number <= ZETL_SPACE_CONDITIONS; }

/// The payload of a message; an empty one has an address, too.
const std::byte* dataOf(const wire::Message& message) {
    static constexpr std::byte kNothing{};
    return message.payload.empty() ? &kNothing : message.payload.data();
}

/// Identifies the peer, for the log alone.
ucred peerOf(int socket) {
    ucred peer{0, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
    socklen_t size = sizeof peer;
    getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    return peer;
}

}  // namespace

Connection::Connection(FileDescriptor socket, device::Devices& devices, int wake)
    : socket_(std::move(socket)), devices_(devices), wake_(wake), process_(getpid()) {}

Connection::~Connection() = default;

// The device's thread sends by itself if it need not wait, so that a process's last event arrives, however soon it
// ends.
void Connection::deliver(const zetl_event_t& event) noexcept {
    if (getpid() != process_) return;  // a forked child
    {
        const Lock guard(outboxMutex_);
        overflowed_ = overflowed_ || outbox_.size() >= kMostQueuedEvents;
        try {
            if (!overflowed_) outbox_.push_back(event);
        } catch (const std::bad_alloc&) {
            overflowed_ = true;
        }
        if (!overflowed_ && sendQueued() == wire::Sent::done) return;
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);  // full counter: awake already
}

wire::Sent Connection::sendQueued() noexcept {
    wire::Head head;
    head.kind = wire::Kind::event;
    while (announced_ && !outbox_.empty()) {
        const auto sent = wire::trySend(socket(), head, std::as_bytes(std::span(&outbox_.front(), 1)));
        if (sent != wire::Sent::done) return sent;
        outbox_.pop_front();
    }
    return wire::Sent::done;
}

bool Connection::flush() {
    for (;;) {
        {
            const Lock guard(outboxMutex_);
            const auto sent = sendQueued();
            if (sent == wire::Sent::failed) return false;
            if (sent == wire::Sent::done && overflowed_)
                log::warn(kLog, "debugger dropped: it left {} events unread", kMostQueuedEvents);
            if (sent == wire::Sent::done) return !overflowed_;
        }
        if (!wire::awaitRoom(socket(), wire::kSendLimit)) return false;
    }
}

/// Events wait until the debugger has heard that it has the device.
bool Connection::announce(const wire::Message& answer) {
    const Lock guard(outboxMutex_);
    announced_ = true;
    return wire::send(socket(), answer, wire::Milliseconds(0)) && sendQueued() != wire::Sent::failed;
}

bool Connection::serve() {
    wire::Message request;
    switch (wire::receive(socket(), request, wire::Clock::now())) {
        case wire::Received::message:
            break;
        case wire::Received::nothing:
            return true;
        default:
            if (device_ && !admitted() && !refused_) logRefusal();
            return false;
    }
    if (refused_) return true;  // only its end matters now
    const bool isStranger = !admitted();
    const auto message = answer(request);
    if (isStranger && admitted()) return announce(message);
    if (!wire::send(socket(), message, admitted() ? wire::kSendLimit : wire::Milliseconds(0))) return false;
    // The socket stays open until the other side closes its own, or the agent's patience ends: an answer that is on its
    // way when a socket with unread data is closed may be lost.
    if (refused_) shutdown(socket(), SHUT_WR);
    return true;
}

zetl_status_t Connection::hello(const wire::Message& request, wire::Challenge& challenge) {
    const wire::Hello ours;
    std::uint32_t version = 0;
    if (request.payload.size() < sizeof version) return ZETL_MISUSE;
    std::memcpy(&version, request.payload.data(), sizeof version);
    if (version != ours.version) return ZETL_UNSUPPORTED;
    const auto theirs = wire::payloadOf<wire::Hello>(request);
    if (!theirs || device_) return ZETL_MISUSE;
    if (theirs->eventBytes != ours.eventBytes || theirs->moduleBytes != ours.moduleBytes) return ZETL_UNSUPPORTED;
    device::Uuid uuid;
    std::copy(std::begin(theirs->uuid), std::end(theirs->uuid), uuid.begin());
    device_ = devices_.byUuid(uuid);
    return device_ ? admission_.challenge(theirs->cookie, challenge) : ZETL_GONE;
}

void Connection::logRefusal() const {
    const auto peer = peerOf(socket());
    log::warn(kLog, "debugger refused: process {} of user {} did not prove that it may trace this one", peer.pid,
              peer.uid);
}

zetl_status_t Connection::proof(const wire::Message& request) {
    if (!device_ || !admission_.accepts(request)) {
        logRefusal();
        return ZETL_NEEDS_PRIVILEGE;
    }
    auto opened = openLocalTarget(*device_, static_cast<std::uint64_t>(getpid()),
                                  [this](const zetl_event_t& event) { deliver(event); });
    target_ = std::move(opened.target);
    return opened.status;
}

wire::Message Connection::introduction(const wire::Message& request) {
    wire::Challenge challenge;
    auto message = reply(request, ZETL_NEEDS_PRIVILEGE);
    if (request.head.kind == wire::Kind::hello) {
        message.head.status = hello(request, challenge);
        if (message.head.status == ZETL_OK) message.payload = wire::bytesOf(challenge);
    } else if (request.head.kind == wire::Kind::proof) {
        message.head.status = proof(request);
    }
    refused_ = message.head.status != ZETL_OK;
    return message;
}

wire::Message Connection::moduleInfo(const wire::Message& request) {
    zetl_module_info_t info{};
    info.size = sizeof info;
    auto message = reply(request, target_->moduleInfo(request.head.id, info));
    info.build_options = nullptr;  // an address of this process
    message.payload = wire::bytesOf(info);
    return message;
}

wire::Message Connection::stoppedThreads(const wire::Message& request) {
    std::vector<zetl_thread_t> threads;
    auto message = reply(request, target_->stopped(request.head.thread, threads));
    // `first` pages through a list that may be longer than a record.
    const auto begin = std::min<std::size_t>(request.head.first, threads.size());
    const auto count = std::min(threads.size() - begin, wire::kPayload / sizeof(zetl_thread_t));
    message.head.count = static_cast<std::uint32_t>(threads.size());
    message.payload.resize(count * sizeof(zetl_thread_t));
    if (count > 0) std::memcpy(message.payload.data(), threads.data() + begin, message.payload.size());
    return message;
}

wire::Message Connection::readThread(const wire::Message& request) {
    auto message = reply(request, ZETL_OK);
    message.head.status =
        RegisterSnapshot::take(*target_, *device_, request.head.thread, wire::kPayload, message.payload);
    if (message.head.status != ZETL_OK) message.payload.clear();
    return message;
}

std::optional<std::uint64_t> Connection::registerBytes(const wire::Head& head) const {
    const auto* set = findRegisterSet(*device_, head.type);
    if (!set || head.first >= set->count || head.count > set->count - head.first) return std::nullopt;
    return bytesOf(*set, head.count, *device_);
}

zetl_status_t Connection::fill(const wire::Head& head, std::vector<std::byte>& data) {
    data.reserve(1);  // nothing has an address, too
    if (head.kind == wire::Kind::readMemory) {
        if (!isSpace(head.type)) return ZETL_MISUSE;
        return target_->readMemory(head.thread, static_cast<zetl_space_t>(head.type), head.address, data.size(),
                                   data.data());
    }
    if (head.kind == wire::Kind::readImage) return target_->readImage(head.id, head.address, data.size(), data.data());
    if (registerBytes(head) != data.size()) return ZETL_MISUSE;
    return target_->readRegisters(head.thread, head.type, head.first, head.count, data.size(), data.data());
}

wire::Message Connection::read(const wire::Message& request) {
    const auto& head = request.head;
    if (head.length > wire::kPayload || wire::overflows(head.address, head.length)) return reply(request, ZETL_MISUSE);
    auto message = reply(request, ZETL_OK);
    message.payload.resize(head.length);
    message.head.status = fill(head, message.payload);
    if (message.head.status != ZETL_OK) message.payload.clear();
    return message;
}

zetl_status_t Connection::perform(const wire::Message& request, std::uint32_t& count) {
    const auto& head = request.head;
    const auto* const data = dataOf(request);
    const auto bytes = request.payload.size();
    switch (head.kind) {
        case wire::Kind::release:
            return target_->release(head.id);
        case wire::Kind::halt:
            return target_->halt(head.thread, head.id);
        case wire::Kind::run:
            return target_->run(head.thread);
        case wire::Kind::registerCount:
            return target_->registerCount(head.thread, head.type, count);
        case wire::Kind::writeRegisters:
            if (registerBytes(head) != bytes) return ZETL_MISUSE;
            return target_->writeRegisters(head.thread, head.type, head.first, head.count, bytes, data);
        case wire::Kind::writeMemory:
            if (!isSpace(head.type) || wire::overflows(head.address, bytes)) return ZETL_MISUSE;
            return target_->writeMemory(head.thread, static_cast<zetl_space_t>(head.type), head.address, bytes, data);
        case wire::Kind::breakpoint:
            return target_->breakpoint(head.address, head.count != 0);
        default:
            return ZETL_MISUSE;
    }
}

wire::Message Connection::answer(const wire::Message& request) {
    if (!target_) return introduction(request);
    if (request.head.kind == wire::Kind::moduleInfo) return moduleInfo(request);
    if (request.head.kind == wire::Kind::stopped) return stoppedThreads(request);
    if (request.head.kind == wire::Kind::readThread) return readThread(request);
    if (readsData(request.head.kind)) return read(request);
    std::uint32_t count = 0;
    auto message = reply(request, perform(request, count));
    message.head.count = count;
    return message;
}

}  // namespace zetl::debug
