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

/// Written by all workers at once without a lock. An update that is lost may lose one of two reports; it never makes
/// one.
struct Cell {
    std::atomic<std::uint64_t> write{0};
    std::atomic<std::uint64_t> read{0};
    std::atomic<std::uint32_t> writeLine{0};
    std::atomic<std::uint32_t> readLine{0};
};
static_assert(sizeof(Cell) == 24);

/// Cells of a stretch of memory; zeroed pages that the host gives when they are touched: six bytes for each byte that
/// is accessed.
class Cells {
  public:
    /// Null if the host refuses.
    static std::unique_ptr<Cells> make(std::uint64_t bytes);
    ~Cells();
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;

    std::uint64_t count() const noexcept { return count_; }
    Cell& operator[](std::uint64_t granule) const noexcept { return cells_[granule]; }
    /// Forgets everything.
    void clear() noexcept;

  private:
    Cells(Cell* cells, std::uint64_t count) noexcept : cells_(cells), count_(count) {}
    Cell* const cells_;
    const std::uint64_t count_;
};

/// The cells of allocations. Thread-safe.
class Shadow {
  public:
    /// Lives until forget(); null if the host refuses memory, which is logged once.
    Cells* of(const machine::Allocation& allocation) noexcept;
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
