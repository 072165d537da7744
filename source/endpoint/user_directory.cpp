#include "endpoint/user_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace zetl::endpoint {
namespace {

constexpr mode_t kOnlyTheUser = 0700;
constexpr mode_t kOthers = 0077;
constexpr const char* kName = "ze-tools-layer";
constexpr const char* kTemporary = "/tmp";

OpenedDirectory failed(int error) { return {FileDescriptor(), error, {}}; }

/// Looks paths up below `root`, which is another directory than "/" if the process lives in a container.
FileDescriptor openBelow(int root, const std::string& path) {
    const auto begin = path.find_first_not_of('/');
    const auto relative = begin == std::string::npos ? std::string(".") : path.substr(begin);
    return FileDescriptor(openat(root, relative.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::string fault(const struct stat& found, uid_t owner) {
    if (S_ISLNK(found.st_mode)) return "is a symbolic link";
    if (!S_ISDIR(found.st_mode)) return "is no directory";
    if (found.st_uid != owner) return fmt::format("belongs to user {} and not to user {}", found.st_uid, owner);
    if (found.st_mode & kOthers) return fmt::format("is open to other users (mode {:o})", found.st_mode & 07777);
    return {};
}

}  // namespace

std::vector<UserDirectory> UserDirectory::of(std::optional<uid_t> user, const std::string& runtimeDirectory,
                                             const std::string& endpoint) {
    std::vector<UserDirectory> all;
    if (runtimeDirectory.starts_with('/')) all.push_back({runtimeDirectory, kName, true});
    if (user) {
        all.push_back({fmt::format("/run/user/{}", *user), kName, true});
        all.push_back({kTemporary, fmt::format("{}-{}", kName, *user)});
    }
    all.push_back({kTemporary, fmt::format("{}-{}", kName, endpoint), false, true});
    return all;
}

std::vector<UserDirectory> UserDirectory::spare(uid_t user) {
    constexpr int kSpares = 16;
    std::vector<UserDirectory> all;
    for (int i = 1; i <= kSpares; ++i) all.push_back({kTemporary, fmt::format("{}-{}.{}", kName, user, i)});
    return all;
}

OpenedDirectory openUserDirectory(int root, const UserDirectory& directory, uid_t owner, bool create) {
    const auto parent = openBelow(root, directory.parent);
    if (!parent) return failed(errno);
    struct stat found {};
    if (fstat(parent.get(), &found) != 0) return failed(errno);
    if (directory.parentIsTheUsers && found.st_uid != owner) return failed(ENOENT);
    const auto* name = directory.name.c_str();
    // The umask may have removed bits of the mode; the mode of an existing directory is not changed.
    if (create && mkdirat(parent.get(), name, kOnlyTheUser) == 0) fchmodat(parent.get(), name, kOnlyTheUser, 0);
    FileDescriptor opened(openat(parent.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!opened || fstat(opened.get(), &found) != 0) return failed(errno);
    if (const auto cause = fault(found, owner); !cause.empty())
        return {FileDescriptor(), EPERM, fmt::format("{}/{} {}; remove it", directory.parent, directory.name, cause)};
    return {std::move(opened), 0, {}};
}

}  // namespace zetl::endpoint
