// Numbers for cache lines that do not depend on where the host has put the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace zetl::emulator::machine {

/// Pages are numbered in the order in which the model first meets them, so that a program uses the same sets of a cache
/// in every run. Lines keep their place within a page. Not thread-safe.
class LineNumbers {
  public:
    /// Whether an address is in the host's memory; a null function means that none is.
    using IsHost = std::function<bool(std::uint64_t)>;
    LineNumbers(std::uint32_t lineBytes, IsHost isHost) noexcept;

    /// The number of the line that contains this address.
    std::uint32_t of(std::uint64_t address) {
        const std::uint64_t page = address >> kPageBits;
        if (page != latest_.page) latest_ = find(address);
        const auto within = static_cast<std::uint32_t>(address & ((1u << kPageBits) - 1)) >> lineBits_;
        return latest_.number << (kPageBits - lineBits_) | within;
    }
    /// True after so many pages that the numbers run out or the table grows too large: all numbers must then be
    /// forgotten with clear().
    bool full() const noexcept { return isHost_.size() >= kMostPages; }
    void clear() noexcept;
    /// Memory may have been freed and allocated: asks again where a page is when it is next met.
    void lookAgain() noexcept;
    /// Whether the line's page was the host's when it was last met.
    bool isHost(std::uint32_t line) const noexcept { return isHost_[line >> (kPageBits - lineBits_)]; }

  private:
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::size_t kMostPages = std::size_t{1} << 22;  // 16 GiB
    static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

    /// `round`: the round of lookAgain() in which `isHost` was asked.
    struct Page {
        std::uint64_t page = kNoPage;
        std::uint32_t number = 0;
        std::uint32_t round = 0;
    };

    Page find(std::uint64_t address);
    Page& placeOf(std::uint64_t page) noexcept;
    void grow();

    const std::uint32_t lineBits_;
    const IsHost asksIfHost_;
    std::uint32_t round_ = 1;
    Page latest_;  ///< the page that was met last
    /// A power of two of places, at most half of them taken. A page is at the first free place from its own on.
    std::vector<Page> pages_;
    int shift_ = 64;            ///< from a product of 64 bits to a place
    std::vector<bool> isHost_;  ///< by number
};

}  // namespace zetl::emulator::machine
