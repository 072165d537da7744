#include "nvidia/driver/execution/shared_words.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fetched_descriptor.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint32_t kMark = 0x4550564e;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;  // or an access could end the process

bool isSharedFile(const SharedWordsHandle& handle, int descriptor, std::size_t bytes) noexcept {
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return false;
    return status.st_ino == handle.inode && status.st_dev == handle.device &&
           static_cast<std::size_t>(status.st_size) == bytes && fcntl(descriptor, F_GET_SEALS) == kSeals;
}

Result<SharedWords> mapped(FileDescriptor file, std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED)
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "{} bytes for shared events cannot be mapped: {}", bytes,
                      std::strerror(errno));
    return SharedWords(std::move(file), memory, bytes);
}

}  // namespace

Result<SharedWords> SharedWords::create(std::size_t bytes) {
    FileDescriptor file(memfd_create("zetl-events", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 || fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no file of {} bytes for shared events: {}", bytes,
                      std::strerror(errno));
    return mapped(std::move(file), bytes);
}

Result<SharedWords> SharedWords::open(const SharedWordsHandle& handle, std::size_t bytes) {
    if (isSharedFile(handle, handle.descriptor, bytes))
        return mapped(FileDescriptor(fcntl(handle.descriptor, F_DUPFD_CLOEXEC, 0)), bytes);
    errno = 0;
    auto fetched = fetchDescriptor(handle.process, handle.descriptor);
    if (isSharedFile(handle, fetched.get(), bytes)) return mapped(std::move(fetched), bytes);
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "descriptor {} of the handle is not the pool's memory in this process, and process {} does not give "
                  "it ({}); send it by SCM_RIGHTS and write the received number into the handle",
                  handle.descriptor, handle.process,
                  fetched ? "what it has there is no memory of events" : std::strerror(errno));
}

SharedWords::SharedWords(SharedWords&& other) noexcept
    : file_(std::move(other.file_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedWords& SharedWords::operator=(SharedWords&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

SharedWords::~SharedWords() {
    if (memory_) munmap(memory_, bytes_);
}

SharedWordsHandle SharedWords::handle(std::uint32_t count, ze_event_pool_flags_t flags) const {
    struct stat status {};
    fstat(file_.get(), &status);
    return {file_.get(), kMark, getpid(), count, status.st_ino, status.st_dev, flags};
}

Result<SharedWordsHandle> readSharedWordsHandle(const ze_ipc_event_pool_handle_t& bytes) {
    SharedWordsHandle handle;
    std::memcpy(&handle, &bytes, sizeof handle);
    if (handle.mark == kMark) return handle;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "the bytes are no handle of an event pool on an NVIDIA GPU; pass them on unchanged except for the "
                  "descriptor in the first four");
}

}  // namespace zetl::nvidia
