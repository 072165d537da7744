// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Which lanes a step reaches, as isa/step.h defines it.
#include "emulator/translate/held/masks.h"

#include <bit>

#include "emulator/isa/code.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneMask;
using isa::Predicate;

bool Masks::isSame(const LaneMask& a, const LaneMask& b) {
    const bool none = a.predicate == Predicate::none && b.predicate == Predicate::none;
    const bool alike = a.predicate == b.predicate && a.flag == b.flag && a.inverted == b.inverted;
    return a.lanes == b.lanes && a.shift == b.shift && a.noMask == b.noMask && (none || alike);
}

/// The execution mask if the body implies it, else 0.
std::uint32_t Masks::knownActive() const {
    switch (static_cast<isa::Version>(body_)) {
        case isa::Version::lanes16:
            return 0xffff;
        case isa::Version::lanes32:
            return ~0u;
        default:
            return 0;
    }
}

/// The lanes that are on, where they are the same whenever the step runs.
std::optional<std::uint32_t> Masks::constantLanes(const LaneMask& mask) const {
    if (mask.predicate != Predicate::none || (!mask.noMask && knownActive() == 0)) return std::nullopt;
    return (mask.noMask ? ~0u : knownActive() >> mask.shift) & mask.lanes;
}

void Masks::enabledTo(const Gp& out, const LaneMask& mask) {
    const std::uint32_t known = mask.noMask ? ~0u : knownActive() >> mask.shift;
    if (mask.noMask || knownActive() != 0) {
        a_.mov(out, known & mask.lanes);
        return;
    }
    a_.mov(out, r12d);
    if (mask.shift != 0) a_.shr(out, mask.shift);
    if (mask.lanes != ~0u) a_.and_(out, mask.lanes);
}

/// All ones or nothing in r8d, for the predicates that look at all lanes at once.
void Masks::predicateTo(const Gp& out, const LaneMask& mask) {
    mirrors_.flagTo(out, mask.flag >> 1);
    if ((mask.flag & 1) != 0) a_.shr(out, 16);
    if (mask.shift != 0) a_.shr(out, mask.shift);
    if (mask.predicate == Predicate::normal) {
        if (mask.inverted) a_.not_(out);
        if (mask.lanes != ~0u) a_.and_(out, mask.lanes);
        return;
    }
    const bool any = mask.predicate == Predicate::any;
    if (mask.lanes != ~0u) a_.and_(out, mask.lanes);
    a_.cmp(out, any ? 0 : mask.lanes);
    const bool whenEqual = any == mask.inverted;
    whenEqual ? a_.sete(out.r8()) : a_.setne(out.r8());
    a_.movzx(out, out.r8());
    a_.neg(out);
    if (mask.lanes != ~0u) a_.and_(out, mask.lanes);
}

/// Whether a predicate is a whole flag as it is.
bool Masks::isPlain(const LaneMask& mask) {
    return mask.predicate == Predicate::normal && !mask.inverted && (mask.flag & 1) == 0 && mask.shift == 0 &&
           mask.lanes == ~0u;
}
/// Lanes that a predicate selects, all of them without one: in the flag's mirror if it is just that, or in eax.
Gp Masks::selected(const LaneMask& mask) {
    const std::uint32_t number = mask.flag >> 1;
    if (isPlain(mask) && mirrors_.isFlagHeld(number)) return mirrors_.flagMirror(number);
    predicateTo(eax, mask);
    if (mask.predicate == Predicate::none) a_.mov(eax, mask.lanes);
    return eax;
}

void Masks::lanesTo(const Gp& out, const LaneMask& mask) {
    enabledTo(out, mask);
    if (mask.predicate == Predicate::none) return;
    predicateTo(r8d, mask);
    a_.and_(out, r8d);
}

void Masks::setLanes(const LaneMask& mask) {
    if (lanes_ && isSame(*lanes_, mask)) return;
    a_.forgetLanes();
    const bool active = !mask.noMask && knownActive() == 0 && mask.predicate == Predicate::none;
    if (active && mask.shift == 0 && mask.lanes == ~0u) {
        a_.kmovd(k1, r12d);
    } else {
        lanesTo(eax, mask);
        a_.kmovd(k1, eax);
    }
    lanes_ = mask;
    shifted_ = 0;
}
void Masks::forgetPredicated() {
    if (lanes_ && lanes_->predicate != Predicate::none) lanes_.reset();
}

