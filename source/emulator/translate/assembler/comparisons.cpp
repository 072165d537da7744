// Comparisons: lanes of all ones or zero, in registers, until a bit per lane is needed.
#include <algorithm>
#include <bit>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

enum class Compared : std::uint8_t { integers, singles, doubles, bits, signs };
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
    {Inst::kIdVptestnmq, Compared::bits, 8, false, 1},    {Inst::kIdVptestmw, Compared::bits, 2, false, 0},
    {Inst::kIdVptestnmw, Compared::bits, 2, false, 1},    {Inst::kIdVpmovd2m, Compared::signs, 4, false, 0},
    {Inst::kIdVpmovq2m, Compared::signs, 8, false, 0},
};
constexpr InstructionTable kComparisonTable(kComparisons);
asmjit::InstId greaterIn(std::uint32_t laneBytes) { return laneBytes == 4 ? Inst::kIdVpcmpgtd : Inst::kIdVpcmpgtq; }

constexpr std::uint8_t kInOrder = 0xd8;  // of vpermq and vpshufd, behind a packing

}  // namespace

bool Avx2Assembler::compare(const Wide& i) {
    const Comparison* const what = kComparisonTable.find(i.id);
    if (what == nullptr || !Reg::isKReg(i.operand[0])) return false;
    limitPending();
    const std::uint32_t value = ++values_;
    const std::uint32_t bytes = std::min(i.bytes, 32u);
    const std::uint32_t perHalf = bytes / what->laneBytes;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Vec to = fresh(bytes);
        compareHalf(i, h, to);
        if (i.mask != 0) put(Inst::kIdVpand, to, to, lanesOf(i.mask, h, what->laneBytes, bytes));
        // Masks of no use yet do not keep it: it may not be given to the other half.
        takeLanes(to, value, h * perHalf, what->laneBytes);
        keepLonger(to.id());
    }
    becomesPending(i.operand[0].id(), value, what->laneBytes, i.halves() * perHalf);
    return true;
}

void Avx2Assembler::becomesPending(std::uint32_t mask, std::uint32_t value, std::uint32_t laneBytes,
                                   std::uint32_t lanes) {
    beforeMaskChanges(mask);
    state_.masks[mask] = {.value = value,
                          .shift = 0,
                          .bits = static_cast<std::uint8_t>(lanes),
                          .stored = false,
                          .laneBytes = static_cast<std::uint8_t>(laneBytes),
                          .live = true};
}

/// Some registers must be left for other things.
void Avx2Assembler::limitPending() {
    constexpr int kMost = 6;
    if (std::popcount(pinnedRegisters()) <= kMost) return;
    for (std::uint32_t k = 0; k < state_.masks.size(); ++k)
        if (state_.masks[k].live && state_.masks[k].laneBytes != 0) storeMask(k);
}

