#include "executed/counts_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "base/file_descriptor.h"
#include "executed/format.h"

namespace zetl::executed {
namespace {

bool writeWhole(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

/// A new file of this process whose name ends in the first number that is free; `path` gets its name.
FileDescriptor numbered(const std::string& begin, const char* suffix, std::string& path) {
    for (std::uint32_t number = 0;; ++number) {
        path = fmt::format("{}.{}.{}{}", begin, getpid(), number, suffix);
        FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file || errno != EEXIST) return file;
    }
}

/// Unmaps the words that it deletes.
struct Unmap {
    std::size_t bytes;
    void operator()(const Counts* counts) const noexcept {
        ::munmap(counts->data(), bytes);
        delete counts;
    }
};

}  // namespace

std::string keyOf(std::span<const std::uint8_t> module) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const std::uint8_t byte : module) hash = (hash ^ byte) * 0x100000001b3;
    return fmt::format("{:016x}-{}", hash, module.size());
}

bool keepImage(const std::string& directory, const std::string& key, std::uint64_t codeBase,
               std::span<const std::uint8_t> image) {
    const std::string path = fmt::format("{}/{}{}", directory, key, kImageSuffix);
    if (::access(path.c_str(), F_OK) == 0) return true;
    std::string draft;
    const FileDescriptor file = numbered(fmt::format("{}/{}", directory, key), ".draft", draft);
    if (!file) return false;
    ImageHeader header;
    header.codeBase = codeBase;
    const bool written =
        writeWhole(file.get(), std::as_bytes(std::span(&header, 1))) && writeWhole(file.get(), std::as_bytes(image));
    // A process that comes later replaces the same content.
    if (written && std::rename(draft.c_str(), path.c_str()) == 0) return true;
    const int why = errno;
    ::unlink(draft.c_str());
    errno = why;
    return false;
}

std::shared_ptr<Counts> makeCounts(const std::string& directory, const std::string& key, std::uint64_t codeBytes) {
    const std::size_t words = codeBytes / kCountedBytes + 1;
    const std::size_t bytes = words * sizeof(std::uint64_t);
    std::string path;
    const FileDescriptor file = numbered(fmt::format("{}/{}", directory, key), kCountsSuffix, path);
    if (!file) return nullptr;
    // Without room, a write to mapped memory would end the process.
    int why = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
    void* const mapped =
        why == 0 ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0) : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        if (why == 0) why = errno;
        ::unlink(path.c_str());
        errno = why;
        return nullptr;
    }
    auto* const first = static_cast<std::atomic<std::uint64_t>*>(mapped);
    auto* const counts = new (std::nothrow) Counts(first, words);
    if (counts != nullptr) return {counts, Unmap{bytes}};
    ::munmap(mapped, bytes);
    errno = ENOMEM;
    return nullptr;
}

}  // namespace zetl::executed
