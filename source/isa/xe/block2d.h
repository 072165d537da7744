// The payload of LSC block2d messages: a surface and a block of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zetl::isa::xe {

/// The part of one row of a block that lies inside of the surface.
struct RowOfBlock {
    std::uint64_t address = 0;
    std::uint32_t first = 0;  ///< element of the block's row
    std::uint32_t elements = 0;
};

struct Block2d {
    std::uint64_t base;  ///< device address of the surface
    /// width and pitch in bytes
    std::uint32_t surfaceWidth;
    std::uint32_t surfaceHeight;
    std::uint32_t pitch;
    /// of the first block: in elements, in rows
    std::int32_t x;
    std::int32_t y;
    /// of a block, in elements; blocks lie side by side
    std::uint32_t width;
    std::uint32_t height;
    std::uint32_t blocks;

    static constexpr std::uint32_t kBytes = 32;  ///< of the payload that are used

    /// `right` and `down`: by what the message moves the blocks.
    static Block2d read(const std::byte* payload, std::int32_t right = 0, std::int32_t down = 0) noexcept {
        std::uint32_t w[kBytes / 4];
        std::memcpy(w, payload, sizeof w);
        return {.base = w[0] | std::uint64_t(w[1]) << 32,
                .surfaceWidth = (w[2] & 0xffffff) + 1,
                .surfaceHeight = (w[3] & 0xffffff) + 1,
                .pitch = (w[4] & 0xffffff) + 1,
                .x = std::int32_t(w[5] + std::uint32_t(right)),
                .y = std::int32_t(w[6] + std::uint32_t(down)),
                .width = (w[7] & 0xff) + 1,
                .height = (w[7] >> 8 & 0xff) + 1,
                .blocks = (w[7] >> 16 & 0xf) + 1};
    }

    /// Row `row` of block `block`.
    RowOfBlock rowOf(std::uint32_t block, std::uint32_t row, std::uint32_t elementBytes) const noexcept {
        return span(std::int64_t(x) + std::int64_t(block) * width, width, row, elementBytes);
    }
    /// Row `row` of all blocks, which lie side by side.
    RowOfBlock rowOfAll(std::uint32_t row, std::uint32_t elementBytes) const noexcept {
        return span(x, std::int64_t(width) * blocks, row, elementBytes);
    }

    /// Whether no part of the blocks lies outside of the surface.
    bool isInside(std::uint32_t elementBytes) const noexcept {
        return x >= 0 && y >= 0 && std::int64_t(x) + std::int64_t(width) * blocks <= surfaceWidth / elementBytes &&
               std::int64_t(y) + height <= surfaceHeight;
    }

  private:
    RowOfBlock span(std::int64_t left, std::int64_t elements, std::uint32_t row,
                    std::uint32_t elementBytes) const noexcept {
        const std::int64_t line = std::int64_t(y) + row;
        if (line < 0 || line >= surfaceHeight) return {};
        const std::int64_t first = std::max<std::int64_t>(0, -left);
        const std::int64_t end = std::min<std::int64_t>(elements, surfaceWidth / elementBytes - left);
        if (end <= first) return {};
        return {base + std::uint64_t(line) * pitch + std::uint64_t(left + first) * elementBytes, std::uint32_t(first),
                std::uint32_t(end - first)};
    }
};

}  // namespace zetl::isa::xe
