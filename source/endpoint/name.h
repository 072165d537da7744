// Names and addresses of the endpoints of processes.
#pragma once

#include <sys/un.h>

#include <string>
#include <vector>

#include "endpoint/process_directory.h"

namespace zetl::endpoint {

/// The file name of a process's endpoint: its purpose (without a dash), then pid namespace, pid and start time, so that
/// a later process with the same pid has another name. Empty if the caller may not read the process. Endpoints that are
/// being made have a dot before the name.
std::string endpointName(const std::string& kind, const ProcessDirectory& process);

/// Whether the name is the final name of such an endpoint.
bool isOfKind(const std::string& name, const std::string& kind);
/// Endpoints of the kind in an open directory. Looks at a bounded number; empty if the directory cannot be read.
std::vector<std::string> endpointsIn(int directory, const std::string& kind);
/// Names in an open directory, at most the first 4096.
std::vector<std::string> namesIn(int directory);

/// The address of a socket in an open directory. It has no path that could be exchanged meanwhile, and is never too
/// long.
sockaddr_un socketAddress(int directory, const std::string& name);

}  // namespace zetl::endpoint
