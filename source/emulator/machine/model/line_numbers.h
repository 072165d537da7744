// Numbers for cache lines that do not depend on where the host put the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace zetl::emulator::machine {

/// Pages are numbered in the order in which the model first meets them, so that a program meets the same sets of a
/// cache in every run. What lies within a page keeps its place. Not thread-safe.
class LineNumbers {
  public:
    /// Whether an address is of the host's memory; may be null: none is.
    using IsHost = std::function<bool(std::uint64_t)>;
    LineNumbers(std::uint32_t lineBytes, IsHost isHost) noexcept;

    /// Of the line that holds this address.
    std::uint32_t of(std::uint64_t address) {
        const std::uint64_t page = address >> kPageBits;
        if (page != latest_.page) latest_ = find(address);
        const auto within = static_cast<std::uint32_t>(address & ((1u << kPageBits) - 1)) >> lineBits_;
        return latest_.number << (kPageBits - lineBits_) | within;
    }
    /// True after so many pages that the numbers run out or the table grows too large: everything that was numbered
    /// has to be forgotten with clear().
    bool full() const noexcept { return isHost_.size() >= kMostPages; }
    void clear() noexcept;
    /// Memory may have been freed and allocated: whose a page is will be asked again when it is next met.
    void lookAgain() noexcept;
    /// Whether the line's page was the host's when it was last met.
    bool isHost(std::uint32_t line) const noexcept { return isHost_[line >> (kPageBits - lineBits_)]; }

  private:
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::size_t kMostPages = std::size_t{1} << 22;  // 16 GiB
    static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

    /// `round`: of looking whose it is.
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
    Page latest_;  ///< that was met
    /// A power of two of places, at most half of them taken: each page is at the first free one from its own on.
    std::vector<Page> pages_;
    int shift_ = 64;            ///< of a product of 64 bits to a place
    std::vector<bool> isHost_;  ///< by number
};

}  // namespace zetl::emulator::machine
