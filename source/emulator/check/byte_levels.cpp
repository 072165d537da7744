#include "emulator/check/byte_levels.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <set>
#include <utility>

#include "base/log.h"
#include "emulator/check/found_last.h"

namespace zetl::emulator::check {

namespace {

constexpr std::uint32_t kDefined = 0x01010101;  // four bytes that are
constexpr std::uint64_t kEight = kDefined | std::uint64_t{kDefined} << 32;
static_assert(static_cast<std::uint8_t>(Level::defined) == 0 && static_cast<std::uint8_t>(Level::unwritten) == 1);

}  // namespace

std::unique_ptr<MemoryLevels> MemoryLevels::make(std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    return std::unique_ptr<MemoryLevels>(new MemoryLevels(static_cast<std::uint8_t*>(pages), bytes));
}

MemoryLevels::~MemoryLevels() { munmap(bytes_, count_); }

void MemoryLevels::defineSome(std::uint64_t offset, std::uint64_t bytes) noexcept {
    if (offset >= count_) return;
    if (bytes == sizeof kDefined && count_ - offset >= bytes) {  // most often
        std::memcpy(bytes_ + offset, &kDefined, sizeof kDefined);
        return;
    }
    std::memset(bytes_ + offset, static_cast<std::uint8_t>(Level::defined) ^ kUnwritten,
                std::min(bytes, count_ - offset));
    if (offset == 0 && bytes >= count_) isWhole_.store(true, std::memory_order_relaxed);
}

bool MemoryLevels::someDefined(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    if (offset >= count_) return true;
    std::uint64_t left = std::min(bytes, count_ - offset);
    const std::uint8_t* at = bytes_ + offset;
    const auto read = [&at](auto& levels) {
        std::memcpy(&levels, at, sizeof levels);
        at += sizeof levels;
    };
    std::uint64_t differing = 0;  // most often none do, so that all are looked at, several at a time
    for (; left >= 8 * sizeof kEight; left -= 8 * sizeof kEight)
        for (std::uint32_t i = 0; i < 8; ++i) {
            std::uint64_t levels = 0;
            read(levels);
            differing |= levels ^ kEight;
        }
    for (; left >= sizeof kDefined; left -= sizeof kDefined) {
        std::uint32_t levels = 0;
        read(levels);
        differing |= levels ^ kDefined;
    }
    for (; left != 0; --left, ++at) differing |= static_cast<std::uint64_t>(*at ^ static_cast<std::uint8_t>(kDefined));
    return differing == 0;
}

void MemoryLevels::lookFurther() noexcept {
    if (isWhole()) return;
    std::uint64_t at = definedTo_.load(std::memory_order_relaxed);
    for (std::uint64_t levels = kEight; count_ - at >= sizeof levels; at += sizeof levels) {
        std::memcpy(&levels, bytes_ + at, sizeof levels);
        if (levels != kEight) break;
    }
    while (at < count_ && this->at(at) == Level::defined) ++at;
    definedTo_.store(at, std::memory_order_relaxed);
    if (at == count_) isWhole_.store(true, std::memory_order_relaxed);
}

void MemoryLevels::forget() noexcept {
    undefine(0);
    std::memset(bytes_, 0, count_);
}

MemoryLevels* LevelsOfAllocations::of(const machine::Allocation& allocation) noexcept {
    if (allocation.kind != machine::MemoryKind::device) return nullptr;
    return FoundLast<MemoryLevels>::of(version_.load(std::memory_order_acquire), allocation.id,
                                       [&] { return found(allocation); });
}

MemoryLevels* LevelsOfAllocations::found(const machine::Allocation& allocation) noexcept {
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
    if (std::erase_if(levels_, [&](const auto& entry) { return !live.contains(entry.first); }) != 0)
        version_.store(nextVersion(), std::memory_order_release);
}

}  // namespace zetl::emulator::check
