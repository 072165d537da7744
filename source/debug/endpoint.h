// Where the debug agent of a process listens.
#pragma once

#include "endpoint/listening.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::debug {

using namespace zetl::endpoint;

/// What file names of the agents' endpoints begin with.
inline constexpr const char* kEndpointKind = "debug";

/// A listening socket of this process (endpoint/listening.h); none: the log said why.
Listening listenForDebuggers();

enum class Connecting {
    connected,
    absent,  ///< nobody listens (yet)
    denied,  ///< the kernel does not let this user reach that process
    silent   ///< the listener has not accepted a connection for two seconds
};
Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket);

}  // namespace zetl::debug
