// Which type the lanes of an instruction compute in: the rules of mixed operand types.
#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {
namespace {

struct Sources {
    bool real = false;
    bool doubles = false;
    bool singles = false;
    bool longs = false;  ///< an operand of 64 bits, the destination included
    bool modified = false;
    bool anyUnsigned = false;  ///< of 32 or 64 bits: narrower ones fit into signed lanes
    bool unsignedLongs = false;
    bool allPositive = true;
};
std::int64_t signedImmediate(const Operand& o) {
    switch (o.type) {
        case DataType::b:
            return static_cast<std::int8_t>(o.immediate);
        case DataType::w:
            return static_cast<std::int16_t>(o.immediate);
        case DataType::d:
            return static_cast<std::int32_t>(o.immediate);
        default:
            return static_cast<std::int64_t>(o.immediate);
    }
}
Sources survey(const Instruction& in) {
    Sources s;
    s.longs = byteSize(in.destination.type) == 8;
    for (int k = 0; k < in.sources; ++k) {
        const Operand& o = in.source[k];
        s.real |= isReal(o.type);
        s.doubles |= o.type == DataType::df;
        s.singles |= o.type == DataType::f;
        s.longs |= byteSize(o.type) == 8;
        s.modified |= o.hasModifier();
        s.anyUnsigned |= o.type == DataType::ud || o.type == DataType::uq;
        s.unsignedLongs |= o.type == DataType::uq;
        const bool positive =
            !isSigned(o.type) || (o.isImmediate() && !isVectorImmediate(o.type) && signedImmediate(o) >= 0);
        s.allPositive &= positive;
    }
    return s;
}
LaneType realLanes(const Instruction& in, const Sources& s) {
    if (s.doubles || in.destination.type == DataType::df) return LaneType::f64;
    // A product sum of halves needs more than 24 bits before it is rounded once; so do sums of singles.
    const bool moves =
        in.opcode == Opcode::mov || in.opcode == Opcode::sel || in.opcode == Opcode::csel || in.opcode == Opcode::math;
    const bool half = in.destination.type == DataType::hf;
    if (half && !moves && (in.opcode == Opcode::mad || in.opcode == Opcode::mac || s.singles)) return LaneType::f64;
    return LaneType::f32;
}
LaneType integerLanes(bool isLong, bool isSignedLane) {
    return isLong ? (isSignedLane ? LaneType::i64 : LaneType::u64) : isSignedLane ? LaneType::i32 : LaneType::u32;
}
bool isOrdered(const Instruction& in) {
    return in.opcode == Opcode::cmp || in.opcode == Opcode::cmpn || in.opcode == Opcode::sel ||
           in.opcode == Opcode::csel;
}
LaneType moveLanes(const Instruction& in, const Sources& s) {
    const DataType from = in.source[0].type;
    if (byteSize(from) == 8) return integerLanes(true, isSigned(from) || s.modified);
    const bool shown = in.condition != Condition::none && from == DataType::ud;  // a q made of it is not negative
    if (in.saturate || s.modified || shown) return LaneType::i64;
    return integerLanes(false, from != DataType::ud);
}
/// Sums, products and everything else whose low bits do not depend on signedness.
LaneType generalLanes(const Instruction& in, const Sources& s) {
    const bool negative = isSigned(in.destination.type);
    if (isReal(in.destination.type)) return integerLanes(true, !s.allPositive || s.modified);  // of all the bits
    if (!in.saturate) return integerLanes(s.longs, negative);
    const bool unsignedOnly = s.allPositive && !s.modified && !negative;
    return integerLanes(true, !unsignedOnly);
}

}  // namespace

LaneType laneTypeOf(const Instruction& in) {
    const Sources s = survey(in);
    if (in.opcode == Opcode::math && !s.real && !isReal(in.destination.type))
        return integerLanes(false, isSigned(in.destination.type));
    if (s.real || in.opcode == Opcode::math || (in.saturate && isReal(in.destination.type))) return realLanes(in, s);
    const bool wide = s.longs;
    switch (in.opcode) {
        case Opcode::mach:
            return LaneType::i64;
        case Opcode::mac:
        case Opcode::avg:
            return integerLanes(true, !(s.unsignedLongs && s.allPositive && !s.modified));
        case Opcode::asr:
            if (in.source[0].type == DataType::uq && !in.source[0].hasModifier()) return LaneType::u64;
            return integerLanes(wide || in.source[0].type == DataType::ud || in.source[0].hasModifier(), true);
        case Opcode::shl:
            return in.saturate ? generalLanes(in, s) : integerLanes(wide, false);
        case Opcode::shr:
        case Opcode::bitNot:
        case Opcode::bitAnd:
        case Opcode::bitOr:
        case Opcode::bitXor:
        case Opcode::bfn:
        case Opcode::ror:
        case Opcode::rol:
        case Opcode::cbit:
            return integerLanes(wide, false);
        case Opcode::srnd:
        case Opcode::lfsr:
        case Opcode::dnscl:
        case Opcode::addc:
        case Opcode::subb:
        case Opcode::bfrev:
        case Opcode::bfi1:
        case Opcode::bfi2:
        case Opcode::lzd:
        case Opcode::fbl:
            return LaneType::u32;
        case Opcode::fbh:
            return integerLanes(false, isSigned(in.source[0].type));
        case Opcode::bfe:
            return integerLanes(false, isSigned(in.destination.type));
        case Opcode::mov:
        case Opcode::movi:
            return moveLanes(in, s);
        default:
            break;
    }
    if (!isOrdered(in)) return generalLanes(in, s);
    if (!wide && !in.saturate && !s.modified && (!s.anyUnsigned || s.allPositive))
        return integerLanes(false, !s.anyUnsigned);
    return integerLanes(true, !(s.anyUnsigned && s.allPositive && !s.modified));
}

DataType readType(const Instruction& in, int k) {
    const DataType t = in.source[k].type;
    if (in.source[k].absolute) return t;
    const bool zeroExtends = in.opcode == Opcode::cbit || in.opcode == Opcode::ror || in.opcode == Opcode::rol ||
                             (in.opcode == Opcode::shr && k == 0);
    return zeroExtends && isSigned(t) && !isReal(t) && !isVectorImmediate(t) ? unsignedOf(byteSize(t)) : t;
}

}  // namespace zetl::emulator::isa
