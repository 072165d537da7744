// Contents of buffers, and shapes of launches, for kernels that serve as data.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "workload.h"

namespace zetl::benchmark::emulator {

/// Multiples of a quarter.
inline std::vector<std::uint32_t> someFloats(std::size_t count) {
    std::vector<std::uint32_t> bits(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(i % 509) * 0.25f;
        std::memcpy(&bits[i], &value, sizeof value);
    }
    return bits;
}

inline std::vector<std::uint32_t> anyWords(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    std::uint32_t state = 1;
    for (std::uint32_t& word : words) word = state = state * 1664525u + 1013904223u;
    return words;
}

inline std::vector<std::uint32_t> zeros(std::size_t count) { return std::vector<std::uint32_t>(count); }

/// In groups of 256; the last buffer has the result.
inline Run inALine(std::uint32_t items, std::vector<std::vector<std::uint32_t>> buffers,
                   std::vector<std::uint32_t> scalars) {
    const std::size_t result = buffers.size() - 1;
    return {{items, 1}, {256, 1}, std::move(buffers), std::move(scalars), result, double(items)};
}

}  // namespace zetl::benchmark::emulator
