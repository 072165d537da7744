// Memory for host code: written while it cannot be executed, executed while it cannot be written.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace zetl::emulator::translate {

class ExecutableMemory {
  public:
    /// Room for so many bytes, writable; null if the host refuses.
    static std::unique_ptr<ExecutableMemory> allocate(std::size_t bytes) noexcept;
    ~ExecutableMemory();
    ExecutableMemory(const ExecutableMemory&) = delete;
    ExecutableMemory& operator=(const ExecutableMemory&) = delete;

    std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// From now on it can be executed and no longer written. False if the host refuses.
    bool seal() noexcept;

    /// Whether the host lets this process execute what it has written, by trying it once.
    static bool permitted() noexcept;

  private:
    explicit ExecutableMemory(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}

    std::span<std::byte> bytes_;
};

}  // namespace zetl::emulator::translate
