// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Arithmetic on lanes: what a row of isa/steps computes, as host instructions. The order of operands is the row's: of
// two NaNs the host keeps the first.
#include "emulator/translate/lanes/compute.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/translate/plan/products.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using asmjit::InstId;
using isa::LaneType;
using isa::Opcode;
namespace layout = isa::layout;

namespace {

enum class Form : std::uint8_t {
    one,      ///< d = f(x)
    two,      ///< d = f(x, y)
    rounded,  ///< d = f(x, mode)
    shift,    ///< d = f(x, y modulo the width)
    three,    ///< d = f(f(x, y), z)
    sum,      ///< mad: d = x + y * z
    fused,    ///< the same, rounded once
    macl,     ///< d = z + (x * (y >> 16) << 16)
    product,  ///< mac: d = z + x * y
    average,  ///< d = (x | y) - ((x ^ y) >> 1)
    carry,    ///< d = x + y overflows
    borrow,   ///< d = x < y
    lesser,
    greater,
    selected,  ///< sel and csel by comparison
    function,  ///< bfn
    bytes,     ///< dp4a: d = x + the products of the four bytes of y and z
    complement,
    fraction,
    inverse,
    inverseRoot,
};

constexpr std::uint8_t bit(LaneType e) { return static_cast<std::uint8_t>(1u << static_cast<int>(e)); }
constexpr std::uint8_t kInt32 = bit(LaneType::i32) | bit(LaneType::u32);
constexpr std::uint8_t kInt64 = bit(LaneType::i64) | bit(LaneType::u64);
constexpr std::uint8_t kSingle = bit(LaneType::f32);
constexpr std::uint8_t kDouble = bit(LaneType::f64);
// of vrndscale
constexpr std::uint8_t kNearestEven = 8;
constexpr std::uint8_t kFloor = 9;
constexpr std::uint8_t kCeiling = 10;
constexpr std::uint8_t kTruncate = 11;

struct RowCode {
    std::uint16_t row;
    std::uint8_t lanes;  ///< which lane types
    Form form;
    InstId inst = 0;
    InstId second = 0;
    std::uint8_t mode = 0;
};
constexpr std::uint16_t number(Opcode o) { return static_cast<std::uint16_t>(o); }
constexpr std::uint16_t math(int function) { return static_cast<std::uint16_t>(isa::kMathRows + function); }

constexpr RowCode kRowCodes[] = {
    {number(Opcode::add), kInt32, Form::two, Inst::kIdVpaddd},
    {number(Opcode::add), kInt64, Form::two, Inst::kIdVpaddq},
    {number(Opcode::add), kSingle, Form::two, Inst::kIdVaddps},
    {number(Opcode::add), kDouble, Form::two, Inst::kIdVaddpd},
    {number(Opcode::addc), kInt32, Form::two, Inst::kIdVpaddd},
    {number(Opcode::subb), kInt32, Form::two, Inst::kIdVpsubd},
    {isa::kCarryRow, kInt32, Form::carry},
    {isa::kBorrowRow, kInt32, Form::borrow},
    {number(Opcode::mul), kInt32, Form::two, Inst::kIdVpmulld},
    {number(Opcode::mul), kInt64, Form::two, Inst::kIdVpmullq},
    {kSignedProductRow, kInt64, Form::two, Inst::kIdVpmuldq},
    {kUnsignedProductRow, kInt64, Form::two, Inst::kIdVpmuludq},
    {number(Opcode::mul), kSingle, Form::two, Inst::kIdVmulps},
    {number(Opcode::mul), kDouble, Form::two, Inst::kIdVmulpd},
    {number(Opcode::add3), kInt32, Form::three, Inst::kIdVpaddd},
    {number(Opcode::add3), kInt64, Form::three, Inst::kIdVpaddq},
    {number(Opcode::mad), kInt32, Form::sum, Inst::kIdVpmulld, Inst::kIdVpaddd},
    {number(Opcode::mad), kInt64, Form::sum, Inst::kIdVpmullq, Inst::kIdVpaddq},
    {number(Opcode::mad), kSingle, Form::fused, Inst::kIdVfmadd231ps},
    {number(Opcode::mad), kDouble, Form::fused, Inst::kIdVfmadd231pd},
    {number(Opcode::madm), kSingle, Form::fused, Inst::kIdVfmadd231ps},
    {number(Opcode::madm), kDouble, Form::fused, Inst::kIdVfmadd231pd},
    {number(Opcode::mac), kSingle, Form::product, Inst::kIdVmulps, Inst::kIdVaddps},
    {number(Opcode::mac), kDouble, Form::product, Inst::kIdVmulpd, Inst::kIdVaddpd},
    {number(Opcode::mac), kInt64, Form::product, Inst::kIdVpmullq, Inst::kIdVpaddq},
    {number(Opcode::macl), bit(LaneType::i32), Form::macl, Inst::kIdVpsrad},
    {number(Opcode::macl), bit(LaneType::u32), Form::macl, Inst::kIdVpsrld},
    {number(Opcode::mach), bit(LaneType::i64), Form::macl, Inst::kIdVpsraq},
    {number(Opcode::mach), bit(LaneType::u64), Form::macl, Inst::kIdVpsrlq},
    {number(Opcode::dp4a), kInt32, Form::bytes},
    {number(Opcode::avg), bit(LaneType::i64), Form::average, Inst::kIdVpsraq},
    {number(Opcode::avg), bit(LaneType::u64), Form::average, Inst::kIdVpsrlq},
    {number(Opcode::bitAnd), kInt32 | kInt64, Form::two, Inst::kIdVpandq},
    {number(Opcode::bitOr), kInt32 | kInt64, Form::two, Inst::kIdVporq},
    {number(Opcode::bitXor), kInt32 | kInt64, Form::two, Inst::kIdVpxorq},
    {number(Opcode::bitNot), kInt32 | kInt64, Form::complement},
    {number(Opcode::bfn), kInt32 | kInt64, Form::function},
    {number(Opcode::shl), kInt32, Form::shift, Inst::kIdVpsllvd},
    {number(Opcode::shl), kInt64, Form::shift, Inst::kIdVpsllvq},
    {number(Opcode::shr), kInt32, Form::shift, Inst::kIdVpsrlvd},
    {number(Opcode::shr), kInt64, Form::shift, Inst::kIdVpsrlvq},
    {number(Opcode::asr), kInt32, Form::shift, Inst::kIdVpsravd},
    {number(Opcode::asr), kInt64, Form::shift, Inst::kIdVpsravq},
    {number(Opcode::ror), kInt32, Form::two, Inst::kIdVprorvd},
    {number(Opcode::ror), kInt64, Form::two, Inst::kIdVprorvq},
    {number(Opcode::rol), kInt32, Form::two, Inst::kIdVprolvd},
    {number(Opcode::rol), kInt64, Form::two, Inst::kIdVprolvq},
    {number(Opcode::lzd), kInt32, Form::one, Inst::kIdVplzcntd},
    {isa::kSelRows + 5, bit(LaneType::i32), Form::two, Inst::kIdVpminsd},
    {isa::kSelRows + 5, bit(LaneType::u32), Form::two, Inst::kIdVpminud},
    {isa::kSelRows + 5, bit(LaneType::i64), Form::two, Inst::kIdVpminsq},
    {isa::kSelRows + 5, bit(LaneType::u64), Form::two, Inst::kIdVpminuq},
    {isa::kSelRows + 4, bit(LaneType::i32), Form::two, Inst::kIdVpmaxsd},
    {isa::kSelRows + 4, bit(LaneType::u32), Form::two, Inst::kIdVpmaxud},
    {isa::kSelRows + 4, bit(LaneType::i64), Form::two, Inst::kIdVpmaxsq},
    {isa::kSelRows + 4, bit(LaneType::u64), Form::two, Inst::kIdVpmaxuq},
    {isa::kSelRows + 5, kSingle | kDouble, Form::lesser},
    {isa::kSelRows + 4, kSingle | kDouble, Form::greater},
    {number(Opcode::sel), kInt32 | kInt64 | kSingle | kDouble, Form::selected},
    {number(Opcode::csel), kInt32 | kInt64 | kSingle | kDouble, Form::selected},
    {number(Opcode::rndu), kSingle, Form::rounded, Inst::kIdVrndscaleps, 0, kCeiling},
    {number(Opcode::rndu), kDouble, Form::rounded, Inst::kIdVrndscalepd, 0, kCeiling},
    {number(Opcode::rndd), kSingle, Form::rounded, Inst::kIdVrndscaleps, 0, kFloor},
    {number(Opcode::rndd), kDouble, Form::rounded, Inst::kIdVrndscalepd, 0, kFloor},
    {number(Opcode::rndz), kSingle, Form::rounded, Inst::kIdVrndscaleps, 0, kTruncate},
    {number(Opcode::rndz), kDouble, Form::rounded, Inst::kIdVrndscalepd, 0, kTruncate},
    {number(Opcode::rnde), kSingle, Form::rounded, Inst::kIdVrndscaleps, 0, kNearestEven},
    {number(Opcode::rnde), kDouble, Form::rounded, Inst::kIdVrndscalepd, 0, kNearestEven},
    {number(Opcode::frc), kSingle, Form::fraction, Inst::kIdVrndscaleps, Inst::kIdVsubps, kFloor},
    {number(Opcode::frc), kDouble, Form::fraction, Inst::kIdVrndscalepd, Inst::kIdVsubpd, kFloor},
    {math(1), kSingle, Form::inverse, Inst::kIdVdivps},
    {math(1), kDouble, Form::inverse, Inst::kIdVdivpd},
    {math(4), kSingle, Form::one, Inst::kIdVsqrtps},
    {math(4), kDouble, Form::one, Inst::kIdVsqrtpd},
    {math(5), kSingle | kDouble, Form::inverseRoot},
    {math(9), kSingle, Form::two, Inst::kIdVdivps},
    {math(9), kDouble, Form::two, Inst::kIdVdivpd},
    {math(14), kSingle, Form::two, Inst::kIdVdivps},
    {math(14), kDouble, Form::two, Inst::kIdVdivpd},
    {math(15), kSingle, Form::one, Inst::kIdVsqrtps},
    {math(15), kDouble, Form::one, Inst::kIdVsqrtpd},
};

const RowCode* findRow(std::uint16_t row, LaneType lanes) {
    for (const RowCode& code : kRowCodes)
        if (code.row == row && (code.lanes & bit(lanes)) != 0) return &code;
    return nullptr;
}

bool takesOne(Form form) {
    return form == Form::one || form == Form::rounded || form == Form::complement || form == Form::fraction ||
           form == Form::inverse || form == Form::inverseRoot;
}
bool takesThree(Form form) {
    return form == Form::three || form == Form::sum || form == Form::fused || form == Form::macl ||
           form == Form::product || form == Form::function || form == Form::bytes;
}

/// Bitwise operations use those of 64-bit lanes if no mask tells lanes apart.
InstId byDwords(InstId id) {
    switch (id) {
        case Inst::kIdVpandq:
            return Inst::kIdVpandd;
        case Inst::kIdVporq:
            return Inst::kIdVpord;
        case Inst::kIdVpxorq:
            return Inst::kIdVpxord;
        default:
            return id;
    }
}

}  // namespace

