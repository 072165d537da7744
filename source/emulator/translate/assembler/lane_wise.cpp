// The same on every lane.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

/// How an instruction that does the same to every lane is called in AVX2.
struct LaneWise {
    asmjit::InstId id;
    asmjit::InstId narrow;
    std::uint8_t laneBytes;
    std::uint8_t sources;  ///< vectors
    bool accumulates;      ///< the destination is another
};
constexpr LaneWise kLaneWise[] = {
    {Inst::kIdVpaddw, Inst::kIdVpaddw, 2, 2, false},
    {Inst::kIdVpaddd, Inst::kIdVpaddd, 4, 2, false},
    {Inst::kIdVpaddq, Inst::kIdVpaddq, 8, 2, false},
    {Inst::kIdVpsubd, Inst::kIdVpsubd, 4, 2, false},
    {Inst::kIdVpsubq, Inst::kIdVpsubq, 8, 2, false},
    {Inst::kIdVpmulld, Inst::kIdVpmulld, 4, 2, false},
    {Inst::kIdVpmaddwd, Inst::kIdVpmaddwd, 4, 2, false},
    {Inst::kIdVpmuldq, Inst::kIdVpmuldq, 8, 2, false},
    {Inst::kIdVpmuludq, Inst::kIdVpmuludq, 8, 2, false},
    {Inst::kIdVpandd, Inst::kIdVpand, 4, 2, false},
    {Inst::kIdVpandq, Inst::kIdVpand, 8, 2, false},
    {Inst::kIdVpord, Inst::kIdVpor, 4, 2, false},
    {Inst::kIdVporq, Inst::kIdVpor, 8, 2, false},
    {Inst::kIdVpxord, Inst::kIdVpxor, 4, 2, false},
    {Inst::kIdVpxorq, Inst::kIdVpxor, 8, 2, false},
    {Inst::kIdVpandnd, Inst::kIdVpandn, 4, 2, false},
    {Inst::kIdVpandnq, Inst::kIdVpandn, 8, 2, false},
    {Inst::kIdVpminsd, Inst::kIdVpminsd, 4, 2, false},
    {Inst::kIdVpminud, Inst::kIdVpminud, 4, 2, false},
    {Inst::kIdVpmaxsd, Inst::kIdVpmaxsd, 4, 2, false},
    {Inst::kIdVpmaxud, Inst::kIdVpmaxud, 4, 2, false},
    {Inst::kIdVaddps, Inst::kIdVaddps, 4, 2, false},
    {Inst::kIdVaddpd, Inst::kIdVaddpd, 8, 2, false},
    {Inst::kIdVsubps, Inst::kIdVsubps, 4, 2, false},
    {Inst::kIdVsubpd, Inst::kIdVsubpd, 8, 2, false},
    {Inst::kIdVmulps, Inst::kIdVmulps, 4, 2, false},
    {Inst::kIdVmulpd, Inst::kIdVmulpd, 8, 2, false},
    {Inst::kIdVdivps, Inst::kIdVdivps, 4, 2, false},
    {Inst::kIdVdivpd, Inst::kIdVdivpd, 8, 2, false},
    {Inst::kIdVminps, Inst::kIdVminps, 4, 2, false},
    {Inst::kIdVminpd, Inst::kIdVminpd, 8, 2, false},
    {Inst::kIdVmaxps, Inst::kIdVmaxps, 4, 2, false},
    {Inst::kIdVmaxpd, Inst::kIdVmaxpd, 8, 2, false},
    {Inst::kIdVpsllvd, Inst::kIdVpsllvd, 4, 2, false},
    {Inst::kIdVpsllvq, Inst::kIdVpsllvq, 8, 2, false},
    {Inst::kIdVpsrlvd, Inst::kIdVpsrlvd, 4, 2, false},
    {Inst::kIdVpsrlvq, Inst::kIdVpsrlvq, 8, 2, false},
    {Inst::kIdVpsravd, Inst::kIdVpsravd, 4, 2, false},
    {Inst::kIdVpsllw, Inst::kIdVpsllw, 2, 1, false},
    {Inst::kIdVpsrlw, Inst::kIdVpsrlw, 2, 1, false},
    {Inst::kIdVpsraw, Inst::kIdVpsraw, 2, 1, false},
    {Inst::kIdVpslld, Inst::kIdVpslld, 4, 1, false},
    {Inst::kIdVpsllq, Inst::kIdVpsllq, 8, 1, false},
    {Inst::kIdVpsrld, Inst::kIdVpsrld, 4, 1, false},
    {Inst::kIdVpsrlq, Inst::kIdVpsrlq, 8, 1, false},
    {Inst::kIdVpsrad, Inst::kIdVpsrad, 4, 1, false},
    {Inst::kIdVpabsd, Inst::kIdVpabsd, 4, 1, false},
    {Inst::kIdVsqrtps, Inst::kIdVsqrtps, 4, 1, false},
    {Inst::kIdVsqrtpd, Inst::kIdVsqrtpd, 8, 1, false},
    {Inst::kIdVcvtdq2ps, Inst::kIdVcvtdq2ps, 4, 1, false},
    {Inst::kIdVcvttps2dq, Inst::kIdVcvttps2dq, 4, 1, false},
    {Inst::kIdVrndscaleps, Inst::kIdVroundps, 4, 1, false},
    {Inst::kIdVrndscalepd, Inst::kIdVroundpd, 8, 1, false},
    {Inst::kIdVfmadd231ps, Inst::kIdVfmadd231ps, 4, 2, true},
    {Inst::kIdVfmadd231pd, Inst::kIdVfmadd231pd, 8, 2, true},
};
constexpr InstructionTable kLaneWiseTable(kLaneWise);

}  // namespace

