// CodeHeap's data behind its lock. Included by code_heap*.cpp only.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/shared_mutex.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/code/tile_breakpoints.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/memory/range_allocator.h"

namespace zetl::emulator::machine {

struct CodeHeapState {
    static constexpr std::uint64_t kBytes = 4ull << 30;
    static constexpr std::uint64_t kPrefetchSlack = 256;  // the instruction prefetch reads beyond the end

    explicit CodeHeapState(const zetl::isa::xe::Architecture& executed);
    ~CodeHeapState();

    static std::byte* at(std::uint64_t address) noexcept { return reinterpret_cast<std::byte*>(address); }
    void lower(CodeRange& range) ZETL_REQUIRES(mutex);
    void clearBreakpoints(TileMask tiles) ZETL_REQUIRES(mutex);
    void change(CodeRange& range, std::uint64_t position, std::span<const std::byte> bytes, TileMask tiles)
        ZETL_REQUIRES(mutex);
    CodeRange* rangeAt(std::uint64_t offset) const ZETL_REQUIRES_SHARED(mutex);
    const LoadedProgram* areaProgramAt(std::uint64_t offset) ZETL_REQUIRES(mutex);
    bool isDebugArea(std::uint64_t offset, std::uint64_t bytes) const noexcept {
        return offset < CodeHeap::kDebugAreaBytes && bytes <= CodeHeap::kDebugAreaBytes - offset;
    }

    const zetl::isa::xe::Architecture& architecture;
    mutable SharedMutex mutex;
    std::uint64_t base = 0;
    RangeAllocator free ZETL_GUARDED_BY(mutex){CodeHeap::kDebugAreaBytes, kBytes - CodeHeap::kDebugAreaBytes};
    std::map<std::uint64_t, std::weak_ptr<CodeRange>> ranges ZETL_GUARDED_BY(mutex);  // by offset
    std::map<std::uint64_t, CodeRange*> live ZETL_GUARDED_BY(mutex);  // the same, for use under the lock
    std::uint32_t armed ZETL_GUARDED_BY(mutex) = 0;
    TileBreakpoints tileBreakpoints ZETL_GUARDED_BY(mutex);
    /// Code that debuggers put into the debug area, by its offset and its content. Threads may be inside any of it.
    std::map<std::pair<std::uint64_t, std::vector<std::byte>>, std::shared_ptr<LoadedProgram>> areaPrograms
        ZETL_GUARDED_BY(mutex);
    std::atomic<std::uint64_t> version{0};  // counts replaced programs
};

}  // namespace zetl::emulator::machine
