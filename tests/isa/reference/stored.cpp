// From exact results to the bits of a destination, and the mode's part in it.
#include "reference/lane_result.h"

namespace zetl::test::reference {
namespace {

using isa::DataType;
using isa::Opcode;

bool isSum(Opcode o) { return o == Opcode::mad || o == Opcode::mac; }
bool keepsDenormals(const FloatMode& mode, RealFormat execution, DataType type) {
    if (type == DataType::hf) return mode.keepsHalf;
    return execution.fractionBits == kDouble.fractionBits ? mode.keepsDouble : mode.keepsSingle;
}
Rounding roundingTo(const FloatMode& mode, DataType type) {
    const bool isHost = type == DataType::hf || type == DataType::f || type == DataType::df;
    return isHost ? mode.rounding : Rounding::nearestEven;  // bf, bf8 and tf32 know no other
}
Tiny tinyOf(const FloatMode& mode, RealFormat execution, DataType type) {
    const bool narrow = type == DataType::bf || type == DataType::bf8;  // cut from an f or hf
    if (narrow || keepsDenormals(mode, execution, type)) return Tiny::kept;
    return type == DataType::hf ? Tiny::flushedFirst : Tiny::flushed;
}
/// Without its fraction, as a conversion to an integer sees it.
Rounding integerRounding(const FloatMode& mode) { return mode.roundsIntegers ? mode.rounding : Rounding::towardZero; }

Real saturated(const Real& v) {
    const Real one = Real::of({1, false});
    if (v.isNan() || compare(v, Real::zero(false)) != Order::greater) return Real::zero(false);
    return compare(v, one) == Order::less ? v : one;
}
bool allFinite(const Lane& lane) {
    for (int k = 0; k < lane.in.sources; ++k)
        if (!realSource(lane, k).isFinite()) return false;
    return true;
}

}  // namespace

bool computesReals(const isa::Instruction& in) {
    for (int k = 0; k < in.sources; ++k)
        if (isa::isReal(in.source[k].type)) return true;
    return in.saturate && isa::isReal(in.destination.type);
}
RealFormat executionFormat(const isa::Instruction& in) {
    bool singles = false;
    bool doubles = in.destination.type == DataType::df;
    for (int k = 0; k < in.sources; ++k) {
        singles |= in.source[k].type == DataType::f;
        doubles |= in.source[k].type == DataType::df;
    }
    const bool intoHalf = in.destination.type == DataType::hf && !selects(in.opcode) && in.opcode != Opcode::math;
    return doubles || (intoHalf && (singles || isSum(in.opcode))) ? kDouble : kSingle;
}

Real realSource(const Lane& lane, int source) {
    const RealFormat execution = executionFormat(lane.in);
    const DataType type = elementType(lane.in.source[source]);
    const Value v = elementValue(lane.state, lane.in, source, lane.number);
    if (!v.isReal) return decodeReal(encodeReal(Real::of(v.integer), execution, lane.mode.rounding), execution);
    if (!isBelowNormal(v.real, formatOf(type))) return v.real;
    if (lane.in.destination.type == DataType::tf32) return Real::zero(v.real.negative);  // which has no denormals
    // Constants that lanes hold as normal numbers, and what is cut off rather than converted.
    const bool isConstant = lane.in.source[source].isImmediate() &&
                            (type == DataType::hf || (type == DataType::f && execution.fractionBits == 52));
    const bool isCut = lane.in.opcode == Opcode::mov && lane.in.destination.type == DataType::bf && type == DataType::f;
    if (isConstant || isCut || type == DataType::bf8) return v.real;
    return keepsDenormals(lane.mode, execution, type) ? v.real : Real::zero(v.real.negative);
}

Real toExecution(const Lane& lane, const Real& v) {
    const RealFormat execution = executionFormat(lane.in);
    const DataType type = execution.fractionBits == kDouble.fractionBits ? DataType::df : DataType::f;
    if (v.isNan() || selects(lane.in.opcode)) return v;
    return decodeReal(encodeReal(v, execution, lane.mode.rounding, tinyOf(lane.mode, execution, type)), execution);
}

Result storedInteger(const Lane& lane, Integer v) {
    const DataType type = lane.in.destination.type;
    Result result;
    if (isa::isReal(type)) {
        result.bits = encodeReal(Real::of(v), formatOf(type), lane.mode.rounding);
        result.overflows = decodeReal(result.bits, formatOf(type)).isInfinite();
        return result;
    }
    const Range range = Range::of(type);
    result.overflows = !range.holds(v);
    result.bits = (lane.in.saturate ? range.nearest(v) : v).low() & maskOf(bitsOf(type));
    return result;
}

Result storedReal(const Lane& lane, const Real& exact) {
    const DataType type = lane.in.destination.type;
    const RealFormat execution = executionFormat(lane.in);
    Real v = toExecution(lane, exact);
    Result result;
    if (!isa::isReal(type)) {
        const Rounding rounding = integerRounding(lane.mode);
        const Real whole = rounded(v, rounding);
        const Range range = Range::of(type);
        const Integer nearest = integerOf(v, rounding, type);
        result.overflows = v.isNan() || compare(whole, Real::of(range.low)) == Order::less ||
                           compare(whole, Real::of(range.high)) == Order::greater;
        result.bits = nearest.low() & maskOf(bitsOf(type));
        return result;
    }
    const RealFormat format = formatOf(type);
    const auto encoded = [&](const Real& r) {
        return encodeReal(r, format, roundingTo(lane.mode, type), tinyOf(lane.mode, execution, type));
    };
    result.overflows = allFinite(lane) && decodeReal(encoded(v), format).isInfinite();
    if (lane.in.saturate) v = saturated(v);
    result.bits = encoded(v);
    if (v.isNan())
        for (const Nan& nan : v.nans) result.others.push_back(encodeNan(nan, format));
    return result;
}

bool holdsForResult(const Lane& lane, const Result& result) {
    const DataType type = lane.in.destination.type;
    if (!isa::isReal(type)) return holds(lane.in.condition, compare(integerOf(result.bits, type), Integer{}));
    Real v = decodeReal(result.bits, formatOf(type));
    if (isBelowNormal(v, formatOf(type)) && !keepsDenormals(lane.mode, executionFormat(lane.in), type))
        v = Real::zero(v.negative);
    return holds(lane.in.condition, compare(v, Real::zero(false)));
}

}  // namespace zetl::test::reference
