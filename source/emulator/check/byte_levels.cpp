#include "emulator/check/byte_levels.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <utility>

#include "base/log.h"

namespace zetl::emulator::check {

std::unique_ptr<MemoryLevels> MemoryLevels::make(std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    return std::unique_ptr<MemoryLevels>(new MemoryLevels(static_cast<std::uint8_t*>(pages), bytes));
}

MemoryLevels::~MemoryLevels() { munmap(bytes_, count_); }

void MemoryLevels::define(std::uint64_t offset, std::uint64_t bytes) noexcept {
    if (offset >= count_) return;
    std::memset(bytes_ + offset, static_cast<std::uint8_t>(Level::defined) ^ kUnwritten,
                std::min(bytes, count_ - offset));
}

void MemoryLevels::forget() noexcept { std::memset(bytes_, 0, count_); }

MemoryLevels* LevelsOfAllocations::of(const machine::Allocation& allocation) noexcept {
    if (allocation.kind != machine::MemoryKind::device) return nullptr;
    const Lock guard(mutex_);
    try {
        std::unique_ptr<MemoryLevels>& levels = levels_[allocation.id];
        if (!levels) levels = MemoryLevels::make(allocation.bytes());
        if (levels) return levels.get();
    } catch (const std::bad_alloc&) {  // as below
    }
    if (!std::exchange(refused_, true))
        log::warn(
            log::Channel::emulator,
            "checks: the host has no memory for the shadow of an allocation of {} bytes, so that all of it counts as "
            "written; free memory, or check a smaller problem",
            allocation.bytes());
    return nullptr;
}

void LevelsOfAllocations::keepOnly(const machine::Memory& memory) {
    std::set<std::uint64_t> live;
    for (const machine::Allocation& allocation : memory.list()) live.insert(allocation.id);
    const Lock guard(mutex_);
    std::erase_if(levels_, [&](const auto& entry) { return !live.contains(entry.first); });
}

}  // namespace zetl::emulator::check
