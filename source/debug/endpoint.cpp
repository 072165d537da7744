#include "debug/endpoint.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace zetl::debug {
namespace {

/// Position of the start time among the fields after the command name of /proc/<pid>/stat (proc(5): field 22).
constexpr int kStartTimeAfterName = 19;

std::optional<std::string> startTimeOf(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto nameEnd = text.rfind(')');
    if (nameEnd == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(nameEnd + 1));
    std::string field;
    for (int i = 0; i <= kStartTimeAfterName; ++i)
        if (!(fields >> field)) return std::nullopt;
    return field;
}

struct Address {
    sockaddr_un value{};
    socklen_t size = 0;
};

Address abstractAddress(const std::string& name) {
    Address address;
    address.value.sun_family = AF_UNIX;
    const auto length = std::min(name.size(), sizeof address.value.sun_path - 1);
    std::memcpy(address.value.sun_path + 1, name.data(), length);
    address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    return address;
}

/// How long a caller waits for a process that listens and accepts nobody: stopped, or with a full queue.
constexpr timeval kConnectLimit{2, 0};

FileDescriptor newSocket() { return FileDescriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

}  // namespace

std::optional<std::string> endpointName(pid_t pid) {
    const auto start = startTimeOf(pid);
    if (!start) return std::nullopt;
    return fmt::format("ze-tools-layer/debug/{}-{}", pid, *start);
}

FileDescriptor listenAt(const std::string& name) {
    constexpr int kBacklog = 4;
    auto socket = newSocket();
    const auto address = abstractAddress(name);
    if (!socket || bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.value), address.size) != 0 ||
        listen(socket.get(), kBacklog) != 0)
        return FileDescriptor();
    return socket;
}

FileDescriptor connectTo(const std::string& name) {
    auto socket = newSocket();
    const auto address = abstractAddress(name);
    if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kConnectLimit, sizeof kConnectLimit) != 0 ||
        connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.value), address.size) != 0)
        return FileDescriptor();
    return socket;
}

std::optional<Peer> peerOf(int socket) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
    return Peer{credentials.pid, credentials.uid};
}

bool mayDebugUs(uid_t uid) {
    constexpr uid_t kRoot = 0;
    return uid == kRoot || (uid == geteuid() && prctl(PR_GET_DUMPABLE) == 1);
}

}  // namespace zetl::debug
