// Scratch memory for private arrays and spills, with a part for every hardware thread slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "base/mutex.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::machine {

/// One area per size class that a kernel of the tile has asked for; the host commits pages when a thread touches them.
/// Live threads are on different slots, so kernels may share an area. Thread-safe.
class ScratchAreas {
  public:
    ScratchAreas(Memory& memory, std::uint32_t slots) : memory_(memory), slots_(slots) {}
    ~ScratchAreas();
    ScratchAreas(const ScratchAreas&) = delete;
    ScratchAreas& operator=(const ScratchAreas&) = delete;

    struct Area {
        std::uint64_t base = 0;  ///< 0: the host refused
        std::uint64_t stride = 0;
        std::span<std::byte> of(std::uint32_t slot, std::uint32_t bytes) const noexcept {
            return {reinterpret_cast<std::byte*>(base + slot * stride), bytes};
        }
    };
    Area find(std::uint32_t bytes);

  private:
    Memory& memory_;
    const std::uint32_t slots_;
    Mutex mutex_;
    std::map<std::uint64_t, Area> areas_ ZETL_GUARDED_BY(mutex_);  // by stride
};

}  // namespace zetl::emulator::machine
