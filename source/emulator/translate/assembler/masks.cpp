// Mask registers, which lie in the frame, eight bytes each; comparisons; results of some lanes only.
#include <algorithm>
#include <bit>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

enum class Action : std::uint8_t { move, bitAnd, andNot, bitOr, bitXor, xnor, complement, shiftRight, unpack, test };
struct OnMasks {
    asmjit::InstId id;
    Action action;
    std::uint8_t bytes;  ///< of lanes' bits that count; of unpack, of each half
};
constexpr OnMasks kOnMasks[] = {
    {Inst::kIdKmovb, Action::move, 1},          {Inst::kIdKmovw, Action::move, 2},
    {Inst::kIdKmovd, Action::move, 4},          {Inst::kIdKmovq, Action::move, 8},
    {Inst::kIdKandb, Action::bitAnd, 1},        {Inst::kIdKandw, Action::bitAnd, 2},
    {Inst::kIdKandd, Action::bitAnd, 4},        {Inst::kIdKandnb, Action::andNot, 1},
    {Inst::kIdKandnw, Action::andNot, 2},       {Inst::kIdKandnd, Action::andNot, 4},
    {Inst::kIdKorb, Action::bitOr, 1},          {Inst::kIdKorw, Action::bitOr, 2},
    {Inst::kIdKord, Action::bitOr, 4},          {Inst::kIdKxorw, Action::bitXor, 2},
    {Inst::kIdKxorb, Action::bitXor, 1},        {Inst::kIdKxnorb, Action::xnor, 1},
    {Inst::kIdKxnorw, Action::xnor, 2},         {Inst::kIdKxnord, Action::xnor, 4},
    {Inst::kIdKnotb, Action::complement, 1},    {Inst::kIdKnotw, Action::complement, 2},
    {Inst::kIdKnotd, Action::complement, 4},    {Inst::kIdKshiftrb, Action::shiftRight, 1},
    {Inst::kIdKshiftrw, Action::shiftRight, 2}, {Inst::kIdKshiftrd, Action::shiftRight, 4},
    {Inst::kIdKshiftrq, Action::shiftRight, 8}, {Inst::kIdKunpckbw, Action::unpack, 1},
    {Inst::kIdKunpckwd, Action::unpack, 2},     {Inst::kIdKunpckdq, Action::unpack, 4},
    {Inst::kIdKortestb, Action::test, 1},       {Inst::kIdKortestw, Action::test, 2},
    {Inst::kIdKortestd, Action::test, 4},
};

/// The place of the constant that has the bits of so many lanes.
std::uint32_t widthAt(std::uint32_t bytes) { return 8 * static_cast<std::uint32_t>(std::countr_zero(bytes)); }

enum class Compared : std::uint8_t { integers, singles, doubles, bits };
struct Comparison {
    asmjit::InstId id;
    Compared what;
    std::uint8_t laneBytes;
    bool isUnsigned;
    std::int8_t predicate;  ///< below zero: the immediate tells; of bits: 0 some in common, 1 none
};
constexpr Comparison kComparisons[] = {
    {Inst::kIdVpcmpeqw, Compared::integers, 2, false, 0}, {Inst::kIdVpcmpeqd, Compared::integers, 4, false, 0},
    {Inst::kIdVpcmpeqq, Compared::integers, 8, false, 0}, {Inst::kIdVpcmpgtd, Compared::integers, 4, false, 6},
    {Inst::kIdVpcmpgtq, Compared::integers, 8, false, 6}, {Inst::kIdVpcmpd, Compared::integers, 4, false, -1},
    {Inst::kIdVpcmpq, Compared::integers, 8, false, -1},  {Inst::kIdVpcmpud, Compared::integers, 4, true, -1},
    {Inst::kIdVpcmpuq, Compared::integers, 8, true, -1},  {Inst::kIdVcmpps, Compared::singles, 4, false, -1},
    {Inst::kIdVcmppd, Compared::doubles, 8, false, -1},   {Inst::kIdVptestmd, Compared::bits, 4, false, 0},
    {Inst::kIdVptestmq, Compared::bits, 8, false, 0},     {Inst::kIdVptestnmd, Compared::bits, 4, false, 1},
    {Inst::kIdVptestnmq, Compared::bits, 8, false, 1},
};
const Comparison* findComparison(asmjit::InstId id) {
    const auto* const found = std::ranges::find(kComparisons, id, &Comparison::id);
    return found == std::end(kComparisons) ? nullptr : found;
}
asmjit::InstId equalIn(std::uint32_t laneBytes) {
    return laneBytes == 2 ? Inst::kIdVpcmpeqw : laneBytes == 4 ? Inst::kIdVpcmpeqd : Inst::kIdVpcmpeqq;
}
asmjit::InstId greaterIn(std::uint32_t laneBytes) { return laneBytes == 4 ? Inst::kIdVpcmpgtd : Inst::kIdVpcmpgtq; }

