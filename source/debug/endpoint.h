// Where the debug agent of a process listens, and who is at the other end of a connection.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/file_descriptor.h"

namespace zetl::debug {

/// The name, in the abstract socket namespace, of the agent of that process: from pid and start time, so that a later
/// process of the same pid has another. Nothing if there is no such process. Abstract names need no directory and
/// vanish with the process; anybody may bind one, so each end verifies the other by the kernel's credentials.
std::optional<std::string> endpointName(pid_t pid);

/// A listening SEQPACKET socket; empty if the name is taken or the host refuses.
FileDescriptor listenAt(const std::string& name);
/// Empty if nobody listens, or if whoever does accepts nobody for two seconds.
FileDescriptor connectTo(const std::string& name);

struct Peer {
    pid_t pid;
    uid_t uid;
};
std::optional<Peer> peerOf(int socket);

/// True if a process of that user may debug this one: the same effective user and this process is dumpable, or root.
bool mayDebugUs(uid_t uid);

}  // namespace zetl::debug
