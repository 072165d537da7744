// How the endpoints of processes are named and addressed.
#pragma once

#include <sys/un.h>

#include <string>
#include <vector>

#include "endpoint/process_directory.h"

namespace zetl::endpoint {

/// File name of an endpoint of a process: what it is for, without a dash, then pid namespace, pid and start time, so
/// that a later process of the same pid has another. Empty if the caller may not read the process. Those that are being
/// made have a dot before it.
std::string endpointName(const std::string& kind, const ProcessDirectory& process);

/// Whether the name is one of those, finished.
bool isOfKind(const std::string& name, const std::string& kind);
/// Endpoints of the kind in an open directory, of which a bounded number is looked at; empty if it cannot be read.
std::vector<std::string> endpointsIn(int directory, const std::string& kind);
/// Names in an open directory, the first 4096 at most.
std::vector<std::string> namesIn(int directory);

/// The address of a socket in an open directory: no path that somebody could exchange meanwhile, and never too long.
sockaddr_un socketAddress(int directory, const std::string& name);

}  // namespace zetl::endpoint
