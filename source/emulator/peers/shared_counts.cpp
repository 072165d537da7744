#include "emulator/peers/shared_counts.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

namespace zetl::emulator::peers {
namespace {

constexpr std::size_t kWords = sizeof(DeviceCounts) / sizeof(std::uint64_t);
using Words = std::array<std::uint64_t, kWords>;
static_assert(std::is_trivially_copyable_v<DeviceCounts> && sizeof(Words) == sizeof(DeviceCounts));

}  // namespace

/// Place n modulo their number has what was published n-th, from 0 on. Version 2n + 1: it is being written; 2n + 2: it
/// is there.
struct detail::Page {
    struct Place {
        std::atomic<std::uint64_t> version;
        std::array<std::atomic<std::uint64_t>, kWords> words;
    };
    std::atomic<std::uint64_t> published;  ///< how often
    std::array<Place, SharedCounts::kKept> places;
};

namespace {

using detail::Page;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::is_trivially_destructible_v<Page>);

constexpr std::size_t kBytes = (sizeof(Page) + 4095) / 4096 * 4096;

}  // namespace

std::optional<SharedCounts> SharedCounts::create() {
    // New pages hold zeros, which is what a Page begins with.
    SealedMemory memory = makeSealedMemory("zetl-counts", kBytes);
    return memory.mapping ? std::optional(SharedCounts(std::move(memory))) : std::nullopt;
}

Page* SharedCounts::page() const noexcept { return static_cast<Page*>(memory_.mapping.at()); }

void SharedCounts::publish(const DeviceCounts& counts) noexcept {
    const auto words = std::bit_cast<Words>(counts);
    const std::uint64_t number = page()->published.load(std::memory_order_relaxed);
    Page::Place& place = page()->places[number % kKept];
    place.version.store(2 * number + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i) place.words[i].store(words[i], std::memory_order_relaxed);
    place.version.store(2 * number + 2, std::memory_order_release);
    page()->published.store(number + 1, std::memory_order_release);
}

std::optional<SeenCounts> SeenCounts::map(const FileDescriptor& descriptor) {
    Mapping mapping = mapSealedMemory(descriptor, kBytes);
    return mapping ? std::optional(SeenCounts(std::move(mapping))) : std::nullopt;
}

const Page* SeenCounts::page() const noexcept { return static_cast<const Page*>(mapping_.at()); }

bool SeenCounts::changed() const noexcept { return page()->published.load(std::memory_order_acquire) != next_; }

bool SeenCounts::read(DeviceCounts& counts) noexcept {
    constexpr int kTries = 8;
    Words words;
    for (int tries = 0; tries < kTries; ++tries) {
        const std::uint64_t published = page()->published.load(std::memory_order_acquire);
        if (published == next_) return false;
        const std::uint64_t oldest = published - std::min<std::uint64_t>(published, SharedCounts::kKept - 1);
        // A writer that goes back is no writer of ours.
        const std::uint64_t number = next_ < published ? std::max(next_, oldest) : published - 1;
        const Page::Place& place = page()->places[number % SharedCounts::kKept];
        const std::uint64_t before = place.version.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < kWords; ++i) words[i] = place.words[i].load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before == 2 * number + 2 && place.version.load(std::memory_order_relaxed) == before) {
            counts = std::bit_cast<DeviceCounts>(words);
            next_ = number + 1;
            return true;
        }
    }
    return false;
}

}  // namespace zetl::emulator::peers
