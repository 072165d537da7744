// Which lanes a step reaches, as isa/step.h defines it.
#include "emulator/translate/held/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneMask;
using isa::Predicate;

bool Emitter::isSame(const LaneMask& a, const LaneMask& b) {
    const bool none = a.predicate == Predicate::none && b.predicate == Predicate::none;
    const bool alike = a.predicate == b.predicate && a.flag == b.flag && a.inverted == b.inverted;
    return a.lanes == b.lanes && a.shift == b.shift && a.noMask == b.noMask && (none || alike);
}

/// The execution mask if the body implies it, else 0.
std::uint32_t Emitter::knownActive() const {
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
std::optional<std::uint32_t> Emitter::constantLanes(const LaneMask& mask) const {
    if (mask.predicate != Predicate::none || (!mask.noMask && knownActive() == 0)) return std::nullopt;
    return (mask.noMask ? ~0u : knownActive() >> mask.shift) & mask.lanes;
}

void Emitter::enabledTo(const Gp& out, const LaneMask& mask) {
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
void Emitter::predicateTo(const Gp& out, const LaneMask& mask) {
    flagTo(out, mask.flag >> 1);
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
bool Emitter::isPlain(const LaneMask& mask) {
    return mask.predicate == Predicate::normal && !mask.inverted && (mask.flag & 1) == 0 && mask.shift == 0 &&
           mask.lanes == ~0u;
}
/// Lanes that a predicate selects, all of them without one: in the flag's mirror if it is just that, or in eax.
Gp Emitter::selected(const LaneMask& mask) {
    const std::uint32_t number = mask.flag >> 1;
    if (isPlain(mask) && isFlagHeld(number)) return flagMirror(number);
    predicateTo(eax, mask);
    if (mask.predicate == Predicate::none) a_.mov(eax, mask.lanes);
    return eax;
}

void Emitter::lanesTo(const Gp& out, const LaneMask& mask) {
    enabledTo(out, mask);
    if (mask.predicate == Predicate::none) return;
    predicateTo(r8d, mask);
    a_.and_(out, r8d);
}

void Emitter::setLanes(const LaneMask& mask) {
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
void Emitter::forgetPredicated() {
    if (lanes_ && lanes_->predicate != Predicate::none) lanes_.reset();
}

KReg Emitter::lanesOf(std::uint32_t vector, std::uint32_t lanesPerVector) {
    if (vector == 0) return k1;
    const std::uint32_t by = vector * lanesPerVector;
    if (shifted_ != by) a_.kshiftrd(k2, k1, by);
    shifted_ = by;
    return k2;
}

}  // namespace zetl::emulator::translate
