#include "debug/stale_endpoints.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>

#include "base/file_descriptor.h"
#include "debug/endpoint_name.h"

namespace zetl::debug {
namespace {

constexpr int kMostLookedAt = 512;
/// Between bind and listen a living process's socket answers like a dead one's.
constexpr time_t kYoungSeconds = 60;

bool isEndpoint(const std::string& name) {
    return name.starts_with(kEndpointPrefix) || name.starts_with(fmt::format(".{}", kEndpointPrefix));
}

bool isOld(int directory, const std::string& name) {
    struct stat found {};
    return fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(found.st_mode) &&
           found.st_mtime + kYoungSeconds < time(nullptr);
}

/// Spares the living ones of this pid namespace a connection.
bool isOfALivingProcess(const std::string& name) {
    pid_t pid = 0;
    ProcessDirectory process;
    return std::sscanf(name.c_str(), "debug-%*u-%d-", &pid) == 1 &&
           ProcessDirectory::open(pid, process) == ProcessDirectory::Opening::open && endpointName(process) == name;
}

}  // namespace

bool isDead(int directory, const std::string& name) {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto address = socketAddress(directory, name);
    return socket && connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
           errno == ECONNREFUSED;
}

void removeStaleEndpoints(int directory) {
    FileDescriptor readable(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!readable) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(readable.get()), closedir);
    if (!listing) return;
    static_cast<void>(readable.release());  // the listing's now
    for (int seen = 0; seen < kMostLookedAt; ++seen) {
        const dirent* const entry = readdir(listing.get());
        if (!entry) return;
        const std::string name = entry->d_name;
        if (isEndpoint(name) && isOld(directory, name) && !isOfALivingProcess(name) && isDead(directory, name))
            unlinkat(directory, name.c_str(), 0);
    }
}

}  // namespace zetl::debug
