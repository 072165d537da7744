// Memory without a name that one process writes and others read.
#pragma once

#include <cstddef>

#include "base/file_descriptor.h"

namespace zetl::emulator::peers {

/// A part of the address space. Ends with the object.
class Mapping {
  public:
    Mapping() = default;
    Mapping(void* at, std::size_t bytes) noexcept : at_(at), bytes_(bytes) {}
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&&) = delete;
    ~Mapping();
    void* at() const noexcept { return at_; }
    explicit operator bool() const noexcept { return at_ != nullptr; }

  private:
    void* at_ = nullptr;
    std::size_t bytes_ = 0;
};

struct SealedMemory {
    FileDescriptor descriptor;  ///< for readers, which can only read it
    Mapping mapping;            ///< of the writer; holds zeros at first. None, with errno: the host refuses
};

/// Its size cannot be changed, and nobody else can write it where the kernel knows that (Linux 5.1). It is freed with
/// the last process that has it. `bytes`: whole pages.
SealedMemory makeSealedMemory(const char* name, std::size_t bytes);

/// Of another process, which is not trusted: nothing if the descriptor is no memory of that size, or if it could
/// shrink, which would end the reading process.
Mapping mapSealedMemory(const FileDescriptor& descriptor, std::size_t bytes) noexcept;

}  // namespace zetl::emulator::peers
