// Random programs for the reference: instructions of every form, registers with the edges of every type. A program is
// its number.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "reference/forms.h"
#include "reference/state.h"

namespace zetl::test::reference {

inline constexpr std::uint32_t kInstructionBytes = 16;

/// Instruction `in` of form `form`.
struct Drawn {
    isa::Instruction in;
    std::size_t form = 0;

    /// For the assembler, which lacks the functions of math with two operands, conditions and saturation of mach and
    /// macl, and destinations behind r255: what it has in their place, whose encoding becomes theirs.
    std::string assembly(const isa::Architecture& architecture) const;
    bool needsEncoding() const;
    void encode(std::span<std::byte> assembled) const;
};

struct RandomProgram {
    std::uint64_t number = 0;
    std::uint32_t lanes = 0;    ///< execution mask
    std::uint32_t control = 0;  ///< cr0.0, which the first instruction sets
    std::vector<Drawn> instructions;
    State registers;  ///< what they hold at the start
    const isa::Architecture* architecture = &isa::kXeHpc;

    /// One line for each instruction, the first being that which sets the mode.
    std::string text() const;
    std::string assembly() const;
};

RandomProgram randomProgram(std::uint64_t number, const isa::Architecture& architecture = isa::kXeHpc);

/// Draws from small sets, for all parts of a program.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    std::uint64_t bits() { return random_(); }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    bool oneIn(std::uint32_t n) { return below(n) == 0; }
    template <class T, std::size_t N>
    T of(const T (&list)[N]) {
        return list[below(N)];
    }
    /// One of the types of a set.
    isa::DataType of(Types set);

  private:
    std::mt19937_64 random_;
};

Drawn randomInstruction(Dice& dice, std::size_t form);
/// Registers of which those that the instructions read hold edges of the types that they are read as.
State randomRegisters(Dice& dice, const std::vector<Drawn>& instructions);

}  // namespace zetl::test::reference
