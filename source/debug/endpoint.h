// The endpoint of a process's debug agent.
#pragma once

#include "endpoint/listening.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::debug {

using namespace zetl::endpoint;

/// The beginning of file names of agents' endpoints.
inline constexpr const char* kEndpointKind = "debug";

/// A listening socket of this process (endpoint/listening.h). If there is none, the reason has been logged.
Listening listenForDebuggers();

enum class Connecting {
    connected,
    absent,  ///< no process listens (yet)
    denied,  ///< the kernel does not let this user reach that process
    silent   ///< the listener has not accepted a connection for two seconds
};
Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket);

}  // namespace zetl::debug
