#include "emulator/machine/memory/spare_pages.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "emulator/machine/memory/host_pages.h"

namespace zetl::emulator::machine {

SparePages::~SparePages() {
    while (!ranges_.empty()) dropOldest();
}

void SparePages::dropOldest() noexcept {
    bytes_ -= ranges_.front().bytes;
    pages::unmap(ranges_.front().begin, ranges_.front().bytes);
    ranges_.pop_front();
}

void SparePages::keep(std::uint64_t begin, std::uint64_t bytes) noexcept try {
    const std::uint64_t touched = bytes < pages::kHuge ? 0 : pages::touched(begin, bytes);
    const std::uint64_t kept = touched - touched % pages::kHuge;
    if (kept == 0 || kept > kMost) return;
    const std::uint64_t place = pages::map(kept, pages::kHuge);
    if (place == 0) return;
    ranges_.push_back({place, kept, bytes});
    bytes_ += kept;
    // The program may have protected them.
    if (!pages::move(begin, place, kept) || !pages::commit(place, kept)) {
        pages::unmap(place, kept);
        ranges_.pop_back();
        bytes_ -= kept;
        return;
    }
    pages::offer(place, kept);
    while (bytes_ > kMost) dropOldest();
} catch (const std::bad_alloc&) {
    // Then the pages go back to the host.
}

void SparePages::place(std::uint64_t begin, std::uint64_t bytes) noexcept {
    const auto found = std::ranges::find(ranges_, bytes, &Range::size);
    if (found == ranges_.end() || !pages::move(found->begin, begin, found->bytes)) return;
    std::memset(reinterpret_cast<void*>(begin), 0, found->bytes);
    pages::unmap(found->begin, found->bytes);
    bytes_ -= found->bytes;
    ranges_.erase(found);
}

}  // namespace zetl::emulator::machine
