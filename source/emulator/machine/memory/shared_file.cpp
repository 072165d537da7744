#include "emulator/machine/memory/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/log.h"
#include "base/write_signals.h"

namespace zetl::emulator::machine::shared_file {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr std::uint64_t kDmaBufMagic = 0x444d4142;  // linux/magic.h of the oldest supported systems lacks it
constexpr int kFirstSpare = 512;                    // programs that count on low numbers use fewer

const char* nameOf(Content content) noexcept {
    return content == Content::memory ? "zetl-device-memory" : "zetl-events";
}

FileDescriptor make(Content content, std::uint64_t bytes) noexcept {
    const WriteSignalsHeld held;  // the host may limit the size of files
    FileDescriptor file(memfd_create(nameOf(content), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return FileDescriptor();
    return fcntl(file.get(), F_ADD_SEALS, kSeals) == 0 ? std::move(file) : FileDescriptor();
}

}  // namespace

FileDescriptor create(Content content, std::uint64_t bytes) noexcept {
    FileDescriptor file = make(content, bytes);
    if (!file)
        log::error(
            log::Channel::emulator,
            "no {} bytes that processes can share ({}); raise the limits on open files (ulimit -n) and on the size of "
            "files (ulimit -f), which holds for shared memory too",
            bytes, std::strerror(errno));
    return file;
}

FileDescriptor createSpare(Content content, std::uint64_t bytes) noexcept {
    const FileDescriptor file = make(content, bytes);
    return FileDescriptor(file ? fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstSpare) : -1);
}

std::uint64_t mostSpare() noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kFirstSpare) return 0;
    return (limit.rlim_cur - kFirstSpare) / 2;
}

bool holds(int descriptor, std::uint64_t bytes) noexcept {
    struct stat about {};
    return fstat(descriptor, &about) == 0 && about.st_size >= 0 && static_cast<std::uint64_t>(about.st_size) >= bytes;
}

bool keepsSize(int descriptor) noexcept {
    const int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals >= 0) return (seals & F_SEAL_SHRINK) != 0 || fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
    struct statfs about {};
    return fstatfs(descriptor, &about) == 0 && static_cast<std::uint64_t>(about.f_type) == kDmaBufMagic;
}

bool isOwn(int descriptor, Content content) noexcept {
    const int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals) return false;  // systems may add one against execution
    char link[32];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    char name[64];
    const ssize_t length = readlink(link, name, sizeof name);
    if (length < 0) return errno == ENOENT;  // without /proc, the seals have to do
    constexpr std::string_view kBefore = "/memfd:";
    constexpr std::string_view kBehind = " (deleted)";
    std::string_view rest(name, static_cast<std::size_t>(length));
    if (!rest.starts_with(kBefore) || !rest.ends_with(kBehind)) return false;
    rest.remove_prefix(kBefore.size());
    rest.remove_suffix(kBehind.size());
    return rest == nameOf(content);
}

}  // namespace zetl::emulator::machine::shared_file
