// Boxes of bytes in memory, such as the regions of a copy.
#pragma once

#include <algorithm>
#include <cstdint>

namespace zetl::driver {

/// Rows of `width` bytes, `pitch` bytes from one to the next, in slices of `height` rows, `slicePitch` bytes from one
/// to the next. No size is 0; the end is an address.
struct ByteBox {
    std::uint64_t begin = 0;
    std::uint64_t width = 1;
    std::uint64_t height = 1;
    std::uint64_t depth = 1;
    std::uint64_t pitch = 0;
    std::uint64_t slicePitch = 0;

    std::uint64_t end() const noexcept { return begin + (depth - 1) * slicePitch + (height - 1) * pitch + width; }
    /// Whether no two rows share bytes.
    bool isPlain() const noexcept {
        const std::uint64_t slice = (height - 1) * pitch + width;
        return (height == 1 || pitch >= width) && (depth == 1 || slicePitch >= slice);
    }
};

/// Whether two boxes with the same extent and pitches have bytes in common. If the rows of a box share bytes among
/// themselves: whether the spans of the boxes have.
inline bool overlap(const ByteBox& a, const ByteBox& b) noexcept {
    const ByteBox& low = a.begin <= b.begin ? a : b;
    const ByteBox& high = a.begin <= b.begin ? b : a;
    if (high.begin >= low.end()) return false;
    if (!low.isPlain()) return true;
    // The other box begins so many slices, rows and bytes behind this one, or one slice or row more and fewer bytes.
    const std::uint64_t distance = high.begin - low.begin;
    const std::uint64_t slices = low.depth == 1 ? 0 : distance / low.slicePitch;
    for (std::uint64_t slice = slices; slice < std::min(slices + 2, low.depth); ++slice) {
        const bool beyond = slice * low.slicePitch > distance;
        const std::uint64_t rest = beyond ? slice * low.slicePitch - distance : distance - slice * low.slicePitch;
        const std::uint64_t rows = low.height == 1 ? 0 : rest / low.pitch;
        for (std::uint64_t row = rows; row < std::min(rows + 2, low.height); ++row) {
            const std::uint64_t at = row * low.pitch;
            if ((at > rest ? at - rest : rest - at) < low.width) return true;
        }
    }
    return false;
}

}  // namespace zetl::driver