std::uint32_t operandsOf(const Meaning& what) {
    constexpr std::uint32_t kMost = 3;
    const RowCode* const code = findRow(what.row, what.lanes);
    if (code == nullptr || takesThree(code->form) || what.row == number(Opcode::csel)) return kMost;
    return takesOne(code->form) ? 1 : 2;
}

bool Arithmetic::compute(const Step& m, const Meaning& what) {
    if (findRow(what.row, what.lanes) == nullptr) return false;
    if (what.masked) masks_.setLanes(m.mask);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / isa::byteSize(what.lanes);
    const std::uint32_t vectors = what.wide ? m.chunks * 16u / perVector : 1;
    const std::uint32_t few = what.masked ? masks_.lowestBytes(m.mask, isa::byteSize(what.lanes)) : 0;
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        Operands o{temporary(0, what.wide), {}, {}, {}, v, {}};
        const Form form = findRow(what.row, what.lanes)->form;
        const std::uint32_t operands = operandsOf(what);
        const auto operand = [&](std::uint32_t k) {
            return v == 0 ? values_.lowOf(m.src[k], what, k + 1, few) : values_.source(m.src[k], v, what, k + 1);
        };
        o.x = operand(0);
        if (form == Form::shift && shiftByConstant(m, what, o)) continue;
        if (operands > 1) o.y = operand(1);
        if (operands > 2) o.z = operand(2);
        const bool single = form == Form::one || form == Form::two;
        const auto held =
            single ? values_.resultRegister(m.dst, v, what) : values_.resultRegister(m.dst, v, what, {o.x, o.y, o.z});
        if (held) {
            if (what.masked && !single) {
                row(m, what, o);
                values_.writeVector(m.dst, v, o.d, what, true);
                continue;
            }
            if (what.masked) o.mask = masks_.lanesOf(v, perVector);
            o.d = *held;
            row(m, what, o);
            continue;
        }
        row(m, what, o);
        values_.writeVector(m.dst, v, o.d, what, what.masked);
    }
    return true;
}

