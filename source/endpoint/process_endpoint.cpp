#include "endpoint/process_endpoint.h"

#include <cerrno>

#include "base/settings.h"
#include "endpoint/name.h"

namespace zetl::endpoint {
namespace {

/// How long a caller waits for a listening process that accepts no connection: stopped, or with a full queue.
constexpr long kConnectSeconds = 2;
constexpr const char* kRuntimeDirectory = "XDG_RUNTIME_DIR";

Connecting tryName(int directory, const std::string& name, FileDescriptor& socket) {
    socket = connectIn(directory, name, kConnectSeconds);
    if (socket) return Connecting::connected;
    if (errno == EACCES || errno == EPERM) return Connecting::denied;
    return errno == ENOENT || errno == ECONNREFUSED ? Connecting::absent : Connecting::silent;
}

}  // namespace

Listens listenAs(const std::string& kind, Listening& listening,
                 const std::function<void(const Listening&)>& passedOver) {
    ProcessDirectory self;
    const auto name = ProcessDirectory::openSelf(self) ? endpointName(kind, self) : std::string();
    const auto root = rootOf(self);
    if (name.empty() || !root) return Listens::hidden;
    const auto runtime = settings::text(kRuntimeDirectory).value_or("");
    for (const auto& directory : UserDirectory::of(self.ownUser(), runtime, name)) {
        listening = listenBelow(root.get(), directory, name);
        if (listening.socket) return Listens::yes;
        passedOver(listening);
    }
    return Listens::nowhere;
}

Connecting connectTo(const ProcessDirectory& process, const std::string& kind, FileDescriptor& socket,
                     const std::function<void(const std::string&)>& distrusted) {
    const auto name = endpointName(kind, process);
    const auto root = rootOf(process);
    const auto user = process.user();
    if (name.empty() || !root || !user) return Connecting::denied;
    auto worst = Connecting::absent;
    for (const auto& directory : UserDirectory::of(process.ownUser(), process.environment(kRuntimeDirectory), name)) {
        const auto opened = openUserDirectory(root.get(), directory, *user, false);
        if (!opened.refusal.empty()) distrusted(opened.refusal);
        const auto other = opened.error == EACCES ? Connecting::denied : Connecting::absent;
        const auto tried = opened.descriptor ? tryName(opened.descriptor.get(), name, socket) : other;
        if (tried == Connecting::connected) return tried;
        if (tried != Connecting::absent) worst = tried;
    }
    return worst;
}

}  // namespace zetl::endpoint
