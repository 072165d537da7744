#include "emulator/driver/memory/ipc_handle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fetched_descriptor.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/memory/shared_file.h"

namespace zetl::emulator::driver {
namespace {

/// The file of a handle, made by a driver like this one for that.
bool isFileOf(const IpcHandle& handle, int descriptor) noexcept {
    using machine::shared_file::Content;
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return false;
    if (status.st_ino != handle.inode || status.st_dev != handle.device) return false;
    const Content content = handle.kind == IpcHandle::Kind::memory ? Content::memory : Content::events;
    return machine::shared_file::isOwn(descriptor, content);
}

}  // namespace

IpcHandle makeIpcHandle(IpcHandle::Kind kind, int descriptor) {
    struct stat status {};
    fstat(descriptor, &status);
    return {descriptor, kind, getpid(), 0, status.st_ino, 0, 0, status.st_dev};
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
    if (isFileOf(handle, handle.descriptor)) return FileDescriptor(fcntl(handle.descriptor, F_DUPFD_CLOEXEC, 0));
    errno = 0;
    FileDescriptor fetched = fetchDescriptor(handle.process, handle.descriptor);
    if (isFileOf(handle, fetched.get())) return fetched;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "descriptor {} of the handle is not the shared file in this process, and process {} does not give it "
                  "({}); send it by SCM_RIGHTS and write the received number into the handle",
                  handle.descriptor, handle.process,
                  fetched ? "what it has there is not memory that it shares" : std::strerror(errno));
}

Result<std::uint64_t> descriptorBytes(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) return static_cast<std::uint64_t>(status.st_size);
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is not the descriptor of shared memory", descriptor);
}

}  // namespace zetl::emulator::driver
