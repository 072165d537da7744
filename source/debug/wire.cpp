#include "debug/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace zetl::debug::wire {
namespace {

/// Milliseconds for poll(): rounded up, so that a thread does not spin in the last one; -1 is without end.
int pollTime(const std::optional<Clock::time_point>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<Milliseconds>(*deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, 1000 * 1000));
}

/// Returns false when the time is up. An interrupted wait counts as one that ended.
bool await(int socket, short events, const std::optional<Clock::time_point>& deadline) {
    pollfd entry{socket, events, 0};
    const int ready = poll(&entry, 1, pollTime(deadline));
    return ready > 0 || (ready < 0 && errno == EINTR);
}

bool wouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

bool wellFormed(const Message& message, std::size_t size, int flags) {
    return size >= sizeof message.head && !(flags & MSG_TRUNC) && message.head.magic == kMagic &&
           message.head.bytes == size - sizeof message.head;
}

/// The record of so many bytes that waits. Its length is asked for before, because most records are small.
Received take(int socket, std::size_t bytes, Message& message) {
    message.payload.resize(std::min(bytes - std::min(bytes, sizeof message.head), kPayload));
    iovec parts[] = {{&message.head, sizeof message.head}, {message.payload.data(), message.payload.size()}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = 2;
    const auto received = recvmsg(socket, &record, MSG_DONTWAIT);
    if (received < 0) return Received::closed;
    return wellFormed(message, static_cast<std::size_t>(received), record.msg_flags) ? Received::message
                                                                                     : Received::malformed;
}

}  // namespace

zetl_status_t statusOf(const Message& reply) {
    return reply.head.status <= ZETL_NO_MEMORY ? static_cast<zetl_status_t>(reply.head.status) : ZETL_LOST;
}

Sent trySend(int socket, const Head& which, std::span<const std::byte> payload) {
    Head head = which;
    head.bytes = static_cast<std::uint32_t>(payload.size());
    iovec parts[] = {{&head, sizeof head}, {const_cast<std::byte*>(payload.data()), payload.size()}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = payload.empty() ? 1 : 2;
    while (sendmsg(socket, &record, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        if (errno != EINTR) return wouldBlock(errno) ? Sent::full : Sent::failed;
    return Sent::done;
}

bool awaitRoom(int socket, Milliseconds limit) { return await(socket, POLLOUT, Clock::now() + limit); }

bool send(int socket, const Head& head, std::span<const std::byte> payload, Milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    for (;;) {
        const auto sent = trySend(socket, head, payload);
        if (sent != Sent::full) return sent == Sent::done;
        if (!await(socket, POLLOUT, deadline)) return false;
    }
}

Received receive(int socket, Message& message, std::optional<Clock::time_point> deadline) {
    for (int resets = 0;;) {
        const auto waiting = recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
        if (waiting > 0) return take(socket, static_cast<std::size_t>(waiting), message);
        // A peer that closed before it had read everything resets the connection; what it sent can be read after that.
        if (waiting == 0 || (!wouldBlock(errno) && errno != EINTR && (errno != ECONNRESET || resets++ > 0)))
            return Received::closed;
        if (wouldBlock(errno) && !await(socket, POLLIN, deadline)) return Received::nothing;
    }
}

}  // namespace zetl::debug::wire
