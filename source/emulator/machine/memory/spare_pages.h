// Pages of freed memory, for new memory of the same size: the host finds and clears a fresh page when it is touched
// first, which takes longer than most kernels work on it.
#pragma once

#include <cstdint>
#include <deque>

namespace zetl::emulator::machine {

/// Of large ranges only, from their beginning to the first huge page that was not touched. The host may take the pages
/// back while they are spare.
class SparePages {
  public:
    SparePages() = default;
    ~SparePages();
    SparePages(const SparePages&) = delete;
    SparePages& operator=(const SparePages&) = delete;

    /// Takes the pages from private memory that nobody uses, which is as fresh afterwards.
    void keep(std::uint64_t begin, std::uint64_t bytes) noexcept;
    /// Puts such pages, cleared, behind fresh private memory.
    void place(std::uint64_t begin, std::uint64_t bytes) noexcept;

  private:
    struct Range {
        std::uint64_t begin;
        std::uint64_t bytes;
        std::uint64_t size;  ///< of the memory of which they were the beginning
    };
    static constexpr std::uint64_t kMost = 1u << 30;  ///< bytes in all

    void dropOldest() noexcept;

    std::deque<Range> ranges_;  // oldest first
    std::uint64_t bytes_ = 0;
};

}  // namespace zetl::emulator::machine
