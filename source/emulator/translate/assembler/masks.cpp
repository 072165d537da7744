// Mask registers, which are in the frame, eight bytes each. A copy or part of another mask is made when its bits are
// needed.
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

enum class Action : std::uint8_t { move, bits, complement, shiftRight, unpack, test };
struct OnMasks {
    asmjit::InstId id;
    Action action;
    std::uint8_t bytes;  ///< of lanes' bits that count; of unpack, of each half
    asmjit::InstId onVectors = 0;
    bool complement = false;
};
constexpr OnMasks kOnMasks[] = {
    {Inst::kIdKmovb, Action::move, 1},
    {Inst::kIdKmovw, Action::move, 2},
    {Inst::kIdKmovd, Action::move, 4},
    {Inst::kIdKmovq, Action::move, 8},
    {Inst::kIdKandb, Action::bits, 1, Inst::kIdVpand},
    {Inst::kIdKandw, Action::bits, 2, Inst::kIdVpand},
    {Inst::kIdKandd, Action::bits, 4, Inst::kIdVpand},
    {Inst::kIdKandnb, Action::bits, 1, Inst::kIdVpandn},
    {Inst::kIdKandnw, Action::bits, 2, Inst::kIdVpandn},
    {Inst::kIdKandnd, Action::bits, 4, Inst::kIdVpandn},
    {Inst::kIdKorb, Action::bits, 1, Inst::kIdVpor},
    {Inst::kIdKorw, Action::bits, 2, Inst::kIdVpor},
    {Inst::kIdKord, Action::bits, 4, Inst::kIdVpor},
    {Inst::kIdKxorw, Action::bits, 2, Inst::kIdVpxor},
    {Inst::kIdKxorb, Action::bits, 1, Inst::kIdVpxor},
    {Inst::kIdKxnorb, Action::bits, 1, Inst::kIdVpxor, true},
    {Inst::kIdKxnorw, Action::bits, 2, Inst::kIdVpxor, true},
    {Inst::kIdKxnord, Action::bits, 4, Inst::kIdVpxor, true},
    {Inst::kIdKnotb, Action::complement, 1},
    {Inst::kIdKnotw, Action::complement, 2},
    {Inst::kIdKnotd, Action::complement, 4},
    {Inst::kIdKshiftrb, Action::shiftRight, 1},
    {Inst::kIdKshiftrw, Action::shiftRight, 2},
    {Inst::kIdKshiftrd, Action::shiftRight, 4},
    {Inst::kIdKshiftrq, Action::shiftRight, 8},
    {Inst::kIdKunpckbw, Action::unpack, 1},
    {Inst::kIdKunpckwd, Action::unpack, 2},
    {Inst::kIdKunpckdq, Action::unpack, 4},
    {Inst::kIdKortestb, Action::test, 1},
    {Inst::kIdKortestw, Action::test, 2},
    {Inst::kIdKortestd, Action::test, 4},
};
constexpr InstructionTable kOnMaskTable(kOnMasks);

/// The place of the constant with the bits of so many lanes.
std::uint32_t widthAt(std::uint32_t bits) { return 8 * static_cast<std::uint32_t>(std::countr_zero(bits / 8)); }

}  // namespace

bool Avx2Assembler::onMasks(const Wide& i) {
    if (i.id == Inst::kIdKtestw) return testMasks(i);
    const OnMasks* const what = kOnMaskTable.find(i.id);
    if (what == nullptr) return maskToLanes(i);
    switch (what->action) {
        case Action::move:
            return moveMask(i, what->bytes);
        case Action::test:
            if (i.operand[0].id() != i.operand[1].id()) return false;
            tested_ = Tested{i.operand[0].id(), what->bytes};
            return true;
        case Action::shiftRight:
            return shiftMask(i, what->bytes);
        case Action::unpack:
            return joinMasks(i, what->bytes);
        default:
            return onLanes(i, what->bytes) || onBits(i, what->bytes);
    }
}

/// Views of its value take their bits before they change.
void Avx2Assembler::beforeMaskChanges(std::uint32_t number) {
    if (!state_.masks[number].stored) return;  // then they have others
    const std::uint32_t value = state_.masks[number].value;
    for (std::uint32_t k = 0; k < state_.masks.size(); ++k) {
        const State::Mask& m = state_.masks[k];
        if (k != number && m.live && m.value == value && !m.stored) storeMask(k);
    }
}
/// Of a new value, unless it is a known one.
void Avx2Assembler::maskIsStored(std::uint32_t number, std::uint32_t bits, std::uint32_t value) {
    state_.masks[number] = {
        .value = value != 0 ? value : ++values_, .bits = static_cast<std::uint8_t>(bits), .stored = true, .live = true};
}

