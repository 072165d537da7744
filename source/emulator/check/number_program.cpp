#include "emulator/check/number_program.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/check/index_overflow.h"

namespace zetl::emulator::check {
namespace {

using isa::DataType;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;

bool isNumber(const Operand& operand) noexcept {
    const bool known = operand.type == DataType::hf || operand.type == DataType::f || operand.type == DataType::df;
    return known && (operand.isImmediate() || ((operand.isGrf() || operand.isAccumulator()) && !operand.isIndirect()));
}

/// The macros of exact divisions and square roots begin with an instruction that has the quotient or the root. What
/// they compute behind it for other devices is left out: no program sees that.
bool computes(const Instruction& in) noexcept {
    constexpr Opcode kOpcodes[] = {Opcode::add, Opcode::mul, Opcode::mac, Opcode::mad, Opcode::math, Opcode::mov};
    if (std::ranges::find(kOpcodes, in.opcode) == std::end(kOpcodes)) return false;
    if (in.destination.isImmediate() || !isNumber(in.destination)) return false;
    if (in.opcode == Opcode::mov && in.source[0].type == in.destination.type) return false;
    return std::all_of(in.source.begin(), in.source.begin() + in.sources, [&](const Operand& source) {
        return in.opcode != Opcode::mov && source.isImmediate() ? true : isNumber(source);
    });
}

/// The line in front of this one that wrote the operand, in the same block; kNoLine if it is not near.
isa::Line writerOf(const isa::Program& program, isa::Line line, const Operand& operand) {
    constexpr isa::Line kNear = 12;
    for (isa::Line before = line; before-- > 0 && before + kNear >= line;) {
        const Instruction& one = program.instruction(before);
        if (one.destination.isGrf() && !one.destination.isIndirect() && one.destination.number == operand.number &&
            one.destination.subByte == operand.subByte)
            return before;
        const auto* const known = zetl::isa::xe::findOpcode(static_cast<std::uint8_t>(one.opcode));
        if (known == nullptr || known->format == zetl::isa::xe::Format::branch) return isa::kNoLine;
    }
    return isa::kNoLine;
}

/// Whether the number is the least of something and the first number beyond the type, which is how compilers keep it
/// within bounds: the device converts that to the type's greatest number.
bool isKeptBelowEnd(const isa::Program& program, isa::Line line, const Operand& from, DataType to) {
    const isa::Line writer = writerOf(program, line, from);
    if (writer == isa::kNoLine) return false;
    const Instruction& least = program.instruction(writer);
    const Operand& bound = least.source[1];
    const auto bits = static_cast<int>(byteSize(to) * 8) - (isSigned(to) ? 1 : 0);
    return least.opcode == Opcode::sel && least.condition == zetl::isa::xe::Condition::less && bound.isImmediate() &&
           bound.type == DataType::f &&
           std::bit_cast<float>(static_cast<std::uint32_t>(bound.immediate)) == std::ldexp(1.0f, bits);
}

/// Conversions to integers. What the source keeps within bounds has a modifier that clamps, or a selection right in
/// front of it, or one right behind it that replaces lanes which are beyond them.
bool converts(const isa::Program& program, isa::Line line) {
    constexpr isa::Line kNear = 12;
    const Instruction& in = program.instruction(line);
    const Operand& from = in.source[0];
    const Operand& to = in.destination;
    if (in.opcode != Opcode::mov || in.saturate || !to.isGrf() || to.isIndirect() || !isWholeNumber(to.type))
        return false;
    if (!isNumber(from) || from.isImmediate() || isKeptBelowEnd(program, line, from, to.type)) return false;
    const auto replaces = [&to](const Instruction& one) {
        return one.opcode == Opcode::sel &&
               std::any_of(one.source.begin(), one.source.begin() + 2, [&to](const Operand& of) {
                   return of.isGrf() && !of.isIndirect() && of.number == to.number;
               });
    };
    for (isa::Line next = line + 1; next < program.lineCount() && next - line <= kNear; ++next)
        if (replaces(program.instruction(next))) return false;
    return true;
}

/// Whether the line asks which lanes of an integer are zero.
bool testsForZero(const Instruction& one) noexcept {
    const Operand& divisor = one.source[0];
    const Operand& zero = one.source[1];
    if (one.condition != zetl::isa::xe::Condition::equal || !isWholeNumber(divisor.type)) return false;
    if (one.opcode == Opcode::mov) return isWholeNumber(one.destination.type);  // is what it moves zero?
    return one.opcode == Opcode::cmp && zero.isImmediate() && zero.immediate == 0;
}

/// The line that sets the flag which the branch reads; kNoLine if it is not near.
isa::Line conditionOf(const isa::Program& program, isa::Line branch) {
    constexpr isa::Line kNear = 24;
    const Instruction& in = program.instruction(branch);
    for (isa::Line before = branch; before-- > 0 && before + kNear >= branch;) {
        const Instruction& one = program.instruction(before);
        if (one.condition != zetl::isa::xe::Condition::none && one.flag == in.flag) return before;
    }
    return isa::kNoLine;
}

bool hasMathIn(const isa::Program& program, isa::Line begin, isa::Line end) {
    for (isa::Line line = begin; line < std::min<isa::Line>(end, program.lineCount()); ++line)
        if (program.instruction(line).opcode == Opcode::math) return true;
    return false;
}

/// The compiler's division of integers begins with "is the divisor zero?" and gives -1 for those lanes, for which the
/// language defines no result. A branch like that of a program's own is told apart by the -1.
enum class Guard : std::uint8_t { none, ofZeros, ofOthers };
Guard guardOf(const isa::Program& program, isa::Line line) {
    constexpr isa::Line kLongest = 160;
    constexpr isa::Line kToMath = 24;
    const Instruction& in = program.instruction(line);
    if ((in.opcode != Opcode::jumpTo && in.opcode != Opcode::jmpi) || in.predicate == zetl::isa::xe::Predicate::none)
        return Guard::none;
    const isa::Line condition = conditionOf(program, line);
    if (condition == isa::kNoLine || !testsForZero(program.instruction(condition))) return Guard::none;
    const bool ofBytes = byteSize(program.instruction(condition).source[0].type) == 1;
    isa::Line target = program.lineAt(in.ip + static_cast<std::uint32_t>(in.jip));
    if (target == isa::kNoLine || target <= line || target - line > kLongest) return Guard::none;
    while (target < program.lineCount() && program.instruction(target).opcode == Opcode::join) ++target;
    const isa::Line zeros = in.inverted ? line + 1 : target;
    if (target >= program.lineCount()) return Guard::none;
    const Instruction& result = program.instruction(zeros);
    const std::uint64_t value = result.source[0].immediate & 0xffff;
    const bool minusOne = result.opcode == Opcode::mov && result.source[0].isImmediate() &&
                          (value == 0xffff || (ofBytes && value == 0xff));
    if (!minusOne) return Guard::none;
    if (in.inverted) return hasMathIn(program, target, target + kToMath) ? Guard::ofOthers : Guard::none;
    return hasMathIn(program, line, target) ? Guard::ofZeros : Guard::none;
}

/// The inverse of an integer of 64 bits: uq to df to f, perhaps moved. Programs that divide by such a number compute
/// with df.
bool invertsInteger(const isa::Program& program, isa::Line line) {
    const Instruction& in = program.instruction(line);
    if (in.opcode != Opcode::math || in.function != zetl::isa::xe::math_function::kInv ||
        in.source[0].type != DataType::f)
        return false;
    bool isDouble = false;
    const Operand* operand = &in.source[0];
    for (int moves = 0; moves < 4; ++moves) {
        if (!operand->isGrf() || operand->isIndirect()) return false;
        line = writerOf(program, line, *operand);
        if (line == isa::kNoLine) return false;
        const Instruction& move = program.instruction(line);
        if (move.opcode != Opcode::mov) return false;
        operand = &move.source[0];
        isDouble |= operand->type == DataType::df;
        if (isDouble && isWholeNumber(operand->type)) return byteSize(operand->type) == sizeof(std::uint64_t);
    }
    return false;
}

/// Whether the result may replace what an operand was.
bool overwritesItsSources(const Instruction& in) noexcept {
    constexpr std::uint32_t kMostRegisters = 4;  // of 32 lanes of 64 bits
    const Operand& to = in.destination;
    return std::any_of(in.source.begin(), in.source.begin() + in.sources, [&](const Operand& from) {
        if (from.isImmediate() || from.isAccumulator() != to.isAccumulator()) return false;
        return to.isAccumulator() ||
               (from.number < to.number + kMostRegisters && to.number < from.number + kMostRegisters);
    });
}

}  // namespace

NumberProgram::NumberProgram(const isa::Program& program) : lines(program.lineCount()), watched(program.lineCount()) {
    const std::vector<bool> indices = indexArithmeticOf(program);
    for (isa::Line line = 0; line < lines.size(); ++line) {
        lines[line].computes = line + 1 < lines.size() && computes(program.instruction(line));
        lines[line].converts = converts(program, line);
        const Guard guard = guardOf(program, line);
        lines[line].guards = guard == Guard::ofZeros;
        lines[line].passes = guard == Guard::ofOthers;
        lines[line].inverts = invertsInteger(program, line);
        lines[line].computes &= !lines[line].inverts;
        lines[line].indexes = indices[line];
        if (lines[line].computes) lines[line + 1].follows = true;
        lines[line].replacesSources = lines[line].computes && overwritesItsSources(program.instruction(line));
    }
    for (isa::Line line = 0; line < lines.size(); ++line) {
        const Line& one = lines[line];
        watched[line] = one.computes || one.follows || one.converts || one.ofIntegers();
    }
}

const NumberProgram& NumberPrograms::of(const machine::LoadedProgram& loaded) {
    const Lock guard(mutex_);
    Known& known = known_[&loaded];
    if (!known.program) {
        known.keep = loaded.shared_from_this();
        known.program = std::make_unique<const NumberProgram>(*loaded.program);
    }
    return *known.program;
}

}  // namespace zetl::emulator::check