void Avx2Assembler::compareHalf(const Wide& i, std::uint32_t number, const Vec& to) {
    const Comparison& what = *kComparisonTable.find(i.id);
    const std::uint32_t bytes = to.size();
    if (what.what == Compared::singles || what.what == Compared::doubles) {
        const Vec x = loaded(i.operand[1], number);
        put(what.what == Compared::singles ? Inst::kIdVcmpps : Inst::kIdVcmppd, to, x, half(i.operand[2], number),
            i.operand[3]);
        return;
    }
    bool inverted = false;
    if (what.what == Compared::signs) {
        const Vec x = loaded(i.operand[1], number);
        const Vec zero = sized(kB.id(), bytes);
        put(Inst::kIdVpxor, zero, zero, zero);
        put(greaterIn(what.laneBytes), to, zero, x);
    } else if (what.what == Compared::bits) {
        const Vec zero = sized(kB.id(), bytes);
        Vec x = loaded(i.operand[1], number);
        put(Inst::kIdVpxor, zero, zero, zero);
        if (i.operand[2].isMem() || i.operand[2].id() != i.operand[1].id()) {
            put(Inst::kIdVpand, to, x, half(i.operand[2], number));
            x = to;
        }
        put(equalIn(what.laneBytes), to, x, zero);
        inverted = what.predicate == 0;
    } else {
        const int predicate = what.predicate < 0 ? i.immediate(3) : what.predicate;
        const bool equality = predicate == 0 || predicate == 4;
        const bool turned = predicate == 1 || predicate == 5;  // less, or not less
        inverted = predicate == 4 || predicate == 2 || predicate == 5;
        if (equality) {
            const Vec x = loaded(i.operand[1], number);
            put(equalIn(what.laneBytes), to, x, half(i.operand[2], number));
        } else if (what.isUnsigned && what.laneBytes == 4) {
            // The lesser or greater of both is the first where it is at most, or at least, the second.
            const bool atMost = predicate == 2 || predicate == 6;
            const Vec x = loaded(i.operand[1], number);
            put(atMost ? Inst::kIdVpminud : Inst::kIdVpmaxud, to, x, half(i.operand[2], number));
            put(Inst::kIdVpcmpeqd, to, to, x);
            inverted = predicate == 1 || predicate == 6;
        } else if (what.isUnsigned) {
            const Vec signs = sized(kA.id(), bytes);
            const Vec other = sized(kB.id(), bytes);
            put(Inst::kIdVmovdqu, signs, constant(kSigns64, bytes));
            put(Inst::kIdVpxor, other, signs, half(i.operand[turned ? 1 : 2], number));
            put(Inst::kIdVpxor, to, signs, half(i.operand[turned ? 2 : 1], number));
            put(greaterIn(what.laneBytes), to, to, other);
        } else {
            const Vec x = loaded(i.operand[turned ? 2 : 1], number);
            put(greaterIn(what.laneBytes), to, x, half(i.operand[turned ? 1 : 2], number));
        }
    }
    if (inverted) put(Inst::kIdVpxor, to, to, constant(kOnes, bytes));
}

std::optional<Vec> Avx2Assembler::findLanes(std::uint32_t value, std::uint32_t first, std::uint32_t laneBytes,
                                            std::uint32_t bytes) {
    const std::uint32_t key = State::keyOf(value, first, laneBytes);
    for (std::uint32_t n = 0; n < state_.registers.size(); ++n) {
        const State::Register& r = state_.registers[n];
        if (r.what != State::Holds::lanes || r.of != key || (r.dirty && bytes > 16)) continue;
        use(n);
        return sized(n, bytes);
    }
    return std::nullopt;
}

/// All of a comparison, in their order; none if some are missing.
std::vector<Vec> Avx2Assembler::pendingLanes(std::uint32_t mask) {
    const State::Mask& m = state_.masks[mask];
    std::vector<Vec> lanes;
    if (m.laneBytes == 0) return lanes;
    const std::uint32_t perHalf = 32u / m.laneBytes;
    const std::uint32_t bytes = m.bits < perHalf ? 16 : 32;
    for (std::uint32_t first = 0; first < m.bits; first += perHalf) {
        const auto found = findLanes(m.value, first, m.laneBytes, bytes);
        if (!found) return {};
        lanes.push_back(*found);
    }
    return lanes;
}