KReg Masks::lanesOf(std::uint32_t vector, std::uint32_t lanesPerVector) {
    if (vector == 0) return k1;
    const std::uint32_t by = vector * lanesPerVector;
    if (shifted_ != by) a_.kshiftrd(k2, k1, by);
    shifted_ = by;
    return k2;
}

/// The bits in ecx to the flags of the lanes that are on.
void Masks::mergeFlags(const Step& m) {
    const std::uint32_t number = m.mask.flag >> 1;
    const std::uint32_t shift = m.mask.shift + (m.mask.flag & 1) * 16u;
    if (isWholeFlag(m.mask)) {
        mirrors_.setFlag(number, ecx);
        forgetPredicated();
        return;
    }
    const bool active = m.mask.predicate == isa::Predicate::none && !m.mask.noMask && knownActive() == 0;
    if (active && m.mask.lanes == ~0u && shift == 0) {
        const Gp flag = mirrors_.flagMirror(number);
        mirrors_.flagTo(flag, number);
        a_.and_(ecx, r12d);
        a_.andn(flag, r12d, flag);
        a_.or_(flag, ecx);
        mirrors_.setFlag(number, flag);
        forgetPredicated();
        return;
    }
    if (m.mask.predicate == Predicate::normal && shift == 0) return combineFlags(m.mask);
    lanesTo(eax, m.mask);
    a_.and_(ecx, eax);
    if (shift < 32) {
        if (shift != 0) {
            a_.shl(eax, shift);
            a_.shl(ecx, shift);
        }
        mirrors_.flagTo(edx, number);
        a_.andn(eax, eax, edx);
        a_.or_(eax, ecx);
        mirrors_.setFlag(number, eax);
    }
    forgetPredicated();
}

/// A comparison of the lanes that its own flag selects can only clear bits, one of the others can only set some: so
/// compilers put comparisons of 64 bits together.
void Masks::combineFlags(const LaneMask& mask) {
    const std::uint32_t number = mask.flag >> 1;
    LaneMask enabled = mask;
    enabled.predicate = Predicate::none;
    if (constantLanes(enabled) != ~0u) {
        enabledTo(eax, mask);
        if (mask.inverted) {
            a_.and_(ecx, eax);
        } else {
            a_.not_(eax);
            a_.or_(ecx, eax);
        }
    }
    const Gp flag = mirrors_.flagMirror(number);
    mirrors_.flagTo(flag, number);
    mask.inverted ? a_.or_(flag, ecx) : a_.and_(flag, ecx);
    mirrors_.setFlag(number, flag);
    forgetPredicated();
}

/// Where the bits of a whole flag are made: in a mask that stays, if the host has any.
KReg Masks::flagMask(const isa::LaneMask& mask) const {
    return isWholeFlag(mask) && !a_.hasFewRegisters() ? Mirrors::maskHome(mask.flag >> 1) : k3;
}

/// The lanes that a predicate selects: in such a mask, or in k4.
KReg Masks::selectedMask(const isa::LaneMask& mask) {
    const std::uint32_t number = mask.flag >> 1;
    if (isPlain(mask))
        if (const auto held = mirrors_.heldMask(number)) return *held;
    const Gp lanes = selected(mask);
    a_.kmovd(k4, lanes);
    return k4;
}

/// Bits to the flags of the lanes that are on.
void Masks::mergeFlags(const Step& m, const KReg& bits) {
    if (!isWholeFlag(m.mask)) {
        a_.kmovd(ecx, bits);
        return mergeFlags(m);
    }
    const Gp flag = mirrors_.flagMirror(m.mask.flag >> 1);
    a_.kmovd(flag, bits);
    mirrors_.setFlag(m.mask.flag >> 1, flag);
    mirrors_.holdMask(m.mask.flag >> 1, bits);
    forgetPredicated();
}

/// Whether all bits of the flag are written, whatever lanes are on.
bool Masks::isWholeFlag(const isa::LaneMask& mask) const {
    return constantLanes(mask) == ~0u && mask.shift == 0 && (mask.flag & 1) == 0;
}

/// The bytes of the elements that are on, if they are always the same, the lowest, and one store; else 0. A masked
/// store would make loads of them wait until all stores before it are done: so compilers write the bytes of a barrier's
/// payload.
std::uint32_t Masks::lowestBytes(const isa::LaneMask& mask, std::uint32_t element) const {
    const auto lanes = constantLanes(mask);
    if (!lanes || (*lanes & (*lanes + 1)) != 0) return 0;
    const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(*lanes)) * element;
    return std::has_single_bit(bytes) ? bytes : 0;
}

}  // namespace zetl::emulator::translate
