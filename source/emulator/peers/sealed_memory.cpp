#include "emulator/peers/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/write_signals.h"

namespace zetl::emulator::peers {
namespace {

constexpr int kFixedSize = F_SEAL_SHRINK | F_SEAL_GROW;

Mapping mapped(int descriptor, std::size_t bytes, int protection) noexcept {
    void* const at = mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0);
    return at == MAP_FAILED ? Mapping() : Mapping(at, bytes);
}

void closeToWriters(int descriptor) noexcept {
#ifdef F_SEAL_FUTURE_WRITE
    if (fcntl(descriptor, F_ADD_SEALS, kFixedSize | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0) return;
#endif
    fcntl(descriptor, F_ADD_SEALS, kFixedSize | F_SEAL_SEAL);
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept : at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}
Mapping::~Mapping() {
    if (at_) munmap(at_, bytes_);
}

SealedMemory makeSealedMemory(const char* name, std::size_t bytes) {
    FileDescriptor descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const WriteSignalsHeld held;  // the host may limit the size of files
    if (!descriptor || ftruncate(descriptor.get(), static_cast<off_t>(bytes)) != 0)
        return {FileDescriptor(), Mapping()};
    Mapping mapping = mapped(descriptor.get(), bytes, PROT_READ | PROT_WRITE);
    if (mapping) closeToWriters(descriptor.get());
    return {std::move(descriptor), std::move(mapping)};
}

Mapping mapSealedMemory(const FileDescriptor& descriptor, std::size_t bytes) noexcept {
    struct stat found {};
    const int seals = fcntl(descriptor.get(), F_GET_SEALS);
    if (seals < 0 || (seals & kFixedSize) != kFixedSize || fstat(descriptor.get(), &found) != 0 ||
        found.st_size != static_cast<off_t>(bytes))
        return {};
    return mapped(descriptor.get(), bytes, PROT_READ);
}

}  // namespace zetl::emulator::peers
