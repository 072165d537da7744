// Numbers for cache lines that do not depend on where the host put the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
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
    std::uint32_t of(std::uint64_t address);
    /// True after so many pages that the numbers run out or the table grows too large: everything that was numbered
    /// has to be forgotten with clear().
    bool full() const noexcept { return pages_.size() >= kMostPages; }
    void clear() noexcept;
    /// Memory may have been freed and allocated: whose a page is will be asked again when it is next met.
    void lookAgain() noexcept;
    /// Whether the line's page was the host's when it was last met.
    bool isHost(std::uint32_t line) const noexcept { return pageKinds_[line >> (kPageBits - lineBits_)].host; }

  private:
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::size_t kMostPages = std::size_t{1} << 22;  // 16 GiB

    /// What a page was found to be, and in which round of looking.
    struct PageKind {
        std::uint32_t round : 31 = 0;
        std::uint32_t host : 1 = 0;
    };
    /// A page that was met lately.
    struct Lately {
        std::uint64_t page = ~std::uint64_t{0};
        std::uint32_t number = 0;
    };
    static constexpr std::size_t kLately = 1024;

    std::uint32_t numberOf(std::uint64_t address);
    void look(std::uint32_t number, std::uint64_t address);

    const std::uint32_t lineBits_;
    const IsHost isHost_;
    std::uint32_t round_ = 1;
    std::vector<Lately> lately_{kLately};  ///< by page modulo their number
    std::unordered_map<std::uint64_t, std::uint32_t> pages_;
    std::vector<PageKind> pageKinds_;  ///< by number
};

}  // namespace zetl::emulator::machine
