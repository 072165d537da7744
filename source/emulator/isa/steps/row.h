// One operation, one row: number, mnemonic, exactness, and one lane's arithmetic.
//
// The lambda's parameter constraint is the type rule: a row exists for exactly those lane types that its lambda
// accepts. An operation with a sub-function takes it as a last parameter of type Option.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/step_table.h"
#include "emulator/isa/steps/number.h"
#include "isa/xe/opcodes.h"

namespace {

using zetl::emulator::isa::Exactness;
using zetl::emulator::isa::kUnorderedCompare;
using zetl::emulator::isa::Opcode;
using enum zetl::emulator::isa::Exactness;

struct Option {
    std::uint8_t value;
};

template <class F>
struct Row {
    int number;
    const char* name;
    Exactness exactness;
    F lane;
};
template <class F>
constexpr Row<F> row(Opcode opcode, const char* name, Exactness exactness, F lane) {
    return {static_cast<int>(opcode), name, exactness, lane};
}
template <class F>
constexpr Row<F> row(int number, const char* name, Exactness exactness, F lane) {
    return {number, name, exactness, lane};
}

/// The hardware's conditions eq ne gt ge lt le, and kUnorderedCompare: one is no number.
template <class T>
bool holds(int condition, T a, T b) {
    switch (condition) {
        case 1:
            return a == b;
        case 2:
            return !(a == b);
        case 3:
            return a > b;
        case 4:
            return a >= b;
        case 5:
            return a < b;
        case kUnorderedCompare:
            return a != a || b != b;
        default:
            return a <= b;
    }
}

}  // namespace