namespace {

bool isSame(const asmjit::Operand_& a, const asmjit::Operand_& b) { return a.isReg() && b.isReg() && a.id() == b.id(); }

}  // namespace

bool Avx2Assembler::isZero(const Wide& i) noexcept {
    return (i.id == Inst::kIdVpxord || i.id == Inst::kIdVpxorq) && isSame(i.operand[1], i.operand[2]);
}

bool Avx2Assembler::laneWise(const Wide& i) {
    const LaneWise* const what = kLaneWiseTable.find(i.id);
    if (what == nullptr) return shiftSigned(i) || rotate(i) || product(i) || byTruthTable(i) || extreme(i);
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        if (isZero(i)) {  // whatever the operand has: it is not read
            const Vec zero = fresh(std::min(i.bytes, 32u));
            put(Inst::kIdVpxor, zero, zero, zero);
            if (!finishHalf(i, h, zero, what->laneBytes)) return false;
            noteRange(i, h, HostState::kBoth);
            continue;
        }
        const std::uint8_t range = rangeOfResult(i, h);
        const Vec x = loaded(i.operand[1], h);
        const Vec result = fresh(std::min(i.bytes, 32u));
        if (what->accumulates) put(Inst::kIdVmovdqu, result, half(i.operand[0], h));
        // Shifts by a constant take registers only.
        put(what->narrow, result, x, what->sources == 1 ? i.operand[2] : half(i.operand[2], h));
        if (!finishHalf(i, h, result, what->laneBytes)) return false;
        noteRange(i, h, range);
    }
    return true;
}

std::uint8_t Avx2Assembler::rangeOfResult(const Wide& i, std::uint32_t number) const {
    const std::uint8_t x = rangeOf(i.operand[1], number);
    if (i.id == Inst::kIdVpsrlq && i.operand[2].isImm()) {
        const std::uint32_t by = i.immediate(2);
        if (by > 32 || (by > 0 && (x & HostState::kUnsigned32) != 0)) return HostState::kBoth;
        return by == 32 ? std::uint8_t{HostState::kUnsigned32} : by == 0 ? x : std::uint8_t{HostState::kAny};
    }
    if (i.id == Inst::kIdVpandq || i.id == Inst::kIdVpandd) {
        const std::uint8_t y = rangeOf(i.operand[2], number);
        if (x == HostState::kBoth || y == HostState::kBoth) return HostState::kBoth;
        return ((x | y) & HostState::kUnsigned32) | (x & y & HostState::kSigned32);
    }
    return HostState::kAny;
}

