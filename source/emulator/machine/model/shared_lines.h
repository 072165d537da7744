// How many sub-slices use the lines that the two of a sample bring to the second-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::emulator::machine {

/// A line that all sub-slices use comes from memory once, and one that a single sub-slice uses does so for each of
/// them. The sample does not see the others. How often both of its sub-slices use the same lines, by block of memory,
/// says how many use them. Not thread-safe.
class SharedLines {
  public:
    /// A dispatch begins, on so many sub-slices; 0: all of them are simulated, and there is nothing to estimate.
    void begin(std::uint32_t subslices) noexcept;
    bool areEstimated() const noexcept { return subslices_ != 0; }

    enum class Use : std::uint8_t { read, written };
    /// The cache did not have the line when this sub-slice of the sample used it.
    void missed(std::uint32_t line, std::uint32_t subslice, Use use);
    /// The cache had it.
    void found(std::uint32_t line, std::uint32_t subslice) noexcept;
    /// Of a line that was missed: whether another sub-slice, which is not in the sample, is taken to have brought it.
    bool othersBring(std::uint32_t line) noexcept;
    /// Lines have other numbers from now on.
    void forgetLines() noexcept;

    /// Lines that came to the cache: as many as the sample brought if no others shared them, and as are estimated.
    struct Lines {
        std::uint64_t alone = 0;
        std::uint64_t estimated = 0;
    };
    Lines read() const noexcept;
    Lines all() const noexcept;

  private:
    static constexpr std::size_t kLines = 1024;  ///< of a block
    static constexpr std::uint8_t kBoth = 0xff;

    struct Block {
        std::uint32_t missed = 0;
        std::uint32_t read = 0;    ///< of these
        std::uint32_t shared = 0;  ///< by both sub-slices of the sample
        std::uint32_t turn = 0;
        std::array<std::uint8_t, kLines> by{};  ///< by line: the sub-slice that brought it, plus one; or kBoth; or 0
    };
    Block* find(std::uint32_t line) noexcept;
    std::uint64_t estimateOf(const Block& block) const noexcept;

    std::uint32_t subslices_ = 0;
    std::vector<std::uint32_t> places_;  ///< by number of the block: its place in blocks_, plus one
    std::vector<Block> blocks_;
    std::size_t current_ = 0;  ///< the first block whose lines still have their numbers
};

}  // namespace zetl::emulator::machine
