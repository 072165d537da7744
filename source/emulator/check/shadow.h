// What is known of memory beside its bytes: for each granule, who wrote and who read it last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "emulator/check/mark.h"
#include "emulator/check/version.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::check {

/// How cells are read and written.
inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// Written by all workers at once without a lock. An update that is lost may lose one of two reports; it never makes
/// one.
struct Cell {
    std::atomic<std::uint64_t> write{0};
    std::atomic<std::uint64_t> read{0};
    std::atomic<std::uint32_t> writeLine{0};
    std::atomic<std::uint32_t> readLine{0};
};
static_assert(sizeof(Cell) == 24);

/// Cells of a stretch of memory, in zeroed pages that the host gives when they are touched. Neighbours that have one
/// history share a cell: three bytes for each eight bytes that are accessed, and six more for each byte of a block
/// whose granules differ.
///
/// Workers that take a block apart, or join it, at once lose updates to each other, as they do in a cell.
class Cells {
  public:
    /// Granules that may share a cell: what sixteen lanes access that read or write a word each.
    static constexpr std::uint64_t kBlock = 16;

    /// Null if the host refuses.
    static std::unique_ptr<Cells> make(std::uint64_t bytes);
    ~Cells();
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;

    std::uint64_t count() const noexcept { return count_; }
    /// The cell that all granules of a block share. Unless it is apart, it may be changed for all of them.
    Cell& shared(std::uint64_t block) const noexcept { return shared_[block]; }
    static bool isApart(std::uint64_t sharedWrite) noexcept { return sharedWrite == kApart; }
    /// The granule's own cell; takes its block apart.
    Cell& operator[](std::uint64_t granule) const noexcept {
        const std::uint64_t block = granule / kBlock;
        if (!isApart(shared_[block].write.load(std::memory_order_acquire))) takeApart(block);
        return cells_[granule];
    }
    /// Lets the granules of a block share a cell again, if they have one history.
    void join(std::uint64_t block) const noexcept;
    /// Loads what an access to the granule looks at.
    void prefetch(std::uint64_t granule) const noexcept {
        __builtin_prefetch(&shared_[granule / kBlock], 1);
        __builtin_prefetch(&cells_[granule], 1);
    }
    /// The same for an access that follows this one, of granules that share a cell.
    void prefetchBehind(std::uint64_t granule) const noexcept {
        constexpr std::uint64_t kAhead = 32;  // blocks: the host has loaded them when they are looked at
        const std::uint64_t block = granule / kBlock + kAhead;
        if (block < blocks()) __builtin_prefetch(&shared_[block], 1);
    }
    /// Forgets everything.
    void clear() noexcept;

  private:
    /// In place of a shared cell's writer; a mark of nobody with bits is none that is ever stored.
    static constexpr std::uint64_t kApart = std::uint64_t{1} << 2;

    Cells(Cell* cells, Cell* shared, std::uint64_t count) noexcept : cells_(cells), shared_(shared), count_(count) {}
    void takeApart(std::uint64_t block) const noexcept;
    std::uint64_t blocks() const noexcept { return (count_ + kBlock - 1) / kBlock; }

    Cell* const cells_;   // of whole blocks; behind them the shared ones
    Cell* const shared_;  // one for each block
    const std::uint64_t count_;
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
