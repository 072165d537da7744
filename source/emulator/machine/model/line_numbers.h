// Numbers for cache lines that do not depend on where the host put the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace zetl::emulator::machine {

/// Pages are numbered in the order in which the model first meets them, so that a program meets the same sets of a
/// cache in every run. What lies within a page keeps its place. Not thread-safe.
class LineNumbers {
  public:
    explicit LineNumbers(std::uint32_t lineBytes) noexcept;

    /// Of the line that holds this address.
    std::uint32_t of(std::uint64_t address);
    /// True after so many pages that the numbers run out or the table grows too large: everything that was numbered
    /// has to be forgotten with clear().
    bool full() const noexcept { return pages_.size() >= kMostPages; }
    void clear() noexcept;

  private:
    static constexpr std::uint32_t kPageBits = 12;
    static constexpr std::size_t kMostPages = std::size_t{1} << 22;  // 16 GiB

    std::uint32_t numberOf(std::uint64_t page);

    const std::uint32_t lineBits_;
    std::uint64_t lastPage_ = ~std::uint64_t{0};
    std::uint32_t lastNumber_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> pages_;
};

}  // namespace zetl::emulator::machine
