// The assembler that the emitter writes to, and what it needs of the stack.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

namespace zetl::emulator::translate {

/// AVX-512 as it is. Other hosts have one that turns it into what they know: avx2_assembler.h.
class HostAssembler : public asmjit::x86::Assembler {
  public:
    /// At the beginning of a function, whose caller's registers are saved and whose stack lies at a multiple of 16.
    virtual void enterFrame() {}
    virtual void leaveFrame() {}
    /// Behind all code: what it refers to.
    virtual void finish() {}
    /// What follows runs with so many bytes of the function's own on the stack, though it has been left before.
    virtual void stackHas(std::int32_t) {}
};

}  // namespace zetl::emulator::translate
