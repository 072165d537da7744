// Everything that computes lane by lane: which operands an operation reads, and how.
#include <algorithm>
#include <bit>

#include "reference/lane_result.h"

namespace zetl::test::reference {
namespace {

using isa::DataType;
using isa::Opcode;

bool isLogic(Opcode o) { return o >= Opcode::bitNot && o <= Opcode::bitXor; }
bool accumulates(Opcode o) { return o == Opcode::mac || o == Opcode::mach || o == Opcode::macl; }

/// Bits of a source as they lie, extended by their sign where the operation works on more bits than it has.
std::uint64_t rawBits(const Lane& lane, int source) {
    const isa::Operand& o = lane.in.source[source];
    const std::uint64_t bits = elementBits(lane.state, lane.in, source, lane.number);
    const bool zeroExtends =
        lane.in.opcode == Opcode::cbit || lane.in.opcode == Opcode::ror || lane.in.opcode == Opcode::rol;
    const std::uint64_t extended = zeroExtends ? bits : integerOf(bits, elementType(o)).low();
    return isLogic(lane.in.opcode) && o.negate ? ~extended : extended;
}
Integer integerSource(const Lane& lane, int source) {
    const isa::Operand& o = lane.in.source[source];
    if (lane.in.opcode == Opcode::shr && source == 0 && !o.absolute) {  // shifts zeros in: a number without sign
        const Integer v = integerOf(elementBits(lane.state, lane.in, 0, lane.number), bitsOf(elementType(o)), false);
        return o.negate ? -v : v;
    }
    return elementValue(lane.state, lane.in, source, lane.number).integer;
}
/// What mac, mach and macl add to: 64 bits for mac and mach, and for overflow; the low half for what macl writes.
Integer accumulatorOf(const Lane& lane, bool onlyLow) {
    const unsigned n = firstAccumulatorLane(lane.in) + lane.number;
    if (onlyLow) return integerOf(lane.state.read(layout::kAccumulator + n * 4, 4), DataType::d);
    return integerOf(lane.state.read(wideAccumulatorPlace(n), 8), DataType::q);
}
/// A mac of reals adds to an accumulator of its destination's type.
Real realAccumulatorOf(const Lane& lane) {
    const DataType type = isa::isReal(lane.in.destination.type) ? lane.in.destination.type : DataType::f;
    const unsigned n = firstAccumulatorLane(lane.in) + lane.number;
    const std::uint32_t size = isa::byteSize(type);
    const Real v = decodeReal(lane.state.read(layout::kAccumulator + n * size, size), formatOf(type));
    const bool keeps = type == DataType::hf   ? lane.mode.keepsHalf
                       : type == DataType::df ? lane.mode.keepsDouble
                                              : lane.mode.keepsSingle;
    return isBelowNormal(v, formatOf(type)) && !keeps ? Real::zero(v.negative) : v;
}

long double hostValue(const Real& v) {
    return static_cast<long double>(std::bit_cast<double>(encodeReal(v, kDouble, Rounding::nearestEven)));
}
Result nearResult(const Lane& lane) {
    constexpr long double kPlace = 0x1.001p-23L;  // the last of a float, as directed rounding needs it, and a little
    const Real a = realSource(lane, 0);
    const Real b = lane.in.sources > 1 ? realSource(lane, 1) : Real{};
    const long double near = approximateResult(lane.in, hostValue(a), hostValue(b));
    Result result;
    result.isOpen = isPower(lane.in) && (a.isNan() || b.isNan());  // of 1, or to 0, it may be 1
    if (result.isOpen) return result;
    result.relative = lane.in.destination.type == DataType::hf ? 0x1p-9L : kPlace;
    result.near = !lane.in.saturate ? near : near > 0 ? std::min(near, 1.0L) : 0;
    return result;
}

}  // namespace

std::uint32_t wideAccumulatorPlace(unsigned lane) { return layout::kWideAccumulator + lane * 8; }
unsigned firstAccumulatorLane(const isa::Instruction& in) {
    const isa::Operand& d = in.destination;
    return d.isGrf() && !d.isIndirect() ? d.subByte / isa::byteSize(d.type) : 0;
}

Result computedResult(const Lane& lane) {
    const isa::Instruction& in = lane.in;
    if (in.opcode == Opcode::srnd) {
        Result result;
        result.bits = stochasticResult(in, elementBits(lane.state, in, 0, lane.number),
                                       elementBits(lane.state, in, 1, lane.number));
        return result;
    }
    if (isBitOperation(in.opcode)) {
        std::array<std::uint64_t, 3> raw{};
        for (int k = 0; k < in.sources; ++k) raw[k] = rawBits(lane, k);
        Result result;
        result.bits = bitResult(in, raw) & maskOf(bitsOf(in.destination.type));
        return result;
    }
    if (!computesReals(in)) {
        Integers v;
        for (int k = 0; k < in.sources; ++k) v[k] = integerSource(lane, k);
        if (!accumulates(in.opcode)) return storedInteger(lane, arithmeticResult(in, v, {}));
        Result result = storedInteger(lane, arithmeticResult(in, v, accumulatorOf(lane, in.opcode == Opcode::macl)));
        result.overflows = storedInteger(lane, arithmeticResult(in, v, accumulatorOf(lane, false))).overflows;
        return result;
    }
    if (isApproximate(in)) return nearResult(lane);
    Reals v;
    for (int k = 0; k < in.sources; ++k) v[k] = realSource(lane, k);
    const Real exact = realResult(in, v, lane.mode);
    if (in.opcode != Opcode::mac) return storedReal(lane, exact);
    return storedReal(lane, sum(realAccumulatorOf(lane), toExecution(lane, exact), lane.mode.rounding));
}

}  // namespace zetl::test::reference