/// Its bits are in its place from now on. Keeps the flags.
void Avx2Assembler::storeMask(std::uint32_t number) {
    State::Mask& m = state_.masks[number];
    if (m.stored) return;
    if (m.laneBytes != 0) {
        put(Inst::kIdMov, frame(kScalar, 8), rax);
        bitsOfLanes(number, eax);
        put(Inst::kIdMov, maskPlace(number, 8), rax);
        put(Inst::kIdMov, rax, frame(kScalar, 8));
        m.laneBytes = 0;
        m.stored = true;
        return;
    }
    for (std::uint32_t k = 0; k < state_.masks.size(); ++k) {
        const State::Mask& base = state_.masks[k];
        if (!base.stored || !hasBitsOf(base, m)) continue;
        const std::uint32_t by = m.shift - base.shift;
        bitsTo(kA.xmm(), k);
        if (by != 0) put(Inst::kIdVpsrlq, kA.xmm(), kA.xmm(), Imm(by));
        if (base.bits > m.bits + by) {
            Mem width = constant(kWidths, 8);
            width.addOffset(widthAt(m.bits));
            put(Inst::kIdVmovq, kC.xmm(), width);
            put(Inst::kIdVpand, kA.xmm(), kA.xmm(), kC.xmm());
        }
        put(Inst::kIdVmovq, maskPlace(number, 8), kA.xmm());
        m.stored = true;
        return;
    }
    failed_ = true;
}

/// Where so many bytes of its bits are: in the place of the mask of which it is a part, if they begin there with a
/// byte.
Avx2Assembler::Mem Avx2Assembler::bytesOfMask(std::uint32_t number, std::uint32_t bytes) {
    const State::Mask& m = state_.masks[number];
    if (!m.stored && m.laneBytes == 0 && m.bits >= 8 * bytes) {
        for (std::uint32_t k = 0; k < state_.masks.size(); ++k) {
            const State::Mask& base = state_.masks[k];
            const std::uint32_t by = m.shift - std::uint32_t{base.shift};
            if (!base.stored || !hasBitsOf(base, m) || by % 8 != 0) continue;
            Mem place = maskPlace(k, bytes);
            place.addOffset(by / 8);
            return place;
        }
    }
    storeMask(number);
    return maskPlace(number, bytes);
}

void Avx2Assembler::bitsTo(const Xmm& to, std::uint32_t mask) {
    storeMask(mask);
    const bool narrow = state_.masks[mask].bits <= 32;
    put(narrow ? Inst::kIdVmovd : Inst::kIdVmovq, to, maskPlace(mask, narrow ? 4 : 8));
}

/// And, or, exclusive or, complement where a comparison is lanes still.
bool Avx2Assembler::onLanes(const Wide& i, std::uint32_t bytes) {
    const OnMasks& what = *kOnMaskTable.find(i.id);
    const bool single = what.action == Action::complement;
    const std::uint32_t first = i.operand[1].id();
    const std::uint32_t second = i.operand[single ? 1 : 2].id();
    const std::uint32_t lanes = bytes * 8;
    const std::uint32_t widest = std::max(state_.masks[first].laneBytes, state_.masks[second].laneBytes);
    if (widest < 4) return false;
    const std::uint32_t laneBytes = lanes * widest > 64 ? 4 : widest;
    const std::vector<Vec> a = lanesFor(first, lanes, laneBytes);
    const std::vector<Vec> b = single ? a : lanesFor(second, lanes, laneBytes);
    if (a.empty() || a.size() != b.size()) return false;
    const std::uint32_t value = ++values_;
    for (std::uint32_t h = 0; h < a.size(); ++h) {
        const Vec to = fresh(a[h].size());
        if (!single) put(what.onVectors, to, a[h], b[h]);
        if (single || what.complement) put(Inst::kIdVpxor, to, single ? a[h] : to, constant(kOnes, to.size()));
        takeLanes(to, value, h * to.size() / laneBytes, laneBytes);
    }
    becomesPending(i.operand[0].id(), value, laneBytes, lanes);
    return true;
}

