// The way to memory, which all sub-slices share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::emulator::machine {

/// What it can carry is shared out by spans of time: a user takes the first room from its time on. So users need not
/// come in the order of time: one that simulates ahead takes from later callers with earlier times only what it really
/// needs. Times are cycles of the core clock.
class MemoryWay {
  public:
    /// `parts`: of a cycle, 256 of them, that each user takes it for.
    explicit MemoryWay(std::uint64_t parts) noexcept : parts_(parts) {}

    /// Takes it once, at `time` or as soon after as there is room. When that begins. Throws bad_alloc.
    std::uint64_t take(std::uint64_t time);
    /// Nobody comes with earlier times any more.
    void passed(std::uint64_t time) noexcept;

    static constexpr std::uint64_t kParts = 256;

  private:
    static constexpr std::uint64_t kSpan = 64;  // cycles
    static constexpr std::uint64_t kCapacity = kSpan * kParts;
    struct Span {
        std::uint32_t used = 0;
        std::uint32_t skip = 0;  ///< spans from this one on that are full, at least
    };
    std::size_t firstWithRoom(std::size_t span);

    const std::uint64_t parts_;
    std::uint64_t first_ = 0;  ///< number of the first span that is kept
    std::vector<Span> spans_;
};

}  // namespace zetl::emulator::machine
