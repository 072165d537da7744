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
    explicit LineNumbers(uint32_t lineBytes) noexcept;

    /// Of the line that holds this address.
    uint32_t of(uint64_t address);
    /// True after so many pages that the numbers run out or the table grows too large: everything that was numbered
    /// has to be forgotten with clear().
    bool full() const noexcept { return pages_.size() >= kMostPages; }
    void clear() noexcept;

  private:
    static constexpr uint32_t kPageBits = 12;
    static constexpr size_t kMostPages = size_t{1} << 22;  // 16 GiB

    uint32_t numberOf(uint64_t page);

    const uint32_t lineBits_;
    uint64_t lastPage_ = ~uint64_t{0};
    uint32_t lastNumber_ = 0;
    std::unordered_map<uint64_t, uint32_t> pages_;
};

}  // namespace zetl::emulator::machine