struct Blend {
    asmjit::InstId id;
    std::uint8_t laneBytes;
};
constexpr Blend kBlends[] = {
    {Inst::kIdVpblendmb, 1}, {Inst::kIdVpblendmw, 2}, {Inst::kIdVpblendmd, 4},
    {Inst::kIdVblendmps, 4}, {Inst::kIdVpblendmq, 8}, {Inst::kIdVblendmpd, 8},
};

}  // namespace

bool Avx2Assembler::onMasks(const Wide& i) {
    if (i.id == Inst::kIdKtestw) return testMasks(i);
    const auto* const what = std::ranges::find(kOnMasks, i.id, &OnMasks::id);
    if (what == std::end(kOnMasks)) return maskToLanes(i);
    const std::uint32_t bytes = what->bytes;
    const auto load = [&](const Xmm& to, std::size_t number) {
        put(Inst::kIdVmovq, to, maskPlace(i.operand[number].id(), 8));
    };
    const auto width = [&](std::uint32_t of) {
        Mem place = constant(kWidths, 8);
        place.addOffset(widthAt(of));
        return place;
    };
    const auto cut = [&](const Xmm& value, std::uint32_t of) {
        put(Inst::kIdVmovq, kC.xmm(), width(of));
        put(Inst::kIdVpand, value, value, kC.xmm());
    };
    const Xmm x = kA.xmm();
    const Xmm y = kB.xmm();
    std::uint32_t result = bytes;
    switch (what->action) {
        case Action::move:
            return moveMask(i);
        case Action::test:
            if (i.operand[0].id() != i.operand[1].id()) return false;
            tested_ = Tested{i.operand[0].id(), bytes};
            return true;
        case Action::complement:
            load(x, 1);
            put(Inst::kIdVpcmpeqd, y, y, y);
            put(Inst::kIdVpxor, x, x, y);
            break;
        case Action::shiftRight:
            load(x, 1);
            cut(x, bytes);
            put(Inst::kIdVpsrlq, x, x, i.operand[2]);
            break;
        case Action::unpack:
            load(x, 1);
            load(y, 2);
            cut(y, bytes);
            put(Inst::kIdVpsllq, x, x, Imm(8 * bytes));
            put(Inst::kIdVpor, x, x, y);
            result = 2 * bytes;
            break;
        default: {
            load(x, 1);
            load(y, 2);
            const bool isOr = what->action == Action::bitOr;
            const bool isXor = what->action == Action::bitXor || what->action == Action::xnor;
            const asmjit::InstId id = isOr                             ? Inst::kIdVpor
                                      : isXor                          ? Inst::kIdVpxor
                                      : what->action == Action::bitAnd ? Inst::kIdVpand
                                                                       : Inst::kIdVpandn;
            put(id, x, x, y);
            if (what->action != Action::xnor) break;
            put(Inst::kIdVpcmpeqd, y, y, y);
            put(Inst::kIdVpxor, x, x, y);
        }
    }
    cut(x, result);
    put(Inst::kIdVmovq, maskPlace(i.operand[0].id(), 8), x);
    return true;
}

bool Avx2Assembler::moveMask(const Wide& i) {
    const Operand& to = i.operand[0];
    const Operand& from = i.operand[1];
    const std::uint32_t bytes = i.id == Inst::kIdKmovb   ? 1
                                : i.id == Inst::kIdKmovw ? 2
                                : i.id == Inst::kIdKmovd ? 4
                                                         : 8;
    const Xmm x = kA.xmm();
    if (Reg::isKReg(to)) {
        const auto number = to.id();
        if (!Reg::isKReg(from) && !Reg::isGp(from)) return false;
        if (Reg::isKReg(from))
            put(Inst::kIdVmovq, x, maskPlace(from.id(), 8));
        else if (bytes == 8)
            put(Inst::kIdVmovq, x, gpq(from.id()));
        else
            put(Inst::kIdVmovd, x, gpd(from.id()));
        if (bytes < 4 || (bytes == 4 && Reg::isKReg(from))) {
            Mem width = constant(kWidths, 8);
            width.addOffset(widthAt(bytes));
            put(Inst::kIdVmovq, kC.xmm(), width);
            put(Inst::kIdVpand, x, x, kC.xmm());
        }
        put(Inst::kIdVmovq, maskPlace(number, 8), x);
        return true;
    }
    if (!Reg::isGp(to) || !Reg::isKReg(from)) return false;
    if (bytes == 8)
        put(Inst::kIdMov, gpq(to.id()), maskPlace(from.id(), 8));
    else if (bytes == 4)
        put(Inst::kIdMov, gpd(to.id()), maskPlace(from.id(), 4));
    else
        put(Inst::kIdMovzx, gpd(to.id()), maskPlace(from.id(), bytes));
    return true;
}

