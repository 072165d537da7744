#include "emulator/machine/memory/host_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace zetl::emulator::machine::pages {
namespace {

constexpr int kReadWrite = PROT_READ | PROT_WRITE;

void* pointer(std::uint64_t address) noexcept { return reinterpret_cast<void*>(address); }

std::uint64_t addressOf(void* mapped) noexcept {
    return mapped == MAP_FAILED ? 0 : reinterpret_cast<std::uint64_t>(mapped);
}

}  // namespace

std::uint64_t size() noexcept {
    static const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

std::uint64_t roundUp(std::uint64_t bytes) noexcept {
    const std::uint64_t rounded = (bytes + size() - 1) & ~(size() - 1);
    return rounded < bytes ? 0 : rounded;
}

std::uint64_t map(std::uint64_t bytes, std::uint64_t alignment) noexcept {
    const std::uint64_t length = roundUp(bytes);
    if (length >= kHuge) alignment = std::max(alignment, kHuge);
    const std::uint64_t slack = alignment > size() ? alignment - size() : 0;
    if (length == 0 || length + slack < length) return 0;
    if (slack != 0 && length < kHuge) {
        // Where mappings of such sizes lie side by side, the next one often lies right already.
        const std::uint64_t begin =
            addressOf(mmap(nullptr, length, kReadWrite, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (begin == 0 || (begin & (alignment - 1)) == 0) return begin;
        unmap(begin, length);
    }
    const std::uint64_t start =
        addressOf(mmap(nullptr, length + slack, kReadWrite, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (start == 0 || slack == 0) return start;
    const std::uint64_t begin = (start + alignment - 1) & ~(alignment - 1);
    unmap(start, begin - start);
    unmap(begin + length, start + length + slack - (begin + length));
    if (length >= kHuge) madvise(pointer(begin), length, MADV_HUGEPAGE);
    return begin;
}

std::uint64_t mapShared(int descriptor, std::uint64_t bytes) noexcept {
    return addressOf(mmap(nullptr, bytes, kReadWrite, MAP_SHARED, descriptor, 0));
}

bool replaceShared(std::uint64_t address, int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept {
    const bool done = addressOf(mmap(pointer(address), bytes, kReadWrite, MAP_SHARED | MAP_FIXED, descriptor,
                                     static_cast<off_t>(offset))) != 0;
    // On most hosts shared memory has huge pages only on request.
    if (done && bytes >= kHuge) madvise(pointer(address), bytes, MADV_HUGEPAGE);
    return done;
}

std::uint64_t reserve(std::uint64_t hint, std::uint64_t bytes) noexcept {
    return addressOf(mmap(pointer(hint), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

bool commit(std::uint64_t address, std::uint64_t bytes) noexcept {
    return mprotect(pointer(address), bytes, kReadWrite) == 0;
}

void discard(std::uint64_t address, std::uint64_t bytes) noexcept {
    // If the host refuses, the pages stay as they are; kernels reach nothing that is not in the allocation table.
    static_cast<void>(
        mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
}

void unmap(std::uint64_t address, std::uint64_t bytes) noexcept {
    if (bytes != 0) munmap(pointer(address), bytes);
}

std::uint64_t touched(std::uint64_t address, std::uint64_t bytes) noexcept {
    constexpr std::uint64_t kAtOnce = 4096;  // pages
    std::array<unsigned char, kAtOnce> present{};
    for (std::uint64_t at = 0; at < bytes; at += kAtOnce * size()) {
        const std::uint64_t part = std::min(bytes - at, kAtOnce * size());
        if (mincore(pointer(address + at), part, present.data()) != 0) return at;
        const auto end = present.begin() + static_cast<std::ptrdiff_t>((part + size() - 1) / size());
        const auto absent = std::find_if(present.begin(), end, [](unsigned char page) { return (page & 1) == 0; });
        if (absent != end) return at + static_cast<std::uint64_t>(absent - present.begin()) * size();
    }
    return bytes;
}

bool move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) noexcept {
    constexpr int kHow = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    if (addressOf(mremap(pointer(from), bytes, bytes, kHow, pointer(to))) == to) return true;
    // It may have unmapped what was there before it failed.
    static_cast<void>(
        mmap(pointer(to), bytes, kReadWrite, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
    return false;
}

void offer(std::uint64_t address, std::uint64_t bytes) noexcept { madvise(pointer(address), bytes, MADV_FREE); }

}  // namespace zetl::emulator::machine::pages
