// Integers: what the published description of each operation says, in numbers that do not overflow.
#include <algorithm>
#include <bit>

#include "reference/operations.h"

namespace zetl::test::reference {
namespace {

using isa::Opcode;

Integer byteProducts(const isa::Instruction& in, const Integers& v) {
    Integer sum;
    for (unsigned at = 0; at < 32; at += 8) {
        const auto byte = [&](int k) { return integerOf(v[k].low() >> at, 8, isa::isSigned(in.source[k].type)); };
        sum = sum + byte(1) * byte(2);
    }
    return sum;
}
/// The accumulator and the product with the second factor's bits from 16 on, in their places.
Integer upperProductSum(const Integers& v, Integer accumulator) {
    return accumulator + v[0] * (v[1] >> 16) * Integer{1 << 16, false};
}
Integer quotient(const isa::Instruction& in, Integer a, Integer b) {
    if (b.magnitude == 0) return integerOf(~0ull, in.destination.type);
    return Integer{a.magnitude / b.magnitude, a.negative != b.negative};
}
Integer remainder(Integer a, Integer b) {
    return b.magnitude == 0 ? a : Integer{a.magnitude % b.magnitude, a.negative};
}

}  // namespace

bool holds(isa::Condition condition, Order order) {
    switch (condition) {
        case isa::Condition::equal:
            return order == Order::equal;
        case isa::Condition::notEqual:
            return order != Order::equal;
        case isa::Condition::greater:
            return order == Order::greater;
        case isa::Condition::greaterEqual:
            return order == Order::greater || order == Order::equal;
        case isa::Condition::less:
            return order == Order::less;
        case isa::Condition::lessEqual:
            return order == Order::less || order == Order::equal;
        default:
            return order == Order::unordered;
    }
}
Order compare(Integer a, Integer b) { return a < b ? Order::less : b < a ? Order::greater : Order::equal; }

bool hasLongs(const isa::Instruction& in) {
    return isa::byteSize(in.destination.type) == 8 ||
           std::any_of(in.source.begin(), in.source.begin() + in.sources,
                       [](const isa::Operand& o) { return isa::byteSize(o.type) == 8; });
}

Integer arithmeticResult(const isa::Instruction& in, const Integers& v, Integer accumulator) {
    const auto count = static_cast<unsigned>(v[1].low() & (hasLongs(in) ? 63 : 31));
    constexpr Integer one{1, false};
    switch (in.opcode) {
        case Opcode::add:
        case Opcode::addc:
            return v[0] + v[1];
        case Opcode::subb:
            return v[0] - v[1];
        case Opcode::add3:
            return v[0] + v[1] + v[2];
        case Opcode::mul:
            return v[0] * v[1];
        case Opcode::mad:
            return v[0] + v[1] * v[2];
        case Opcode::mac:
            return accumulator + v[0] * v[1];
        case Opcode::macl:
            return upperProductSum(v, accumulator);
        case Opcode::mach:
            return upperProductSum(v, accumulator) >> 32;
        case Opcode::avg:
            return (v[0] + v[1] + one) >> 1;
        case Opcode::dp4a:
            return v[0] + byteProducts(in, v);
        case Opcode::shl:
            return v[0] * Integer{Magnitude(1) << count, false};
        case Opcode::asr:
            return v[0] >> count;
        case Opcode::shr:  // of the bits that a lane has
            return Integer{(v[0].low() & maskOf(hasLongs(in) ? 64 : 32)) >> count, false};
        case Opcode::math:
            return in.function == 12 ? quotient(in, v[0], v[1]) : remainder(v[0], v[1]);
        default:
            return v[0];
    }
}

}  // namespace zetl::test::reference
