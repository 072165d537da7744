// What one lane computes: exact for integers, exact before rounding for reals.
#pragma once

#include <array>

#include "reference/operand.h"

namespace zetl::test::reference {

using Integers = std::array<Integer, 3>;
using Reals = std::array<Real, 3>;

/// Holds between a number and another.
bool holds(isa::Condition condition, Order order);
Order compare(Integer a, Integer b);

// ---- integers: whole_numbers.cpp ----
/// Sums, products, averages, shifts; `accumulator`: of mac, mach and macl.
Integer arithmeticResult(const isa::Instruction& in, const Integers& v, Integer accumulator);
/// Whether an operand has 64 bits, the destination included.
bool hasLongs(const isa::Instruction& in);

// ---- bits: bit_operations.cpp ----
bool isBitOperation(isa::Opcode opcode);
/// From the sources' bits, zero-extended where the operation does not care for signs.
std::uint64_t bitResult(const isa::Instruction& in, const std::array<std::uint64_t, 3>& raw);

// ---- reals: real_numbers.cpp ----
Real realResult(const isa::Instruction& in, const Reals& v, const FloatMode& mode);
/// The last place of srnd's source is reached by its random bits.
std::uint64_t stochasticResult(const isa::Instruction& in, std::uint64_t bits, std::uint64_t random);
/// math whose precision only is stated.
bool isApproximate(const isa::Instruction& in);
bool isPower(const isa::Instruction& in);
long double approximateResult(const isa::Instruction& in, long double a, long double b);

// ---- matrices: matrices.cpp, real_matrices.cpp ----
/// Element (row, column) of an integer dpas.
std::uint64_t matrixElement(const State& s, const isa::Instruction& in, unsigned row, unsigned column);
/// The same of reals; open where the order of sums may make a difference.
Result realMatrixElement(const State& s, const isa::Instruction& in, unsigned row, unsigned column);

}  // namespace zetl::test::reference