/// By counts of lanes, modulo their bits; a constant rotates dwords to the right.
bool Avx2Assembler::rotate(const Wide& i) {
    const bool left = i.id == Inst::kIdVprolvd || i.id == Inst::kIdVprolvq;
    const bool wide = i.id == Inst::kIdVprolvq || i.id == Inst::kIdVprorvq;
    const bool constant32 = i.id == Inst::kIdVprord;
    if (!left && !wide && !constant32 && i.id != Inst::kIdVprorvd) return false;
    const std::uint32_t laneBytes = wide ? 8 : 4;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Vec x = loaded(i.operand[1], h);
        const Vec result = fresh(x.size());
        const Vec other = sized(kB.id(), x.size());
        if (constant32) {
            put(Inst::kIdVpsrld, result, x, i.operand[2]);
            put(Inst::kIdVpslld, other, x, Imm(32 - i.immediate(2)));
        } else {
            const Vec count = sized(kA.id(), x.size());
            const Mem bits = constant(wide ? kCounts64 : kCounts32, x.size());
            put(Inst::kIdVmovdqu, count, half(i.operand[2], h));
            put(Inst::kIdVpxor, other, other, other);
            put(wide ? Inst::kIdVpsubq : Inst::kIdVpsubd, other, other, count);
            put(Inst::kIdVpand, count, count, bits);
            put(Inst::kIdVpand, other, other, bits);
            const InstId towards =
                left ? (wide ? Inst::kIdVpsllvq : Inst::kIdVpsllvd) : (wide ? Inst::kIdVpsrlvq : Inst::kIdVpsrlvd);
            const InstId back =
                left ? (wide ? Inst::kIdVpsrlvq : Inst::kIdVpsrlvd) : (wide ? Inst::kIdVpsllvq : Inst::kIdVpsllvd);
            put(towards, result, x, count);
            put(back, other, x, other);
        }
        put(Inst::kIdVpor, result, result, other);
        if (!finishHalf(i, h, result, laneBytes)) return false;
    }
    return true;
}

/// vpsraq by a constant.
bool Avx2Assembler::shiftSigned(const Wide& i) {
    if (i.id != Inst::kIdVpsraq || !i.operand[2].isImm()) return false;
    const std::uint32_t by = std::min<std::uint32_t>(i.immediate(2), 63);
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const std::uint8_t range = rangeOf(i.operand[1], h);
        const Vec x = loaded(i.operand[1], h);
        const Vec result = fresh(x.size());
        if ((range & HostState::kUnsigned32) != 0) {
            put(Inst::kIdVpsrlq, result, x, Imm(by));
            if (!finishHalf(i, h, result, 8)) return false;
            noteRange(i, h, by == 0 ? range : std::uint8_t{HostState::kBoth});
            continue;
        }
        const Vec sign = sized(kC.id(), x.size());
        put(Inst::kIdVpxor, sign, sign, sign);
        put(Inst::kIdVpcmpgtq, sign, sign, x);
        put(Inst::kIdVpsrlq, result, x, Imm(by));
        put(Inst::kIdVpsllq, sign, sign, Imm(64 - by));
        put(Inst::kIdVpor, result, result, sign);
        if (!finishHalf(i, h, result, 8)) return false;
        noteRange(i, h, range);
    }
    return true;
}

/// vpmullq: the products of low and high halves, moved up, and of both low ones; the first are none, or what the sign
/// makes of them, where the operands are numbers of 32 bits.
bool Avx2Assembler::product(const Wide& i) {
    constexpr std::uint8_t kSwapped = 0xb1;
    if (i.id != Inst::kIdVpmullq) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Vec x = loaded(i.operand[1], h);
        const Operand y = half(i.operand[2], h);
        const Vec result = fresh(x.size());
        const Vec crossed = sized(kC.id(), x.size());
        if (const std::uint8_t both = rangeOf(i.operand[1], h) & rangeOf(i.operand[2], h); both != HostState::kAny) {
            put((both & HostState::kUnsigned32) != 0 ? Inst::kIdVpmuludq : Inst::kIdVpmuldq, result, x, y);
            if (!finishHalf(i, h, result, 8)) return false;
            continue;
        }
        put(Inst::kIdVpshufd, crossed, y, Imm(kSwapped));
        put(Inst::kIdVpmulld, crossed, crossed, x);
        put(Inst::kIdVpsrlq, result, crossed, Imm(32));
        put(Inst::kIdVpaddd, crossed, crossed, result);
        put(Inst::kIdVpsllq, crossed, crossed, Imm(32));
        put(Inst::kIdVpmuludq, result, x, y);
        put(Inst::kIdVpaddq, result, result, crossed);
        if (!finishHalf(i, h, result, 8)) return false;
    }
    return true;
}

