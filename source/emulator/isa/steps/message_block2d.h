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
};

inline const Step* block2d(Thread& t, const Step* m) {
    constexpr std::uint64_t kElementsOfAnInstruction = 2;  // which take about as long
    const auto a = Block2dAccess::of(*m);
    const Block2d s = Block2d::read(t.state + a.payload, a.right, a.down);
    const std::uint32_t size = a.elementBytes;
    const bool write = a.write;
    if (lanesOn(t, m->mask) == 0) return m + 1;
    // The message may state more registers than its blocks fill: those stay.
    const BlockLayout place(s, a);
    const std::uint32_t bytesInRegisters = std::min(s.blocks * place.pitch * size, a.registerBytes);
    std::byte* const data = t.state + a.registers;
    if (!write) std::memset(data, 0, bytesInRegisters);
    std::uint64_t moved = 0;
    for (std::uint32_t b = 0; b < s.blocks; ++b) {
        const bool hasRegisters = b * place.pitch * size < bytesInRegisters;
        for (std::uint32_t y = 0; y < s.height; ++y) {
            const RowOfBlock row = s.rowOf(b, y, size);
            if (row.elements == 0) continue;
            if (hasRegisters) moved += row.elements;
            const std::uint64_t bytes = std::uint64_t(row.elements) * size;
            std::byte* p = write ? memory<MemorySpace::global, true>(t, m, row.address, bytes)
                                 : memory<MemorySpace::global, false>(t, m, row.address, bytes);
            if (!p) return failAccess(t, m, FaultKind::pageFault, write, 0, row.address, bytes);
            for (std::uint32_t i = 0; hasRegisters && i < row.elements; ++i) {
                const std::uint32_t at = place.place(b, row.first + i, y) * size;
                if (at + size > bytesInRegisters) continue;
                if (write)
                    std::memcpy(p + i * size, data + at, size);
                else
                    std::memcpy(data + at, p + i * size, size);
            }
            write ? countTraffic<MemorySpace::global, true>(t, bytes)
                  : countTraffic<MemorySpace::global, false>(t, bytes);
        }
    }
    charge(t, (moved + std::uint64_t{s.blocks} * s.height) / kElementsOfAnInstruction);
    const bool ends = (m + 1)->line != m->line;
    return t.fuel < 0 && ends ? pauseBefore(t, m + 1) : m + 1;
}

constexpr void addHandlers(Handlers<Block2dAccess>& h) { h.run[0] = block2d; }

}  // namespace
