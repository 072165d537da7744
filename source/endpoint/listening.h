// Sockets by which processes of one user find each other.
//
// A SEQPACKET socket in a directory that only its user can enter (user_directory.h), so that no other user can take its
// name or reach it, and that processes in another network namespace find it.
#pragma once

#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "endpoint/process_directory.h"
#include "endpoint/published_name.h"
#include "endpoint/user_directory.h"

namespace zetl::endpoint {

/// A listening socket of this process, non-blocking. The name is removed with this object or at the process's ordinary
/// end; if the process is killed, the start of a later endpoint in the same directory removes it.
struct Listening {
    FileDescriptor socket;
    std::unique_ptr<PublishedName> name;
    std::string path;     ///< empty: the directory could not be used
    int error = 0;        ///< without a socket: errno
    std::string refusal;  ///< without a socket, not empty: the directory must not be trusted, with cause and remedy
};

/// Listens under that name in the directory, which is made if needed. The name must be the process's own
/// (endpointName). Removes names that killed processes left there.
Listening listenBelow(int root, const UserDirectory& directory, const std::string& name, int backlog = 16);

/// The root directory as the process sees it.
FileDescriptor rootOf(const ProcessDirectory& process);

/// A socket that is connected to the endpoint, or none with errno set. Waits up to `limitSeconds` for an endpoint with
/// a full queue; with 0 it does not wait, and the socket is non-blocking.
FileDescriptor connectIn(int directory, const std::string& name, long limitSeconds);

}  // namespace zetl::endpoint
