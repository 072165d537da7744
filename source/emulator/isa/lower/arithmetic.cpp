// Instructions that compute on lanes.
#include "emulator/isa/flow.h"
#include "emulator/isa/lower/lowering.h"
#include "emulator/isa/lower/overflow.h"

namespace zetl::emulator::isa {
namespace {

constexpr int kLess = 5;
constexpr int kGreaterEqual = 4;

bool selectsByFlag(const Instruction& in) { return in.opcode == Opcode::sel && in.condition == Condition::none; }
bool moves(const Instruction& in) { return in.opcode == Opcode::mov || in.opcode == Opcode::movi; }
bool changesFlags(const Instruction& in) {
    return in.condition != Condition::none && in.opcode != Opcode::sel && in.opcode != Opcode::csel;
}
/// Moves and selections between equal types carry bits, not values. A move has one source; movi names a second.
bool movesBits(const Instruction& in) {
    if (!(moves(in) || selectsByFlag(in)) || in.saturate || in.condition != Condition::none) return false;
    const int values = moves(in) ? 1 : in.sources;
    for (int k = 0; k < values; ++k)
        if (in.source[k].type != in.destination.type || in.source[k].hasModifier()) return false;
    return true;
}
/// Of two operands.
bool isLogic(Opcode opcode) { return opcode == Opcode::bitAnd || opcode == Opcode::bitOr || opcode == Opcode::bitXor; }
bool hasLongs(const Instruction& in) {
    return byteSize(in.destination.type) == 8 || byteSize(in.source[0].type) == 8 || byteSize(in.source[1].type) == 8 ||
           byteSize(in.source[2].type) == 8;
}
/// The row of a sum, product or shift that saturates in lanes of 64 bits because its result may have more, or -1.
int saturatedRow(const Instruction& in, LaneType e) {
    if (!in.saturate || isReal(e)) return -1;
    switch (in.opcode) {
        case Opcode::shl:
            return kShlSaturatedRow;
        case Opcode::mul:
            return kMulSaturatedRow;
        case Opcode::mad:
            return kMadSaturatedRow;
        case Opcode::mac:
            return kMacSaturatedRow;
        case Opcode::add:
            return hasLongs(in) ? kAddSaturatedRow : -1;
        case Opcode::add3:
            return hasLongs(in) ? kAdd3SaturatedRow : -1;
        default:
            return -1;
    }
}
/// Its result is that of a uq as it is: nothing is left to clamp.
bool saturatesToUnsignedLong(const Instruction& in, LaneType e) {
    return in.destination.type == DataType::uq && saturatedRow(in, e) >= 0;
}
/// Lanes have 32 bits: rotations of 8 and 16 have rows of their own.
int rotationRow(const Instruction& in, int ofBytes, int ofShorts) {
    const std::uint32_t bytes = byteSize(in.destination.type);
    return bytes == 1 ? ofBytes : bytes == 2 ? ofShorts : static_cast<int>(in.opcode);
}
int rowOf(const Instruction& in, LaneType e) {
    if (const int row = saturatedRow(in, e); row >= 0) return row;
    switch (in.opcode) {
        case Opcode::math:
            return kMathRows + in.function;
        case Opcode::sel: {
            const int c = static_cast<int>(in.condition);
            return c == kLess || c == kGreaterEqual ? kSelRows + c : static_cast<int>(in.opcode);
        }
        case Opcode::ror:
            return rotationRow(in, kRorByteRow, kRorShortRow);
        case Opcode::rol:
            return rotationRow(in, kRolByteRow, kRolShortRow);
        case Opcode::asr:  // without a sign there is nothing to extend
            return static_cast<int>(e == LaneType::u64 ? Opcode::shr : in.opcode);
        default:
            return static_cast<int>(in.opcode);
    }
}
std::uint8_t optionOf(const Instruction& in, LaneType e) {
    if (in.opcode == Opcode::bfn || in.opcode == Opcode::lfsr || in.opcode == Opcode::dnscl) return in.function;
    if (in.opcode == Opcode::srnd) return in.source[0].type == DataType::uw;
    const std::uint8_t range = saturatesToUnsignedLong(in, e) ? kSaturatesToUnsigned : 0;
    if (in.opcode == Opcode::shl) return range | (hasLongs(in) ? 63 : 31);  // bits of the count that shl.sat reads
    if (range != 0) return range;
    if (in.opcode == Opcode::dp4a)
        return static_cast<std::uint8_t>(isSigned(in.source[1].type) | isSigned(in.source[2].type) << 1);
    if (in.condition == Condition::unordered) return kUnorderedCompare;
    return static_cast<std::uint8_t>(in.condition);
}
/// The compare handler for a condition, or -1.
int compareIndex(Condition c, bool orNan, bool real) {
    const int n = static_cast<int>(c);
    if (n >= 1 && n <= 6) return orNan && real && n >= 3 && n <= 5 ? kOrNan + n : n;
    return c == Condition::unordered && real ? kUnorderedCompare : -1;
}
void checkSaturation(const Instruction& in, LaneType e) {
    if (!in.saturate || isReal(e)) return;
    const bool fits = moves(in) || in.opcode == Opcode::sel || in.opcode == Opcode::shr || in.opcode == Opcode::asr ||
                      in.opcode == Opcode::avg;
    if (byteSize(in.destination.type) == 8 && !fits && saturatedRow(in, e) < 0)
        refuseInstruction(std::string(findOpcode(static_cast<std::uint8_t>(in.opcode))->mnemonic) + " with saturation");
}
void checkInstruction(const Instruction& in) {
    const auto type = static_cast<int>(in.destination.type);
    if (type >= kDataTypes || in.destination.type == DataType::reserved) refuseIllegal("destination type");
    const auto convertsOnly = [](DataType t) {
        return t == DataType::bf8 || t == DataType::hf8 || t == DataType::tf32;
    };
    bool narrow = convertsOnly(in.destination.type);
    for (int k = 0; k < in.sources; ++k) narrow |= convertsOnly(in.source[k].type);
    if (narrow && in.opcode != Opcode::mov && in.opcode != Opcode::srnd) refuseIllegal("type of conversions only");
    const bool usesFlag = in.predicate != Predicate::none || in.condition != Condition::none;
    if (usesFlag && in.offset + in.width + (in.flag & 1) * 16 > 32) refuseIllegal("flag bits beyond the register");
    if (in.condition == Condition::overflow && !mayOverflow(in.opcode)) refuseIllegal("condition ov");
    // It is the high half of a product of dwords.
    if (in.opcode == Opcode::mach && byteSize(in.destination.type) == 8) refuseIllegal("mach of 64 bits");
    if (in.opcode == Opcode::mach && in.saturate) refuseIllegal("mach with saturation");
    if (in.opcode == Opcode::math && in.function == math_function::kIdiv) refuseInstruction("math.idiv");
}

/// The lane of the accumulator at which an instruction's implicit one begins: as far in as its destination is in a
/// register.
std::uint32_t accumulatorLane(const Instruction& in) {
    const Operand& d = in.destination;
    return d.isGrf() && !d.isIndirect() ? d.subByte / byteSize(d.type) : 0;
}
Operand implicitAccumulator(const Instruction& in) {
    Operand accumulator;
    accumulator.kind = Operand::Kind::arf;
    accumulator.arf = ArchitectureRegister::accumulator;
    accumulator.horizontal = 1;
    accumulator.subByte = static_cast<std::uint8_t>(accumulatorLane(in) * 4);
    return accumulator;
}
/// Where mac, mach and macl of integers read it, as lanes of e; macl needs the low 32 bits only.
std::uint64_t accumulatorPlace(const Instruction& in, LaneType e) {
    const std::uint32_t distance = accumulatorLane(in) * byteSize(e);
    return (byteSize(e) == 4 ? layout::kAccumulator : layout::kWideAccumulator) + distance;
}
bool accumulates(const Instruction& in) {
    return in.opcode == Opcode::mac || in.opcode == Opcode::mach || in.opcode == Opcode::macl;
}

/// How the flags of a result see its lanes: logic computes unsigned, its flags follow the destination.
LaneType shownLanes(const Instruction& in, LaneType e) {
    if (isReal(e) || isReal(in.destination.type)) return e;
    const bool negative = isSigned(in.destination.type);
    if (byteSize(e) == 8) return negative ? LaneType::i64 : LaneType::u64;
    return negative ? LaneType::i32 : LaneType::u32;
}

/// A result of mach of which at most 32 bits are visible, so that no lanes of 64 bits are needed.
bool takesBitsOfHighHalf(const Instruction& in) {
    return !isReal(in.destination.type) && byteSize(in.destination.type) <= 4 && !changesFlags(in);
}

/// The type whose elements are such lanes.
DataType typeOf(LaneType e) {
    constexpr DataType kTypes[] = {DataType::d, DataType::ud, DataType::q, DataType::uq, DataType::f, DataType::df};
    return kTypes[static_cast<int>(e)];
}

/// An accumulator or an early out besides the destination.
bool leavesMore(const Instruction& in) {
    return in.opcode == Opcode::math || in.opcode == Opcode::addc || in.opcode == Opcode::subb ||
           in.opcode == Opcode::mach;
}

/// srnd works on the bits of its operands.
void readAsBits(Instruction& in) {
    const bool half = in.source[0].type == DataType::hf && in.destination.type == DataType::bf8;
    const bool single = in.source[0].type == DataType::f && in.destination.type == DataType::hf;
    const bool modified = in.saturate || in.source[0].hasModifier() || in.source[1].hasModifier();
    if (modified || !(half || single)) refuseInstruction("srnd of these operands");
    in.destination.type = unsignedOf(byteSize(in.destination.type));
    for (int k = 0; k < 2; ++k) in.source[k].type = unsignedOf(byteSize(in.source[k].type));
}

/// A vector immediate is eight words (:vf: four dwords) of 128 bits, over and over; a lane takes what lies where its
/// result does, so the elements of wider results are every second or fourth one. oneMKL's ztrsm counts on it.
void spreadVectorImmediates(Instruction& in) {
    if (in.destination.isNull()) return;
    for (int k = 0; k < in.sources; ++k) {
        Operand& o = in.source[k];
        if (!o.isImmediate() || !isVectorImmediate(o.type)) continue;
        const bool real = o.type == DataType::vf;
        const unsigned count = real ? 4 : 8;
        const unsigned bits = 32 / count;
        const unsigned step = in.destination.horizontal * byteSize(in.destination.type) / (real ? 4 : 2);
        if (step < 2) continue;
        std::uint64_t spread = 0;
        for (unsigned lane = 0; lane < count; ++lane)
            spread |= (o.immediate >> bits * (lane * step % count) & ((1u << bits) - 1)) << bits * lane;
        o.immediate = spread;
    }
}

}  // namespace

void Lowering::arithmetic(Instruction in) {
    checkInstruction(in);
    if (in.opcode == Opcode::mullh) return longProduct(in);
    if (in.opcode == Opcode::shfl) return shuffle(in);
    spreadVectorImmediates(in);
    if (in.opcode == Opcode::srnd) readAsBits(in);
    if (in.destination.isNull() && !changesFlags(in) && !leavesMore(in)) return;
    LaneType e;
    if (movesBits(in)) {
        in.destination.type = unsignedOf(byteSize(in.destination.type));
        for (int k = 0; k < in.sources; ++k)
            if (!isVectorImmediate(in.source[k].type)) in.source[k].type = in.destination.type;
        e = byteSize(in.destination.type) == 8 ? LaneType::u64 : LaneType::u32;
    } else {
        e = laneTypeOf(in);
        if (selectsByFlag(in) && !isReal(e) && byteSize(e) == 4) e = LaneType::i64;
        const bool whole = !isReal(e) && !isReal(in.destination.type);
        const bool product = in.opcode == Opcode::mul && in.destination.isAccumulator() && whole && !in.saturate;
        if (product) e = keepsWideAccumulator() || hasLongs(in) ? LaneType::i64 : LaneType::i32;
    }
    checkSaturation(in, e);
    const bool bracket = code_.traits.splitDenormals && e == LaneType::f64;
    if (bracket) emit(applyDoubleMode);
    if (in.condition == Condition::overflow && !isReal(e)) judgeIntegers(in);
    std::uint64_t src[3] = {};
    readSources(in, e, src);
    if (accumulates(in)) src[2] = accumulatorLanes(in, e);
    if (in.opcode == Opcode::asr && byteSize(e) == 8 && !hasLongs(in)) src[1] = shortCount(src[1]);
    if (in.opcode == Opcode::cmp || in.opcode == Opcode::cmpn)
        compareLanes(in, e, src);
    else if (moves(in) && in.condition == Condition::none && !in.saturate && !mayRound(in, e)) {
        retire(in.destination, in.destination.type, src[0], e, mask_);
        markMove(in.destination);
    } else
        computeLanes(in, e, src);
    if (bracket) emit(Family::applyControl);
}

/// Whether cr0 may decide how the result becomes an integer: it is never written directly then.
bool Lowering::mayRound(const Instruction& in, LaneType e) const {
    return code_.traits.roundIntegers[currentLine()] && isReal(e) && !isReal(in.destination.type);
}

void Lowering::compareLanes(const Instruction& in, LaneType e, const std::uint64_t (&src)[3]) {
    const int index = compareIndex(in.condition, in.opcode == Opcode::cmpn, isReal(e));
    if (index < 0) refuseIllegal("compare condition");
    const bool latched = in.predicate != Predicate::none && !in.destination.isNull();
    const std::uint32_t compare = stepCount();
    Step& c = emit({.family = Family::compare, .row = static_cast<std::uint16_t>(index), .lanes = e, .wide = wide_});
    c.src[0] = src[0];
    c.src[1] = src[1];
    // A predicated compare with a result needs its predicate after the comparison: compare into a spare flag first.
    if (latched) {
        c.mask.predicate = Predicate::none;
        c.mask.flag = layout::kSpareFlag;
    }
    const LaneMask spreadMask = c.mask;
    if (in.destination.isNull()) return markCompare(compare);
    Step& s = emit({.family = Family::spread, .wide = true});
    s.dst = layout::kResult;
    s.mask = spreadMask;
    retire(in.destination, unsignedOf(byteSize(in.destination.type)), layout::kResult, LaneType::i64, mask_);
    if (latched) return setFlags(layout::kResult, LaneType::i64, static_cast<int>(Condition::notEqual));
    markFlagLanes(in.destination, compare);
}

Step& Lowering::computeStep(const Instruction& in, LaneType e, const std::uint64_t (&src)[3], int row,
                            std::uint32_t dst, bool masked) {
    const bool selects = in.opcode == Opcode::sel || in.opcode == Opcode::csel;
    if (selects && in.condition != Condition::none && compareIndex(in.condition, false, isReal(e)) < 0)
        refuseIllegal("condition of this type");
    Meaning what{
        .family = Family::compute, .row = static_cast<std::uint16_t>(row), .lanes = e, .masked = masked, .wide = wide_};
    if (selectsByFlag(in))
        what = {.family = Family::pick,
                .lanes = byteSize(e) == 8 ? LaneType::u64 : LaneType::u32,
                .masked = masked,
                .wide = wide_};
    else if (moves(in))
        what = {.family = Family::convert, .lanes = e, .type = typeOf(e), .wide = wide_};
    Step& c = emit(what);
    for (int k = 0; k < 3; ++k) c.src[k] = src[k];
    c.dst = dst;
    c.kind = optionOf(in, e);
    if (selectsByFlag(in) && c.mask.predicate == Predicate::none) refuseIllegal("sel without predicate or condition");
    return c;
}

void Lowering::judgeIntegers(const Instruction& in) {
    std::uint64_t src[3] = {};
    for (int k = 0; k < in.sources; ++k) src[k] = fetch(in.source[k], readType(in, k), kNoModifier, LaneType::i64, k);
    if (accumulates(in)) src[2] = accumulatorPlace(in, LaneType::i64);
    Step& s = emit(integerOverflow);
    for (int k = 0; k < 3; ++k) s.src[k] = src[k];
}

/// Between the computation and its saturation.
void Lowering::judgeReals(const Instruction& in, LaneType e, const std::uint64_t (&src)[3]) {
    Step& c = emit({.family = Family::latch});
    c.src[0] = layout::kResult;
    c.dst = layout::kExtra;
    c.value = layout::kLaneBytes;
    const DataType type = in.destination.type;
    if (isReal(type)) emit({.family = Family::narrow, .lanes = e, .type = type, .wide = true}).dst = layout::kExtra;
    Step& s = emit(realOverflow);
    for (int k = 0; k < 3; ++k) s.src[k] = src[k];
    s.kind = static_cast<std::uint8_t>(accumulates(in) ? 3 : in.sources);
    s.size = static_cast<std::uint8_t>(byteSize(e));
}

/// Five bits of a shift's count where lanes of 64 bits stand for operands of at most 32.
std::uint64_t Lowering::shortCount(std::uint64_t count) {
    constexpr std::uint64_t fiveBits = 31;
    std::array<std::uint64_t, 32> mask{};
    mask.fill(fiveBits);
    Step& m = emit({.family = Family::compute,
                    .row = static_cast<std::uint16_t>(Opcode::bitAnd),
                    .lanes = LaneType::u64,
                    .wide = wide_});
    m.src[0] = count;
    m.src[1] = constant(mask);
    m.dst = layout::kLanes + layout::kLaneBytes;
    return m.dst;
}

std::uint64_t Lowering::accumulatorLanes(const Instruction& in, LaneType e) {
    if (!isReal(e)) return accumulatorPlace(in, e);
    Operand o = implicitAccumulator(in);  // of reals it holds what the destination holds
    o.type = isReal(in.destination.type) ? in.destination.type : DataType::f;
    o.subByte = static_cast<std::uint8_t>(accumulatorLane(in) * byteSize(o.type));
    o.vertical = o.horizontal = 1;
    return fetch(o, o.type, kNoModifier, e, 2);
}

void Lowering::computeLanes(const Instruction& in, LaneType e, const std::uint64_t (&src)[3]) {
    LaneMask mask = mask_;
    if (selectsByFlag(in)) mask.predicate = Predicate::none;
    const int row = rowOf(in, e);
    const bool overflow = in.condition == Condition::overflow;
    const bool direct = !moves(in) && !(overflow && isReal(e)) && isDirect(in, e, mask, src);
    if (in.opcode == Opcode::addc || in.opcode == Opcode::subb)
        computeStep(in, e, src, in.opcode == Opcode::addc ? kCarryRow : kBorrowRow, layout::kExtra, false);
    const std::uint32_t to = direct ? destinationPlace(in.destination) : layout::kResult;
    const std::uint32_t compute = stepCount();
    computeStep(in, e, src, row, to, direct && partial(mask));
    if (mayRound(in, e)) emit(table_.roundToInteger[e == LaneType::f64]).dst = to;
    if (overflow && isReal(e)) judgeReals(in, e, src);
    const std::uint32_t shownAt = direct ? to : finishResult(in, e, mask);
    const bool whole = wide_ && !direct && !isReal(e);
    if (whole && row == static_cast<int>(Opcode::mul) && byteSize(e) == 8) markProduct(in.destination, compute);
    if (in.opcode == Opcode::math && in.function >= math_function::kInvm) {  // early out for every lane
        setFlags(zeros(), LaneType::i32, static_cast<int>(Condition::equal));
        return;
    }
    if (changesFlags(in)) showFlags(in, e, shownAt);
    if (!whole || in.width != 32 || byteSize(e) != 4) return;
    if (selectsByFlag(in)) markPick(in.destination, compute);
    if (selectsByFlag(in) || isLogic(in.opcode)) markWords(in, src, compute);
}

/// The flags of a result, whose lanes lie there as the destination holds them.
void Lowering::showFlags(const Instruction& in, LaneType e, std::uint32_t shownAt) {
    if (in.condition == Condition::overflow)
        return setFlags(layout::kOverflow, LaneType::u32, static_cast<int>(Condition::notEqual));
    const int index = compareIndex(in.condition, false, isReal(e));
    if (index < 0) refuseIllegal("condition of this type");
    setFlags(shownAt, shownLanes(in, e), index);
}

/// Saturates, writes, and returns where the lanes lie as the destination holds them, for the flags.
std::uint32_t Lowering::finishResult(const Instruction& in, LaneType e, const LaneMask& mask) {
    if (in.opcode == Opcode::mach && takesBitsOfHighHalf(in)) {
        const std::uint32_t at = highProduct(in, LaneType::u32, mask);
        retire(in.destination, unsignedOf(byteSize(in.destination.type)), at, LaneType::u32, mask);
        return at;
    }
    const DataType type = in.destination.type;
    const std::uint32_t at = in.opcode == Opcode::mach ? highProduct(in, e, mask) : layout::kResult;
    if (in.saturate && !saturatesToUnsignedLong(in, e))
        emit({.family = Family::clamp, .lanes = e, .type = type, .wide = true}).dst = at;
    if (in.opcode == Opcode::addc || in.opcode == Opcode::subb)
        retire(implicitAccumulator(in), DataType::ud, layout::kExtra, e, mask);
    retire(in.destination, type, at, e, mask);  // last: it may be the flag of the predicate
    // Afterwards: a whole number may be more than a real lane holds.
    const bool sameLanes = byteSize(type) == byteSize(e) && isReal(type) == isReal(e);
    if (changesFlags(in) && !sameLanes)
        emit({.family = Family::narrow, .lanes = e, .type = type, .wide = true}).dst = at;
    return at;
}

/// mach: the sum stays in the accumulator, its high half is the result.
std::uint32_t Lowering::highProduct(const Instruction& in, LaneType e, const LaneMask& mask) {
    const DataType half = byteSize(e) == 8 ? DataType::d : DataType::ud;
    retire(implicitAccumulator(in), DataType::ud, layout::kResult, LaneType::i64, mask);
    Step& h = emit({.family = Family::convert,
                    .lanes = e,
                    .type = half,
                    .stride = static_cast<std::uint8_t>(wide_ ? 2 : 1),
                    .wide = wide_});
    h.src[0] = layout::kResult + 4;
    h.dst = layout::kLanes;
    return layout::kLanes;
}

}  // namespace zetl::emulator::isa
