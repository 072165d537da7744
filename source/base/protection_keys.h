// Memory that the program's threads cannot reach while our own can, by protection keys of the processor (PKU).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace zetl {

/// One key of the process. Threads that the program starts cannot reach what is closed with it; threads that are
/// started by ServiceThread once there is a key can.
class ProtectionKey {
  public:
    /// Nothing if the processor or the kernel has no keys, or none is left.
    static std::optional<ProtectionKey> take() noexcept;
    /// True if a key was taken: then threads of our own call allowAll() first.
    static bool anyTaken() noexcept;
    /// For the calling thread, for all keys.
    static void allowAll() noexcept;

    /// Whole pages. What is not closed can be reached by all.
    bool close(std::uint64_t begin, std::uint64_t bytes) const noexcept;
    static bool open(std::uint64_t begin, std::uint64_t bytes) noexcept;

    /// For the calling thread. Returns what restore() is given.
    std::uint32_t allow() const noexcept;
    static void restore(std::uint32_t rights) noexcept;

  private:
    explicit ProtectionKey(int number) noexcept : number_(number) {}
    int number_;
};

}  // namespace zetl