/// A bit each. Keeps the flags.
void Avx2Assembler::bitsOfLanes(std::uint32_t mask, const Gp& to) {
    const std::uint32_t laneBytes = state_.masks[mask].laneBytes;
    const std::vector<Vec> lanes = pendingLanes(mask);
    const std::size_t count = lanes.size();
    const auto dwords = [&](const Ymm& into, std::size_t first) {
        if (laneBytes == 4) return lanes[first / 2];
        put(Inst::kIdVshufps, into, lanes[first], lanes[first + 1], Imm(0x88));
        put(Inst::kIdVpermq, into, into, Imm(kInOrder));
        return Vec(into);
    };
    const auto words = [&](const Ymm& into, const Ymm& spare, std::size_t first) {
        const Vec a = dwords(into, first);
        const Vec b = dwords(spare, first + 2);
        put(Inst::kIdVpackssdw, into, a, b);
    };
    if (count == 0 || !std::has_single_bit(count) || count > laneBytes) {
        failed_ = true;
        return;
    }
    if (laneBytes == 2) {
        if (count == 1) {
            put(Inst::kIdVextracti128, kB.xmm(), lanes[0], Imm(1));
            put(Inst::kIdVpacksswb, kA.xmm(), Xmm(lanes[0].id()), kB.xmm());
            put(Inst::kIdVpmovmskb, to, kA.xmm());
            return;
        }
        put(Inst::kIdVpacksswb, kA, lanes[0], lanes[1]);
        put(Inst::kIdVpermq, kA, kA, Imm(kInOrder));
        put(Inst::kIdVpmovmskb, to, kA);
        return;
    }
    const std::size_t dwordHalves = laneBytes == 8 ? count / 2 : count;
    if (count == 1) {
        put(laneBytes == 8 ? Inst::kIdVmovmskpd : Inst::kIdVmovmskps, to, lanes[0]);
    } else if (dwordHalves == 1) {
        put(Inst::kIdVmovmskps, to, dwords(kA, 0));
    } else if (dwordHalves == 2) {
        words(kA, kB, 0);
        put(Inst::kIdVextracti128, kB.xmm(), kA, Imm(1));
        put(Inst::kIdVpacksswb, kA.xmm(), kA.xmm(), kB.xmm());
        put(Inst::kIdVpshufd, kA.xmm(), kA.xmm(), Imm(kInOrder));
        put(Inst::kIdVpmovmskb, to, kA.xmm());
    } else {
        words(kA, kB, 0);
        words(kB, kC, 4);
        put(Inst::kIdVpacksswb, kA, kA, kB);
        put(Inst::kIdVmovdqu, kB, constant(kInterlaced, 32));
        put(Inst::kIdVpermd, kA, kB, kA);
        put(Inst::kIdVpmovmskb, to, kA);
    }
}

void Avx2Assembler::jumpIfAnyHas(const Zmm& lanes, const Mem& bits, const asmjit::Label& to) {
    release();
    const Vec first = loaded(lanes, 0);
    put(Inst::kIdVpor, kA, first, half(lanes, 1));
    put(Inst::kIdVptest, kA, half(bits, 0));
    jnz(to);
}

/// The jump behind kortest, if that came before.
void Avx2Assembler::endTest(InstId& jump) {
    if (tested_) askTested(jump);
    if (forgetsTested_) forgetMasks(kFirstTemporaryMask, kLanesOfMessage);
    forgetsTested_ = false;
}

/// kortest sets one flag if no lane is on and one if all lanes are: the jump shows which one is needed.
void Avx2Assembler::askTested(InstId& jump) {
    const Tested tested = *tested_;
    const bool some = jump == Inst::kIdJc || jump == Inst::kIdJb || jump == Inst::kIdJnae;
    const bool all = some || jump == Inst::kIdJnc || jump == Inst::kIdJnb || jump == Inst::kIdJae;
    if (askLanes(all)) return;
    tested_.reset();
    put(Inst::kIdCmp, bytesOfMask(tested.mask, tested.bytes), Imm(all ? -1 : 0));
    if (all) jump = some ? Inst::kIdJe : Inst::kIdJne;
}

/// vptest sets the same flags, if the lanes are those that kortest tests.
bool Avx2Assembler::askLanes(bool all) {
    const std::vector<Vec> lanes = pendingLanes(tested_->mask);
    if (lanes.empty() || state_.masks[tested_->mask].bits != tested_->bytes * 8 || lanes[0].size() != 32) return false;
    Vec together = lanes[0];
    for (std::size_t n = 1; n < lanes.size(); ++n) {
        put(all ? Inst::kIdVpand : Inst::kIdVpor, kA, together, lanes[n]);
        together = kA;
    }
    put(Inst::kIdVptest, together, all ? Operand(constant(kOnes, 32)) : Operand(together));
    tested_.reset();
    return true;
}

}  // namespace zetl::emulator::translate