/// Where all lanes are shifted by the same number, which is known.
bool Arithmetic::shiftByConstant(const Step& m, const Meaning& what, const Operands& o) {
    constexpr std::pair<InstId, InstId> kFixed[] = {
        {Inst::kIdVpsllvd, Inst::kIdVpslld}, {Inst::kIdVpsllvq, Inst::kIdVpsllq}, {Inst::kIdVpsrlvd, Inst::kIdVpsrld},
        {Inst::kIdVpsrlvq, Inst::kIdVpsrlq}, {Inst::kIdVpsravd, Inst::kIdVpsrad}, {Inst::kIdVpsravq, Inst::kIdVpsraq},
    };
    if (!what.wide || m.src[1] < layout::kBytes) return false;
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const auto* const lanes = reinterpret_cast<const std::byte*>(m.src[1]);
    const std::uint32_t used = m.chunks * 16u * laneBytes;
    if (std::memcmp(lanes, lanes + laneBytes, used - laneBytes) != 0) return false;
    std::uint8_t count = 0;
    std::memcpy(&count, lanes, 1);
    const InstId variable = findRow(what.row, what.lanes)->inst;
    const auto* const fixed = std::ranges::find(kFixed, variable, &std::pair<InstId, InstId>::first);
    const Imm by(count & (laneBytes * 8 - 1));
    if (const auto held = values_.resultRegister(m.dst, o.vector, what)) {
        if (what.masked) a_.k(masks_.lanesOf(o.vector, RegisterCache::kSlotBytes / laneBytes));
        a_.emit(fixed->second, *held, o.x, by);
        return true;
    }
    a_.emit(fixed->second, o.d, o.x, by);
    values_.writeVector(m.dst, o.vector, o.d, what, what.masked);
    return true;
}

