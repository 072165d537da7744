// What pages of memory held at one moment, for those that were written afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace zetl::emulator::machine {

class AllocationTable;

/// Swapping the pages with memory takes memory back to that moment; a second swap undoes that. One thread at a time.
class PageRecord {
  public:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint64_t pageOf(std::uint64_t address) noexcept { return address / kPage; }

    /// Keeps the bytes [begin, end) of the page if none of the page are kept. They must be mapped.
    void keep(std::uint64_t page, std::uint64_t begin, std::uint64_t end);
    bool has(std::uint64_t page) const noexcept { return pages_.contains(page); }
    bool empty() const noexcept { return pages_.empty(); }
    std::uint64_t bytes() const noexcept { return pages_.size() * kPage; }
    void clear() noexcept { pages_.clear(); }

    /// Exchanges content with memory. False, and nothing is changed, if some of it can no longer be written.
    bool swap(const AllocationTable& table) noexcept;
    /// Adds what a later record has of other pages: this one then leads back from the end of both.
    void add(PageRecord&& later);

  private:
    struct Page {
        std::uint64_t begin;
        std::uint64_t end;
        std::unique_ptr<std::byte[]> content;
    };
    std::unordered_map<std::uint64_t, Page> pages_;
};

}  // namespace zetl::emulator::machine
