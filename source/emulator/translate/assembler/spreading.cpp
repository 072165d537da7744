// Bits of masks become lanes of all ones or zero, or of that sign, which is all that a blend looks at; results of some
// lanes only.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

// In place of the bytes of a lane, where a key asks for something else.
constexpr std::uint32_t kAnyLanes = 3;  ///< of all ones
constexpr std::uint32_t kBroadcast = 15;
constexpr std::uint32_t signsIn(std::uint32_t laneBytes) { return laneBytes + 1; }

struct Blend {
    asmjit::InstId id;
    std::uint8_t laneBytes;
};
constexpr Blend kBlends[] = {
    {Inst::kIdVpblendmb, 1}, {Inst::kIdVpblendmw, 2}, {Inst::kIdVpblendmd, 4},
    {Inst::kIdVblendmps, 4}, {Inst::kIdVpblendmq, 8}, {Inst::kIdVblendmpd, 8},
};
constexpr InstructionTable kBlendTable(kBlends);

}  // namespace

void Avx2Assembler::takeLanes(const Vec& lanes, std::uint32_t value, std::uint32_t first, std::uint32_t laneBytes) {
    state_.hold(lanes.id(),
                {.what = State::Holds::lanes, .dirty = lanes.size() < 32, .of = State::keyOf(value, first, laneBytes)});
    use(lanes.id());
}

/// So many lanes of a mask, half by half, of dwords if they are asked for; none if that takes many registers.
std::vector<Vec> Avx2Assembler::lanesFor(std::uint32_t mask, std::uint32_t lanes, std::uint32_t laneBytes) {
    constexpr std::size_t kMost = 2;
    const State::Mask& m = state_.masks[mask];
    if (m.bits < lanes || lanes * laneBytes < 32) return {};
    std::vector<Vec> list;
    if (m.laneBytes == 0) {
        for (std::uint32_t h = 0; h < lanes * laneBytes / 32 && h < kMost; ++h)
            list.push_back(lanesOf(mask, h, laneBytes, 32));
    } else if (m.bits == lanes && m.laneBytes == laneBytes) {
        list = pendingLanes(mask);
    } else if (m.bits == lanes && m.laneBytes == 2 * laneBytes) {
        const std::vector<Vec> wide = pendingLanes(mask);
        for (std::size_t h = 0; h + 1 < wide.size(); h += 2) {
            list.push_back(fresh(32));
            put(Inst::kIdVshufps, list.back(), wide[h], wide[h + 1], Imm(0x88));
            put(Inst::kIdVpermq, list.back(), list.back(), Imm(0xd8));
        }
    }
    if (list.size() > kMost) list.clear();
    return list;
}

/// Lanes that are all ones or zero, or have that sign, if a register has them.
std::optional<Vec> Avx2Assembler::knownLanes(std::uint32_t mask, std::uint32_t number, std::uint32_t laneBytes,
                                             std::uint32_t bytes, bool signsDo) {
    const std::uint32_t within = number * 32 / laneBytes;
    if (isAll(mask) && state_.masks[mask].bits >= within + bytes / laneBytes) {
        if (auto lanes = findLanes(State::kAllOnes, 0, kAnyLanes, bytes)) return lanes;
        const Vec to = fresh(32);
        put(Inst::kIdVpcmpeqd, to, to, to);
        takeLanes(to, State::kAllOnes, 0, kAnyLanes);
        return sized(to.id(), bytes);
    }
    if (state_.masks[mask].bits < within + bytes / laneBytes) {  // beyond them the value may have others
        beforeMaskChanges(mask);
        bitsTo(kA.xmm(), mask);
        put(Inst::kIdVmovq, maskPlace(mask, 8), kA.xmm());
        maskIsStored(mask, 64);
    }
    const State::Mask& m = state_.masks[mask];
    if (auto lanes = findLanes(m.value, m.shift + within, laneBytes, bytes)) return lanes;
    return signsDo ? findLanes(m.value, m.shift + within, signsIn(laneBytes), bytes) : std::nullopt;
}

/// The mask with the bits in its place: this one, or the one of which it is a part.
std::uint32_t Avx2Assembler::placeOfBits(std::uint32_t mask) {
    if (state_.masks[mask].laneBytes != 0) storeMask(mask);
    if (state_.masks[mask].stored) return mask;
    const State::Mask& m = state_.masks[mask];
    for (std::uint32_t k = 0; k < state_.masks.size(); ++k) {
        const State::Mask& base = state_.masks[k];
        if (base.stored && hasBitsOf(base, m)) return k;
    }
    failed_ = true;
    return mask;
}

