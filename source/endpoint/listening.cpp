#include "endpoint/listening.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "endpoint/name.h"
#include "endpoint/stale_endpoints.h"

namespace zetl::endpoint {
namespace {

/// Binds under a temporary name first, so that a socket under the final name listens, or its process is dead.
FileDescriptor bindAndListen(int directory, const std::string& name, int backlog) {
    constexpr mode_t kOnlyTheUser = 0600;
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto address = socketAddress(directory, name);
    unlinkat(directory, name.c_str(), 0);
    if (!socket || bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        fchmodat(directory, name.c_str(), kOnlyTheUser, 0) != 0 || listen(socket.get(), backlog) != 0)
        return FileDescriptor();
    return socket;
}

/// 0, or errno: EEXIST if another endpoint of this process has the name.
int publish(int directory, const std::string& from, const std::string& name) {
    for (int tries = 0; tries < 2; ++tries) {
        if (linkat(directory, from.c_str(), directory, name.c_str(), 0) == 0) return 0;
        if (errno != EEXIST || !isDead(directory, name)) return errno;
        unlinkat(directory, name.c_str(), 0);  // left by the program that this process executed before
    }
    return EEXIST;
}

/// The socket under its final name, or none with errno.
FileDescriptor listenIn(int directory, const std::string& name, int backlog) {
    const auto temporary = fmt::format(".{}-{}", name, gettid());
    auto socket = bindAndListen(directory, temporary, backlog);
    if (!socket) return socket;
    const int error = publish(directory, temporary, name);
    unlinkat(directory, temporary.c_str(), 0);
    errno = error;
    return error == 0 ? std::move(socket) : FileDescriptor();
}

}  // namespace

FileDescriptor rootOf(const ProcessDirectory& process) {
    return FileDescriptor(openat(process.descriptor(), "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Listening listenBelow(int root, const UserDirectory& directory, const std::string& name, int backlog) {
    Listening listening;
    auto opened = openUserDirectory(root, directory, geteuid(), true);
    listening.error = opened.error;
    listening.refusal = opened.refusal;
    if (!opened.descriptor) return listening;
    listening.path = fmt::format("{}/{}/{}", directory.parent, directory.name, name);
    removeStaleEndpoints(opened.descriptor.get());
    listening.socket = listenIn(opened.descriptor.get(), name, backlog);
    listening.error = errno;
    if (!listening.socket) return listening;
    const auto toRemove = directory.ofOneProcess ? fmt::format("{}/{}", directory.parent, directory.name) : "";
    listening.name = std::make_unique<PublishedName>(std::move(opened.descriptor), name, toRemove);
    return listening;
}

FileDescriptor connectIn(int directory, const std::string& name, long limitSeconds) {
    const timeval limit{limitSeconds, 0};
    const int waiting = limitSeconds == 0 ? SOCK_NONBLOCK : 0;
    FileDescriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | waiting, 0));
    const auto address = socketAddress(directory, name);
    if (!made || setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return FileDescriptor();
    return made;
}

}  // namespace zetl::endpoint
