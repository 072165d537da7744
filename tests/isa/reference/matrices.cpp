// dpas on integers: one element of the product, exact and cut to its dword.
#include "reference/operations.h"

namespace zetl::test::reference {
namespace {

unsigned elementBitsOf(const isa::Operand& o) { return o.elementBits != 0 ? o.elementBits : bitsOf(o.type); }

Integer packedElement(const State& s, const isa::Operand& o, std::uint32_t dword, unsigned element) {
    const auto place = sourcePlace(s, o, isa::DataType::ub, 0);
    const std::uint64_t word = s.read(*place + dword * 4, 4);
    return integerOf(word >> element * elementBitsOf(o), elementBitsOf(o), isa::isSigned(o.type));
}

}  // namespace

/// The second operand has a column in each lane, dword below dword; the third one row after another.
std::uint64_t matrixElement(const State& s, const isa::Instruction& in, unsigned row, unsigned column) {
    constexpr unsigned kColumns = 16;
    const auto& [addend, second, third] = in.source;
    const unsigned inDword2 = 32 / elementBitsOf(second);
    const unsigned inDword3 = 32 / elementBitsOf(third);
    // A stage multiplies what a dword of the operand with the wider elements holds.
    const unsigned stage = std::min(inDword2, inDword3);
    const unsigned depth = in.systolicDepth * std::min(stage, 8u);
    Integer total;
    if (!addend.isNull()) {
        const auto place = sourcePlace(s, addend, isa::DataType::ub, 0);
        total = integerOf(s.read(*place + (row * kColumns + column) * 4, 4), addend.type);
    }
    for (unsigned k = 0; k < depth; ++k) {
        const unsigned inRow = row * depth + k;
        total = total + packedElement(s, third, inRow / inDword3, inRow % inDword3) *
                            packedElement(s, second, k / inDword2 * kColumns + column, k % inDword2);
    }
    return total.low();
}

}  // namespace zetl::test::reference
