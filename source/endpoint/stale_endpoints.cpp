#include "endpoint/stale_endpoints.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/file_descriptor.h"
#include "endpoint/name.h"

namespace zetl::endpoint {
namespace {

/// Between bind and listen the socket of a living process looks like that of a dead one.
constexpr time_t kYoungSeconds = 60;

/// The pid in an endpoint's name, final or not; 0 if it is no such name.
pid_t pidOf(const std::string& name) {
    pid_t pid = 0;
    const char* const begin = name.c_str() + (name.starts_with('.') ? 1 : 0);
    return std::sscanf(begin, "%*[^-]-%*u-%d-", &pid) == 1 ? pid : 0;
}

bool isOld(int directory, const std::string& name) {
    struct stat found {};
    return fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(found.st_mode) &&
           found.st_mtime + kYoungSeconds < time(nullptr);
}

/// Saves a connection to each living process of this pid namespace.
bool isOfALivingProcess(const std::string& name) {
    ProcessDirectory process;
    return ProcessDirectory::open(pidOf(name), process) == ProcessDirectory::Opening::open &&
           endpointName(name.substr(0, name.find('-')), process) == name;
}

}  // namespace

bool isDead(int directory, const std::string& name) {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto address = socketAddress(directory, name);
    return socket && connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
           errno == ECONNREFUSED;
}

void removeStaleEndpoints(int directory) {
    for (const auto& name : namesIn(directory))
        if (pidOf(name) != 0 && isOld(directory, name) && !isOfALivingProcess(name) && isDead(directory, name))
            unlinkat(directory, name.c_str(), 0);
}

}  // namespace zetl::endpoint
