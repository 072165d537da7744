// First-fit allocation of offsets within a fixed size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace zetl::emulator::machine {

/// Hands out disjoint ranges of [first, first + bytes). Not thread-safe.
class RangeAllocator {
  public:
    static constexpr std::uint64_t kAlignment = 64;

    RangeAllocator(std::uint64_t first, std::uint64_t bytes) { free_[first] = bytes; }

    /// Offset of `bytes`, rounded up to kAlignment; nothing if no gap is large enough.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes);
    /// Releases a range that allocate(bytes) returned. Without memory for the entry the range stays taken, and a line
    /// is logged.
    void release(std::uint64_t offset, std::uint64_t bytes) noexcept;

  private:
    std::map<std::uint64_t, std::uint64_t> free_;  // offset, bytes; neighbours are merged
};

}  // namespace zetl::emulator::machine
