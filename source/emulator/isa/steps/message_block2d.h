// Two-dimensional blocks of a surface that the message itself describes. Elements outside of the surface read as zero
// and are never written. Loads may transpose, or pack the elements of a column into dwords.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/steps/message_memory.h"
#include "isa/xe/block2d.h"

namespace {

/// The layout of blocks in registers, in elements: the length of rows (or columns, if transposed) is a power of two,
/// and each block starts at a register.
struct BlockLayout {
    bool transposed;
    std::uint32_t packed;
    std::uint32_t row;
    std::uint32_t pitch;

    BlockLayout(const Block2d& s, const Block2dAccess& a)
        : transposed(a.transposed), packed(a.packed ? 4 / a.elementBytes : 1) {
        row = std::bit_ceil(transposed ? s.height : s.width);
        const std::uint32_t rows = ((transposed ? s.width : s.height) + packed - 1) / packed * packed;
        const std::uint32_t inRegister = layout::kRegisterBytes / a.elementBytes;
        pitch = (row * rows + inRegister - 1) / inRegister * inRegister;
    }
    std::uint32_t place(std::uint32_t block, std::uint32_t x, std::uint32_t y) const {
        const std::uint32_t down = transposed ? x : y;
        const std::uint32_t along = transposed ? y : x;
        return block * pitch + down / packed * packed * row + along * packed + down % packed;
    }
    /// From one element of a row to the next. Elements of a row that are packed and transposed have more than one.
    std::uint32_t step() const { return transposed ? row : packed; }
    bool isEven() const { return !transposed || packed == 1; }
};

/// Rows of a block, between memory and registers. All distances are bytes.
struct MovedRows {
    std::byte* memory;
    std::byte* registers;
    std::uint32_t elements;  ///< of each row
    std::uint32_t rows;
    std::uint32_t pitch;       ///< in memory, from one row to the next
    std::uint32_t rowStep;     ///< the same in registers,
    std::uint32_t columnStep;  ///< and from one element of a row to the next
};

template <std::uint32_t Bytes, bool Write>
void moveRows(const MovedRows& block) {
    for (std::uint32_t y = 0; y < block.rows; ++y) {
        std::byte* const memory = block.memory + std::size_t{y} * block.pitch;
        std::byte* const held = block.registers + std::size_t{y} * block.rowStep;
        std::memcpy(Write ? memory : held, Write ? held : memory, Bytes);
    }
}
template <class E, bool Write>
void moveElements(const MovedRows& block) {
    for (std::uint32_t y = 0; y < block.rows; ++y) {
        std::byte* memory = block.memory + std::size_t{y} * block.pitch;
        std::byte* held = block.registers + std::size_t{y} * block.rowStep;
        for (std::uint32_t x = 0; x < block.elements; ++x, memory += sizeof(E), held += block.columnStep)
            std::memcpy(Write ? memory : held, Write ? held : memory, sizeof(E));
    }
}
/// Rows that are as long as registers, or parts of them, are moved as vectors.
template <class E, bool Write>
[[gnu::noinline]] void moveRowsOf(const MovedRows& block) {
    if (block.columnStep != sizeof(E)) return moveElements<E, Write>(block);
    switch (block.elements * sizeof(E)) {
        case 16:
            return moveRows<16, Write>(block);
        case 32:
            return moveRows<32, Write>(block);
        case 64:
            return moveRows<64, Write>(block);
        default:
            return moveElements<E, Write>(block);
    }
}
template <bool Write>
void move(const MovedRows& block, std::uint32_t elementBytes) {
    switch (elementBytes) {
        case 1:
            return moveRowsOf<std::uint8_t, Write>(block);
        case 2:
            return moveRowsOf<std::uint16_t, Write>(block);
        case 4:
            return moveRowsOf<std::uint32_t, Write>(block);
        default:
            return moveRowsOf<std::uint64_t, Write>(block);
    }
}

inline void chargeMoved(Thread& t, const Block2d& s, std::uint64_t elements) {
    constexpr std::uint64_t kElementsOfAnInstruction = 2;  // which take about as long, at the edges of a surface
    charge(t, (elements + std::uint64_t{s.blocks} * s.height) / kElementsOfAnInstruction);
}

/// Blocks that lie within the surface and one piece of memory, and have all of their registers.
template <bool Write>
bool moveWhole(Thread& t, const Step* m, const Block2dAccess& a, const Block2d& s) {
    const BlockLayout place(s, a);
    const std::uint32_t size = a.elementBytes;
    const std::uint64_t rowBytes = std::uint64_t{s.width} * s.blocks * size;
    const std::uint64_t down = std::uint64_t(s.pitch) * (s.height - 1);
    if (!place.isEven() || a.registerBytes < s.blocks * place.pitch * size || !s.isInside(size)) return false;
    std::byte* const begin = memory<MemorySpace::global, Write>(t, m, s.rowOf(0, 0, size).address, down + rowBytes);
    if (!begin) return false;
    std::byte* const data = t.state + a.registers;
    if (!Write && s.width * s.height != place.pitch) std::memset(data, 0, std::size_t{s.blocks} * place.pitch * size);
    // Rows that share dwords are moved one by one: they do not follow each other in equal steps.
    const std::uint32_t together = place.packed == 1 ? s.height : 1;
    for (std::uint32_t b = 0; b < s.blocks; ++b)
        for (std::uint32_t y = 0; y < s.height; y += together)
            move<Write>({.memory = begin + std::size_t{b} * s.width * size + std::size_t{y} * s.pitch,
                         .registers = data + std::size_t{place.place(b, 0, y)} * size,
                         .elements = s.width,
                         .rows = together,
                         .pitch = s.pitch,
                         .rowStep = (place.place(b, 0, 1) - place.place(b, 0, 0)) * size,
                         .columnStep = place.step() * size},
                        size);
    countTraffic<MemorySpace::global, Write>(t, rowBytes * s.height);
    chargeMoved(t, s, std::uint64_t{s.blocks} * s.width * s.height);
    return true;
}

/// Row by row and element by element: at the edges of the surface or of memory.
template <bool Write>
[[gnu::noinline]] bool moveParts(Thread& t, const Step* m, const Block2dAccess& a, const Block2d& s) {
    const std::uint32_t size = a.elementBytes;
    std::uint64_t moved = 0;
    // The message may state more registers than its blocks fill: those stay.
    const BlockLayout place(s, a);
    const std::uint32_t bytesInRegisters = std::min(s.blocks * place.pitch * size, a.registerBytes);
    std::byte* const data = t.state + a.registers;
    if (!Write) std::memset(data, 0, bytesInRegisters);
    for (std::uint32_t b = 0; b < s.blocks; ++b) {
        const bool hasRegisters = b * place.pitch * size < bytesInRegisters;
        for (std::uint32_t y = 0; y < s.height; ++y) {
            const RowOfBlock row = s.rowOf(b, y, size);
            if (row.elements == 0) continue;
            if (hasRegisters) moved += row.elements;
            const std::uint64_t bytes = std::uint64_t(row.elements) * size;
            std::byte* const p = memory<MemorySpace::global, Write>(t, m, row.address, bytes);
            if (!p) {
                failAccess(t, m, FaultKind::pageFault, Write, 0, row.address, bytes);
                return false;
            }
            for (std::uint32_t i = 0; hasRegisters && i < row.elements; ++i) {
                const std::uint32_t at = place.place(b, row.first + i, y) * size;
                if (at + size > bytesInRegisters) continue;
                std::memcpy(Write ? p + i * size : data + at, Write ? data + at : p + i * size, size);
            }
            countTraffic<MemorySpace::global, Write>(t, bytes);
        }
    }
    chargeMoved(t, s, moved);
    return true;
}

template <bool Write>
bool moveBlocks(Thread& t, const Step* m, const Block2dAccess& a, const Block2d& s) {
    return moveWhole<Write>(t, m, a, s) || moveParts<Write>(t, m, a, s);
}

inline const Step* block2d(Thread& t, const Step* m) {
    if (lanesOn(t, m->mask) == 0) return m + 1;
    const auto a = Block2dAccess::of(*m);
    const Block2d s = Block2d::read(t.state + a.payload, a.right, a.down);
    if (!(a.write ? moveBlocks<true>(t, m, a, s) : moveBlocks<false>(t, m, a, s))) return nullptr;
    const bool ends = (m + 1)->line != m->line;
    return t.fuel < 0 && ends ? pauseBefore(t, m + 1) : m + 1;
}

constexpr void addHandlers(Handlers<Block2dAccess>& h) { h.run[0] = block2d; }

}  // namespace
