// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// What host code keeps in registers from block to block: lanes that are on; within a block flags. Memory has the same,
// so leaving needs no store: only loads would be waited for.
#include "emulator/translate/held/mirrors.h"

#include <algorithm>
#include <iterator>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;
namespace layout = isa::layout;

namespace {

const Gp kFlagMirrors[layout::kFlagRegisters] = {r13d, r14d, r15d, ebp};

const KReg kMaskHomes[] = {k6, k7};  // by a flag's number modulo their count

/// Not the spare one: a line that writes it reads it, too.
bool hasMirror(std::uint32_t flag) { return flag < layout::kFlagRegisters; }

}  // namespace

void Mirrors::load() { a_.mov(r12d, field(offsetof(Thread, active), 4)); }

void Mirrors::setActive(const Gp& lanes) {
    if (lanes != r12d) a_.mov(r12d, lanes);
    a_.mov(field(offsetof(Thread, active), 4), r12d);
}

bool Mirrors::isFlagHeld(std::uint32_t number) const {
    return hasMirror(number) && flagsHeld_[number] == cache_.flagChanges();
}
void Mirrors::flagTo(const Gp& out, std::uint32_t number) {
    if (!isFlagHeld(number))
        a_.mov(out, state(layout::kFlags + number * 4, 4));
    else if (out != kFlagMirrors[number])
        a_.mov(out, kFlagMirrors[number]);
}

KReg Mirrors::maskHome(std::uint32_t number) { return kMaskHomes[number % std::size(kMaskHomes)]; }

/// It has this flag's bits from now on, if it is one that stays.
void Mirrors::holdMask(std::uint32_t number, const KReg& mask) {
    const auto* const home = std::ranges::find(kMaskHomes, mask);
    if (home != std::end(kMaskHomes)) flagMasks_[home - kMaskHomes] = {number, cache_.flagChanges()};
}

std::optional<KReg> Mirrors::heldMask(std::uint32_t number) const {
    const FlagMask& mask = flagMasks_[number % std::size(kMaskHomes)];
    if (mask.flag != number || mask.held != cache_.flagChanges()) return {};
    return maskHome(number);
}

/// Where a flag is put together.
Gp Mirrors::flagMirror(std::uint32_t number) { return hasMirror(number) ? kFlagMirrors[number] : edx; }
void Mirrors::setFlag(std::uint32_t number, const Gp& value) {
    const std::uint32_t place = layout::kFlags + number * 4;
    const std::uint32_t before = cache_.flagChanges();
    cache_.evict(place, 4);
    a_.mov(state(place, 4), value);
    for (auto& held : flagsHeld_)
        if (held == before) held = cache_.flagChanges();
    for (FlagMask& mask : flagMasks_)
        if (mask.flag == number)
            mask.held.reset();
        else if (mask.held == before)
            mask.held = cache_.flagChanges();
    if (!hasMirror(number)) return;
    if (value != kFlagMirrors[number]) a_.mov(kFlagMirrors[number], value);
    flagsHeld_[number] = cache_.flagChanges();
}

}  // namespace zetl::emulator::translate
