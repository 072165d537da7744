#include "emulator/machine/execution/page_record.h"

#include <algorithm>
#include <cstring>

#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::machine {

void PageRecord::keep(std::uint64_t page, std::uint64_t begin, std::uint64_t end) {
    if (pages_.contains(page)) return;
    auto content = std::make_unique_for_overwrite<std::byte[]>(end - begin);
    std::memcpy(content.get(), reinterpret_cast<const void*>(begin), end - begin);
    pages_.emplace(page, Page{begin, end, std::move(content)});
}

bool PageRecord::swap(const AllocationTable& table) noexcept {
    for (const auto& [number, page] : pages_)
        if (!table.covers(page.begin, page.end, true)) return false;
    for (auto& [number, page] : pages_) {
        auto* const memory = reinterpret_cast<std::byte*>(page.begin);
        std::swap_ranges(memory, memory + (page.end - page.begin), page.content.get());
    }
    return true;
}

void PageRecord::add(PageRecord&& later) { pages_.merge(later.pages_); }

}  // namespace zetl::emulator::machine
