#include "emulator/peers/introduction.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

namespace zetl::emulator::peers {
namespace {

/// Both ends are processes of one host: structures travel in memory order. Another version of the counters is another
/// number of them or another version.
struct Message {
    std::uint32_t magic = 0x5A45434Eu;
    std::uint32_t version = 2;
    std::uint32_t counters = machine::kCounters;
    std::uint32_t bytes = sizeof(DeviceCounts);
    DeviceCounts now;
};
static_assert(std::is_trivially_copyable_v<Message>);

/// The same for samples, which begin with nothing.
struct StallsMessage {
    std::uint32_t magic = 0x5A455354u;
    std::uint32_t version = 1;
    std::uint32_t reasons = machine::kStallReasons;
    std::uint32_t rows = SharedStalls::kMostRows;
    bool operator==(const StallsMessage&) const = default;
};
static_assert(std::is_trivially_copyable_v<StallsMessage>);

/// Room for one descriptor; the kernel closes what does not fit, but for a second one, for which alignment leaves room.
union Control {
    cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

msghdr recordOf(iovec& data, Control& control) noexcept {
    msghdr record{};
    record.msg_iov = &data;
    record.msg_iovlen = 1;
    record.msg_control = control.bytes;
    record.msg_controllen = sizeof control.bytes;
    return record;
}

/// Takes ownership of every descriptor that came; returns the first.
FileDescriptor descriptorOf(msghdr& record) noexcept {
    FileDescriptor first;
    for (cmsghdr* part = CMSG_FIRSTHDR(&record); part; part = CMSG_NXTHDR(&record, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len; at += sizeof(int)) {
            int value = -1;
            std::memcpy(&value, reinterpret_cast<const char*>(part) + at, sizeof value);
            FileDescriptor one(value);
            if (!first) first = std::move(one);
        }
    }
    return first;
}

bool isOurs(const Message& message) noexcept {
    const Message ours{};
    return message.magic == ours.magic && message.version == ours.version && message.counters == ours.counters &&
           message.bytes == ours.bytes;
}

template <class M>
bool sendWith(int socket, M message, int descriptor) noexcept {
    iovec data{&message, sizeof message};
    Control control{};
    msghdr record = recordOf(data, control);
    cmsghdr* const part = CMSG_FIRSTHDR(&record);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    return sendmsg(socket, &record, MSG_NOSIGNAL | MSG_DONTWAIT) == ssize_t{sizeof message};
}

/// Nothing of the message is checked yet.
template <class M>
Heard receive(int socket, M& message, FileDescriptor& descriptor) noexcept {
    iovec data{&message, sizeof message};
    Control control{};
    msghdr record = recordOf(data, control);
    const auto got = recvmsg(socket, &record, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? Heard::nothing : Heard::nonsense;
    descriptor = descriptorOf(record);
    const bool whole = got == ssize_t{sizeof message} && (record.msg_flags & MSG_TRUNC) == 0;
    return whole && descriptor ? Heard::introduction : Heard::nonsense;
}

}  // namespace

bool introduce(int socket, const SharedCounts& shared, const DeviceCounts& now) noexcept {
    Message message;
    message.now = now;
    return sendWith(socket, message, shared.descriptor());
}

bool introduce(int socket, const SharedStalls& shared) noexcept {
    return sendWith(socket, StallsMessage(), shared.descriptor());
}

Heard hear(int socket, std::optional<Introduced>& introduced) {
    Message message;
    FileDescriptor descriptor;
    if (const Heard heard = receive(socket, message, descriptor); heard != Heard::introduction) return heard;
    if (!isOurs(message)) return Heard::nonsense;
    auto counts = SeenCounts::map(descriptor);
    if (!counts) return Heard::nonsense;
    introduced.emplace(Introduced{*std::move(counts), message.now});
    return Heard::introduction;
}

Heard hear(int socket, std::optional<SeenStalls>& introduced) {
    StallsMessage message;
    FileDescriptor descriptor;
    if (const Heard heard = receive(socket, message, descriptor); heard != Heard::introduction) return heard;
    if (message != StallsMessage()) return Heard::nonsense;
    auto stalls = SeenStalls::map(descriptor);
    if (!stalls) return Heard::nonsense;
    introduced.emplace(*std::move(stalls));
    return Heard::introduction;
}

}  // namespace zetl::emulator::peers
