// Memory for host code: written while it cannot be executed, executed while it cannot be written.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace zetl::emulator::translate {

class ExecutableMemory {
  public:
    /// Allocates so many writable bytes; null if the host refuses.
    static std::unique_ptr<ExecutableMemory> allocate(std::size_t bytes) noexcept;
    ~ExecutableMemory();
    ExecutableMemory(const ExecutableMemory&) = delete;
    ExecutableMemory& operator=(const ExecutableMemory&) = delete;

    std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// From now on it can be executed, and not written any more. Returns false if the host refuses.
    bool seal() noexcept;

    /// Whether the host lets this process execute code that it has written, found by trying it once.
    static bool permitted() noexcept;

  private:
    explicit ExecutableMemory(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}

    std::span<std::byte> bytes_;
};

}  // namespace zetl::emulator::translate
