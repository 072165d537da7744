// What is known of memory beside its bytes: for each granule, who wrote and who read it last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "emulator/check/deferred_marks.h"
#include "emulator/check/mark.h"
#include "emulator/check/mark_table.h"
#include "emulator/check/version.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::check {

/// Marks of a stretch of memory, in zeroed pages that the host gives when they are touched: half a byte for each byte
/// that is accessed. If the granules of a block have different writers, these take two bytes more for each byte of the
/// block, and a third one if the writers' lines differ, too. The same is true of readers. Deferred marks take a quarter
/// of a byte, and messages in which they are two bytes at most.
class Cells {
  public:
    static constexpr std::uint64_t kBlock = MarkTable::kBlock;
    /// Granules from which on marks of words that lie apart are deferred.
    static constexpr std::uint64_t kDeferredFrom = 1 << 15;

    /// Null if the host refuses.
    static std::unique_ptr<Cells> make(std::uint64_t bytes, std::uint64_t deferredFrom = kDeferredFrom);
    ~Cells();
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;

    std::uint64_t count() const noexcept { return count_; }
    MarkTable::Shared& shared(std::uint64_t block) const noexcept { return shared_[block]; }
    /// Null if marks are not deferred, or not any more: those of few granules are in the host's caches anyway, or it
    /// has no memory.
    DeferredMarks* deferred() const noexcept { return deferred_ && !deferred_->hasEnded() ? deferred_.get() : nullptr; }
    MarkTable& of(bool write) noexcept { return write ? writers : readers; }
    void join(std::uint64_t block) noexcept {
        writers.join(block);
        readers.join(block);
    }
    /// Loads what an access to the granule looks at, of granules that are apart.
    void prefetch(std::uint64_t granule, bool write) noexcept {
        writers.prefetchShared(granule / kBlock);
        of(write).prefetchApart(granule);
    }
    /// The same for an access that follows this one, of granules that share their marks.
    void prefetchBehind(std::uint64_t granule) const noexcept {
        constexpr std::uint64_t kAhead = 32;  // blocks: the host has loaded them when they are looked at
        const std::uint64_t block = granule / kBlock + kAhead;
        if (block < blocks()) writers.prefetchShared(block);
    }
    /// Forgets everything.
    void clear() noexcept;

  private:
    struct Sides {
        MarkTable::Arrays writers;
        MarkTable::Arrays readers;
    };
    static Sides sidesIn(std::byte* pages, std::uint64_t blocks) noexcept;
    static std::uint64_t blocksOf(std::uint64_t count) noexcept { return (count + kBlock - 1) / kBlock; }

    Cells(std::byte* pages, std::uint64_t count, const Sides& sides) noexcept
        : writers(sides.writers, MarkTable::Shared::kWriters),
          readers(sides.readers, MarkTable::Shared::kReaders),
          shared_(sides.writers.shared),
          pages_(pages),
          count_(count) {}
    std::uint64_t blocks() const noexcept { return blocksOf(count_); }

  public:
    MarkTable writers;
    MarkTable readers;

  private:
    MarkTable::Shared* const shared_;
    std::byte* const pages_;
    const std::uint64_t count_;
    std::unique_ptr<DeferredMarks> deferred_;
};

/// The cells of allocations. Thread-safe.
class Shadow {
  public:
    /// Lives until forget(); null if the host refuses memory, which is logged once.
    Cells* of(const machine::Allocation& allocation) noexcept;
    /// Another one when of() may give others: 1 or more.
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
    /// Forgets all that was seen.
    void clear() noexcept;
    /// Drops the cells of allocations that no longer exist. Call it while nothing is executed that uses of().
    void keepOnly(const machine::Memory& memory);

  private:
    Cells* found(const machine::Allocation& allocation) noexcept;

    std::atomic<std::uint64_t> version_{nextVersion()};  // of what threads remember of cells_
    Mutex mutex_;
    std::map<std::uint64_t, std::unique_ptr<Cells>> cells_ ZETL_GUARDED_BY(mutex_);  // by allocation id
    bool refused_ ZETL_GUARDED_BY(mutex_) = false;
};

}  // namespace zetl::emulator::check