bool Avx2Assembler::onBits(const Wide& i, std::uint32_t bytes) {
    const OnMasks& what = *kOnMaskTable.find(i.id);
    const std::uint32_t number = i.operand[0].id();
    const std::uint32_t bits = bytes * 8;
    const bool single = what.action == Action::complement;
    if (!single && what.complement && bits <= 32 && i.operand[1].id() == i.operand[2].id()) {  // all
        beforeMaskChanges(number);
        if (bits == 32) {
            put(Inst::kIdMov, maskPlace(number, 8), Imm(0));
            put(Inst::kIdMov, maskPlace(number, 4), Imm(-1));
        } else {
            put(Inst::kIdMov, maskPlace(number, 8), Imm((1 << bits) - 1));
        }
        maskIsStored(number, bits, State::kAllOnes);
        return true;
    }
    const Xmm x = kA.xmm();
    storeMask(i.operand[1].id());
    if (!single) storeMask(i.operand[2].id());
    beforeMaskChanges(number);  // by way of the same registers
    bitsTo(x, i.operand[1].id());
    if (!single) {
        bitsTo(kB.xmm(), i.operand[2].id());
        put(what.onVectors, x, x, kB.xmm());
    }
    if (single || what.complement) put(Inst::kIdVpxor, x, x, constant(kOnes, 16));
    Mem width = constant(kWidths, 8);
    width.addOffset(widthAt(bits));
    put(Inst::kIdVmovq, kC.xmm(), width);
    put(Inst::kIdVpand, x, x, kC.xmm());
    put(Inst::kIdVmovq, maskPlace(number, 8), x);
    maskIsStored(number, bits);
    return true;
}

/// kunpck: the bits of one behind those of another.
bool Avx2Assembler::joinMasks(const Wide& i, std::uint32_t bytes) {
    const std::uint32_t number = i.operand[0].id();
    const std::uint32_t high = i.operand[1].id();
    const std::uint32_t low = i.operand[2].id();
    const std::uint32_t lanes = bytes * 8;
    const State::Mask x = state_.masks[low];
    const State::Mask y = state_.masks[high];
    const auto fits = [&](const State::Mask& m) {
        return m.laneBytes != 0 && m.laneBytes == x.laneBytes && m.bits == lanes && m.shift == 0;
    };
    if (low != high && fits(x) && fits(y) && !pendingLanes(low).empty() && !pendingLanes(high).empty()) {
        const std::uint32_t value = ++values_;
        for (State::Register& r : state_.registers) {
            if (r.what != State::Holds::lanes || (r.of >> 6 & 15) != x.laneBytes) continue;
            const std::uint32_t first = r.of & 63;
            if (State::valueOf(r.of) == x.value) r.of = State::keyOf(value, first, x.laneBytes);
            if (State::valueOf(r.of) == y.value) r.of = State::keyOf(value, first + lanes, x.laneBytes);
        }
        // What they were is nowhere any more.
        state_.masks[low].live = state_.masks[high].live = false;
        becomesPending(number, value, x.laneBytes, 2 * lanes);
        return true;
    }
    storeMask(high);
    storeMask(low);
    beforeMaskChanges(number);
    bitsTo(kA.xmm(), high);
    bitsTo(kB.xmm(), low);
    if (state_.masks[low].bits > lanes) {
        Mem width = constant(kWidths, 8);
        width.addOffset(widthAt(lanes));
        put(Inst::kIdVmovq, kC.xmm(), width);
        put(Inst::kIdVpand, kB.xmm(), kB.xmm(), kC.xmm());
    }
    put(Inst::kIdVpsllq, kA.xmm(), kA.xmm(), Imm(lanes));
    put(Inst::kIdVpor, kA.xmm(), kA.xmm(), kB.xmm());
    if (state_.masks[high].bits > lanes && lanes < 32) {
        Mem width = constant(kWidths, 8);
        width.addOffset(widthAt(2 * lanes));
        put(Inst::kIdVmovq, kC.xmm(), width);
        put(Inst::kIdVpand, kA.xmm(), kA.xmm(), kC.xmm());
    }
    put(Inst::kIdVmovq, maskPlace(number, 8), kA.xmm());
    maskIsStored(number, 2 * lanes);
    return true;
}

bool Avx2Assembler::shiftMask(const Wide& i, std::uint32_t bytes) {
    const std::uint32_t by = i.immediate(2);
    if (by >= bytes * 8) return false;
    if (i.operand[0].id() == i.operand[1].id() && shiftLanes(i.operand[0].id(), by)) return true;
    copyMask(i.operand[0].id(), i.operand[1].id(), bytes, by);
    return true;
}

/// The same of a comparison that is lanes still, by whole registers of them.
bool Avx2Assembler::shiftLanes(std::uint32_t number, std::uint32_t by) {
    const State::Mask m = state_.masks[number];
    if (by == 0 || by >= m.bits || pendingLanes(number).empty() || by % (32u / m.laneBytes) != 0) return false;
    const std::uint32_t value = ++values_;
    for (State::Register& r : state_.registers) {
        if (r.what != State::Holds::lanes || State::valueOf(r.of) != m.value) continue;
        const std::uint32_t first = r.of & 63;
        if ((r.of >> 6 & 15) == m.laneBytes && first >= by) r.of = State::keyOf(value, first - by, m.laneBytes);
    }
    becomesPending(number, value, m.laneBytes, m.bits - by);
    return true;
}

