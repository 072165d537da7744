#include "emulator/driver/memory/ipc_handle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

// The C library of the oldest supported systems does not define it.
constexpr long kPidfdOpen = 434;
constexpr long kPidfdGetfd = 438;

bool isFile(int descriptor, std::uint64_t inode) noexcept {
    struct stat status {};
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_ino == inode;
}

FileDescriptor fetchFrom(int process, int descriptor) noexcept {
    const FileDescriptor maker(static_cast<int>(syscall(kPidfdOpen, process, 0)));
    return FileDescriptor(maker ? static_cast<int>(syscall(kPidfdGetfd, maker.get(), descriptor, 0)) : -1);
}

}  // namespace

IpcHandle makeIpcHandle(IpcHandle::Kind kind, int descriptor) {
    struct stat status {};
    fstat(descriptor, &status);
    return {descriptor, kind, getpid(), 0, status.st_ino, 0, 0};
}

Result<IpcHandle> readIpcHandle(IpcHandle::Kind kind, const void* bytes) {
    IpcHandle handle;
    std::memcpy(&handle, bytes, sizeof handle);
    if (handle.kind == kind) return handle;
    return refuse(
        ZE_RESULT_ERROR_INVALID_ARGUMENT,
        "the bytes are not an IPC handle of this kind from an emulated device; pass them on unchanged except for "
        "the descriptor in the first four");
}

Result<FileDescriptor> openIpcHandle(const IpcHandle& handle) {
    if (isFile(handle.descriptor, handle.inode)) return FileDescriptor(fcntl(handle.descriptor, F_DUPFD_CLOEXEC, 0));
    FileDescriptor fetched = fetchFrom(handle.process, handle.descriptor);
    if (isFile(fetched.get(), handle.inode)) return fetched;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "descriptor {} of the handle is not the shared file in this process, and process {} does not give it "
                  "({}); send it by SCM_RIGHTS and write the received number into the handle",
                  handle.descriptor, handle.process, std::strerror(errno));
}

Result<std::uint64_t> descriptorBytes(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) return static_cast<std::uint64_t>(status.st_size);
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is not the descriptor of shared memory", descriptor);
}

}  // namespace zetl::emulator::driver