/// What a table of four bits makes of two vectors, by their bits: number 2 b + c.
void Avx2Assembler::truth(std::uint32_t table, const Vec& to, const Operand& b, const Operand& c) {
    const bool complement =
        table == 15 || table == 7 || table == 1 || table == 9 || table == 3 || table == 5 || table == 11 || table == 13;
    const Vec ones = sized(kC.id(), bytesOf(to));
    switch (complement ? 15 - table : table) {
        case 0:
            put(Inst::kIdVpxor, to, to, to);
            break;
        case 2:  // c without b
            put(Inst::kIdVmovdqu, to, b);
            put(Inst::kIdVpandn, to, to, c);
            break;
        case 4:  // b without c
            put(Inst::kIdVmovdqu, to, c);
            put(Inst::kIdVpandn, to, to, b);
            break;
        case 6:
            put(Inst::kIdVmovdqu, to, b);
            put(Inst::kIdVpxor, to, to, c);
            break;
        case 8:
            put(Inst::kIdVmovdqu, to, b);
            put(Inst::kIdVpand, to, to, c);
            break;
        case 10:
            put(Inst::kIdVmovdqu, to, c);
            break;
        case 12:
            put(Inst::kIdVmovdqu, to, b);
            break;
        default:  // 14
            put(Inst::kIdVmovdqu, to, b);
            put(Inst::kIdVpor, to, to, c);
    }
    if (!complement) return;
    put(Inst::kIdVpcmpeqd, ones, ones, ones);
    put(Inst::kIdVpxor, to, to, ones);
}

/// vpternlog by kKeepWith and kKeepElsewhere.
bool Avx2Assembler::keep(const Wide& i) {
    const std::uint32_t table = i.immediate(3);
    if (table != kKeepWith && table != kKeepElsewhere) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Vec kept = loaded(i.operand[2], h);
        const Vec result = fresh(std::min(i.bytes, 32u));
        put(Inst::kIdVpand, result, kept, half(i.operand[0], h));
        if (table == kKeepWith) {
            put(Inst::kIdVpor, result, result, half(i.operand[1], h));
        } else {
            const Vec other = sized(kB.id(), result.size());
            put(Inst::kIdVpandn, other, kept, half(i.operand[1], h));
            put(Inst::kIdVpor, result, result, other);
        }
        if (!finishHalf(i, h, result, i.id == Inst::kIdVpternlogd ? 4 : 8)) return false;
    }
    return true;
}

bool Avx2Assembler::byTruthTable(const Wide& i) {
    constexpr std::uint32_t kAll = 0xff;
    constexpr std::uint32_t kAlways = 0xf;
    if (i.id != Inst::kIdVpternlogd && i.id != Inst::kIdVpternlogq) return false;
    if (keep(i)) return true;
    const std::uint32_t table = i.immediate(3);
    const std::uint32_t whereSet = table >> 4;
    const std::uint32_t elsewhere = table & 15;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Operand b = half(i.operand[1], h);
        const Operand c = half(i.operand[2], h);
        const Vec set = fresh(std::min(i.bytes, 32u));
        if (table == kAll) {
            put(Inst::kIdVpcmpeqd, set, set, set);
        } else if (whereSet == kAlways) {
            truth(elsewhere, set, b, c);
            put(Inst::kIdVpor, set, set, half(i.operand[0], h));
        } else if (whereSet == elsewhere) {
            truth(whereSet, set, b, c);
        } else {
            truth(whereSet, set, b, c);
            const Vec clear = sized(kB.id(), set.size());
            truth(elsewhere, clear, b, c);
            const Vec selector = loaded(i.operand[0], h);
            put(Inst::kIdVpand, set, set, selector);
            put(Inst::kIdVpandn, clear, selector, clear);
            put(Inst::kIdVpor, set, set, clear);
        }
        if (!finishHalf(i, h, set, i.id == Inst::kIdVpternlogd ? 4 : 8)) return false;
    }
    return true;
}

