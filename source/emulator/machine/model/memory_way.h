// The way to memory, which all sub-slices share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace zetl::emulator::machine {

/// What it can carry is shared out by spans of time: a user takes the first room from its time on. So users need not
/// come in the order of time: one that simulates ahead takes from later callers with earlier times only what it really
/// needs. Times are cycles of the core clock.
class MemoryWay {
  public:
    /// `parts`: how long each use takes, in cycles / 256.
    explicit MemoryWay(std::uint64_t parts) noexcept : parts_(parts) {}

    /// Uses it once, at `time` or as soon afterwards as there is room. Returns when the use begins. Throws bad_alloc.
    std::uint64_t take(std::uint64_t time);
    /// Whether a use had to wait for room since the last call.
    bool takeCrowded() noexcept { return std::exchange(crowded_, false); }
    /// No use with an earlier time will come any more.
    void passed(std::uint64_t time) noexcept;
    /// Time begins anew, and nothing is in use. A user also takes what was not used in so many cycles before its time,
    /// but only if it was left to it.
    void restart(std::uint64_t parts, std::uint64_t earlier = 0) noexcept {
        parts_ = parts;
        earlier_ = earlier / kSpan;
        leftSince_ = kNever;
        first_ = 0;
        crowded_ = false;
        spans_.clear();
    }

    /// From `since` on users leave what they do not need to others.
    void leaveRoom(std::uint64_t since) noexcept { leftSince_ = std::min(leftSince_, since / kSpan); }

    static constexpr std::uint64_t kParts = 256;

  private:
    static constexpr std::uint64_t kSpan = 64;  // cycles
    static constexpr std::uint64_t kCapacity = kSpan * kParts;
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    struct Span {
        std::uint32_t used = 0;
        std::uint32_t skip = 0;  ///< number of spans from this one on that are full, at least
    };
    std::size_t firstWithRoom(std::size_t span);

    std::uint64_t parts_;
    std::uint64_t earlier_ = 0;         ///< spans
    std::uint64_t leftSince_ = kNever;  ///< number of a span
    std::uint64_t first_ = 0;           ///< number of the first span in the list
    bool crowded_ = false;
    std::vector<Span> spans_;
};

}  // namespace zetl::emulator::machine
