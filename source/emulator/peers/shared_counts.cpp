#include "emulator/peers/shared_counts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

#include "base/write_signals.h"

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
constexpr int kFixedSize = F_SEAL_SHRINK | F_SEAL_GROW;

void* mapped(int descriptor, int protection) noexcept {
    void* const at = mmap(nullptr, kBytes, protection, MAP_SHARED, descriptor, 0);
    return at == MAP_FAILED ? nullptr : at;
}

/// Nobody else can write what the owner has mapped already, where the kernel knows that (Linux 5.1).
void closeToWriters(int descriptor) noexcept {
#ifdef F_SEAL_FUTURE_WRITE
    if (fcntl(descriptor, F_ADD_SEALS, kFixedSize | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0) return;
#endif
    fcntl(descriptor, F_ADD_SEALS, kFixedSize | F_SEAL_SEAL);
}

}  // namespace

SharedCounts::SharedCounts(FileDescriptor descriptor, Page* page) noexcept
    : descriptor_(std::move(descriptor)), page_(page) {}
SharedCounts::SharedCounts(SharedCounts&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), page_(std::exchange(other.page_, nullptr)) {}
SharedCounts::~SharedCounts() {
    if (page_) munmap(page_, kBytes);
}

std::optional<SharedCounts> SharedCounts::create() {
    FileDescriptor descriptor(memfd_create("zetl-counts", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const WriteSignalsHeld held;  // the host may limit the size of files
    if (!descriptor || ftruncate(descriptor.get(), kBytes) != 0) return std::nullopt;
    // New pages hold zeros, which is what a Page begins with.
    void* const at = mapped(descriptor.get(), PROT_READ | PROT_WRITE);
    if (!at) return std::nullopt;
    closeToWriters(descriptor.get());
    return SharedCounts(std::move(descriptor), static_cast<Page*>(at));
}

void SharedCounts::publish(const DeviceCounts& counts) noexcept {
    const auto words = std::bit_cast<Words>(counts);
    const std::uint64_t number = page_->published.load(std::memory_order_relaxed);
    Page::Place& place = page_->places[number % kKept];
    place.version.store(2 * number + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i) place.words[i].store(words[i], std::memory_order_relaxed);
    place.version.store(2 * number + 2, std::memory_order_release);
    page_->published.store(number + 1, std::memory_order_release);
}

std::optional<SeenCounts> SeenCounts::map(const FileDescriptor& descriptor) {
    struct stat found {};
    const int seals = fcntl(descriptor.get(), F_GET_SEALS);
    if (seals < 0 || (seals & kFixedSize) != kFixedSize || fstat(descriptor.get(), &found) != 0 ||
        found.st_size != static_cast<off_t>(kBytes))
        return std::nullopt;
    const void* const at = mapped(descriptor.get(), PROT_READ);
    return at ? std::optional(SeenCounts(static_cast<const Page*>(at))) : std::nullopt;
}

SeenCounts::SeenCounts(SeenCounts&& other) noexcept : page_(std::exchange(other.page_, nullptr)), next_(other.next_) {}
SeenCounts::~SeenCounts() {
    if (page_) munmap(const_cast<Page*>(page_), kBytes);
}

bool SeenCounts::changed() const noexcept { return page_->published.load(std::memory_order_acquire) != next_; }

bool SeenCounts::read(DeviceCounts& counts) noexcept {
    constexpr int kTries = 8;
    Words words;
    for (int tries = 0; tries < kTries; ++tries) {
        const std::uint64_t published = page_->published.load(std::memory_order_acquire);
        if (published == next_) return false;
        const std::uint64_t oldest = published - std::min<std::uint64_t>(published, SharedCounts::kKept - 1);
        // A writer that goes back is no writer of ours.
        const std::uint64_t number = next_ < published ? std::max(next_, oldest) : published - 1;
        const Page::Place& place = page_->places[number % SharedCounts::kKept];
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
