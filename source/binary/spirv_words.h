// A SPIR-V module as words (the specification's "Physical Layout of a SPIR-V Module and Instruction"), for those who
// rewrite it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "binary/kernel_image.h"

namespace zetl::binary::spirv {

using Words = std::span<const std::uint32_t>;

inline constexpr std::size_t kHeaderWords = 5;
inline constexpr std::size_t kBoundWord = 3;  ///< of the header: all ids are less than its value

/// The first word of an instruction.
constexpr std::uint32_t head(std::uint16_t opcode, std::size_t words) {
    return static_cast<std::uint32_t>(words << 16 | opcode);
}

/// Calls visit(opcode, words) for each instruction. The instructions must be known to fill the module.
template <class F>
void forEachInstruction(Words words, F&& visit) {
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::size_t length = words[at] >> 16;
        visit(static_cast<std::uint16_t>(words[at]), words.subspan(at, length));
        at += length;
    }
}

inline std::vector<std::uint32_t> wordsOf(const Bytes& spirv) {
    std::vector<std::uint32_t> words(spirv.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), spirv.data(), words.size() * sizeof(std::uint32_t));
    return words;
}
inline Bytes bytesOf(Words words) {
    Bytes bytes(words.size_bytes());
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

}  // namespace zetl::binary::spirv