/// Zero where both have no bit in common, as ktest says it; its other flag is not wanted.
bool Avx2Assembler::testMasks(const Wide& i) {
    const Mem kept = frame(kScalar, 8);
    put(Inst::kIdMov, kept, rax);
    put(Inst::kIdMov, eax, maskPlace(i.operand[0].id(), 4));
    put(Inst::kIdTest, maskPlace(i.operand[1].id(), 2), ax);
    put(Inst::kIdMov, rax, kept);
    return true;
}

/// kortest sets one flag for no lane and one for all lanes: the jump tells which is asked for.
void Avx2Assembler::jumpOnTested(InstId& jump) {
    const Tested tested = *tested_;
    tested_.reset();
    const auto options = instOptions();
    resetInstOptions();
    const bool all = jump == Inst::kIdJnc || jump == Inst::kIdJc || jump == Inst::kIdJb || jump == Inst::kIdJnb ||
                     jump == Inst::kIdJae || jump == Inst::kIdJnae;
    put(Inst::kIdCmp, maskPlace(tested.mask, tested.bytes), Imm(all ? -1 : 0));
    if (all) jump = jump == Inst::kIdJc || jump == Inst::kIdJb || jump == Inst::kIdJnae ? Inst::kIdJe : Inst::kIdJne;
    setInstOptions(options);
}

/// The lanes of half a vector that the mask has on, all ones, in a register.
void Avx2Assembler::spreadMask(std::uint32_t mask, std::uint32_t number, std::uint32_t laneBytes, const Vec& to) {
    const std::uint32_t bytes = to.size();
    Mem bits = constant(laneBytes == 4   ? kDwordBits + number
                        : laneBytes == 8 ? kQwordBits + number
                        : laneBytes == 2 ? kWordBits
                                         : kByteBits,
                        bytes);
    Mem from = maskPlace(mask, std::max(laneBytes, 2u));
    switch (laneBytes) {
        case 1:
            from.addOffset(4 * number);
            from.setSize(4);
            put(Inst::kIdVpbroadcastd, to, from);
            put(Inst::kIdVpshufb, to, to, constant(kByteOfMask, bytes));
            put(Inst::kIdVpand, to, to, bits);
            put(Inst::kIdVpcmpeqb, to, to, bits);
            return;
        case 2:
            from.addOffset(2 * number);
            put(Inst::kIdVpbroadcastw, to, from);
            break;
        case 4:
            put(Inst::kIdVpbroadcastd, to, from);
            break;
        default:
            put(Inst::kIdVpbroadcastq, to, from);
    }
    put(Inst::kIdVpand, to, to, bits);
    put(equalIn(laneBytes), to, to, bits);
}

bool Avx2Assembler::finishHalf(const Wide& i, std::uint32_t number, const Vec& value, std::uint32_t laneBytes) {
    const Operand to = half(i.operand[0], number);
    const bool same = !to.isMem() && to.id() == value.id();
    if (i.mask == 0) {
        if (!same) put(Inst::kIdVmovdqu, to, value);
        return true;
    }
    const std::uint32_t bytes = bytesOf(to);
    const Vec mask = sized(kC.id(), bytes);
    const Vec result = sized(kA.id(), bytes);
    spreadMask(i.mask, number, laneBytes, mask);
    if (isForeign(i.operand[0])) {
        if (laneBytes < 4) return false;
        put(laneBytes == 4 ? Inst::kIdVpmaskmovd : Inst::kIdVpmaskmovq, to, mask, value);
        return true;
    }
    if (i.zeroes)
        put(Inst::kIdVpand, result, mask, value);
    else
        put(Inst::kIdVpblendvb, result, loaded(to, kB), value, mask);
    put(Inst::kIdVmovdqu, to, result);
    return true;
}

/// d = the mask has the lane ? y : x
bool Avx2Assembler::blend(const Wide& i) {
    const auto* const what = std::ranges::find(kBlends, i.id, &Blend::id);
    if (what == std::end(kBlends)) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        const Operand x = half(i.operand[1], h);
        const std::uint32_t bytes = bytesOf(x);
        const Vec mask = sized(kC.id(), bytes);
        const Vec result = sized(kA.id(), bytes);
        spreadMask(i.mask, h, what->laneBytes, mask);
        put(Inst::kIdVpblendvb, result, loaded(x, kB), half(i.operand[2], h), mask);
        put(Inst::kIdVmovdqu, half(i.operand[0], h), result);
    }
    return true;
}

