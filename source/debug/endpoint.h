// The endpoint of a process's debug agent.
#pragma once

#include "endpoint/process_endpoint.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::debug {

using namespace zetl::endpoint;

/// The beginning of file names of agents' endpoints.
inline constexpr const char* kEndpointKind = "debug";

/// A listening socket of this process (endpoint/listening.h). If there is none, the reason has been logged.
Listening listenForDebuggers();

Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket);

}  // namespace zetl::debug
