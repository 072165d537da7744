#include "debug/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace zetl::debug::wire {
namespace {

/// Milliseconds for poll(): rounded up, so that nobody spins in the last of them; -1 is without end.
int pollTime(const std::optional<Clock::time_point>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<Milliseconds>(*deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, 1000 * 1000));
}

/// False when the time is up. An interrupted wait counts as one that ended.
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

}  // namespace

zetl_status_t statusOf(const Message& reply) {
    return reply.head.status <= ZETL_MISUSE ? static_cast<zetl_status_t>(reply.head.status) : ZETL_LOST;
}

bool send(int socket, const Message& message, Milliseconds limit) {
    Head head = message.head;
    head.bytes = static_cast<std::uint32_t>(message.payload.size());
    iovec parts[] = {{&head, sizeof head}, {const_cast<std::byte*>(message.payload.data()), message.payload.size()}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = message.payload.empty() ? 1 : 2;
    const auto deadline = Clock::now() + limit;
    for (;;) {
        if (sendmsg(socket, &record, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
        if (errno == EINTR) continue;
        if (!wouldBlock(errno) || !await(socket, POLLOUT, deadline)) return false;
    }
}

Received receive(int socket, Message& message, std::optional<Clock::time_point> deadline) {
    message.payload.resize(kPayload);
    iovec parts[] = {{&message.head, sizeof message.head}, {message.payload.data(), message.payload.size()}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = 2;
    for (int resets = 0;;) {
        const auto received = recvmsg(socket, &record, MSG_DONTWAIT);
        if (received > 0) {
            const auto size = static_cast<std::size_t>(received);
            if (!wellFormed(message, size, record.msg_flags)) return Received::malformed;
            message.payload.resize(message.head.bytes);
            return Received::message;
        }
        // A peer that closed before it had read everything resets the connection; what it sent can be read after that.
        if (received == 0 || (!wouldBlock(errno) && errno != EINTR && (errno != ECONNRESET || resets++ > 0)))
            return Received::closed;
        if (received < 0 && wouldBlock(errno) && !await(socket, POLLIN, deadline)) return Received::nothing;
    }
}

}  // namespace zetl::debug::wire
