// The directories that hold the sockets of a user's processes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace zetl::endpoint {

/// A directory that only its user can enter: `name` below `parent`, both as the user's processes see them.
struct UserDirectory {
    std::string parent;
    std::string name;
    bool parentIsTheUsers = false;  ///< a parent that belongs to another user is skipped silently
    bool ofOneProcess = false;      ///< it is removed with the socket in it

    /// The directories in which a process may put its socket and a debugger looks, best first: the run-time directory
    /// of the user's session, which no other user can occupy; a directory of the user's among the host's temporary
    /// files; and, if another user took that name, or the user has no number in the process's user namespace, a
    /// directory of the process's own, named after its endpoint.
    static std::vector<UserDirectory> of(std::optional<uid_t> user, const std::string& runtimeDirectory,
                                         const std::string& endpoint);
    /// Where processes of the user that look for each other meet when somebody took all the shared ones of these: the
    /// same for all of them, in this order.
    static std::vector<UserDirectory> spare(uid_t user);
};

/// An opened directory, or the reason not to use it.
struct OpenedDirectory {
    FileDescriptor descriptor;
    int error = 0;        ///< ENOENT: there is none; EACCES: the caller may not look
    std::string refusal;  ///< not empty: it must not be trusted; has the cause and the remedy
};

/// Opens the directory below `root` (a descriptor of the file system's root as the user's processes see it); makes it
/// first if `create`. It must be a directory, not a link, must belong to `owner` (the user's number for the caller),
/// and must be closed to all others. The descriptor keeps meaning the checked directory, whatever happens to its name.
OpenedDirectory openUserDirectory(int root, const UserDirectory& directory, uid_t owner, bool create);

}  // namespace zetl::endpoint