void Arithmetic::shift(InstId id, const Operands& o, std::uint32_t laneBytes) {
    const Vec count = temporary(4, o.d.isZmm());
    values_.broadcast(count, laneBytes * 8 - 1, laneBytes);
    a_.emit(Inst::kIdVpandq, count, count, o.y);
    a_.emit(id, o.d, o.x, count);
}

/// sel.lt and sel.ge of floats: if one operand is a NaN, the other is taken.
void Arithmetic::select(const Meaning& what, const Operands& o, bool greater) {
    constexpr std::uint8_t kLess = 0x11;
    constexpr std::uint8_t kGreaterEqual = 0x1d;
    constexpr std::uint8_t kUnordered = 3;
    constexpr std::uint8_t kOrdered = 7;
    const bool single = what.lanes == LaneType::f32;
    const InstId test = single ? Inst::kIdVcmpps : Inst::kIdVcmppd;
    a_.emit(test, k3, o.x, o.y, Imm(greater ? kGreaterEqual : kLess));
    a_.emit(test, k4, o.y, o.y, Imm(kUnordered));
    a_.emit(test, k5, o.x, o.x, Imm(kOrdered));
    a_.kandw(k4, k4, k5);
    a_.korw(k3, k3, k4);
    a_.k(k3).emit(single ? Inst::kIdVblendmps : Inst::kIdVblendmpd, o.d, o.y, o.x);
}

