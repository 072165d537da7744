// The assembler that the emitter writes to, and what it needs of the stack.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <span>

namespace zetl::emulator::translate {

/// Truth tables of vpternlog: what is kept of the first operand where the third has bits, together with the second, or
/// with it elsewhere.
inline constexpr std::uint8_t kKeepWith = 0xec;
inline constexpr std::uint8_t kKeepElsewhere = 0xe4;

/// AVX-512 as it is. Other hosts have one that turns it into what they know: avx2_assembler.h. What the emitter tells
/// beside its instructions is for those alone, and emits nothing here.
class HostAssembler : public asmjit::x86::Assembler {
  public:
    /// At the beginning of a function, whose caller's registers are saved and whose stack lies at a multiple of 16.
    virtual void enterFrame() {}
    virtual void leaveFrame() {}
    /// Behind all code: what it refers to.
    virtual void finish() {}
    /// What follows runs with so many bytes of the function's own on the stack, though it has been left before.
    virtual void stackHas(std::int32_t) {}

    /// A register and memory that will not change as long as the register is read. `contents`: what lies there, if it
    /// is known.
    virtual void loadHeld(asmjit::InstId move, const asmjit::x86::Zmm& to, const asmjit::x86::Mem& from,
                          const void* /*contents*/ = nullptr) {
        emit(move, to, from);
    }
    /// The same behind a call that has not changed what the register held before it.
    virtual void reloadHeld(asmjit::InstId move, const asmjit::x86::Zmm& to, const asmjit::x86::Mem& from) {
        emit(move, to, from);
    }
    virtual void storeHeld(asmjit::InstId move, const asmjit::x86::Mem& to, const asmjit::x86::Zmm& from) {
        emit(move, to, from);
    }
    /// The same beside where it is held, which stays so.
    virtual void storeHeldToo(asmjit::InstId move, const asmjit::x86::Mem& to, const asmjit::x86::Zmm& from) {
        emit(move, to, from);
    }
    /// Where sixteen dwords are, in up to four vectors one behind the other.
    using DwordNumbers = std::array<std::uint32_t, 16>;
    /// Those dwords. `order` has the numbers in memory, less 32 from the third vector on; registers are vectors, or
    /// memory the second and the fourth; `to` is none of them, and from the third on zmm4 and k3 are lost.
    virtual void pickDwords(const asmjit::x86::Zmm& to, std::span<const asmjit::Operand> vectors,
                            const DwordNumbers& numbers, const asmjit::x86::Mem& order);
    /// Whether lanes are permuted out of two registers, compressed and expanded.
    virtual bool hasExpansion() const noexcept { return true; }
    /// The content of the register may be stored at this place of the thread's state from now on, before storeHeld();
    /// mayNotBeStored() ends that.
    virtual void mayBeStored(std::uint32_t /*number*/, std::uint32_t /*place*/) {}
    virtual void mayNotBeStored(std::uint32_t /*number*/) {}
    /// Whether what is held may have to be kept in memory, so that only what is worth it should be.
    virtual bool hasFewRegisters() const noexcept { return false; }
    /// Whether mayBeStored() has any effect.
    virtual bool storesEarly() const noexcept { return false; }
    /// Nobody reads these registers any more before they are written, by number.
    virtual void forgetHeld(std::uint32_t, std::uint32_t) {}
    /// The same, but that the step which is being emitted may read the register still.
    virtual void forgetHeldLater(std::uint32_t) {}
    /// The same of registers for values within one step.
    virtual void forgetTemporaries() {}
    /// The same of the lanes that are on, k1 and k2.
    virtual void forgetLanes() {}
    /// Where the label is, nobody reads a register that is not written behind it.
    virtual void beginsBlock(const asmjit::Label&) {}
    /// Behind the label, which is seldom come to, only held registers are read before they are written.
    virtual void beginsSeldom(const asmjit::Label&) {}
};

}  // namespace zetl::emulator::translate
