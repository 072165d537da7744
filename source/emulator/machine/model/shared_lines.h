// How many sub-slices use the lines that those of a sample bring to the second-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/machine/model/prefetch.h"

namespace zetl::emulator::machine {

/// A line that all sub-slices use comes from memory once, and one that a single sub-slice uses does so for each of
/// them. The sample does not see the others. Two things say how many use a line: how often both of its sub-slices use
/// the same lines, by block of memory; and that all sub-slices together bring no more lines than an allocation has.
/// Not thread-safe.
class SharedLines {
  public:
    /// A dispatch begins, on so many sub-slices, of which one or two are simulated. If all are, there is nothing to
    /// estimate.
    void begin(std::uint32_t simulated, std::uint32_t subslices) noexcept;
    bool areEstimated() const noexcept { return simulated_ != subslices_; }
    /// Lines that are missed from now on stand for so many times as many as those of the simulated sub-slices stand
    /// for, in parts of kWeight, since groups of other batches are not simulated at all.
    void weigh(std::uint64_t weight) noexcept { weight_ = weight; }
    static constexpr std::uint64_t kWeight = 256;

    enum class Use : std::uint8_t { read, written };
    /// The allocation that a line belongs to. `lines`: 0 if that is not known.
    struct Owner {
        std::uint64_t begin = 0;
        std::uint64_t lines = 0;
    };
    /// The cache did not have the line when this sub-slice of the sample used it, at that time.
    void missed(std::uint32_t line, std::uint32_t subslice, Use use, const Owner& owner, std::uint64_t time);
    /// The cache had it.
    void found(std::uint32_t line, std::uint32_t subslice, std::uint64_t time) noexcept;
    /// Of a line that was missed and is read: whether another sub-slice, which is not in the sample, is taken to have
    /// brought it. All sub-slices together bring as many as are estimated.
    bool othersBring(std::uint32_t line) noexcept;
    /// For how long such a line has been on its way then, as the times say at which both sub-slices of the sample used
    /// lines of that allocation. If the two have none in common, neighbours of each may have, at the same time.
    /// One sub-slice alone shows nothing of that: kLong.
    std::uint64_t broughtSince(std::uint32_t line) noexcept;
    static constexpr std::uint64_t kLong = ~std::uint64_t{0};
    /// What is known of the line will be needed soon: fetches it into the host's cache.
    void prepare(std::uint32_t line) const noexcept {
        const std::size_t block = line / kLines;
        if (block < places_.size() && places_[block] != 0) prefetch(&blocks_[places_[block] - 1].lines[line % kLines]);
    }
    /// Lines have other numbers from now on.
    void forgetLines() noexcept;

    /// Lines that came to the cache: as many as the sample brought if no others shared them, as are estimated, and as
    /// fit into the allocations that it used, where their sizes are known.
    struct Lines {
        std::uint64_t alone = 0;
        std::uint64_t estimated = 0;
        std::uint64_t most = 0;
    };
    Lines read() const { return sum(&Block::weighedRead); }
    Lines all() const { return sum(&Block::weighed); }

  private:
    static constexpr std::size_t kLines = 1024;  ///< of a block
    static constexpr std::uint8_t kBoth = 0xff;

    /// Of a line that a sub-slice brought.
    struct Bringing {
        std::uint32_t at = 0;  ///< when, modulo 2^32
        std::uint8_t by = 0;   ///< the sub-slice, plus one; or kBoth; or 0
    };
    struct Block {
        std::uint32_t missed = 0;
        std::uint32_t shared = 0;   ///< by both sub-slices of the sample
        std::uint32_t brought = 0;  ///< by the sample: of those that were missed, the ones that nobody else brings
        std::uint32_t region = 0;
        std::uint64_t weighed = 0;      ///< those that were missed, with their weights
        std::uint64_t weighedRead = 0;  ///< of these
        std::array<Bringing, kLines> lines{};
    };
    /// What is known of an allocation.
    struct Region {
        Owner owner;
        std::uint64_t missed = 0;
        std::uint64_t brought = 0;
        std::uint64_t shared = 0;
        std::uint64_t apart = 0;    ///< cycles between the uses of those by both sub-slices
        std::uint64_t weighed = 0;  ///< with their weights
    };
    Block* find(std::uint32_t line) noexcept;
    Block& findOrMake(std::uint32_t line, const Owner& owner);
    std::uint32_t regionOf(const Owner& owner);
    static void bring(Block& block, Region& region) noexcept;
    std::uint64_t aloneOf(std::uint64_t missed) const noexcept;
    std::uint64_t estimateOf(const Block& block) const noexcept;
    std::uint64_t limitOf(const Region& region, std::uint64_t lines) const noexcept;
    Lines sum(std::uint64_t Block::*part) const;

    std::uint32_t simulated_ = 0;
    std::uint32_t subslices_ = 0;
    std::uint64_t weight_ = kWeight;
    std::vector<std::uint32_t> places_;  ///< by number of the block: its place in blocks_, plus one
    std::vector<Block> blocks_;
    std::vector<Region> regions_;
    std::size_t current_ = 0;  ///< the first block whose lines still have their numbers
};

}  // namespace zetl::emulator::machine
