// Operands of the reference: where elements lie, what they hold.
#pragma once

#include <optional>
#include <variant>

#include "reference/state.h"

namespace zetl::test::reference {

/// A source's element with its modifiers applied.
struct Value {
    bool isReal = false;
    Integer integer;
    Real real;
};

/// The place of element `lane` of a source or destination of an instruction; nothing if it has no registers.
std::optional<std::uint32_t> sourcePlace(const State& s, const isa::Operand& o, isa::DataType type, unsigned lane);
std::optional<std::uint32_t> destinationPlace(const State& s, const isa::Operand& o, isa::DataType type, unsigned lane);

/// The bits of element `lane`, zero-extended; those of an immediate, a vector's element included.
std::uint64_t elementBits(const State& s, const isa::Instruction& in, int source, unsigned lane);
/// The type of these bits: of a vector immediate's element, w, uw or f.
isa::DataType elementType(const isa::Operand& o);

/// The value of element `lane`, denormals as they are. Modifiers of numbers, not the complement of logic.
Value elementValue(const State& s, const isa::Instruction& in, int source, unsigned lane);

}  // namespace zetl::test::reference
