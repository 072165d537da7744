// Reals: exact sums, products, quotients and roots, which the caller rounds once.
#include <cmath>

#include "reference/operations.h"

namespace zetl::test::reference {
namespace {

using isa::Opcode;

namespace function {
constexpr int kInverse = 1;
constexpr int kLogarithm = 2;
constexpr int kExponential = 3;
constexpr int kSquareRoot = 4;
constexpr int kInverseRoot = 5;
constexpr int kSine = 6;
constexpr int kCosine = 7;
constexpr int kQuotient = 9;
constexpr int kPower = 10;
}  // namespace function

}  // namespace

Real realResult(const isa::Instruction& in, const Reals& v, const FloatMode& mode) {
    switch (in.opcode) {
        case Opcode::add:
            return sum(v[0], v[1], mode.rounding);
        case Opcode::mul:
        case Opcode::mac:  // which adds it, rounded, to the accumulator
            return product(v[0], v[1]);
        case Opcode::mad:
        case Opcode::madm:
            return productSum(v[1], v[2], v[0], mode.rounding);
        case Opcode::frc:
            return sum(v[0], negated(rounded(v[0], Rounding::down)), mode.rounding);
        case Opcode::rndu:
            return rounded(v[0], Rounding::up);
        case Opcode::rndd:
            return rounded(v[0], Rounding::down);
        case Opcode::rnde:
            return rounded(v[0], Rounding::nearestEven);
        case Opcode::rndz:
            return rounded(v[0], Rounding::towardZero);
        case Opcode::math:
            return in.function == isa::math_function::kInvm ? quotient(v[0], v[1]) : squareRoot(v[0]);
        default:
            return v[0];
    }
}

std::uint64_t stochasticResult(const isa::Instruction& in, std::uint64_t bits, std::uint64_t random) {
    const RealFormat from = formatOf(in.source[0].type);
    const RealFormat to = formatOf(in.destination.type);
    const Real source = decodeReal(bits, from);
    if (!source.isFinite()) return encodeReal(source, to, Rounding::towardZero);
    const int dropped = from.fractionBits - to.fractionBits;
    const Real raised = decodeReal(bits + (random & maskOf(static_cast<unsigned>(dropped))), from);
    const Real limit = decodeReal(encodeReal(Real::infinity(false), to, Rounding::nearestEven) - 1, to);
    const std::uint64_t cut = encodeReal(raised, to, Rounding::towardZero);
    Real beyond = limit;  // the first number that the format does not hold: twice the last place above the largest
    beyond.magnitude += 1;
    return compare(magnitudeOf(raised), beyond) == Order::less
               ? cut
               : encodeReal(Real::infinity(source.negative), to, Rounding::towardZero);
}

bool isApproximate(const isa::Instruction& in) {
    return in.opcode == Opcode::math && in.function < isa::math_function::kIdiv;
}
bool isPower(const isa::Instruction& in) { return in.opcode == Opcode::math && in.function == function::kPower; }
long double approximateResult(const isa::Instruction& in, long double a, long double b) {
    switch (in.function) {
        case function::kInverse:
            return 1 / a;
        case function::kLogarithm:
            return std::log2(a);
        case function::kExponential:
            return std::exp2(a);
        case function::kSquareRoot:
            return std::sqrt(a);
        case function::kInverseRoot:
            return 1 / std::sqrt(a);
        case function::kSine:
            return std::sin(a);
        case function::kCosine:
            return std::cos(a);
        case function::kQuotient:
            return a / b;
        default:
            return std::pow(std::fabs(a), b);
    }
}

}  // namespace zetl::test::reference
