#include "emulator/machine/memory/range_allocator.h"

#include <iterator>
#include <new>

#include "base/log.h"

namespace zetl::emulator::machine {
namespace {

uint64_t rounded(uint64_t bytes) noexcept {
    return (bytes + RangeAllocator::kAlignment - 1) & ~(RangeAllocator::kAlignment - 1);
}

}  // namespace

std::optional<uint64_t> RangeAllocator::allocate(uint64_t bytes) {
    const uint64_t wanted = rounded(bytes);
    if (wanted < bytes) return {};
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
        const auto [offset, size] = *gap;
        if (size < wanted) continue;
        const uint64_t found = offset, rest = size - wanted;
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

void RangeAllocator::release(uint64_t offset, uint64_t bytes) noexcept {
    uint64_t size = rounded(bytes);
    std::map<uint64_t, uint64_t>::node_type entry;
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
            log::error(log::Module::emulator, "{} bytes of device addresses are lost: the host is out of memory", size);
        }
}

}  // namespace zetl::emulator::machine
