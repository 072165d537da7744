// Numbers for cache lines that do not depend on where the host has put the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace zetl::emulator::machine {

/// Blocks of 64 KiB, counted from the beginning of an allocation, are numbered in the order in which the model first
/// meets them. Lines keep their place within a block, as they do where hardware gives out memory. So a program uses the
/// same sets of a first-level cache in every run, in whatever order threads come to the memory. Not thread-safe.
class LineNumbers {
  public:
    /// What is known of an address.
    struct Home {
        std::uint64_t begin = 0;  ///< of the allocation; 0: of none
        bool host = false;        ///< in the host's memory
        std::uint64_t bytes = 0;  ///< of the allocation; 0: not known
        bool contains(std::uint64_t address) const noexcept { return address - begin < bytes; }
    };
    /// A null function knows nothing.
    using FindHome = std::function<Home(std::uint64_t)>;
    LineNumbers(std::uint32_t lineBytes, FindHome findHome) noexcept;

    /// The number of the line that contains this address.
    std::uint32_t of(std::uint64_t address) {
        const std::uint64_t page = address >> kPageBits;
        if (page != latest_.page) latest_ = find(address);
        const auto within = static_cast<std::uint32_t>(address & ((1u << kPageBits) - 1)) >> lineBits_;
        return latest_.number << (kPageBits - lineBits_) | within;
    }
    /// True after so many pages that the numbers run out or the table grows too large: all numbers must then be
    /// forgotten with clear().
    bool full() const noexcept { return met_ >= kMostPages || isHost_.size() >= kMostNumbers; }
    void clear() noexcept;
    /// Memory may have been freed and allocated: asks again where a page is when it is next met.
    void lookAgain() noexcept;
    /// Whether the line's page was the host's when it was last met.
    bool isHost(std::uint32_t line) const noexcept { return isHost_[line >> (kPageBits - lineBits_)]; }
    /// Where the line's block was when a page of it was last met.
    const Home& homeOf(std::uint32_t line) const noexcept { return homes_[(line >> (kPageBits - lineBits_)) / kBlock]; }

  private:
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::size_t kMostPages = std::size_t{1} << 22;    // 16 GiB
    static constexpr std::size_t kMostNumbers = std::size_t{1} << 25;  // of pages: lines have 32 bits
    static constexpr std::uint64_t kBlock = 16;                        // pages
    static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

    /// `round`: the round of lookAgain() in which `isHost` was asked.
    struct Page {
        std::uint64_t page = kNoPage;
        std::uint32_t number = 0;
        std::uint32_t round = 0;
    };

    /// An allocation that was asked for in this round, and the numbers of its pages, for a direct way to them.
    struct Lately {
        Home home;
        std::vector<std::uint32_t> numbers;  ///< by page: plus one, or 0 if it was not met; empty for large ones
        /// Null if it has none for this page, which is the allocation's.
        std::uint32_t* numberOf(std::uint64_t page) noexcept {
            const std::uint64_t at = page - (home.begin >> kPageBits);
            return at < numbers.size() ? &numbers[at] : nullptr;
        }
    };

    Page find(std::uint64_t address);
    Page findInTable(std::uint64_t address);
    Lately* latelyAt(std::uint64_t address) noexcept;
    const Home& homeAt(std::uint64_t address);
    Page& placeOf(std::uint64_t page) noexcept;
    Page& enter(std::uint64_t page, std::uint32_t number);
    std::uint32_t numberOf(std::uint64_t page, const Home& home);
    void grow();

    const std::uint32_t lineBits_;
    const FindHome findHome_;
    std::uint32_t round_ = 1;
    std::array<Lately, 4> lately_;  ///< what was asked last in this round; kernels use a few allocations in turns
    std::size_t nextLately_ = 0;
    Page latest_;  ///< the page that was met last
    /// A power of two of places, at most half of them taken. A page is at the first free place from its own on.
    std::vector<Page> pages_;
    int shift_ = 64;            ///< from a product of 64 bits to a place
    std::size_t met_ = 0;       ///< pages in the table
    std::vector<bool> isHost_;  ///< by number
    std::vector<Home> homes_;   ///< by block
};

}  // namespace zetl::emulator::machine
