#include "base/fetched_descriptor.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace zetl {
namespace {

// The C library of the oldest supported systems does not define it.
constexpr long kPidfdOpen = 434;
constexpr long kPidfdGetfd = 438;

bool isOwnUsers(int process) noexcept {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/status", process);
    const FileDescriptor status(open(path, O_RDONLY | O_CLOEXEC));
    char text[4096] = {};
    if (!status || read(status.get(), text, sizeof text - 1) <= 0) return false;
    const char* const line = std::strstr(text, "\nUid:");
    unsigned real = 0;
    unsigned effective = 0;
    return line && std::sscanf(line, "\nUid: %u %u", &real, &effective) == 2 && real == getuid() &&
           effective == geteuid();
}

}  // namespace

FileDescriptor fetchDescriptor(int process, int descriptor) noexcept {
    const FileDescriptor maker(static_cast<int>(syscall(kPidfdOpen, process, 0)));
    if (!maker) return FileDescriptor();
    if (!isOwnUsers(process)) {
        errno = EPERM;
        return FileDescriptor();
    }
    return FileDescriptor(static_cast<int>(syscall(kPidfdGetfd, maker.get(), descriptor, 0)));
}

}  // namespace zetl
