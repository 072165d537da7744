// What a message does to memory, as far as its instruction shows. Observers, debuggers and counters all read message
// descriptors through this.
#pragma once

#include <optional>

#include "isa/xe/instruction.h"
#include "isa/xe/memory_space.h"

namespace zetl::isa::xe {

struct AccessShape {
    MemorySpace space = MemorySpace::global;
    bool write = false;  ///< atomics too
    bool atomic = false;
    bool block = false;              ///< one access for all lanes
    bool strided = false;            ///< lanes at equal distances from one base
    bool block2d = false;            ///< rows of a surface that the payload describes
    std::uint32_t bytes = 0;         ///< bytes of one lane, or of the block
    std::uint32_t addressBytes = 0;  ///< 0: the instruction holds the offset
    std::uint32_t addressAt = 0;     ///< byte of the payload at which the addresses begin
    std::uint32_t addressUnit = 1;   ///< bytes that an address counts in
    std::int64_t offset = 0;         ///< added to each address, which wraps at its size
    bool wide = false;               ///< addresses of 32 bits are offsets to 64, and do not wrap
    bool signedOffsets = false;      ///< of these
    std::int8_t base = -1;           ///< the qword of the scalar register that is added to them; -1: none
    std::int32_t blockX = 0;         ///< block2d: added to its place, in elements
    std::int32_t blockY = 0;         ///< and in rows
};

/// Returns nothing for messages that do not access memory: prefetches, fences, and messages that cannot be executed
/// with any content of their registers.
std::optional<AccessShape> accessShapeOf(const Instruction& in) noexcept;

/// Messages that order accesses or threads and move no data.
enum class Synchronization : std::uint8_t { none, fence, barrier };
Synchronization synchronizationOf(const Instruction& in) noexcept;

/// General messages to the gateway: the barrier of the group takes its numbers from a copy of r0.
enum class GeneralBarrier : std::uint8_t { none, group, named };
GeneralBarrier generalBarrierOf(const Message& message) noexcept;

}  // namespace zetl::isa::xe
