#include "debug/endpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "base/settings.h"
#include "debug/endpoint_name.h"
#include "debug/stale_endpoints.h"
#include "debug/user_directory.h"

namespace zetl::debug {
namespace {

constexpr auto kLog = log::Module::debug;

/// How long a caller waits for a process that listens and accepts nobody: stopped, or with a full queue.
constexpr timeval kConnectLimit{2, 0};
constexpr const char* kRuntimeDirectory = "XDG_RUNTIME_DIR";

FileDescriptor rootOf(const ProcessDirectory& process) {
    return FileDescriptor(openat(process.descriptor(), "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/// Binds under a name of its own first: what has the final name listens, or its process is dead.
FileDescriptor bindAndListen(int directory, const std::string& name) {
    constexpr int kBacklog = 16;
    constexpr mode_t kOnlyTheUser = 0600;
    FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto address = socketAddress(directory, name);
    unlinkat(directory, name.c_str(), 0);
    if (!socket || bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        fchmodat(directory, name.c_str(), kOnlyTheUser, 0) != 0 || listen(socket.get(), kBacklog) != 0)
        return FileDescriptor();
    return socket;
}

/// 0, or errno: EEXIST if another agent of this process has the name.
int publish(int directory, const std::string& from, const std::string& name) {
    for (int tries = 0; tries < 2; ++tries) {
        if (linkat(directory, from.c_str(), directory, name.c_str(), 0) == 0) return 0;
        if (errno != EEXIST || !isDead(directory, name)) return errno;
        unlinkat(directory, name.c_str(), 0);  // of the program that this process executed before
    }
    return EEXIST;
}

/// The socket under its final name, or none with errno.
FileDescriptor listenIn(int directory, const std::string& name) {
    const auto temporary = fmt::format(".{}-{}", name, gettid());
    auto socket = bindAndListen(directory, temporary);
    if (!socket) return socket;
    const int error = publish(directory, temporary, name);
    unlinkat(directory, temporary.c_str(), 0);
    errno = error;
    return error == 0 ? std::move(socket) : FileDescriptor();
}

Listening listenBelow(int root, const UserDirectory& directory, const std::string& name) {
    auto opened = openUserDirectory(root, directory, geteuid(), true);
    if (!opened.refusal.empty()) log::warn(kLog, "a directory for debuggers is passed over: {}", opened.refusal);
    if (!opened.descriptor) return Listening();
    removeStaleEndpoints(opened.descriptor.get());
    auto socket = listenIn(opened.descriptor.get(), name);
    const auto path = fmt::format("{}/{}/{}", directory.parent, directory.name, name);
    if (!socket) {
        log::warn(kLog, "no debugger can attach at {}: {}", path, std::strerror(errno));
        return Listening();
    }
    const auto toRemove = directory.ofOneProcess ? fmt::format("{}/{}", directory.parent, directory.name) : "";
    return {std::move(socket), std::make_unique<PublishedName>(std::move(opened.descriptor), name, toRemove), path};
}

Connecting connectIn(int directory, const std::string& name, FileDescriptor& socket) {
    FileDescriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const auto address = socketAddress(directory, name);
    if (!made || setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &kConnectLimit, sizeof kConnectLimit) != 0)
        return Connecting::silent;
    if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        socket = std::move(made);
        return Connecting::connected;
    }
    if (errno == EACCES || errno == EPERM) return Connecting::denied;
    return errno == ENOENT || errno == ECONNREFUSED ? Connecting::absent : Connecting::silent;
}

Connecting tryDirectory(int root, const UserDirectory& directory, uid_t user, const std::string& name,
                        FileDescriptor& socket) {
    const auto opened = openUserDirectory(root, directory, user, false);
    if (opened.descriptor) return connectIn(opened.descriptor.get(), name, socket);
    if (!opened.refusal.empty()) log::warn(kLog, "a directory is not looked into for an agent: {}", opened.refusal);
    return opened.error == EACCES ? Connecting::denied : Connecting::absent;
}

}  // namespace

Listening listenForDebuggers() {
    ProcessDirectory self;
    const auto name = ProcessDirectory::openSelf(self) ? endpointName(self) : std::string();
    const auto root = rootOf(self);
    if (name.empty() || !root) {
        log::error(kLog, "no debugger can attach: /proc does not show this process; mount it");
        return Listening();
    }
    const auto runtime = settings::text(kRuntimeDirectory).value_or("");
    for (const auto& directory : UserDirectory::of(self.ownUser(), runtime, name))
        if (auto listening = listenBelow(root.get(), directory, name); listening.socket) return listening;
    log::error(kLog,
               "no debugger can attach: there is no directory for the user's sockets; make XDG_RUNTIME_DIR or "
               "/tmp writable");
    return Listening();
}

Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket) {
    const auto name = endpointName(process);
    const auto root = rootOf(process);
    const auto user = process.user();
    if (name.empty() || !root || !user) return Connecting::denied;
    auto worst = Connecting::absent;
    for (const auto& directory : UserDirectory::of(process.ownUser(), process.environment(kRuntimeDirectory), name)) {
        const auto tried = tryDirectory(root.get(), directory, *user, name, socket);
        if (tried == Connecting::connected) return tried;
        if (tried != Connecting::absent) worst = tried;
    }
    return worst;
}

}  // namespace zetl::debug
