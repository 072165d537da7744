// Operations on bits: boolean functions, rotations, counts, fields.
#include <bit>

#include "reference/operations.h"

namespace zetl::test::reference {
namespace {

using isa::Opcode;
using Raw = std::array<std::uint64_t, 3>;

/// Bit by bit, from the table of the function's eight values.
std::uint64_t booleanFunction(std::uint8_t function, const Raw& v) {
    std::uint64_t result = 0;
    for (unsigned n = 0; n < 64; ++n) {
        const auto bit = [&](int k) { return v[k] >> n & 1; };
        result |= std::uint64_t(function >> (bit(0) + 2 * bit(1) + 4 * bit(2)) & 1) << n;
    }
    return result;
}
std::uint64_t rotatedLeft(std::uint64_t v, std::uint64_t count, unsigned bits) {
    const auto n = static_cast<unsigned>(count % bits);
    const std::uint64_t word = v & maskOf(bits);
    return n == 0 ? word : (word << n | word >> (bits - n)) & maskOf(bits);
}
std::uint64_t reversed(std::uint32_t v) {
    std::uint64_t result = 0;
    for (unsigned n = 0; n < 32; ++n)
        if (v >> n & 1) result |= 1ull << (31 - n);
    return result;
}
/// The first bit from above that is unlike the sign of a signed number, or set in an unsigned one.
std::uint64_t firstFromAbove(std::uint32_t v, bool isSigned) {
    const std::uint32_t sought = isSigned && v >> 31 ? 0 : 1;
    for (unsigned n = 0; n < 32; ++n)
        if ((v >> (31 - n) & 1) == sought) return n;
    return ~0ull;
}
std::uint64_t firstFromBelow(std::uint32_t v) {
    for (unsigned n = 0; n < 32; ++n)
        if (v >> n & 1) return n;
    return ~0ull;
}
std::uint64_t extracted(std::uint64_t width, std::uint64_t offset, std::uint32_t v, bool isSigned) {
    const auto bits = static_cast<unsigned>(width & 31);
    const auto first = static_cast<unsigned>(offset & 31);
    if (bits == 0) return 0;
    if (bits + first < 32) return integerOf(v >> first, bits, isSigned).low();
    return integerOf(v >> first, 32 - first, isSigned).low();
}
std::uint64_t inserted(std::uint32_t mask, std::uint32_t v, std::uint32_t old) {
    const unsigned first = mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask));
    return (v << first & mask) | (old & ~mask);
}

}  // namespace

bool isBitOperation(Opcode opcode) {
    switch (opcode) {
        case Opcode::bitNot:
        case Opcode::bitAnd:
        case Opcode::bitOr:
        case Opcode::bitXor:
        case Opcode::bfn:
        case Opcode::ror:
        case Opcode::rol:
        case Opcode::lzd:
        case Opcode::fbh:
        case Opcode::fbl:
        case Opcode::cbit:
        case Opcode::bfrev:
        case Opcode::bfe:
        case Opcode::bfi1:
        case Opcode::bfi2:
            return true;
        default:
            return false;
    }
}

std::uint64_t bitResult(const isa::Instruction& in, const Raw& v) {
    const unsigned bits = bitsOf(in.destination.type);
    const auto word = [&](int k) { return static_cast<std::uint32_t>(v[k]); };
    switch (in.opcode) {
        case Opcode::bitNot:
            return ~v[0];
        case Opcode::bitAnd:
            return v[0] & v[1];
        case Opcode::bitOr:
            return v[0] | v[1];
        case Opcode::bitXor:
            return v[0] ^ v[1];
        case Opcode::bfn:
            return booleanFunction(in.function, v);
        case Opcode::rol:
            return rotatedLeft(v[0], v[1], bits);
        case Opcode::ror:
            return rotatedLeft(v[0], bits - v[1] % bits, bits);
        case Opcode::lzd:
            return word(0) == 0 ? 32 : firstFromAbove(word(0), false);
        case Opcode::fbh:
            return firstFromAbove(word(0), isa::isSigned(in.source[0].type));
        case Opcode::fbl:
            return firstFromBelow(word(0));
        case Opcode::cbit:
            return static_cast<std::uint64_t>(std::popcount(v[0]));
        case Opcode::bfrev:
            return reversed(word(0));
        case Opcode::bfe:
            return extracted(v[0], v[1], word(2), isa::isSigned(in.destination.type));
        case Opcode::bfi1:
            return static_cast<std::uint32_t>(maskOf(v[0] & 31) << (v[1] & 31));
        default:
            return inserted(word(0), word(1), word(2));
    }
}

}  // namespace zetl::test::reference