/// In double precision, rounded once more at the end.
void Arithmetic::inverseRoot(const Operands& o, bool single) {
    const bool wide = o.d.isZmm();
    const Vec t = temporary(4, wide);
    const Vec one = temporary(5, wide);
    values_.broadcast(one, std::bit_cast<std::uint64_t>(1.0), 8);
    const auto invert = [&](Vec d, Vec x) {
        a_.emit(Inst::kIdVsqrtpd, d, x);
        a_.emit(Inst::kIdVdivpd, d, one, d);
    };
    if (!single) return invert(o.d, o.x);
    const auto half = [&](Vec d, Vec x) {
        a_.emit(Inst::kIdVcvtps2pd, d, x);
        invert(d, d);
        a_.emit(Inst::kIdVcvtpd2ps, wide ? Vec(d.as<Zmm>().ymm()) : d, d);
    };
    if (!wide) return half(o.d, o.x);
    half(t, o.x.as<Zmm>().ymm());
    a_.emit(Inst::kIdVextracti64x4, ymm3, o.x, Imm(1));
    half(zmm3, ymm3);
    a_.emit(Inst::kIdVinserti64x4, o.d, t, ymm3, Imm(1));
}

void Arithmetic::addUpperProduct(InstId down, const Operands& o, bool narrow) {
    const Vec t = temporary(4, o.d.isZmm());
    a_.emit(down, t, o.y, Imm(16));
    a_.emit(narrow ? Inst::kIdVpmulld : Inst::kIdVpmullq, t, o.x, t);
    a_.emit(narrow ? Inst::kIdVpslld : Inst::kIdVpsllq, t, t, Imm(16));
    a_.emit(narrow ? Inst::kIdVpaddd : Inst::kIdVpaddq, o.d, o.z, t);
}
void Arithmetic::average(InstId down, const Operands& o) {
    const Vec t = temporary(4, o.d.isZmm());
    const Vec u = temporary(5, o.d.isZmm());
    a_.emit(Inst::kIdVpxorq, t, o.x, o.y);
    a_.emit(Inst::kIdVporq, u, o.x, o.y);
    a_.emit(down, t, t, Imm(1));
    a_.emit(Inst::kIdVpsubq, o.d, u, t);
}
void Arithmetic::carry(const Operands& o, bool borrows) {
    const Vec t = temporary(4, o.d.isZmm());
    a_.emit(Inst::kIdVpaddd, t, o.x, o.y);
    borrows ? a_.emit(Inst::kIdVpcmpud, k3, o.x, o.y, Imm(1)) : a_.emit(Inst::kIdVpcmpud, k3, t, o.x, Imm(1));
    a_.emit(Inst::kIdVpternlogd, t, t, t, Imm(0xff));
    a_.k(k3).z().emit(Inst::kIdVpsrld, o.d, t, Imm(31));
}
/// Of two bytes at a time, as the words that they are in become them.
void Arithmetic::addByteProducts(const Operands& o, std::uint8_t areSigned) {
    constexpr std::uint8_t kFirstIsSigned = 1;
    constexpr std::uint8_t kSecondIsSigned = 2;
    const Vec t = temporary(4, o.d.isZmm());
    const Vec u = temporary(5, o.d.isZmm());
    const Imm byte(8);
    for (const bool upper : {false, true}) {
        const auto extend = [&](const Vec& to, const Vec& from, bool isSigned) {
            if (!upper) a_.emit(Inst::kIdVpsllw, to, from, byte);
            a_.emit(isSigned ? Inst::kIdVpsraw : Inst::kIdVpsrlw, to, upper ? from : to, byte);
        };
        extend(t, o.y, (areSigned & kFirstIsSigned) != 0);
        extend(u, o.z, (areSigned & kSecondIsSigned) != 0);
        a_.emit(Inst::kIdVpmaddwd, t, t, u);
        a_.emit(Inst::kIdVpaddd, o.d, upper ? o.d : o.x, t);
    }
}
/// sel and csel.
void Arithmetic::selectByCondition(const Step& m, const Meaning& what, const Operands& o) {
    constexpr std::uint32_t kLessEqual = 6;  // the condition of sel without one
    const Vec zero = temporary(4, what.wide);
    const bool byThird = what.row == number(Opcode::csel);
    if (byThird) a_.emit(Inst::kIdVpxorq, zero, zero, zero);
    comparisons_.compareVectors(k3, what, m.kind != 0 ? m.kind : kLessEqual, byThird ? o.z : o.x, byThird ? zero : o.y);
    a_.k(k3).emit(isa::byteSize(what.lanes) == 4 ? Inst::kIdVpblendmd : Inst::kIdVpblendmq, o.d, o.y, o.x);
}

