#include "emulator/check/number_program.h"

#include <algorithm>

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

/// Parts of divisions and square roots, which compute with what no program sees, are left out: they are macros.
bool computes(const Instruction& in) noexcept {
    constexpr Opcode kOpcodes[] = {Opcode::add, Opcode::mul, Opcode::mac, Opcode::mad, Opcode::math, Opcode::mov};
    if (std::ranges::find(kOpcodes, in.opcode) == std::end(kOpcodes)) return false;
    const bool macro = in.opcode == Opcode::math && (in.function == zetl::isa::xe::math_function::kInvm ||
                                                     in.function == zetl::isa::xe::math_function::kRsqtm);
    if (macro || in.destination.isImmediate() || !isNumber(in.destination)) return false;
    if (in.opcode == Opcode::mov && in.source[0].type == in.destination.type) return false;
    return std::all_of(in.source.begin(), in.source.begin() + in.sources, [&](const Operand& source) {
        return in.opcode != Opcode::mov && source.isImmediate() ? true : isNumber(source);
    });
}

/// Conversions to integers. What the source keeps within bounds has a modifier that clamps, or a selection right behind
/// it that replaces lanes which are beyond them.
bool converts(const isa::Program& program, isa::Line line) {
    constexpr isa::Line kNear = 12;
    const Instruction& in = program.instruction(line);
    const Operand& from = in.source[0];
    const Operand& to = in.destination;
    if (in.opcode != Opcode::mov || in.saturate || !to.isGrf() || to.isIndirect() || !isWholeNumber(to.type))
        return false;
    if (!isNumber(from) || from.isImmediate()) return false;
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

/// The compiler's division of integers begins with "is the divisor zero?" and gives -1 for those lanes, for which the
/// language defines no result. A branch like that of a program's own is told apart by what stands where it goes to.
bool guards(const isa::Program& program, isa::Line line) {
    constexpr isa::Line kNear = 6;
    constexpr isa::Line kLongest = 160;
    const Instruction& in = program.instruction(line);
    if ((in.opcode != Opcode::jumpTo && in.opcode != Opcode::jmpi) || in.predicate == zetl::isa::xe::Predicate::none ||
        in.inverted)
        return false;
    const auto tests = [&](const Instruction& one) {
        const Operand& divisor = one.source[0];
        const Operand& zero = one.source[1];
        if (one.condition != zetl::isa::xe::Condition::equal || one.flag != in.flag || !isWholeNumber(divisor.type))
            return false;
        if (one.opcode == Opcode::mov) return isWholeNumber(one.destination.type);  // is what it moves zero?
        return one.opcode == Opcode::cmp && zero.isImmediate() && zero.immediate == 0;
    };
    bool tested = false;
    for (isa::Line before = line; before-- > 0 && before + kNear >= line && !tested;)
        tested = tests(program.instruction(before));
    if (!tested) return false;
    const std::int64_t jump = in.opcode == Opcode::jmpi ? in.jip + in.bytes : in.jip;
    isa::Line target = program.lineAt(static_cast<std::uint32_t>(in.ip + jump));
    if (target == isa::kNoLine || target <= line || target - line > kLongest) return false;
    while (target < program.lineCount() && program.instruction(target).opcode == Opcode::join) ++target;
    if (target >= program.lineCount()) return false;
    const Instruction& result = program.instruction(target);
    const bool minusOne = result.opcode == Opcode::mov && result.source[0].isImmediate() &&
                          (result.source[0].immediate & 0xffff) == 0xffff;
    bool divides = false;
    for (isa::Line inside = line; inside < target && !divides; ++inside)
        divides = program.instruction(inside).opcode == Opcode::math;
    return minusOne && divides;
}

}  // namespace

NumberProgram::NumberProgram(const isa::Program& program) : lines(program.lineCount()), watched(program.lineCount()) {
    for (isa::Line line = 0; line < lines.size(); ++line) {
        lines[line].computes = line + 1 < lines.size() && computes(program.instruction(line));
        lines[line].converts = converts(program, line);
        lines[line].guards = guards(program, line);
        if (lines[line].computes) lines[line + 1].follows = true;
    }
    for (isa::Line line = 0; line < lines.size(); ++line)
        watched[line] = lines[line].computes || lines[line].follows || lines[line].converts || lines[line].guards;
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
