// What host code keeps in registers from block to block: lanes that are on; within a block flags. Memory has the same,
// so leaving needs no store: only loads would be waited for.
#include <algorithm>
#include <iterator>

#include "emulator/translate/held/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;
namespace layout = isa::layout;

namespace {

constexpr Gp kSaved[] = {rbx, rbp, r12, r13, r14, r15};
constexpr std::int32_t kAlignment = 8;  // of the stack, with as many saved
const Gp kFlagMirrors[layout::kFlagRegisters] = {r13d, r14d, r15d, ebp};

const KReg kMaskHomes[] = {k6, k7};  // by a flag's number modulo their count

/// Not the spare one: a line that writes it reads it, too.
bool hasMirror(std::uint32_t flag) { return flag < layout::kFlagRegisters; }

}  // namespace

void Emitter::enterFunction() {
    for (const Gp& saved : kSaved) a_.push(saved);
    a_.sub(rsp, kAlignment);
    a_.enterFrame();
    a_.mov(rbx, rdi);
}
void Emitter::leaveFunction() {
    a_.vzeroupper();
    a_.leaveFrame();
    a_.add(rsp, kAlignment);
    for (std::size_t i = std::size(kSaved); i-- > 0;) a_.pop(kSaved[i]);
    a_.ret();
}

void Emitter::loadMirrors() { a_.mov(r12d, field(offsetof(Thread, active), 4)); }

void Emitter::setActive(const Gp& lanes) {
    if (lanes != r12d) a_.mov(r12d, lanes);
    a_.mov(field(offsetof(Thread, active), 4), r12d);
}

bool Emitter::isFlagHeld(std::uint32_t number) const {
    return hasMirror(number) && flagsHeld_[number] == cache_.flagChanges();
}
void Emitter::flagTo(const Gp& out, std::uint32_t number) {
    if (!isFlagHeld(number))
        a_.mov(out, state(layout::kFlags + number * 4, 4));
    else if (out != kFlagMirrors[number])
        a_.mov(out, kFlagMirrors[number]);
}
/// The bits in ecx to the flags of the lanes that are on.
void Emitter::mergeFlags(const Step& m) {
    const std::uint32_t number = m.mask.flag >> 1;
    const std::uint32_t shift = m.mask.shift + (m.mask.flag & 1) * 16u;
    if (isWholeFlag(m.mask)) {
        setFlag(number, ecx);
        forgetPredicated();
        return;
    }
    const bool active = m.mask.predicate == isa::Predicate::none && !m.mask.noMask && knownActive() == 0;
    if (active && m.mask.lanes == ~0u && shift == 0) {
        const Gp flag = flagMirror(number);
        flagTo(flag, number);
        a_.and_(ecx, r12d);
        a_.andn(flag, r12d, flag);
        a_.or_(flag, ecx);
        setFlag(number, flag);
        forgetPredicated();
        return;
    }
    lanesTo(eax, m.mask);
    a_.and_(ecx, eax);
    if (shift < 32) {
        if (shift != 0) {
            a_.shl(eax, shift);
            a_.shl(ecx, shift);
        }
        flagTo(edx, number);
        a_.andn(eax, eax, edx);
        a_.or_(eax, ecx);
        setFlag(number, eax);
    }
    forgetPredicated();
}

// ---- the same bits as masks, where the host has registers for them ----

/// Where the bits of a whole flag are made: in a mask that stays, if the host has any.
KReg Emitter::flagMask(const isa::LaneMask& mask) const {
    return isWholeFlag(mask) && !a_.hasFewRegisters() ? kMaskHomes[(mask.flag >> 1) % std::size(kMaskHomes)] : k3;
}
/// It has this flag's bits from now on, if it is one that stays.
void Emitter::holdMask(std::uint32_t number, const KReg& mask) {
    const auto* const home = std::ranges::find(kMaskHomes, mask);
    if (home != std::end(kMaskHomes)) masks_[home - kMaskHomes] = {number, cache_.flagChanges()};
}
/// The lanes that a predicate selects: in such a mask, or in k4.
KReg Emitter::selectedMask(const isa::LaneMask& mask) {
    const std::uint32_t number = mask.flag >> 1;
    const FlagMask& held = masks_[number % std::size(kMaskHomes)];
    if (isPlain(mask) && held.flag == number && held.held == cache_.flagChanges())
        return kMaskHomes[number % std::size(kMaskHomes)];
    const Gp lanes = selected(mask);
    a_.kmovd(k4, lanes);
    return k4;
}

/// Where a flag is put together.
Gp Emitter::flagMirror(std::uint32_t number) { return hasMirror(number) ? kFlagMirrors[number] : edx; }
void Emitter::setFlag(std::uint32_t number, const Gp& value) {
    const std::uint32_t place = layout::kFlags + number * 4;
    const std::uint32_t before = cache_.flagChanges();
    cache_.evict(place, 4);
    a_.mov(state(place, 4), value);
    for (auto& held : flagsHeld_)
        if (held == before) held = cache_.flagChanges();
    for (FlagMask& mask : masks_)
        if (mask.flag == number)
            mask.held.reset();
        else if (mask.held == before)
            mask.held = cache_.flagChanges();
    if (!hasMirror(number)) return;
    if (value != kFlagMirrors[number]) a_.mov(kFlagMirrors[number], value);
    flagsHeld_[number] = cache_.flagChanges();
}

}  // namespace zetl::emulator::translate
