// The host code that is emitted, and what all families of instructions share: AVX-512, with the thread in rbx,
// registers of the thread in zmm7 to zmm31 and the lanes that are on in r12d.
//
// zmm0 to zmm5, k2 to k5 and the general registers that a call may change hold values within one step only; k1 holds
// the lanes that are on, k6 and k7 hold flags. Knowledge of what registers hold belongs to the parts: each says how
// long it lasts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/held/additions.h"
#include "emulator/translate/held/host_types.h"
#include "emulator/translate/held/masks.h"
#include "emulator/translate/held/mirrors.h"
#include "emulator/translate/held/number_pool.h"
#include "emulator/translate/held/register_cache.h"
#include "emulator/translate/held/registers.h"
#include "emulator/translate/held/values.h"
#include "emulator/translate/plan/live_registers.h"
#include "emulator/translate/plan/step_meaning.h"

namespace zetl::emulator::translate {

class HostCode {
  public:
    /// The rest of the line that is emitted, from the current step on.
    struct CurrentLine {
        std::span<const Step> rest;
        std::span<const Meaning* const> meanings;  ///< of a planned line; others have those that lowering recorded
    };

    HostCode(const isa::Program::Code& of, HostAssembler& to, Registers kept);

    const isa::Program::Code& code;
    HostAssembler& assembler;
    const Registers registers;
    std::uint8_t body = 0;                ///< the body that is emitted
    bool ended = false;                   ///< control does not flow on behind the step
    const LiveRegisters* live = nullptr;  ///< if registers that nobody reads any more may be lost
    CurrentLine line;
    isa::StateSlots calledWrite;  ///< registers that called steps may write

    RegisterCache cache;
    NumberPool numbers;
    Mirrors mirrors;
    Masks masks;
    Values values;
    Additions additions;

    const Label exit;  ///< leaves host code; the next step is in rax
    const Label end;   ///< the same for a thread whose steps have nothing to add

    /// A step's handler, watched or not.
    isa::Handler originalOf(const Step& m, std::uint8_t body) const;
    isa::Family familyOf(const Step& m) const { return code.body[body].familyOf(m); }
    /// The meaning of a step of the current line; null if only its handler says what it does.
    const Meaning* meaningOf(const Step& m) const;

    /// Threads that a step refuses go there, instead of calling the step.
    void refuseTo(const Label& elsewhere) { refused_ = elsewhere; }

    void enterFunction();
    void leaveFunction();
    /// Before the thread in that register goes on within the function. Changes rdx.
    void takeOverEntry(const Gp& thread);
    /// Registers are at home from here on.
    void registersHome();
    /// The same behind the last line of a block, for registers that may still be read.
    void endBlock(Line last);
    /// And nothing is held at all.
    void leaveBlock();
    /// The thread does what this code does not know.
    void stray();
    /// Leaves host code for a step.
    void leaveAt(const Step* next);
    /// Calls the step of that body, while registers are at home. Control goes on behind the call, or leaves if the next
    /// step is another one.
    void callHandler(const Step& m, std::uint8_t body);
    /// The step does what the code before `refused` could not, and the code goes on here.
    void otherwiseStep(const Step& m, const Label& refused, RegisterCache::Snapshot unstored,
                       const Step* before = nullptr);
    /// The same for code that calls a function which changes nothing of the thread's registers and flags.
    void otherwiseCall(const Label& seldom, RegisterCache::Snapshot unstored, std::function<void()> call);
    void moveBytes(std::uint32_t bytes, const Mem& from, const Mem& to);

    /// For code in which lane() is not kept.
    Label seldomLabel();
    /// Code that is seldom reached is emitted behind all other.
    void seldom(std::function<void()> emit) { seldom_.push_back(std::move(emit)); }
    void emitSeldom();
    /// What is emitted behind all code.
    void emitData();

    /// The registers that threads may have written if they begin and end here, without straying.
    isa::StateSlots written() const;

  private:
    void noteTick(std::size_t fieldOfThread);
    void addTicksSince(std::size_t fieldOfThread, std::atomic<std::uint64_t>& sum);

    std::vector<std::function<void()>> seldom_;
    std::optional<Label> refused_;
};

}  // namespace zetl::emulator::translate