/// Minima and maxima of 64 bits.
bool Avx2Assembler::extreme(const Wide& i) {
    const bool isMin = i.id == Inst::kIdVpminsq || i.id == Inst::kIdVpminuq;
    const bool isSigned = i.id == Inst::kIdVpminsq || i.id == Inst::kIdVpmaxsq;
    if (!isMin && i.id != Inst::kIdVpmaxsq && i.id != Inst::kIdVpmaxuq) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Vec x = loaded(i.operand[1], h);
        const Vec y = loaded(i.operand[2], h);
        const Vec result = fresh(x.size());
        const Vec a = sized(kA.id(), x.size());
        const Vec greater = sized(kC.id(), x.size());
        if (isSigned) {
            put(Inst::kIdVpcmpgtq, greater, x, y);
        } else {
            put(Inst::kIdVpxor, a, x, constant(kSigns64, x.size()));
            put(Inst::kIdVpxor, greater, y, constant(kSigns64, x.size()));
            put(Inst::kIdVpcmpgtq, greater, a, greater);
        }
        isMin ? put(Inst::kIdVpblendvb, result, x, y, greater) : put(Inst::kIdVpblendvb, result, y, x, greater);
        if (!finishHalf(i, h, result, 8)) return false;
    }
    return true;
}

/// vmovd and vmovq.
bool Avx2Assembler::moveScalar(const Wide& i) {
    if (i.id != Inst::kIdVmovd && i.id != Inst::kIdVmovq) return false;
    const std::uint32_t bytes = i.id == Inst::kIdVmovd ? 4 : 8;
    const Operand& to = i.operand[0];
    const auto narrowed = [&](Operand place) {
        if (place.isMem()) place.as<Mem>().setSize(bytes);
        return place;
    };
    if (Reg::isGp(to)) {
        const Operand from = narrowed(half(i.operand[1], 0));
        state_.general[to.id()] = 0;
        if (from.isMem())
            put(Inst::kIdMov, bytes == 4 ? Gp(gpd(to.id())) : Gp(gpq(to.id())), from);
        else
            put(i.id, to, Xmm(from.id()));
        return true;
    }
    if (to.isMem()) {
        put(i.id, narrowed(to), Xmm(loaded(i.operand[1], 0).id()));
        return true;
    }
    const bool given = i.operand[1].isMem() || Reg::isGp(i.operand[1]);
    Operand from = given ? narrowed(i.operand[1]) : narrowed(half(i.operand[1], 0));
    if (!given && !from.isMem()) from = Xmm(from.id());
    const Vec value = fresh(16);
    put(i.id, value, from);
    become(to, 0, value);
    return true;
}

bool Avx2Assembler::move(const Wide& i) {
    if (moveScalar(i)) return true;
    std::uint32_t laneBytes = 0;
    switch (i.id) {
        case Inst::kIdVmovdqu8:
            laneBytes = 1;
            break;
        case Inst::kIdVmovdqu16:
            laneBytes = 2;
            break;
        case Inst::kIdVmovdqu:
        case Inst::kIdVmovdqa:
        case Inst::kIdVmovdqu32:
        case Inst::kIdVmovdqa32:
            laneBytes = 4;
            break;
        case Inst::kIdVmovdqu64:
        case Inst::kIdVmovdqa64:
            laneBytes = 8;
            break;
        default:
            return false;
    }
    // Memory of the thread may be where the other half is read from.
    if (i.operand[0].isMem())
        for (std::uint32_t h = 0; h < i.halves(); ++h) loaded(i.operand[1], h);
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        if (!i.operand[0].isMem()) release();
        // Only memory of the thread may be touched where lanes are off.
        if (i.mask != 0 && isForeign(i.operand[1])) {
            if (laneBytes < 4) return false;
            const Vec value = fresh(std::min(i.bytes, 32u));
            const Vec on = signsOf(i.mask, h, laneBytes, value.size());
            put(laneBytes == 4 ? Inst::kIdVpmaskmovd : Inst::kIdVpmaskmovq, value, on, half(i.operand[1], h));
            if (!finishHalf(i, h, value, laneBytes)) return false;
            continue;
        }
        const Operand from = half(i.operand[1], h);
        const Vec value = from.isMem() ? fresh(std::min(i.bytes, 32u)) : from.as<Vec>();
        if (from.isMem()) put(Inst::kIdVmovdqu, value, from);
        const std::uint8_t range = rangeOf(i.operand[1], h);
        if (!finishHalf(i, h, value, laneBytes)) return false;
        noteRange(i, h, range);
    }
    return true;
}

}  // namespace zetl::emulator::translate