/// Part of a mask: a view of it, whose bits are made when they are asked for.
void Avx2Assembler::copyMask(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t shift) {
    if (state_.masks[from].laneBytes != 0) storeMask(from);
    const State::Mask base = state_.masks[from];
    const std::uint32_t bits =
        std::min<std::uint32_t>(base.bits, bytes * 8) - std::min<std::uint32_t>(shift, base.bits);
    const bool round = bits >= 8 && std::has_single_bit(bits);  // else there is no constant that cuts it
    State::Mask view{.value = base.value,
                     .shift = static_cast<std::uint8_t>(base.shift + shift),
                     .bits = static_cast<std::uint8_t>(bits),
                     .stored = false,
                     .live = true};
    if (to == from || (!round && base.bits > bytes * 8)) {
        const std::uint32_t value = to == from && shift == 0 && bits == base.bits ? base.value : 0;
        storeMask(from);
        beforeMaskChanges(to);  // by way of the same registers
        bitsTo(kA.xmm(), from);
        if (base.bits > bytes * 8) {
            Mem width = constant(kWidths, 8);
            width.addOffset(widthAt(bytes * 8));
            put(Inst::kIdVmovq, kC.xmm(), width);
            put(Inst::kIdVpand, kA.xmm(), kA.xmm(), kC.xmm());
        }
        if (shift != 0) put(Inst::kIdVpsrlq, kA.xmm(), kA.xmm(), Imm(shift));
        put(Inst::kIdVmovq, maskPlace(to, 8), kA.xmm());
        maskIsStored(to, std::max(bits, 1u), value);
        return;
    }
    beforeMaskChanges(to);
    state_.masks[to] = view;
}

bool Avx2Assembler::moveMask(const Wide& i, std::uint32_t bytes) {
    const Operand& to = i.operand[0];
    const Operand& from = i.operand[1];
    if (Reg::isKReg(to) && Reg::isKReg(from)) {
        if (to.id() != from.id()) copyMask(to.id(), from.id(), bytes, 0);
        return true;
    }
    if (Reg::isKReg(to)) {
        const std::uint32_t number = to.id();
        if (!Reg::isGp(from)) return false;
        if (bytes == 4) {
            const std::uint32_t known = state_.general[from.id()];
            State::Mask& m = state_.masks[number];
            if (known != 0 && m.stored && m.value == known && m.shift == 0 && m.bits == 32) {
                m.live = true;
                return true;
            }
            beforeMaskChanges(number);
            put(Inst::kIdMov, maskPlace(number, 4), gpd(from.id()));
            maskIsStored(number, 32, known);
            state_.general[from.id()] = m.value;
            return true;
        }
        beforeMaskChanges(number);
        const Xmm x = kA.xmm();
        bytes == 8 ? put(Inst::kIdVmovq, x, gpq(from.id())) : put(Inst::kIdVmovd, x, gpd(from.id()));
        if (bytes < 4) {
            Mem width = constant(kWidths, 8);
            width.addOffset(widthAt(bytes * 8));
            put(Inst::kIdVmovq, kC.xmm(), width);
            put(Inst::kIdVpand, x, x, kC.xmm());
        }
        put(Inst::kIdVmovq, maskPlace(number, 8), x);
        maskIsStored(number, bytes * 8);
        return true;
    }
    if (!Reg::isGp(to) || !Reg::isKReg(from)) return false;
    const State::Mask m = state_.masks[from.id()];
    const bool whole = m.bits <= bytes * 8;
    if (m.laneBytes != 0 && whole) {
        bitsOfLanes(from.id(), gpd(to.id()));
    } else {
        const bool upper = bytes == 8 && m.bits > 32;
        if (upper)
            put(Inst::kIdMov, gpq(to.id()), bytesOfMask(from.id(), 8));
        else if (bytes >= 4)
            put(Inst::kIdMov, gpd(to.id()), bytesOfMask(from.id(), 4));
        else
            put(Inst::kIdMovzx, gpd(to.id()), bytesOfMask(from.id(), bytes));
    }
    // Of all ones it would be forgotten how many.
    state_.general[to.id()] = whole && m.shift == 0 && m.value != State::kAllOnes ? m.value : 0;
    return true;
}

/// Sets the zero flag if the two have no bit in common, as ktest does; its other flag is not needed.
bool Avx2Assembler::testMasks(const Wide& i) {
    storeMask(i.operand[0].id());
    storeMask(i.operand[1].id());
    const Mem kept = frame(kScalar, 8);
    put(Inst::kIdMov, kept, rax);
    put(Inst::kIdMov, eax, maskPlace(i.operand[0].id(), 4));
    put(Inst::kIdTest, maskPlace(i.operand[1].id(), 2), ax);
    put(Inst::kIdMov, rax, kept);
    return true;
}

}  // namespace zetl::emulator::translate