/// 32 bits of a mask in every dword.
Vec Avx2Assembler::bitsEverywhere(std::uint32_t place) {
    const State::Mask& base = state_.masks[place];
    if (const auto known = findLanes(base.value, base.shift, kBroadcast, 32)) return *known;
    const Vec to = fresh(32);
    put(Inst::kIdVpbroadcastd, to, maskPlace(place, 4));
    takeLanes(to, base.value, base.shift, kBroadcast);
    return to;
}

/// The lanes of half a vector that the mask has on, all ones, in a register that may not be changed.
Vec Avx2Assembler::lanesOf(std::uint32_t mask, std::uint32_t number, std::uint32_t laneBytes, std::uint32_t bytes) {
    if (const auto lanes = knownLanes(mask, number, laneBytes, bytes, false)) return *lanes;
    const std::uint32_t place = placeOfBits(mask);
    const State::Mask& m = state_.masks[mask];
    const std::uint32_t within = number * 32 / laneBytes;
    const std::uint32_t first = within + m.shift - state_.masks[place].shift;
    Mem from = maskPlace(place, 4);
    from.addOffset(first / 8);
    std::size_t bits = kByteBits;
    Vec to;
    if (laneBytes >= 4) {
        bits = laneBytes == 4 ? kDwordBits + first / 8 : kQwordBits + first / 4;
        const Vec all = bitsEverywhere(place);
        to = fresh(bytes);
        put(Inst::kIdVpand, to, sized(all.id(), bytes), constant(bits, bytes));
    } else {
        to = fresh(bytes);
        if (laneBytes == 2) from.setSize(2);
        put(laneBytes == 2 ? Inst::kIdVpbroadcastw : Inst::kIdVpbroadcastd, to, from);
        if (laneBytes == 2)
            bits = kWordBits;
        else
            put(Inst::kIdVpshufb, to, to, constant(kByteOfMask, bytes));
        put(Inst::kIdVpand, to, to, constant(bits, bytes));
    }
    put(equalIn(laneBytes), to, to, constant(bits, bytes));
    checkLanes(first, laneBytes, bytes);
    takeLanes(to, m.value, within + m.shift, laneBytes);
    return to;
}

/// The same for callers that look at signs of lanes only.
Vec Avx2Assembler::signsOf(std::uint32_t mask, std::uint32_t number, std::uint32_t laneBytes, std::uint32_t bytes) {
    if (laneBytes < 4) return lanesOf(mask, number, laneBytes, bytes);
    if (const auto lanes = knownLanes(mask, number, laneBytes, bytes, true)) return *lanes;
    const std::uint32_t place = placeOfBits(mask);
    const State::Mask& m = state_.masks[mask];
    const std::uint32_t within = number * 32 / laneBytes;
    const std::uint32_t first = within + m.shift - state_.masks[place].shift;
    const Vec all = bitsEverywhere(place);
    const Vec to = fresh(bytes);
    const bool dwords = laneBytes == 4;
    put(dwords ? Inst::kIdVpsllvd : Inst::kIdVpsllvq, to, sized(all.id(), bytes),
        constant(dwords ? kDwordSigns + first / 8 : kQwordSigns + first / 4, bytes));
    checkLanes(first, laneBytes, bytes);
    takeLanes(to, m.value, within + m.shift, signsIn(laneBytes));
    return to;
}

/// Whether there are constants for lanes from there on.
void Avx2Assembler::checkLanes(std::uint32_t first, std::uint32_t laneBytes, std::uint32_t bytes) {
    const std::uint32_t alignment = laneBytes == 8 ? 4 : 8;
    if (first % alignment != 0 || first + bytes / laneBytes > (laneBytes >= 4 ? 32u : 64u)) failed_ = true;
}

/// d = the mask has the lane ? y : x
bool Avx2Assembler::blend(const Wide& i) {
    const Blend* const what = kBlendTable.find(i.id);
    if (what == nullptr) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        const Vec on = signsOf(i.mask, h, what->laneBytes, std::min(i.bytes, 32u));
        const Vec x = loaded(i.operand[1], h);
        const Vec result = fresh(x.size());
        put(blendIn(what->laneBytes), result, x, half(i.operand[2], h), on);
        become(i.operand[0], h, result);
    }
    return true;
}

bool Avx2Assembler::maskToLanes(const Wide& i) {
    const std::uint32_t laneBytes = i.id == Inst::kIdVpmovm2w   ? 2
                                    : i.id == Inst::kIdVpmovm2d ? 4
                                    : i.id == Inst::kIdVpmovm2q ? 8
                                                                : 0;
    if (laneBytes == 0) return false;
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        release();
        become(i.operand[0], h, lanesOf(i.operand[1].id(), h, laneBytes, std::min(i.bytes, 32u)));
    }
    return true;
}

}  // namespace zetl::emulator::translate
