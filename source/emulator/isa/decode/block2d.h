// The payload of LSC block2d messages: a surface and a block of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zetl::emulator::isa {

/// The part of one row of a block that lies inside of the surface.
struct RowOfBlock {
    uint64_t address = 0;
    uint32_t first = 0;  ///< element of the block's row
    uint32_t elements = 0;
};

struct Block2d {
    uint64_t base;                                ///< device address of the surface
    uint32_t surfaceWidth, surfaceHeight, pitch;  ///< width and pitch in bytes
    int32_t x, y;                                 ///< of the first block: in elements, in rows
    uint32_t width, height, blocks;               ///< of a block, in elements; blocks lie side by side

    static constexpr uint32_t kBytes = 32;  ///< of the payload that matter

    static Block2d read(const std::byte* payload) noexcept {
        uint32_t w[kBytes / 4];
        std::memcpy(w, payload, sizeof w);
        return {.base = w[0] | uint64_t(w[1]) << 32,
                .surfaceWidth = (w[2] & 0xffffff) + 1,
                .surfaceHeight = (w[3] & 0xffffff) + 1,
                .pitch = (w[4] & 0xffffff) + 1,
                .x = int32_t(w[5]),
                .y = int32_t(w[6]),
                .width = (w[7] & 0xff) + 1,
                .height = (w[7] >> 8 & 0xff) + 1,
                .blocks = (w[7] >> 16 & 0xf) + 1};
    }

    /// Row `row` of block `block`.
    RowOfBlock rowOf(uint32_t block, uint32_t row, uint32_t elementBytes) const noexcept {
        return span(int64_t(x) + int64_t(block) * width, width, row, elementBytes);
    }
    /// Row `row` of all blocks: they lie side by side.
    RowOfBlock rowOfAll(uint32_t row, uint32_t elementBytes) const noexcept {
        return span(x, int64_t(width) * blocks, row, elementBytes);
    }

  private:
    RowOfBlock span(int64_t left, int64_t elements, uint32_t row, uint32_t elementBytes) const noexcept {
        const int64_t line = int64_t(y) + row;
        if (line < 0 || line >= surfaceHeight) return {};
        const int64_t first = std::max<int64_t>(0, -left);
        const int64_t end = std::min<int64_t>(elements, surfaceWidth / elementBytes - left);
        if (end <= first) return {};
        return {base + uint64_t(line) * pitch + uint64_t(left + first) * elementBytes, uint32_t(first),
                uint32_t(end - first)};
    }
};

}  // namespace zetl::emulator::isa