bool Arithmetic::row(const Step& m, const Meaning& what, const Operands& o) {
    const RowCode& code = *findRow(what.row, what.lanes);
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const bool narrow = laneBytes == 4;
    const Vec t = temporary(4, what.wide);
    switch (code.form) {
        case Form::one:
            if (o.mask) a_.k(*o.mask);
            a_.emit(code.inst, o.d, o.x);
            break;
        case Form::two:
            if (o.mask) a_.k(*o.mask);
            a_.emit(o.mask && narrow ? byDwords(code.inst) : code.inst, o.d, o.x, o.y);
            break;
        case Form::rounded:
            a_.emit(code.inst, o.d, o.x, Imm(code.mode));
            break;
        case Form::shift:
            shift(code.inst, o, laneBytes);
            break;
        case Form::three:
            a_.emit(code.inst, t, o.x, o.y);
            a_.emit(code.inst, o.d, t, o.z);
            break;
        case Form::sum:
            a_.emit(code.inst, t, o.y, o.z);
            a_.emit(code.second, o.d, o.x, t);
            break;
        case Form::fused:
            a_.emit(Inst::kIdVmovdqu64, o.d, o.x);
            a_.emit(code.inst, o.d, o.y, o.z);
            break;
        case Form::product:
            a_.emit(code.inst, t, o.x, o.y);
            a_.emit(code.second, o.d, o.z, t);
            break;
        case Form::macl:
            addUpperProduct(code.inst, o, narrow);
            break;
        case Form::average:
            average(code.inst, o);
            break;
        case Form::carry:
        case Form::borrow:
            carry(o, code.form == Form::borrow);
            break;
        case Form::lesser:
        case Form::greater:
            select(what, o, code.form == Form::greater);
            break;
        case Form::selected:
            selectByCondition(m, what, o);
            break;
        case Form::function:
            a_.emit(Inst::kIdVmovdqu64, o.d, o.z);
            a_.emit(Inst::kIdVpternlogd, o.d, o.y, o.x, Imm(m.kind));
            break;
        case Form::bytes:
            addByteProducts(o, m.kind);
            break;
        case Form::complement:
            a_.emit(Inst::kIdVpternlogd, o.d, o.x, o.x, Imm(0x55));
            break;
        case Form::fraction:
            a_.emit(code.inst, t, o.x, Imm(code.mode));
            a_.emit(code.second, o.d, o.x, t);
            break;
        case Form::inverseRoot:
            inverseRoot(o, narrow);
            break;
        case Form::inverse:
            values_.broadcast(t, narrow ? std::bit_cast<std::uint32_t>(1.0f) : std::bit_cast<std::uint64_t>(1.0),
                              laneBytes);
            a_.emit(code.inst, o.d, t, o.x);
            break;
    }
    return true;
}

/// sel by flag: the predicate selects, so only the execution mask masks.
bool Arithmetic::pick(const Step& m, const Meaning& what) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / laneBytes;
    const std::uint32_t vectors = what.wide ? m.chunks * 16u / perVector : 1;
    const KReg selects = masks_.selectedMask(m.mask);
    isa::LaneMask enabled = m.mask;
    enabled.predicate = isa::Predicate::none;
    if (what.masked) masks_.setLanes(enabled);
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        const Vec x = values_.source(m.src[0], v, what, 1);
        const Vec y = values_.source(m.src[1], v, what, 2);
        const auto held = what.masked ? std::nullopt : values_.resultRegister(m.dst, v, what);
        const Vec d = held ? Vec(*held) : temporary(0, what.wide);
        if (v != 0) a_.kshiftrd(k5, selects, v * perVector);
        a_.k(v != 0 ? k5 : selects).emit(laneBytes == 4 ? Inst::kIdVpblendmd : Inst::kIdVpblendmq, d, y, x);
        if (!held) values_.writeVector(m.dst, v, d, what, what.masked);
    }
    return true;
}

