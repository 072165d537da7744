#include "files/room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace zetl::command {

int lackOfRoom(int descriptor, std::uint64_t bytes) {
    const FileSizeErrors errors;
    struct stat facts {};
    if (fstat(descriptor, &facts) != 0) return errno;
    if (!S_ISREG(facts.st_mode)) return 0;
    const int failure = posix_fallocate(descriptor, facts.st_size, static_cast<off_t>(bytes));
    if (ftruncate(descriptor, facts.st_size) != 0) return errno;
    // Some file systems cannot tell; then writing will fail.
    return failure == EOPNOTSUPP || failure == EINVAL ? 0 : failure;
}

}  // namespace zetl::command
