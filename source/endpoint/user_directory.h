// The directories in which the sockets of a user's processes lie.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace zetl::endpoint {

/// A directory that only its user can enter: `name` below `parent`, both as the user's processes know them.
struct UserDirectory {
    std::string parent;
    std::string name;
    bool parentIsTheUsers = false;  ///< a parent of somebody else is passed over in silence
    bool ofOneProcess = false;      ///< to be removed with the socket in it

    /// Where a process puts its socket, and where a debugger looks, best first: the run-time directory of the user's
    /// session, which nobody else can occupy; a directory of the user's among the host's temporary files; and, where
    /// somebody took that name, or the user has no number in the process's user namespace, one of the process's own,
    /// after its endpoint.
    static std::vector<UserDirectory> of(std::optional<uid_t> user, const std::string& runtimeDirectory,
                                         const std::string& endpoint);
    /// Where processes of the user that look for each other meet when somebody took all the shared ones of these: the
    /// same for all of them, in this order.
    static std::vector<UserDirectory> spare(uid_t user);
};

/// An opened directory, or why it is not to be used.
struct OpenedDirectory {
    FileDescriptor descriptor;
    int error = 0;        ///< ENOENT: there is none; EACCES: the caller may not look
    std::string refusal;  ///< not empty: there is something that must not be trusted, with cause and remedy
};

/// Opens the directory below `root` (a descriptor of the file system's root as the user's processes see it), after it
/// was made if `create`. What is there must be a directory, no link, of `owner` (the user as the caller knows it), and
/// closed to everybody else; it stays what was checked, whatever happens to its name.
OpenedDirectory openUserDirectory(int root, const UserDirectory& directory, uid_t owner, bool create);

}  // namespace zetl::endpoint
