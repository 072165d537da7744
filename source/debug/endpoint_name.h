// How the endpoints of debug agents are named and addressed.
#pragma once

#include <sys/un.h>

#include <string>

#include "debug/process_directory.h"

namespace zetl::debug {

/// What file names of endpoints begin with; those that are being made have a dot before it.
inline constexpr const char* kEndpointPrefix = "debug-";

/// File name of the endpoint of a process: pid namespace, pid and start time, so that a later process of the same pid
/// has another. Empty if the caller may not read the process.
std::string endpointName(const ProcessDirectory& process);

/// The address of a socket in an open directory: no path that somebody could exchange meanwhile, and never too long.
sockaddr_un socketAddress(int directory, const std::string& name);

}  // namespace zetl::debug
