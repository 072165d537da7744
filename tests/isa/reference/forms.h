// Which instructions there are to be tried: opcodes with the types, modifiers and conditions that they take.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/isa/instruction_set.h"

namespace zetl::test::reference {

/// A set of types, one bit each.
using Types = std::uint32_t;
constexpr Types bit(emulator::isa::DataType type) { return 1u << static_cast<int>(type); }

/// What a form allows, and what ties its operands together.
enum Trait : std::uint32_t {
    kSign = 1 << 0,        ///< sources may be negated and made absolute
    kComplement = 1 << 1,  ///< sources may be complemented
    kSaturate = 1 << 2,
    kConditions = 1 << 3,   ///< the flag may be set by the result
    kOverflow = 1 << 4,     ///< by its overflow as well
    kCompares = 1 << 5,     ///< always has a condition
    kMayCompare = 1 << 6,   ///< sel: a condition instead of a predicate
    kImmediate = 1 << 7,    ///< the last source may be one; of three, the first as well
    kUniform = 1 << 8,      ///< one type for all operands
    kSameSources = 1 << 9,  ///< one type for all sources
    kOrdered = 1 << 10,     ///< the result depends on the order of sources, or on bits above the result's
    kMacro = 1 << 11,       ///< operands name extra-precision registers
    kSixteen = 1 << 12,     ///< at most sixteen lanes
    kNoPredicate = 1 << 13,
};

struct Form {
    emulator::isa::Opcode opcode;
    std::uint8_t function;  ///< of math
    Types destination;
    std::array<Types, 3> source;
    std::uint32_t traits;

    bool has(Trait t) const { return (traits & t) != 0; }
};

std::span<const Form> forms() noexcept;

/// An opcode that no form has, and why.
struct Excluded {
    emulator::isa::Opcode opcode;
    std::string_view why;
};
std::span<const Excluded> excludedOpcodes() noexcept;

}  // namespace zetl::test::reference
