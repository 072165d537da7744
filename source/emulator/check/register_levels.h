// How well the bytes of a thread's registers are defined, and what an instruction makes of that.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/check/byte_levels.h"
#include "emulator/check/register_set.h"
#include "emulator/isa/state_layout.h"
#include "emulator/isa/state_slots.h"
#include "emulator/isa/thread.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::check {

/// Of one hardware thread. Used by the worker that runs it.
class RegisterLevels {
  public:
    /// Nothing is unwritten but these, in ascending order, of which the first `given` registers hold what the thread is
    /// given.
    void begin(std::span<const isa::StateSlots::Run> unwritten, std::uint32_t given);
    /// One of these may be other than defined. Of most threads none ever is.
    bool mayMeet(const RegisterSet& used) const noexcept { return marked_.meets(used); }
    /// The same of those that address registers choose for the instruction's operands.
    bool mayMeetAddressed(const isa::Thread& thread, const zetl::isa::xe::Instruction& in) const noexcept;
    /// Those that may be.
    const RegisterSet& marked() const noexcept { return marked_; }
    /// Looks whether these are defined by now.
    void settle(const RegisterSet& used) noexcept;
    /// The same of those that the instruction, which has computed, wrote its result to.
    void settleResult(const isa::Thread& thread, const zetl::isa::xe::Instruction& in) noexcept;

    Level at(std::uint32_t place) const noexcept { return place < bytes_.size() ? bytes_[place] : Level::defined; }
    void set(std::uint32_t place, Level level) noexcept {
        if (place >= bytes_.size()) return;
        bytes_[place] = level;
        if (level != Level::defined) marked_.add(place / isa::layout::kRegisterBytes);
    }
    Level highest(std::uint32_t place, std::uint32_t bytes) const noexcept;
    void define(std::uint32_t place, std::uint32_t bytes) noexcept;

    /// Lanes of the instruction's predicate that something unwritten decides, among those that are enabled.
    std::uint32_t undecided(const zetl::isa::xe::Instruction& in, std::uint32_t enabled) const noexcept;
    /// They have been told.
    void defineFlags(const zetl::isa::xe::Instruction& in) noexcept;

    /// An instruction that computes is about to be executed.
    void compute(const isa::Thread& thread, const zetl::isa::xe::Instruction& in, std::uint32_t enabled);
    /// The instruction is about to read something that is not defined, or may be.
    bool reads(const isa::Thread& thread, const zetl::isa::xe::Instruction& in, std::uint32_t enabled) const noexcept;
    /// The same as compute() for one that reads nothing but what is defined.
    void defineResult(const isa::Thread& thread, const zetl::isa::xe::Instruction& in, std::uint32_t enabled);

  private:
    /// What becomes of a lane: a level for each of its bytes.
    using Lane = std::array<Level, 8>;
    struct Element {
        std::uint32_t place = 0;  ///< in the thread's state
        bool known = false;       ///< false: its levels are not kept, so it is defined
    };
    Element elementOf(const isa::Thread& thread, const zetl::isa::xe::Operand& operand,
                      std::uint32_t lane) const noexcept;
    bool mayMeet(std::uint32_t place, std::uint32_t bytes) const noexcept;
    bool mayMeetSource(const isa::Thread& thread, const zetl::isa::xe::Operand& source,
                       std::uint32_t lanes) const noexcept;
    std::uint64_t valueOf(const isa::Thread& thread, const zetl::isa::xe::Operand& operand,
                          std::uint32_t lane) const noexcept;
    Lane sourceOf(const isa::Thread& thread, const zetl::isa::xe::Operand& operand, std::uint32_t lane) const noexcept;
    /// Bits of one number, and which of them nothing that was written decides.
    struct Bits {
        std::uint64_t value = 0;
        std::uint64_t undecided = 0;
    };
    Bits bitsOf(const isa::Thread& thread, const zetl::isa::xe::Operand& operand) const noexcept;
    std::uint64_t undecidedBits(const isa::Thread& thread, const zetl::isa::xe::Instruction& in) const noexcept;
    /// The instruction's result goes into a flag register, as a number.
    void setFlags(const zetl::isa::xe::Operand& to, std::uint64_t undecided) noexcept;

    bool isDefined(std::uint32_t place, std::uint32_t bytes) const noexcept;
    bool areDefined(std::uint32_t place, std::uint32_t bytes) const noexcept;
    Lane resultOf(const isa::Thread& thread, const zetl::isa::xe::Instruction& in, std::uint32_t lane) const noexcept;
    bool givesZero(const isa::Thread& thread, const zetl::isa::xe::Operand& operand, std::uint32_t lane) const noexcept;

    std::vector<Level> bytes_ = std::vector<Level>(isa::layout::kWideAccumulator, Level::defined);
    std::array<std::uint32_t, isa::layout::kFlagRegisters> flags_{};
    RegisterSet marked_;  // registers, or flags, that may have other levels
};

}  // namespace zetl::emulator::check
