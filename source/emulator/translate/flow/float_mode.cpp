// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/flow/float_mode.h"

#include <utility>

#include "emulator/isa/float_mode.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;
namespace layout = isa::layout;

/// The host's floating-point mode must be what cr0, which is at home, asks for. In rcx then: the thread's hostMode.
void FloatMode::unlessSet(const Label& otherwise) {
    askedFor(otherwise);
    a_.cmp(eax, ptr(rcx, offsetof(isa::HostFloatMode, control), 4));
    a_.jne(otherwise);
}

/// isa::floatControlOf() in eax, the thread's hostMode in rcx; jumps if it has none.
void FloatMode::askedFor(const Label& otherwise) {
    a_.mov(rcx, field(offsetof(Thread, hostMode), 8));
    a_.test(rcx, rcx);
    a_.jz(otherwise);
    a_.mov(eax, state(layout::kControl, 4));
    a_.and_(eax, isa::floatControlBits(code_.traits));
    if (code_.traits.splitDenormals) a_.or_(eax, isa::kSplitDenormals);
}

/// Kernels set the mode once, by an `or`, to what the thread before them left: if it is another, the step sets it. Code
/// that changes it otherwise does so each time, as divisions by other means than the host's do, and sets it here.
bool FloatMode::apply(const Step& m, bool sets) {
    const Label refused = host_.seldomLabel();
    cache_.store(layout::kControl, 4);
    auto unstored = cache_.defer(0);
    const bool changes = sets && code_.instructions[m.line].opcode != isa::Opcode::bitOr;
    changes ? set(refused) : unlessSet(refused);
    host_.otherwiseStep(m, refused, std::move(unstored));
    return true;
}

/// As isa::setFloatMode().
void FloatMode::set(const Label& refused) {
    constexpr std::uint32_t kRoundsUp = 1 << isa::kRoundingShift;
    constexpr std::uint32_t kRoundsDown = 2 << isa::kRoundingShift;
    const auto mode = [](std::size_t at) { return ptr(rcx, static_cast<std::int32_t>(at), 4); };
    const Mem host = mode(offsetof(isa::HostFloatMode, host));
    const Label keeps = a_.newLabel();
    const Label done = a_.newLabel();
    askedFor(refused);
    a_.cmp(eax, mode(offsetof(isa::HostFloatMode, control)));
    a_.je(done);
    a_.mov(mode(offsetof(isa::HostFloatMode, control)), eax);
    a_.mov(edx, eax);
    a_.and_(edx, kRoundsUp);
    a_.imul(edx, edx, isa::kHostRoundsUp / kRoundsUp);
    a_.mov(r8d, eax);
    a_.and_(r8d, kRoundsDown);
    a_.imul(r8d, r8d, isa::kHostRoundsDown / kRoundsDown);
    a_.lea(edx, ptr(rdx, r8, 0, isa::kHostExceptions));
    a_.test(eax, isa::kKeepSingleDenormals | isa::kKeepDoubleDenormals);
    a_.jnz(keeps);
    a_.or_(edx, isa::kHostFlushes);
    a_.bind(keeps);
    a_.mov(host, edx);
    a_.vldmxcsr(host);
    a_.bind(done);
}

}  // namespace zetl::emulator::translate
