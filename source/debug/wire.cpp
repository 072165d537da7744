#include "debug/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace zetl::debug::wire {
namespace {

bool waitWritable(int socket, int milliseconds) {
    pollfd entry{socket, POLLOUT, 0};
    return poll(&entry, 1, milliseconds) > 0 && (entry.revents & POLLOUT);
}

}  // namespace

bool send(int socket, const Message& message, int milliseconds) {
    Head head = message.head;
    head.bytes = static_cast<std::uint32_t>(message.payload.size());
    iovec parts[] = {{&head, sizeof head}, {const_cast<std::byte*>(message.payload.data()), message.payload.size()}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = message.payload.empty() ? 1 : 2;
    for (;;) {
        if (sendmsg(socket, &record, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
        if (!waitWritable(socket, milliseconds)) return false;
    }
}

Received receive(int socket, Message& message) {
    message.payload.resize(kPayload);
    iovec parts[] = {{&message.head, sizeof message.head}, {message.payload.data(), message.payload.size()}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = 2;
    ssize_t received = 0;
    do received = recvmsg(socket, &record, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received <= 0) return Received::closed;
    const auto size = static_cast<std::size_t>(received);
    if (size < sizeof message.head || (record.msg_flags & MSG_TRUNC) || message.head.magic != kMagic ||
        message.head.bytes != size - sizeof message.head)
        return Received::malformed;
    message.payload.resize(message.head.bytes);
    return Received::message;
}

}  // namespace zetl::debug::wire
