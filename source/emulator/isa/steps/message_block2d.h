// Two-dimensional blocks of a surface that the message itself describes. Elements outside of the surface read as zero
// and are never written. Loads may transpose, or pack the elements of a column into dwords.
#pragma once

#include "emulator/isa/decode/block2d.h"
#include "emulator/isa/steps/message_memory.h"

namespace {

enum : uint8_t { kStoresBlock = 1, kTransposes = 2, kPacksColumns = 4 };

/// How the blocks lie in registers, in elements: rows (or columns, if transposed) are as long as a power of two, each
/// block starts a register.
struct BlockLayout {
    bool transposed;
    uint32_t packed, row, pitch;

    BlockLayout(const Block2d& s, uint8_t form, uint32_t elementBytes)
        : transposed(form & kTransposes), packed(form & kPacksColumns ? 4 / elementBytes : 1) {
        row = std::bit_ceil(transposed ? s.height : s.width);
        const uint32_t rows = ((transposed ? s.width : s.height) + packed - 1) / packed * packed;
        const uint32_t inRegister = layout::kRegisterBytes / elementBytes;
        pitch = (row * rows + inRegister - 1) / inRegister * inRegister;
    }
    uint32_t place(uint32_t block, uint32_t x, uint32_t y) const {
        const uint32_t down = transposed ? x : y, along = transposed ? y : x;
        return block * pitch + down / packed * packed * row + along * packed + down % packed;
    }
};

/// Step: src[0] descriptor, src[1] data, dst result, size bytes of an element, kind forms as above, value registers.
inline const Step* block2d(Thread& t, const Step* m) {
    const Block2d s = Block2d::read(t.state + m->src[0]);
    const uint32_t size = m->size;
    const bool write = m->kind & kStoresBlock;
    if (lanesOn(t, m->mask) == 0) return m + 1;
    // The message may state more registers than its blocks fill: those stay.
    const BlockLayout place(s, m->kind, size);
    const uint32_t bytesInRegisters =
        std::min(s.blocks * place.pitch * size, uint32_t(m->value) * layout::kRegisterBytes);
    std::byte* const data = t.state + (write ? m->src[1] : m->dst);
    if (!write) std::memset(data, 0, bytesInRegisters);
    for (uint32_t b = 0; b < s.blocks; ++b)
        for (uint32_t y = 0; y < s.height; ++y) {
            const RowOfBlock row = s.rowOf(b, y, size);
            if (row.elements == 0) continue;
            const uint64_t bytes = uint64_t(row.elements) * size;
            std::byte* p = write ? memory<MemorySpace::global, true>(t, m, row.address, bytes)
                                 : memory<MemorySpace::global, false>(t, m, row.address, bytes);
            if (!p) return failAccess(t, m, FaultKind::pageFault, write, 0, row.address, bytes);
            for (uint32_t i = 0; i < row.elements; ++i) {
                const uint32_t at = place.place(b, row.first + i, y) * size;
                if (at + size > bytesInRegisters) continue;
                if (write)
                    std::memcpy(p + i * size, data + at, size);
                else
                    std::memcpy(data + at, p + i * size, size);
            }
            write ? countTraffic<MemorySpace::global, true>(t, bytes)
                  : countTraffic<MemorySpace::global, false>(t, bytes);
        }
    return m + 1;
}

}  // namespace
