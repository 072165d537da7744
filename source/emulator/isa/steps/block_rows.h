// Rows of two-dimensional blocks, between memory and registers.
//
// Included only by steps.cpp.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

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
/// Loads dwords of four rows at a time, each of which becomes a column.
[[gnu::noinline]] inline void transposeDwords(const MovedRows& block) {
    constexpr std::uint32_t kSide = 4;
    for (std::uint32_t y = 0; y < block.rows; y += kSide)
        for (std::uint32_t x = 0; x < block.elements; x += kSide) {
            __m128 side[kSide];
            const std::byte* const memory = block.memory + std::size_t{y} * block.pitch + x * sizeof(float);
            std::byte* const held = block.registers + std::size_t{y} * block.rowStep + x * block.columnStep;
            for (std::uint32_t i = 0; i < kSide; ++i)
                std::memcpy(&side[i], memory + std::size_t{i} * block.pitch, sizeof side[i]);
            _MM_TRANSPOSE4_PS(side[0], side[1], side[2], side[3]);
            for (std::uint32_t i = 0; i < kSide; ++i)
                std::memcpy(held + i * block.columnStep, &side[i], sizeof side[i]);
        }
}
/// Rows that are as long as registers, or parts of them, are moved as vectors.
template <class E, bool Write>
[[gnu::noinline]] void moveRowsOf(const MovedRows& block) {
    if constexpr (sizeof(E) == sizeof(float) && !Write)
        if (block.rowStep == sizeof(E) && block.rows % 4 == 0 && block.elements % 4 == 0) return transposeDwords(block);
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

/// Rows of sixteen elements, of which as many as fit into dwords are packed into one register.
inline constexpr std::uint32_t kPackedElements = 16;
inline bool canPack(const MovedRows& block) { return block.elements == kPackedElements; }

/// Two words of each dword, which come from two rows.
inline void packWords(const __m128i& lower, const __m128i& upper, std::byte* held) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(held), _mm_unpacklo_epi16(lower, upper));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(held) + 1, _mm_unpackhi_epi16(lower, upper));
}
inline void packRow(const __m128i (&rows)[2][2], std::byte* held) {
    for (unsigned i = 0; i < 2; ++i) packWords(rows[0][i], rows[1][i], held + 2 * sizeof(__m128i) * i);
}
inline void packRow(const __m128i (&rows)[4][1], std::byte* held) {
    const auto [a, b, c, d] = rows;
    packWords(_mm_unpacklo_epi8(*a, *b), _mm_unpacklo_epi8(*c, *d), held);
    packWords(_mm_unpackhi_epi8(*a, *b), _mm_unpackhi_epi8(*c, *d), held + 2 * sizeof(__m128i));
}
template <class E>
[[gnu::noinline]] void packRows(const MovedRows& block) {
    constexpr std::uint32_t kInDword = sizeof(std::uint32_t) / sizeof(E);
    std::byte* held = block.registers;
    for (std::uint32_t y = 0; y < block.rows; y += kInDword, held += kPackedElements * sizeof(std::uint32_t)) {
        __m128i rows[kInDword][sizeof(E)] = {};
        for (std::uint32_t i = 0; i < kInDword && y + i < block.rows; ++i)
            std::memcpy(rows[i], block.memory + std::size_t{y + i} * block.pitch, sizeof rows[i]);
        packRow(rows, held);
    }
}
inline void pack(const MovedRows& block, std::uint32_t elementBytes) {
    return elementBytes == 1 ? packRows<std::uint8_t>(block) : packRows<std::uint16_t>(block);
}

}  // namespace
