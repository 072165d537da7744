// The instruction heap: where machine code lives, at 32-bit offsets from one base.
#pragma once

#include "emulator/machine/memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace zetl::emulator::isa {
class Program;
}

namespace zetl::emulator::machine {

/// A piece of the heap. Its address stays reserved while the object lives; ends with the last reference.
class CodeRange {
  public:
    ~CodeRange();
    CodeRange(const CodeRange&) = delete;
    CodeRange& operator=(const CodeRange&) = delete;
    uint64_t address() const noexcept { return address_; }  ///< what a debugger sees, identity-mapped
    uint32_t offset() const noexcept { return offset_; }    ///< from the instruction base: what calla and CR0.2 hold
    uint64_t bytes() const noexcept { return bytes_; }

  private:
    friend class CodeHeap;
    CodeRange() = default;
    class CodeHeap* heap_ = nullptr;
    uint64_t address_ = 0;
    uint64_t bytes_ = 0;
    uint32_t offset_ = 0;
};

/// One per device. The first 64 KiB are the debug area (magic "dbgarea"), writable and executable by debuggers.
/// Thread-safe.
class CodeHeap {
  public:
    explicit CodeHeap(Memory& memory);
    ~CodeHeap();
    CodeHeap(const CodeHeap&) = delete;
    CodeHeap& operator=(const CodeHeap&) = delete;

    uint64_t base() const noexcept { return base_; }

    /// Room for so many bytes plus prefetch slack, 64-byte aligned, filled with illegal instructions. Nothing if the heap
    /// (4 GiB) is full or the host refuses. The caller relocates against the range's address, then calls install().
    std::shared_ptr<CodeRange> allocate(uint64_t bytes);

    /// Writes the final code; it can be launched from now on. One call for a range, before the first launch.
    void install(const std::shared_ptr<CodeRange>& range, std::span<const std::byte> code);

    /// Debugger access, any range of the heap that belongs to one CodeRange or to the debug area. A write is seen whole by
    /// every instruction fetched after it, also by threads that are in that code. False: not mapped, nothing transferred.
    bool read(uint64_t address, void* to, size_t bytes) const;
    bool write(uint64_t address, const void* from, size_t bytes);

    /// The range that holds the address; begin and end 0 if none.
    Allocation find(uint64_t address) const;

  private:
    friend class CodeRange;
    struct State;
    Memory& memory_;
    uint64_t base_ = 0;
    std::unique_ptr<State> state_;
};

}  // namespace zetl::emulator::machine
