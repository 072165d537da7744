// Random two-dimensional messages, and a second opinion on what each does: element after element, from the published
// pseudo-code (vISA's LSC_UNTYPED: LOAD_BLOCK2D). Nothing is shared with the emulator but the place of registers.
#pragma once

#include "reference/message.h"

namespace zetl::test::reference {

/// A load, store or prefetch of blocks that lie side by side in a surface.
struct SurfaceBlock {
    enum class Kind : std::uint8_t { load, store, prefetch };
    Kind kind = Kind::load;
    std::uint32_t elementBytes = 4;
    bool transposed = false;  ///< columns lie in registers as rows do else
    bool packed = false;      ///< elements of a column, or of a row if transposed, share a dword (VNNI)
    bool noMask = false;
    bool predicated = false;
    bool inverted = false;
    std::uint8_t result = 0;  ///< registers
    std::uint8_t payload = 0;
    std::uint8_t values = 0;

    // What the payload says.
    std::uint64_t base = 0;
    std::uint32_t surfaceWidth = 0;  ///< bytes
    std::uint32_t surfaceHeight = 0;
    std::uint32_t pitch = 0;  ///< bytes
    std::int32_t x = 0;       ///< elements
    std::int32_t y = 0;
    std::uint32_t width = 1;  ///< of a block, in elements
    std::uint32_t height = 1;
    std::uint32_t blocks = 1;

    bool isInside(std::int64_t column, std::int64_t row) const {
        return column >= 0 && row >= 0 && row < surfaceHeight && column < surfaceWidth / elementBytes;
    }
    std::uint32_t inDword() const { return packed && elementBytes < 4 ? 4 / elementBytes : 1; }
    /// From one row of a block to the next in registers, and from one block to the next; in elements.
    std::uint32_t rowPitch() const;
    std::uint32_t blockPitch() const;
    /// Of all blocks.
    std::uint32_t registers() const;
    std::string assembly() const;
};

struct SurfaceProgram {
    std::uint64_t number = 0;
    std::uint32_t lanes = 0;
    SurfaceBlock message;
    State registers;
    Memories memory;
};
SurfaceProgram surfaceProgram(std::uint64_t number, std::uint64_t globalAddress);

Touched touchedBy(const SurfaceBlock& message, const State& state);
void execute(const SurfaceBlock& message, State& state, Memories& memory);

}  // namespace zetl::test::reference
