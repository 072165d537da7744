#include "failure/memory_limit.h"

#include <new>

namespace zetl::failure {

bool MemoryInUse::reserve(std::uint64_t bytes, std::uint64_t limit) noexcept {
    const Lock lock(mutex_);
    if (bytes > limit || bytes_ > limit - bytes) return false;
    bytes_ += bytes;
    return true;
}

void MemoryInUse::unreserve(std::uint64_t bytes) noexcept {
    const Lock lock(mutex_);
    bytes_ -= bytes;
}

void MemoryInUse::keep(const void* pointer, std::uint64_t bytes) noexcept {
    const Lock lock(mutex_);
    try {
        allocations_.insert_or_assign(pointer, bytes);
    } catch (const std::bad_alloc&) {
        bytes_ -= bytes;  // without a place to note it, the allocation does not count
    }
}

std::uint64_t MemoryInUse::take(const void* pointer) noexcept {
    const Lock lock(mutex_);
    const auto found = allocations_.find(pointer);
    if (found == allocations_.end()) return 0;
    const std::uint64_t bytes = found->second;
    allocations_.erase(found);
    bytes_ -= bytes;
    return bytes;
}

}  // namespace zetl::failure
