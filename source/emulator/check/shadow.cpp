#include "emulator/check/shadow.h"

#include <sys/mman.h>

#include <new>
#include <set>
#include <utility>

#include "base/log.h"
#include "emulator/check/found_last.h"

namespace zetl::emulator::check {

namespace {

constexpr std::uint64_t kApartBytes = 2 * (sizeof(std::uint64_t) + sizeof(isa::Line));  // of a granule
constexpr std::uint64_t kBlockBytes = sizeof(MarkTable::Shared) + kApartBytes * Cells::kBlock;

}  // namespace

std::unique_ptr<Cells> Cells::make(std::uint64_t bytes, std::uint64_t deferredFrom) {
    const std::uint64_t count = bytes / kGranule + 1;
    if (blocksOf(count) > SIZE_MAX / kBlockBytes) return nullptr;
    void* const pages = mmap(nullptr, blocksOf(count) * kBlockBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::byte*>(pages);
    std::unique_ptr<Cells> cells(new Cells(begin, count, sidesIn(begin, blocksOf(count))));
    if (count >= deferredFrom) cells->deferred_ = DeferredMarks::make(count, cells->writers, cells->readers);
    return cells;
}

Cells::Sides Cells::sidesIn(std::byte* pages, std::uint64_t blocks) noexcept {
    const auto take = [&]<class T>(T*& array, std::uint64_t members) {
        array = reinterpret_cast<T*>(pages);
        pages += members * sizeof(T);
    };
    Sides sides{};
    take(sides.writers.shared, blocks);
    sides.readers.shared = sides.writers.shared;
    take(sides.writers.marks, blocks * kBlock);
    take(sides.readers.marks, blocks * kBlock);
    take(sides.writers.lines, blocks * kBlock);
    take(sides.readers.lines, blocks * kBlock);
    return sides;
}

Cells::~Cells() { munmap(pages_, blocks() * kBlockBytes); }

void Cells::clear() noexcept {
    if (deferred_) deferred_->forget();
    // Zeroed pages again, when they are touched next; small ones at once. What is not apart has no marks of its own.
    constexpr std::uint64_t kFew = 1 << 12;
    if (count_ > kFew && madvise(pages_, blocks() * kBlockBytes, MADV_DONTNEED) == 0) return;
    for (std::uint64_t block = 0; block < blocks(); ++block) {
        writers.setShared(block, 0, 0);
        readers.setShared(block, 0, 0);
    }
}

Cells* Shadow::of(const machine::Allocation& allocation) noexcept {
    return FoundLast<Cells>::of(version_.load(std::memory_order_acquire), allocation.id,
                                [&] { return found(allocation); });
}

Cells* Shadow::found(const machine::Allocation& allocation) noexcept {
    const Lock guard(mutex_);
    try {
        std::unique_ptr<Cells>& cells = cells_[allocation.id];
        if (!cells) cells = Cells::make(allocation.bytes());
        if (cells) return cells.get();
    } catch (const std::bad_alloc&) {  // as below
    }
    if (!std::exchange(refused_, true))
        log::warn(log::Channel::emulator,
                  "checks: the host has no memory for the shadow of an allocation of {} bytes, so races in it are not "
                  "looked for; free memory, or check a smaller problem",
                  allocation.bytes());
    return nullptr;
}

void Shadow::clear() noexcept {
    const Lock guard(mutex_);
    for (const auto& [id, cells] : cells_)
        if (cells) cells->clear();
}

void Shadow::keepOnly(const machine::Memory& memory) {
    std::set<std::uint64_t> live;
    for (const machine::Allocation& allocation : memory.list()) live.insert(allocation.id);
    const Lock guard(mutex_);
    if (std::erase_if(cells_, [&](const auto& entry) { return !live.contains(entry.first); }) != 0)
        version_.store(nextVersion(), std::memory_order_release);
}

}  // namespace zetl::emulator::check
