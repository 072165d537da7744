// Which lines a sub-slice of a sample has asked L3 for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::emulator::machine {

/// A line that a sub-slice asks for again was in its first-level cache and had to make room. How often that happens
/// depends on which groups meet on a sub-slice, which a sample cannot know. Not thread-safe.
class KnownLines {
  public:
    void begin() noexcept {
        forget();
        count_ = {};
    }
    /// Lines have other numbers from now on.
    void forget() noexcept { asked_.clear(); }
    void ask(std::uint32_t line) {
        const std::size_t word = line / kBits;
        const std::uint64_t bit = std::uint64_t{1} << line % kBits;
        if (word >= asked_.size()) asked_.resize(2 * word + 1);
        ++count_.lines;
        count_.again += (asked_[word] & bit) != 0;
        asked_[word] |= bit;
    }

    struct Count {
        std::uint64_t lines = 0;
        std::uint64_t again = 0;  ///< of these: asked for before
        Count& operator+=(const Count& other) noexcept {
            lines += other.lines;
            again += other.again;
            return *this;
        }
    };
    const Count& count() const noexcept { return count_; }

  private:
    static constexpr std::size_t kBits = 64;

    std::vector<std::uint64_t> asked_;  ///< one bit per line
    Count count_;
};

}  // namespace zetl::emulator::machine
