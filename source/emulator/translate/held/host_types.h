// The names by which host code speaks of the host and of the thread.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>

#include "emulator/isa/step.h"
#include "emulator/isa/thread.h"
#include "emulator/translate/assembler/host_assembler.h"

namespace zetl::emulator::translate {

using asmjit::InstId;
using asmjit::Label;
using asmjit::x86::Gp;
using asmjit::x86::KReg;
using asmjit::x86::Mem;
using asmjit::x86::Vec;
using asmjit::x86::Xmm;
using asmjit::x86::Zmm;
using isa::Line;
using isa::Step;
using Numbers = HostAssembler::DwordNumbers;

/// Bytes of the thread's state. rbx holds the thread.
inline Mem state(std::uint32_t place, std::uint32_t bytes = 0) {
    static_assert(offsetof(isa::Thread, state) == 0);
    return asmjit::x86::ptr(asmjit::x86::rbx, static_cast<std::int32_t>(place), bytes);
}
/// A member of the thread.
inline Mem field(std::size_t offset, std::uint32_t bytes) {
    return asmjit::x86::ptr(asmjit::x86::rbx, static_cast<std::int32_t>(offset), bytes);
}

/// A value of the host, as wide as a step's lanes need it: a temporary register.
inline Vec temporary(std::uint32_t number, bool wide) { return wide ? Vec(Zmm(number)) : Vec(Xmm(number)); }

/// The low bytes of a general register.
inline Gp ofBytes(const Gp& general, std::uint32_t bytes) {
    return bytes == 8   ? Gp(general.r64())
           : bytes == 4 ? Gp(general.r32())
           : bytes == 2 ? Gp(general.r16())
                        : Gp(general.r8());
}

}  // namespace zetl::emulator::translate
