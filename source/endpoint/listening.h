// Sockets at which processes of one user find each other.
//
// A SEQPACKET socket in a directory that only its user can enter (user_directory.h), so that nobody else can take its
// name or reach it, and that processes in another network namespace find it.
#pragma once

#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "endpoint/process_directory.h"
#include "endpoint/published_name.h"
#include "endpoint/user_directory.h"

namespace zetl::endpoint {

/// A listening socket of this process, non-blocking. The name goes with this or with the process's ordinary end; when
/// it was killed, with the start of a later endpoint in the same directory.
struct Listening {
    FileDescriptor socket;
    std::unique_ptr<PublishedName> name;
    std::string path;     ///< empty: the directory could not be used
    int error = 0;        ///< without a socket: errno
    std::string refusal;  ///< without a socket, not empty: the directory must not be trusted, with cause and remedy
};

/// Listens in the directory, made if need be, under that name, which is the process's own (endpointName). Removes what
/// killed processes left there.
Listening listenBelow(int root, const UserDirectory& directory, const std::string& name, int backlog = 16);

/// The root directory as the process sees it.
FileDescriptor rootOf(const ProcessDirectory& process);

/// A socket that is connected to the endpoint, or none with errno. Waits for an endpoint with a full queue as long as
/// `limitSeconds`; with 0 not at all, and the socket is non-blocking then.
FileDescriptor connectIn(int directory, const std::string& name, long limitSeconds);

}  // namespace zetl::endpoint
