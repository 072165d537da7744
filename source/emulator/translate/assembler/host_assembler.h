// The assembler to which translation writes, and its use of the stack.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <span>

namespace zetl::emulator::translate {

/// Truth tables of vpternlog: keeps bits of the first operand where the third has bits, together with the second, or
/// takes the second elsewhere.
inline constexpr std::uint8_t kKeepWith = 0xec;
inline constexpr std::uint8_t kKeepElsewhere = 0xe4;

/// Plain AVX-512. Other hosts have an assembler that turns it into their instructions: avx2_assembler.h. The hints that
/// translation gives beside its instructions are for those alone, and have no effect here.
class HostAssembler : public asmjit::x86::Assembler {
  public:
    /// Called at the beginning of a function, when the caller's registers are saved and the stack is at a multiple of
    /// 16.
    virtual void enterFrame() {}
    virtual void leaveFrame() {}
    /// Called behind all code: emits the data to which it refers.
    virtual void finish() {}
    /// The following code runs with so many bytes of the function's own on the stack, though the function was left
    /// before.
    virtual void stackHas(std::int32_t) {}

    /// Loads a register from memory that will not change as long as the register is read. `contents`: the value there,
    /// if it is known.
    virtual void loadHeld(asmjit::InstId move, const asmjit::x86::Zmm& to, const asmjit::x86::Mem& from,
                          const void* /*contents*/ = nullptr) {
        emit(move, to, from);
    }
    /// The same behind a call that has not changed the former content of the register.
    virtual void reloadHeld(asmjit::InstId move, const asmjit::x86::Zmm& to, const asmjit::x86::Mem& from) {
        emit(move, to, from);
    }
    virtual void storeHeld(asmjit::InstId move, const asmjit::x86::Mem& to, const asmjit::x86::Zmm& from) {
        emit(move, to, from);
    }
    /// The same to another place than the one in which it is held, which stays valid.
    virtual void storeHeldToo(asmjit::InstId move, const asmjit::x86::Mem& to, const asmjit::x86::Zmm& from) {
        emit(move, to, from);
    }
    /// The numbers of sixteen dwords in up to four successive vectors.
    using DwordNumbers = std::array<std::uint32_t, 16>;
    /// Picks those dwords. `order` holds the numbers in memory, less 32 from the third vector on. Vectors are
    /// registers, or memory for the second and the fourth; `to` is none of them. With a third vector, zmm4 and k3 are
    /// lost.
    virtual void pickDwords(const asmjit::x86::Zmm& to, std::span<const asmjit::Operand> vectors,
                            const DwordNumbers& numbers, const asmjit::x86::Mem& order);
    /// Whether lanes can be permuted out of two registers, compressed and expanded.
    virtual bool hasExpansion() const noexcept { return true; }
    /// The content of the register may be stored at this place of the thread's state from now on, before storeHeld();
    /// mayNotBeStored() ends that.
    virtual void mayBeStored(std::uint32_t /*number*/, std::uint32_t /*place*/) {}
    virtual void mayNotBeStored(std::uint32_t /*number*/) {}
    /// Whether held values may have to be kept in memory, so that only values that are worth it should be held.
    virtual bool hasFewRegisters() const noexcept { return false; }
    /// Whether mayBeStored() has any effect.
    virtual bool storesEarly() const noexcept { return false; }
    /// These registers, by number, are not read any more before they are written.
    virtual void forgetHeld(std::uint32_t, std::uint32_t) {}
    /// The same, but the step that is being emitted may still read the register.
    virtual void forgetHeldLater(std::uint32_t) {}
    /// The same for the registers with values within one step.
    virtual void forgetTemporaries() {}
    /// The same for those of them that have led to where the step moves data, which is about to begin; not for k5.
    virtual void forgetIntermediates() {}
    /// The same for the lanes that are on, k1 and k2.
    virtual void forgetLanes() {}
    /// k3 and k4, of which kortest has just tested one, are not read behind the jump that follows.
    virtual void forgetTestedMasks() {}
    /// Jumps if any lane of 32 bits has some of these bits, which are the same for all lanes. k3 is lost.
    virtual void jumpIfAnyHas(const asmjit::x86::Zmm& lanes, const asmjit::x86::Mem& bits, const asmjit::Label& to);
    /// Whether nobody else writes to the memory that masked stores are about to change, also where lanes are off.
    virtual void writesAlone(bool) {}
    /// Whether there is storeButterfly().
    virtual bool storesButterflies() const noexcept { return false; }
    /// Stores those of sixteen dwords that k5 has, if each eight of them lie in a line of 64 bytes as the low or the
    /// high side of a butterfly; jumps otherwise, when some may have been stored. `places`: in bytes from rcx, where
    /// two lines begin that nobody else writes. rax, rcx, rdx and r8 are lost.
    virtual void storeButterfly(const asmjit::x86::Zmm& /*places*/, const asmjit::x86::Zmm& /*data*/,
                                const asmjit::Label& /*otherwise*/) {}
    /// From the label on, no register is read before it is written.
    virtual void beginsBlock(const asmjit::Label&) {}
    /// All jumps to the label lie before it.
    virtual void endsWays(const asmjit::Label&) {}
    asmjit::Label newForwardLabel() {
        const asmjit::Label label = newLabel();
        endsWays(label);
        return label;
    }
    /// From the label on, which is seldom reached, only held registers are read before they are written.
    virtual void beginsSeldom(const asmjit::Label&) {}
};

}  // namespace zetl::emulator::translate
