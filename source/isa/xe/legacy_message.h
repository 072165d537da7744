// Messages of the older data ports: those that have an equivalent in the load/store cache, and the rest.
#pragma once

#include <optional>

#include "isa/xe/atomic_operation.h"
#include "isa/xe/instruction.h"
#include "isa/xe/memory_space.h"

namespace zetl::isa::xe {

/// The instruction with the equivalent message of ugm or slm. Any other instruction is returned unchanged, except that
/// a header in front of its lanes' addresses is left out.
///
/// Data port 0: scattered bytes in local memory, its fence. Data port 1: untyped reads and writes of dwords, in local
/// memory or by 64-bit address; scattered elements and blocks by 64-bit address.
Instruction modernForm(const Instruction& in) noexcept;

/// Data port 0: a block of scratch memory, at an offset in the descriptor.
struct ScratchBlock {
    bool write;
    std::uint32_t bytes;
    std::uint32_t offset;
};
std::optional<ScratchBlock> scratchBlockOf(const Message& message) noexcept;

/// Data port 0: a block of local memory, at an offset in the header.
struct LocalBlock {
    static constexpr std::uint32_t kOffsetAt = 8;  ///< byte of the header
    bool write;
    std::uint32_t bytes;       ///< 0: a size that the hardware does not have
    std::uint32_t offsetUnit;  ///< bytes
};
std::optional<LocalBlock> localBlockOf(const Message& message) noexcept;

/// Data port 0: a dword of local memory for each lane; addresses count dwords.
struct LocalDwords {
    static constexpr std::uint32_t kBytes = 4;
    bool write;
};
std::optional<LocalDwords> localDwordsOf(const Message& message) noexcept;

/// Data port 1: atomics on integers and floating-point numbers.
struct UntypedAtomic {
    AtomicOperation operation;
    std::optional<MemorySpace> space;  ///< nothing: a surface in a binding table
    std::uint32_t addressBytes;
    std::uint32_t elementBytes;
    /// Size of an element in registers.
    std::uint32_t slotBytes() const noexcept { return elementBytes < 4 ? 4 : elementBytes; }
};
std::optional<UntypedAtomic> untypedAtomicOf(const Message& message) noexcept;

}  // namespace zetl::isa::xe
