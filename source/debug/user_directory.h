// The directories in which the sockets of a user's processes lie.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace zetl::debug {

/// A directory that only its user can enter: `name` below `parent`, both as the user's processes know them.
struct UserDirectory {
    std::string parent;
    std::string name;
    bool parentIsTheUsers = false;  ///< a parent of somebody else is passed over in silence

    /// Where a process of that user puts its socket, and where a debugger looks, best first: the run-time directory of
    /// its session, which nobody else can occupy, then the host's directory for temporary files.
    static std::vector<UserDirectory> of(uid_t user, const std::string& runtimeDirectory);
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

}  // namespace zetl::debug
