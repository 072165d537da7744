// Two-dimensional blocks of a surface that the message itself describes. Elements outside of the surface read as zero
// and are never written. Loads may transpose, or pack the elements of a column into dwords.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/steps/block_rows.h"
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

/// Rows that share dwords do not follow each other in equal steps: one by one.
template <bool Write>
[[gnu::noinline]] void moveSharedRows(const BlockLayout& place, std::uint32_t block, const MovedRows& all,
                                      std::uint32_t size) {
    MovedRows row = all;
    row.rows = 1;
    const std::uint32_t begin = place.place(block, 0, 0);
    for (std::uint32_t y = 0; y < all.rows; ++y, row.memory += all.pitch) {
        row.registers = all.registers + std::size_t{place.place(block, 0, y) - begin} * size;
        move<Write>(row, size);
    }
}
template <bool Write>
void moveBlock(const BlockLayout& place, std::uint32_t block, const MovedRows& all, std::uint32_t size) {
    if (place.packed == 1) return move<Write>(all, size);
    if (!Write && canPack(all)) return pack(all, size);
    moveSharedRows<Write>(place, block, all, size);
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
    for (std::uint32_t b = 0; b < s.blocks; ++b)
        moveBlock<Write>(place, b,
                         {.memory = begin + std::size_t{b} * s.width * size,
                          .registers = data + std::size_t{place.place(b, 0, 0)} * size,
                          .elements = s.width,
                          .rows = s.height,
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
