#include "emulator/machine/memory/range_allocator.h"

#include <iterator>
#include <new>

#include "base/log.h"

namespace zetl::emulator::machine {
namespace {

std::uint64_t rounded(std::uint64_t bytes) noexcept {
    return (bytes + RangeAllocator::kAlignment - 1) & ~(RangeAllocator::kAlignment - 1);
}

}  // namespace

std::optional<std::uint64_t> RangeAllocator::allocate(std::uint64_t bytes) {
    const std::uint64_t wanted = rounded(bytes);
    if (wanted < bytes) return {};
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
        const auto [offset, size] = *gap;
        if (size < wanted) continue;
        const std::uint64_t found = offset;
        const std::uint64_t rest = size - wanted;
        auto entry = free_.extract(gap);  // used again, so that nothing is lost where there is no memory
        if (rest != 0) {
            entry.key() = found + wanted;
            entry.mapped() = rest;
            free_.insert(std::move(entry));
        }
        return found;
    }
    return {};
}

void RangeAllocator::release(std::uint64_t offset, std::uint64_t bytes) noexcept {
    std::uint64_t size = rounded(bytes);
    std::map<std::uint64_t, std::uint64_t>::node_type entry;
    if (const auto next = free_.find(offset + size); next != free_.end()) {
        size += next->second;
        entry = free_.extract(next);
    }
    if (const auto after = free_.upper_bound(offset); after != free_.begin()) {
        const auto previous = std::prev(after);
        if (previous->first + previous->second == offset) {
            previous->second += size;
            return;
        }
    }
    if (entry) {
        entry.key() = offset;
        entry.mapped() = size;
        free_.insert(std::move(entry));
    } else
        try {
            free_.emplace(offset, size);
        } catch (const std::bad_alloc&) {
            log::error(log::Channel::emulator, "{} bytes of device addresses are lost: the host is out of memory",
                       size);
        }
}

}  // namespace zetl::emulator::machine
