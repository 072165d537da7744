// What a memory message does to memory, as far as its instruction tells.
#pragma once

#include <optional>

#include "emulator/isa/observe.h"

namespace zetl::emulator::isa {

struct AccessShape {
    MemorySpace space = MemorySpace::global;
    bool write = false;
    bool atomic = false;
    bool block = false;         ///< one access for all lanes
    bool strided = false;       ///< lanes at a distance from one base
    bool block2d = false;       ///< rows of a surface that the payload describes
    uint32_t bytes = 0;         ///< of one lane, or of the block
    uint32_t addressBytes = 0;  ///< 0: the instruction holds the offset
    uint32_t offset = 0;
};

/// Nothing for messages that do not access memory, prefetches included.
std::optional<AccessShape> accessShapeOf(const Instruction& in) noexcept;

}  // namespace zetl::emulator::isa
