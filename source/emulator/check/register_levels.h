// How well the bytes of a thread's registers are defined, and what an instruction makes of that.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/check/byte_levels.h"
#include "emulator/check/register_set.h"
#include "emulator/check/used_bytes.h"
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
    /// One of these is other than defined. Of most threads none ever is.
    bool mayMeet(const RegisterSet& used) const noexcept { return marked_.meets(used); }
    bool mayMeet(const UsedBytes& used) const noexcept {
        UsedBytes::Bytes some = used.flags() && marked_.has(RegisterSet::kFlags);
        for (const UsedBytes::Piece& piece : used.pieces()) some |= undefined_[piece.number] & piece.bytes;
        return some != 0;
    }
    /// The same of those that address registers choose for the instruction's operands.
    bool mayMeetAddressed(const isa::Thread& thread, const zetl::isa::xe::Instruction& in) const noexcept;
    /// Those of which something is.
    const RegisterSet& marked() const noexcept { return marked_; }
    Level at(std::uint32_t place) const noexcept { return place < bytes_.size() ? bytes_[place] : Level::defined; }
    void set(std::uint32_t place, Level level) noexcept;
    /// Of a lane: a level for each of its bytes, of which so many count.
    using Lane = std::array<Level, 8>;
    void set(std::uint32_t place, const Lane& levels, std::uint32_t bytes) noexcept;
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
    void undefine(std::uint32_t number, UsedBytes::Bytes of, UsedBytes::Bytes some) noexcept;
    void setFlag(std::uint32_t number, std::uint32_t undecided) noexcept;
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

    bool areDefined(std::uint32_t place, std::uint32_t bytes) const noexcept;
    Lane resultOf(const isa::Thread& thread, const zetl::isa::xe::Instruction& in, std::uint32_t lane) const noexcept;
    bool givesZero(const isa::Thread& thread, const zetl::isa::xe::Operand& operand, std::uint32_t lane) const noexcept;

    std::vector<Level> bytes_ = std::vector<Level>(isa::layout::kWideAccumulator, Level::defined);
    std::array<UsedBytes::Bytes, RegisterSet::kRegisters> undefined_{};  // of registers: those with other levels
    std::array<std::uint32_t, isa::layout::kFlagRegisters> flags_{};
    RegisterSet marked_;  // registers, or flags, that have such
    static_assert(RegisterSet::kRegisters * isa::layout::kRegisterBytes == isa::layout::kWideAccumulator);
};

}  // namespace zetl::emulator::check