bool Avx2Assembler::maskToLanes(const Wide& i) {
    if (i.id != Inst::kIdVpmovm2d && i.id != Inst::kIdVpmovm2q) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        const Operand to = half(i.operand[0], h);
        const Vec result = sized(kA.id(), bytesOf(to));
        spreadMask(i.operand[1].id(), h, i.id == Inst::kIdVpmovm2d ? 4 : 8, result);
        put(Inst::kIdVmovdqu, to, result);
    }
    return true;
}

bool Avx2Assembler::compare(const Wide& i) {
    const Comparison* const what = findComparison(i.id);
    if (what == nullptr || !Reg::isKReg(i.operand[0])) return false;
    compareHalf(i, 0, sized(kC.id(), std::min(i.bytes, 32u)));
    if (i.halves() == 2) compareHalf(i, 1, kA);
    pack(i, what->laneBytes);
    return true;
}

void Avx2Assembler::compareHalf(const Wide& i, std::uint32_t number, const Vec& to) {
    const Comparison& what = *findComparison(i.id);
    const std::uint32_t bytes = to.size();
    const Operand x = half(i.operand[1], number);
    const Operand y = half(i.operand[2], number);
    const Vec other = sized(kB.id(), bytes);
    if (what.what == Compared::singles || what.what == Compared::doubles) {
        put(what.what == Compared::singles ? Inst::kIdVcmpps : Inst::kIdVcmppd, to, loaded(x, other), y, i.operand[3]);
        return;
    }
    bool inverted = false;
    if (what.what == Compared::bits) {
        put(Inst::kIdVpand, to, loaded(x, other), y);
        put(Inst::kIdVpxor, other, other, other);
        put(equalIn(what.laneBytes), to, to, other);
        inverted = what.predicate == 0;
    } else {
        const int predicate = what.predicate < 0 ? i.immediate(3) : what.predicate;
        put(Inst::kIdVmovdqu, to, x);
        put(Inst::kIdVmovdqu, other, y);
        const bool equality = predicate == 0 || predicate == 4;
        if (what.isUnsigned && !equality) {
            const Mem signs = constant(what.laneBytes == 4 ? kSigns32 : kSigns64, bytes);
            put(Inst::kIdVpxor, to, to, signs);
            put(Inst::kIdVpxor, other, other, signs);
        }
        inverted = predicate == 4 || predicate == 2 || predicate == 5;
        if (equality)
            put(equalIn(what.laneBytes), to, to, other);
        else if (predicate == 1 || predicate == 5)  // less, or not less
            put(greaterIn(what.laneBytes), to, other, to);
        else
            put(greaterIn(what.laneBytes), to, to, other);
    }
    if (inverted) put(Inst::kIdVpxor, to, to, constant(kOnes, bytes));
}

/// Results of comparisons in ymm15, and behind them in ymm7, to a bit each.
void Avx2Assembler::pack(const Wide& i, std::uint32_t laneBytes) {
    const Xmm x = kC.xmm();
    const Xmm zero = kB.xmm();
    std::uint32_t width = laneBytes;
    const auto narrower = [&](const Vec& to, const Vec& a, const Vec& b) {
        put(width == 2 ? Inst::kIdVpacksswb : Inst::kIdVpackssdw, to, a, b);
        width = width == 2 ? 1 : width / 2;
    };
    if (i.bytes == 64) {
        narrower(kC, kC, kA);
        put(Inst::kIdVpermq, kC, kC, Imm(0xd8));
    }
    if (width != 1 && i.bytes >= 32) {
        put(Inst::kIdVextracti128, kB.xmm(), kC, Imm(1));
        narrower(x, x, kB.xmm());
    }
    put(Inst::kIdVpxor, zero, zero, zero);
    while (width != 1) narrower(x, x, zero);
    const Mem kept = frame(kScalar, 8);
    const Mem to = maskPlace(i.operand[0].id(), 8);
    put(Inst::kIdMov, kept, rax);
    put(Inst::kIdVpmovmskb, eax, i.bytes == 64 && laneBytes == 2 ? Vec(kC) : Vec(x));
    if (i.mask != 0) put(Inst::kIdVmovd, x, eax);
    if (i.mask == 0) put(Inst::kIdMov, to, rax);
    put(Inst::kIdMov, rax, kept);
    if (i.mask == 0) return;
    put(Inst::kIdVmovq, zero, maskPlace(i.mask, 8));
    put(Inst::kIdVpand, x, x, zero);
    put(Inst::kIdVmovq, to, x);
}

}  // namespace zetl::emulator::translate