bool Arithmetic::pickOne(const Step& m, const Meaning& what, std::uint8_t source) {
    const std::uint32_t perVector = RegisterCache::kSlotBytes / isa::byteSize(what.lanes);
    for (std::uint32_t v = 0; v < (what.wide ? m.chunks * 16u / perVector : 1); ++v) {
        cache_.release();
        values_.writeVector(m.dst, v, values_.source(m.src[source], v, what, 1), what, false);
    }
    return true;
}

/// Absolute value, sign and complement of values in the working space.
bool Arithmetic::modify(const Step& m, const Meaning& what) {
    constexpr std::uint8_t kAbsolute = 1;
    constexpr std::uint8_t kNegate = 2;
    constexpr std::uint8_t kComplement = 4;
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / laneBytes;
    const std::uint32_t vectors = what.wide ? m.chunks * 16u / perVector : 1;
    const bool real = isa::isReal(what.lanes);
    const bool narrow = laneBytes == 4;
    const bool isSigned = what.lanes == LaneType::i32 || what.lanes == LaneType::i64;
    const std::uint64_t sign = narrow ? 1ull << 31 : 1ull << 63;
    const Vec t = temporary(4, what.wide);
    if (real) values_.broadcast(t, sign, laneBytes);
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        const Vec x = values_.source(m.dst, v, what, 1);
        const auto held = values_.resultRegister(m.dst, v, what);
        const Vec d = held ? Vec(*held) : temporary(0, what.wide);
        const bool negatesOnly = !real && m.kind == kNegate;
        if (!negatesOnly && d != x) a_.emit(Inst::kIdVmovdqu64, d, x);
        if (real && (m.kind & (kAbsolute | kNegate)) != 0) {
            if ((m.kind & kAbsolute) != 0) a_.emit(Inst::kIdVpandnq, d, t, d);
            if ((m.kind & kNegate) != 0) a_.emit(Inst::kIdVpxorq, d, d, t);
        } else if (!real) {
            if ((m.kind & kAbsolute) != 0 && isSigned) a_.emit(narrow ? Inst::kIdVpabsd : Inst::kIdVpabsq, d, d);
            if ((m.kind & kNegate) != 0) {
                a_.emit(Inst::kIdVpxorq, t, t, t);
                a_.emit(narrow ? Inst::kIdVpsubd : Inst::kIdVpsubq, d, t, negatesOnly ? x : d);
            }
            if ((m.kind & kComplement) != 0) a_.emit(Inst::kIdVpternlogd, d, d, d, Imm(0x55));
        }
        if (!held) values_.writeVector(m.dst, v, d, what, false);
    }
    return true;
}

bool Arithmetic::clamp(const Step& m, const Meaning& what) {
    const bool toReal = isa::isReal(what.type);
    if (isa::isReal(what.lanes) != toReal) return isa::isReal(what.lanes);  // a real clamps when it is converted
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t vectors = m.chunks * 16u * laneBytes / 64;
    const bool narrow = laneBytes == 4;
    if (!toReal && (what.lanes != LaneType::i64 || isa::byteSize(what.type) == 8)) return false;
    const std::uint32_t bits = isa::byteSize(what.type) * 8;
    const std::int64_t low = isa::isSigned(what.type) ? -(std::int64_t{1} << (bits - 1)) : 0;
    const std::int64_t high = low + static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - bits));
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        const Vec x = values_.source(m.dst, v, what, 1);
        const Vec d = zmm0;
        const Vec t = zmm4;
        if (toReal) {
            a_.vpxorq(zmm4, zmm4, zmm4);
            a_.emit(narrow ? Inst::kIdVmaxps : Inst::kIdVmaxpd, d, x, t);
            values_.broadcast(t, narrow ? std::bit_cast<std::uint32_t>(1.0f) : std::bit_cast<std::uint64_t>(1.0),
                              laneBytes);
            a_.emit(narrow ? Inst::kIdVminps : Inst::kIdVminpd, d, d, t);
        } else {
            values_.broadcast(t, static_cast<std::uint64_t>(low), 8);
            a_.emit(Inst::kIdVpmaxsq, d, x, t);
            values_.broadcast(t, static_cast<std::uint64_t>(high), 8);
            a_.emit(Inst::kIdVpminsq, d, d, t);
        }
        values_.writeVector(m.dst, v, d, what, false);
    }
    return true;
}

}  // namespace zetl::emulator::translate
