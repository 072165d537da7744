// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Comparison of lanes into flag bits.
#include "emulator/translate/lanes/flags.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneType;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kUnordered = 3;  // of vcmpps
// By the hardware's conditions eq ne gt ge lt le, 1 to 6.
constexpr std::uint8_t kIntegerPredicates[] = {0, 0, 4, 6, 5, 1, 2};
constexpr std::uint8_t kRealPredicates[] = {0, 0x00, 0x04, 0x1e, 0x1d, 0x11, 0x12};

}  // namespace

void Comparisons::compareVectors(KReg k, const Meaning& what, std::uint32_t condition, Vec x, Vec y) {
    switch (what.lanes) {
        case LaneType::i32:
            a_.vpcmpd(k, x, y, kIntegerPredicates[condition]);
            return;
        case LaneType::u32:
            a_.vpcmpud(k, x, y, kIntegerPredicates[condition]);
            return;
        case LaneType::i64:
            a_.vpcmpq(k, x, y, kIntegerPredicates[condition]);
            return;
        case LaneType::u64:
            a_.vpcmpuq(k, x, y, kIntegerPredicates[condition]);
            return;
        default:
            break;
    }
    const InstId id = what.lanes == LaneType::f32 ? Inst::kIdVcmpps : Inst::kIdVcmppd;
    if (condition == isa::kUnorderedCompare) {
        a_.emit(id, k, x, y, asmjit::Imm(kUnordered));
        return;
    }
    const bool orNan = condition > isa::kOrNan;
    a_.emit(id, k, x, y, asmjit::Imm(kRealPredicates[orNan ? condition - isa::kOrNan : condition]));
    if (!orNan) return;
    a_.emit(id, k5, y, y, asmjit::Imm(kUnordered));
    a_.korw(k, k, k5);
}

void Comparisons::combine(const Step& m, const FlagLogic& logic) {
    const auto bitsTo = [this](const Gp& to, const FlagLogic::Source& source) {
        mirrors_.flagTo(to, source.number);
        if (source.inverted) a_.not_(to);
    };
    bitsTo(ecx, logic.sources[0]);
    bitsTo(eax, logic.sources[1]);
    const InstId combine = logic.opcode == isa::Opcode::bitAnd  ? Inst::kIdAnd
                           : logic.opcode == isa::Opcode::bitOr ? Inst::kIdOr
                                                                : Inst::kIdXor;
    a_.emit(combine, ecx, eax);
    if (logic.inverted) a_.not_(ecx);
    masks_.mergeFlags(m);
}

/// The thread leaves unless all lanes compare as its group's plan requires. A flag that is not used keeps its value.
bool Comparisons::guard(const Step& m, const Meaning& what, Guard wanted, const Label& refused) {
    if (wanted == Guard::none) return true;
    const std::uint32_t perVector = RegisterCache::kSlotBytes / isa::byteSize(what.lanes);
    const bool holds = wanted == Guard::holds;
    for (std::uint32_t v = 0; v < m.chunks * 16u / perVector; ++v) {
        cache_.release();
        const Vec x = values_.source(m.src[0], v, what, 1);
        const Vec y = values_.source(m.src[1], v, what, 2);
        compareVectors(v == 0 ? k3 : k4, what, what.row, x, y);
        if (v != 0) holds ? a_.kandw(k3, k3, k4) : a_.korw(k3, k3, k4);
    }
    perVector == 8 ? a_.kortestb(k3, k3) : a_.kortestw(k3, k3);
    holds ? a_.jnc(refused) : a_.jnz(refused);
    return true;
}

bool Comparisons::compare(const Step& m, const Meaning& what) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / laneBytes;
    const std::uint32_t vectors = what.wide ? m.chunks * 16u / perVector : 1;
    const KReg bits = masks_.flagMask(m.mask);
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        const Vec x = values_.source(m.src[0], v, what, 1);
        const Vec y = values_.source(m.src[1], v, what, 2);
        compareVectors(vectors == 1 ? bits : v % 2 == 0 ? k3 : k4, what, what.row, x, y);
        if (v % 2 == 0) continue;
        const KReg both = vectors == 2 ? bits : v == 1 ? k2 : k3;
        perVector == 8 ? a_.kunpckbw(both, k4, k3) : a_.kunpckwd(both, k4, k3);
    }
    if (vectors > 2) {
        masks_.forgetShifted();  // k2 was for lanes that are on
        a_.kunpckwd(bits, k3, k2);
    }
    masks_.mergeFlags(m, bits);
    return true;
}

/// Bits of a flag as lanes of 64 bits, all ones or zero.
bool Comparisons::spread(const Step& m) {
    constexpr std::uint32_t kLanesOfVector = 8;
    spreadTo(m);
    for (std::uint32_t v = 0; v < m.chunks * 16u / kLanesOfVector; ++v) {
        cache_.release();
        if (v != 0) a_.kshiftrd(k3, k3, kLanesOfVector);
        a_.vpmovm2q(cache_.replace(m.dst + v * RegisterCache::kSlotBytes), k3);
    }
    return true;
}

/// The bits in k3.
void Comparisons::spreadTo(const Step& m) {
    const std::uint32_t shift = (m.mask.shift + (m.mask.flag & 1) * 16u) & 31;
    const std::uint32_t number = m.mask.flag >> 1;
    cache_.store(layout::kFlags + number * 4u, 4);
    mirrors_.flagTo(eax, number);
    if (shift != 0) a_.shr(eax, shift);
    a_.kmovd(k3, eax);
}

}  // namespace zetl::emulator::translate
