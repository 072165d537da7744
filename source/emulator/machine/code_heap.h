// The instruction heap: where machine code lives, at 32-bit offsets from one base.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/isa/register_limit.h"
#include "emulator/machine/execution_counts.h"
#include "emulator/machine/memory.h"
#include "isa/xe/architecture.h"

namespace zetl::emulator::machine {

struct LoadedProgram;
struct CodeHeapState;

/// Tiles of a device, one bit each.
using TileMask = std::uint32_t;
inline constexpr TileMask kAllTiles = ~0u;

/// A piece of the heap. It keeps its addresses while the object lives; it ends with the last reference.
class CodeRange {
  public:
    ~CodeRange();
    CodeRange(const CodeRange&) = delete;
    CodeRange& operator=(const CodeRange&) = delete;
    std::uint64_t address() const noexcept { return address_; }  ///< what a debugger sees, identity-mapped
    std::uint32_t offset() const noexcept { return offset_; }    ///< from the instruction base, as in calla and CR0.2
    std::uint64_t bytes() const noexcept { return bytes_; }

    /// The code as it is now, lowered; null before install(). Lives as long as the range, even after it is replaced.
    const LoadedProgram* program() const noexcept { return program_.load(std::memory_order_acquire); }

    /// Where finished dispatches add how often they executed each instruction, one word for each kCountedBytes of the
    /// code. Call it before install().
    void countInto(std::shared_ptr<ExecutionCounts> counts) noexcept { counted_ = std::move(counts); }

  private:
    friend class CodeHeap;
    friend struct CodeHeapState;
    CodeRange() = default;

    std::shared_ptr<CodeHeapState> heap_;
    std::uint64_t address_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint32_t offset_ = 0;
    bool markLines_ = false;
    std::shared_ptr<ExecutionCounts> counted_;
    std::vector<isa::RegisterLimit> limits_;
    std::atomic<const LoadedProgram*> program_{nullptr};
    std::vector<std::shared_ptr<LoadedProgram>> programs_;  // all that ever ran; threads may be inside old ones
};

/// One per device. The first 64 KiB are the debug area (magic "dbgarea"), writable and executable by debuggers.
/// Thread-safe.
class CodeHeap {
  public:
    static constexpr std::uint64_t kDebugAreaBytes = 64 << 10;

    explicit CodeHeap(const zetl::isa::xe::Architecture& architecture);
    ~CodeHeap();
    CodeHeap(const CodeHeap&) = delete;
    CodeHeap& operator=(const CodeHeap&) = delete;

    std::uint64_t base() const noexcept;

    /// Allocates `bytes` plus prefetch slack, 64-byte aligned, filled with illegal instructions. Returns null if the
    /// heap (4 GiB) is full or the host refuses. The caller relocates against the range's address, then calls
    /// install().
    std::shared_ptr<CodeRange> allocate(std::uint64_t bytes);

    /// Writes the final code, which can be launched from now on. Call it again after dynamic linking has added
    /// relocations, while none of the code runs. Parts of the code that name more registers than `limits` gives them
    /// are illegal.
    void install(CodeRange& range, std::span<const std::byte> code, std::vector<isa::RegisterLimit> limits = {});

    /// Debugger access to bytes that all belong to one range or to the debug area. Every instruction fetched after a
    /// write sees all of it, also in threads that are in that code (within their quantum). Returns false if the bytes
    /// are not mapped; nothing is transferred then. Breakpoints belong to the given tiles: threads of other tiles pass
    /// them, and reads for other tiles do not show them. All else is the same for all tiles.
    bool read(std::uint64_t address, void* to, std::size_t bytes, TileMask tiles = kAllTiles) const;
    bool write(std::uint64_t address, const void* from, std::size_t bytes, TileMask tiles = kAllTiles);
    /// Whether a breakpoint at this offset from the base stops threads of the tile.
    bool stopsTile(std::uint32_t offset, std::uint32_t tile) const;

    /// From now on the code at the address stops threads on every instruction, at a small cost in speed: also on
    /// instructions without effect, which code lowered for speed leaves out. A debugger that steps through code calls
    /// it; a breakpoint does so by itself.
    void stopEverywhere(std::uint64_t address);

    /// From now on breakpoint bits in the code stop threads. Counted: each arm() needs one disarm().
    void arm();
    /// Those tiles are no longer debugged: takes the breakpoints that write() set for them out of the code.
    void disarm(TileMask tiles);

    struct Found {
        std::uint64_t begin = 0;  ///< addresses; both 0 if none
        std::uint64_t end = 0;
    };
    /// The range that holds the address, the debug area included.
    Found find(std::uint64_t address) const;
    /// The lowered code that holds the instruction at this offset from the base, or null.
    const LoadedProgram* programAt(std::uint32_t offset);

    /// Grows whenever lowered code replaces other code; threads inside then look for their program again.
    std::uint64_t version() const noexcept;

    /// The ranges that are installed now. The result keeps them alive, since each may end at any time.
    std::vector<std::shared_ptr<CodeRange>> ranges() const;

  private:
    std::shared_ptr<CodeHeapState> state_;
};

}  // namespace zetl::emulator::machine
