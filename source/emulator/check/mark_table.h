// Who wrote, or who read, the granules of a stretch of memory last, and by which lines.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// How marks are read and written.
inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// Who touched the granules of a stretch of memory last in one way, by writing or by reading, and by which line.
/// Neighbours with one mark share it; so do neighbours with one line, whose marks differ.
///
/// Changed by all workers at once without a lock. An update that is lost may lose one of two reports; it never makes
/// one. Workers that take a block apart, or join it, at once lose updates to each other.
class MarkTable {
  public:
    /// Granules that may share a mark: what sixteen lanes access that read or write a word each.
    static constexpr std::uint64_t kBlock = 16;
    /// What the granules of a block share. Accesses look at writers and readers.
    struct alignas(32) Shared {
        static constexpr std::size_t kWriters = 0;
        static constexpr std::size_t kReaders = 1;

        void set(std::size_t side, std::uint64_t to, isa::Line by) noexcept {
            line[side].store(by, kRelaxed);
            mark[side].store(to, std::memory_order_release);
        }
        std::atomic<std::uint64_t> mark[2];
        std::atomic<isa::Line> line[2];
    };

    /// Zeroed memory: nobody has touched anything.
    struct Arrays {
        Shared* shared;                     ///< of every block
        std::atomic<std::uint64_t>* marks;  ///< of every granule
        std::atomic<isa::Line>* lines;      ///< of every granule
    };
    MarkTable(const Arrays& arrays, std::size_t side) noexcept
        : shared_(arrays.shared), marks_(arrays.marks), lines_(arrays.lines), side_(side) {}

    /// What all granules of a block share: their mark, unless they are apart.
    std::uint64_t shared(std::uint64_t block) const noexcept {
        return shared_[block].mark[side_].load(std::memory_order_acquire);
    }
    static bool isApart(std::uint64_t shared) noexcept { return (shared & kForm) == kApart; }

    /// A block of granules, for several accesses to it that follow each other. Inlined, as Mark's are.
    class Block {
      public:
        [[gnu::always_inline]] Block(MarkTable& table, std::uint64_t block) noexcept
            : table_(table), block_(block), shared_(table.shared(block)) {}

        bool isApart() const noexcept { return MarkTable::isApart(shared_); }
        [[gnu::always_inline]] std::uint64_t mark(std::uint64_t granule) const noexcept {
            return isApart() ? table_.marks_[granule].load(kRelaxed) : shared_;
        }
        [[gnu::always_inline]] isa::Line line(std::uint64_t granule) const noexcept {
            if (!isApart()) return table_.shared_[block_].line[table_.side_].load(kRelaxed);
            return areLinesApart(shared_) ? table_.lines_[granule].load(kRelaxed) : lineIn(shared_);
        }
        [[gnu::always_inline]] void set(std::uint64_t granule, std::uint64_t mark, isa::Line line) noexcept {
            if (!isApart()) shared_ = table_.takeApart(block_, line);
            if (!areLinesApart(shared_) && lineIn(shared_) != line) shared_ = table_.takeLinesApart(block_);
            if (areLinesApart(shared_)) table_.lines_[granule].store(line, kRelaxed);
            table_.marks_[granule].store(mark, kRelaxed);
        }

      private:
        MarkTable& table_;
        const std::uint64_t block_;
        std::uint64_t shared_;
    };
    Block blockOf(std::uint64_t granule) noexcept { return {*this, granule / kBlock}; }
    std::uint64_t mark(std::uint64_t granule) noexcept { return blockOf(granule).mark(granule); }
    isa::Line line(std::uint64_t granule) noexcept { return blockOf(granule).line(granule); }
    void set(std::uint64_t granule, std::uint64_t mark, isa::Line line) noexcept {
        blockOf(granule).set(granule, mark, line);
    }
    void setShared(std::uint64_t block, std::uint64_t mark, isa::Line line) noexcept {
        shared_[block].set(side_, mark, line);
    }
    /// Lets the granules of a block share a mark again, if they all have the same one.
    void join(std::uint64_t block) noexcept;
    /// Loads what an access to these looks at.
    void prefetchShared(std::uint64_t block) const noexcept { __builtin_prefetch(&shared_[block], 1); }
    void prefetchApart(std::uint64_t granule) const noexcept { __builtin_prefetch(&marks_[granule], 1); }

  private:
    // In place of a shared mark: a mark of nobody with bits is none that is ever stored.
    static constexpr std::uint64_t kForm = 7;
    static constexpr std::uint64_t kApart = 4;
    static constexpr std::uint64_t kLinesApart = 8;
    static constexpr unsigned kLineAt = 32;

    static bool areLinesApart(std::uint64_t word) noexcept { return (word & kLinesApart) != 0; }
    static isa::Line lineIn(std::uint64_t word) noexcept { return static_cast<isa::Line>(word >> kLineAt); }
    /// What stands for the block from then on. If nobody has touched it, `line` is about to.
    std::uint64_t takeApart(std::uint64_t block, isa::Line line) noexcept;
    std::uint64_t takeLinesApart(std::uint64_t block) noexcept;

    Shared* const shared_;
    std::atomic<std::uint64_t>* const marks_;
    std::atomic<isa::Line>* const lines_;
    const std::size_t side_;
};

}  // namespace zetl::emulator::check
