#include "debug/endpoint.h"

#include <cerrno>
#include <cstring>

#include "base/settings.h"
#include "debug/log_channel.h"
#include "endpoint/name.h"

namespace zetl::debug {
namespace {

/// How long a caller waits for a listening process that accepts no connection: stopped, or with a full queue.
constexpr long kConnectSeconds = 2;
constexpr const char* kRuntimeDirectory = "XDG_RUNTIME_DIR";

void logRefusal(const Listening& listening) {
    if (!listening.refusal.empty())
        log::warn(kLog, "a directory for debuggers is passed over: {}", listening.refusal);
    else if (!listening.path.empty())
        log::warn(kLog, "no debugger can attach at {}: {}", listening.path, std::strerror(listening.error));
}

Connecting connectIn(int directory, const std::string& name, FileDescriptor& socket) {
    socket = endpoint::connectIn(directory, name, kConnectSeconds);
    if (socket) return Connecting::connected;
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
    const auto name = ProcessDirectory::openSelf(self) ? endpointName(kEndpointKind, self) : std::string();
    const auto root = rootOf(self);
    if (name.empty() || !root) {
        log::error(kLog, "no debugger can attach: /proc does not show this process; mount it");
        return Listening();
    }
    const auto runtime = settings::text(kRuntimeDirectory).value_or("");
    for (const auto& directory : UserDirectory::of(self.ownUser(), runtime, name)) {
        auto listening = listenBelow(root.get(), directory, name);
        if (listening.socket) return listening;
        logRefusal(listening);
    }
    log::error(kLog,
               "no debugger can attach: there is no directory for the user's sockets; make XDG_RUNTIME_DIR or "
               "/tmp writable");
    return Listening();
}

Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket) {
    const auto name = endpointName(kEndpointKind, process);
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
