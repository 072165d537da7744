// The instruction heap: where machine code lives, at 32-bit offsets from one base.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/machine/memory.h"

namespace zetl::emulator::machine {

struct LoadedProgram;
struct CodeHeapState;

/// Tiles of a device, a bit each.
using TileMask = std::uint32_t;
inline constexpr TileMask kAllTiles = ~0u;

/// A piece of the heap. Its addresses stay its own while the object lives; ends with the last reference.
class CodeRange {
  public:
    ~CodeRange();
    CodeRange(const CodeRange&) = delete;
    CodeRange& operator=(const CodeRange&) = delete;
    std::uint64_t address() const noexcept { return address_; }  ///< what a debugger sees, identity-mapped
    std::uint32_t offset() const noexcept { return offset_; }  ///< from the instruction base: what calla and CR0.2 hold
    std::uint64_t bytes() const noexcept { return bytes_; }

    /// The code as it is now, lowered; null before install(). Lives as long as the range, also when replaced.
    const LoadedProgram* program() const noexcept { return program_.load(std::memory_order_acquire); }

  private:
    friend class CodeHeap;
    friend struct CodeHeapState;
    CodeRange() = default;

    std::shared_ptr<CodeHeapState> heap_;
    std::uint64_t address_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint32_t offset_ = 0;
    bool markLines_ = false;
    std::atomic<const LoadedProgram*> program_{nullptr};
    std::vector<std::shared_ptr<LoadedProgram>> programs_;  // all that ever ran; threads may be inside old ones
};

/// One per device. The first 64 KiB are the debug area (magic "dbgarea"), writable and executable by debuggers.
/// Thread-safe.
class CodeHeap {
  public:
    static constexpr std::uint64_t kDebugAreaBytes = 64 << 10;

    CodeHeap();
    ~CodeHeap();
    CodeHeap(const CodeHeap&) = delete;
    CodeHeap& operator=(const CodeHeap&) = delete;

    std::uint64_t base() const noexcept;

    /// Room for so many bytes plus prefetch slack, 64-byte aligned, filled with illegal instructions. Null if the heap
    /// (4 GiB) is full or the host refuses. The caller relocates against the range's address, then calls install().
    std::shared_ptr<CodeRange> allocate(std::uint64_t bytes);

    /// Writes the final code; it can be launched from now on. Again after relocations were added by dynamic linking,
    /// while nothing of it runs.
    void install(CodeRange& range, std::span<const std::byte> code);

    /// Debugger access to any bytes that belong to one range or to the debug area. A write is seen whole by every
    /// instruction fetched after it, also by threads that are in that code (within their quantum). False: not mapped,
    /// nothing transferred. Breakpoints are of the tiles given: the threads of others pass them, and who reads for
    /// others does not see them. All else is the same for all tiles.
    bool read(std::uint64_t address, void* to, std::size_t bytes, TileMask tiles = kAllTiles) const;
    bool write(std::uint64_t address, const void* from, std::size_t bytes, TileMask tiles = kAllTiles);
    /// Whether a breakpoint at this offset from the base stops threads of the tile.
    bool stopsTile(std::uint32_t offset, std::uint32_t tile) const;

    /// From now on the code at the address stops threads on every instruction, at a small cost in speed: also on
    /// instructions without effect, which code lowered for speed leaves out. A debugger that steps through code calls
    /// it; a breakpoint does so by itself.
    void stopEverywhere(std::uint64_t address);

    /// Whether breakpoint bits in the code stop threads; counted, one disarm for each arm.
    void arm();
    /// Nobody debugs those tiles any more: the breakpoints that write() set for them are taken out of the code.
    void disarm(TileMask tiles);

    struct Found {
        std::uint64_t begin = 0;  ///< addresses; both 0 if none
        std::uint64_t end = 0;
    };
    /// The range that holds the address, the debug area included.
    Found find(std::uint64_t address) const;
    /// The lowered code that holds the instruction at this offset from the base, or null.
    const LoadedProgram* programAt(std::uint32_t offset);

    /// Grows whenever lowered code takes the place of other code: threads inside look for their program again.
    std::uint64_t version() const noexcept;

    /// Ranges that are installed now; each may end at any time, so they are kept by the answer.
    std::vector<std::shared_ptr<CodeRange>> ranges() const;

  private:
    std::shared_ptr<CodeHeapState> state_;
};

}  // namespace zetl::emulator::machine
