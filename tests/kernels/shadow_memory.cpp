#include "shadow_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace zetl::kernels {

namespace isa = emulator::isa;

namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t bytesOfPage(const isa::MemoryWindow& window, std::uint64_t page) {
    return std::min(kPage, window.bytes - page * kPage);
}

}  // namespace

ShadowMemory::~ShadowMemory() {
    for (auto& [begin, range] : ranges_) munmap(range.copy, range.window.bytes);
}

void ShadowMemory::begin(isa::Environment& machine) {
    machine_ = &machine;
    repeatable_ = true;
    for (auto& [begin, range] : ranges_) range.pages.clear();
}

ShadowMemory::Range& ShadowMemory::rangeOf(const isa::MemoryWindow& window) {
    if (const auto known = ranges_.find(window.begin); known != ranges_.end()) {
        Range& range = known->second;
        if (range.window.bytes == window.bytes && range.window.host == window.host) return range;
        munmap(range.copy, range.window.bytes);
        ranges_.erase(known);
    }
    void* const copy =
        mmap(nullptr, window.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) std::abort();
    return ranges_.emplace(window.begin, Range{window, static_cast<std::byte*>(copy), {}}).first->second;
}

bool ShadowMemory::findMemory(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                              isa::MemoryWindow& window) noexcept {
    isa::MemoryWindow whole;
    if (!machine_->findMemory(thread, address, bytes, write, whole)) return false;
    Range& range = rangeOf(whole);
    const std::uint64_t first = (address - whole.begin) / kPage;
    const std::uint64_t last = (address - whole.begin + std::max<std::uint64_t>(bytes, 1) - 1) / kPage;
    for (std::uint64_t page = first; page <= last; ++page)
        if (range.pages.insert(page).second)
            std::memcpy(range.copy + page * kPage, whole.host + page * kPage, bytesOfPage(whole, page));
    const std::uint64_t begin = first * kPage;
    const std::uint64_t end = last * kPage + bytesOfPage(whole, last);
    window = {whole.begin + begin, end - begin, range.copy + begin};
    return true;
}

const isa::Program* ShadowMemory::findProgram(isa::Thread&, std::uint32_t) noexcept {
    repeatable_ = false;
    return nullptr;
}

std::uint64_t ShadowMemory::timestamp() noexcept {
    repeatable_ = false;
    return 0;
}

std::string ShadowMemory::difference() const {
    for (const auto& [begin, range] : ranges_)
        for (const std::uint64_t page : range.pages) {
            const std::byte* const steps = range.copy + page * kPage;
            const std::byte* const host = range.window.host + page * kPage;
            const std::byte* const end = steps + bytesOfPage(range.window, page);
            const auto [a, b] = std::mismatch(steps, end, host);
            if (a != end)
                return fmt::format(" memory {:#x}: {:#x} by steps, {:#x} translated;",
                                   begin + page * kPage + (a - steps), static_cast<unsigned>(*a),
                                   static_cast<unsigned>(*b));
        }
    return {};
}

}  // namespace zetl::kernels
