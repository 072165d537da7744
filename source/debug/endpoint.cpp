#include "debug/endpoint.h"

#include <cstring>

#include "debug/log_channel.h"

namespace zetl::debug {
namespace {

void logRefusal(const Listening& listening) {
    if (!listening.refusal.empty())
        log::warn(kLog, "a directory for debuggers is passed over: {}", listening.refusal);
    else if (!listening.path.empty())
        log::warn(kLog, "no debugger can attach at {}: {}", listening.path, std::strerror(listening.error));
}

}  // namespace

Listening listenForDebuggers() {
    Listening listening;
    switch (listenAs(kEndpointKind, listening, logRefusal)) {
        case Listens::yes:
            break;
        case Listens::hidden:
            log::error(kLog, "no debugger can attach: /proc does not show this process; mount it");
            break;
        case Listens::nowhere:
            log::error(kLog,
                       "no debugger can attach: there is no directory for the user's sockets; make XDG_RUNTIME_DIR or "
                       "/tmp writable");
            break;
    }
    return listening;
}

Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket) {
    return endpoint::connectTo(process, kEndpointKind, socket, [](const std::string& refusal) {
        log::warn(kLog, "a directory is not looked into for an agent: {}", refusal);
    });
}

}  // namespace zetl::debug
