#include "reference/random_program.h"

#include <fmt/format.h>

#include <bit>

#include "isa/xe/decode.h"
#include "isa/xe/word.h"
#include "reference/nine_bit.h"

namespace zetl::test::reference {
namespace {

std::string modeText(std::uint32_t control) { return fmt::format("(W) mov (1|M0) cr0.0<1>:ud 0x{:X}:ud\n", control); }

constexpr std::uint32_t kModes = 3 << 4 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 12;

constexpr std::uint16_t kHigh = 256;
bool isHigh(const isa::Operand& o) { return o.isGrf() && !o.isIndirect() && o.number >= kHigh; }

/// Of the ninth bit of a destination's number, which goes out of the way of an immediate.
unsigned placeOfHighBit(const isa::Instruction& in) {
    const isa::Format format = isa::findOpcode(static_cast<std::uint8_t>(in.opcode))->format;
    if (format == isa::Format::one && in.source[0].isImmediate()) return 44;
    return format == isa::Format::two && in.sources == 2 && in.source[1].isImmediate() ? 46 : 96;
}

void encodeFunction(isa::Word& w, const isa::Instruction& in) {
    w.set(6, 0, static_cast<std::uint64_t>(in.opcode));
    w.set(23, 21, in.flag);
    w.set(34, 34, in.saturate);
    w.set(95, 92, in.opcode == isa::Opcode::math ? in.function : static_cast<std::uint64_t>(in.condition));
}

/// Another mode in the middle of a program, as compilers change the rounding around conversions. Not by `or`: of that
/// the emulator's description says that it holds for the whole program where halves are concerned.
Drawn modeChange(Dice& dice) {
    Drawn d;
    while (forms()[d.form].opcode != isa::Opcode::bitXor) ++d.form;
    isa::Instruction& in = d.in;
    in.opcode = isa::Opcode::bitXor;
    in.noMask = true;
    in.sources = 2;
    in.destination.kind = isa::Operand::Kind::arf;
    in.destination.arf = isa::ArchitectureRegister::control;
    in.source[0] = in.destination;
    in.destination.horizontal = 1;
    in.source[1].kind = isa::Operand::Kind::immediate;
    in.source[1].immediate = dice.bits() & kModes;
    return d;
}

}  // namespace

isa::DataType Dice::of(Types set) {
    for (std::uint32_t skip = below(static_cast<std::uint32_t>(std::popcount(set))); skip > 0; --skip) set &= set - 1;
    return static_cast<isa::DataType>(std::countr_zero(set));
}

RandomProgram randomProgram(std::uint64_t number, const isa::Architecture& architecture) {
    constexpr std::uint32_t kLanes[] = {0xffff, 0xffff, ~0u, ~0u, 0xa5c3, 0x80000001, 1, 0, 0x5a5a0ff0, 0xfffe};
    constexpr std::uint32_t kCommonMode = 1 << 6 | 1 << 7 | 1 << 10;
    Dice dice(number * 0x9e3779b97f4a7c15ull + 1);
    RandomProgram p;
    p.number = number;
    p.architecture = &architecture;
    const bool nineBits = architecture.operands == zetl::isa::xe::OperandForm::nineBit;
    p.lanes = dice.of(kLanes);
    p.control = dice.oneIn(3) ? kCommonMode : static_cast<std::uint32_t>(dice.bits()) & kModes;
    const auto all = static_cast<std::uint32_t>(forms().size());
    for (std::uint32_t n = 1 + dice.below(6); n > 0; --n) {
        Drawn drawn = randomInstruction(dice, dice.below(all));
        if (nineBits && !fitNineBits(dice, drawn.in)) continue;
        p.instructions.push_back(drawn);
        if (dice.oneIn(16)) p.instructions.push_back(modeChange(dice));
    }
    p.registers = randomRegisters(dice, p.instructions);
    p.registers.active = p.lanes;
    return p;
}

bool Drawn::needsEncoding() const {
    const bool lacksFunction = in.opcode == isa::Opcode::math && in.function > isa::math_function::kFirstBinary &&
                               in.function < isa::math_function::kInvm;
    return lacksFunction || in.opcode == isa::Opcode::mach || in.opcode == isa::Opcode::macl;
}
std::string Drawn::assembly(const isa::Architecture& architecture) const {
    isa::Instruction assembled = in;
    if (isHigh(in.destination)) assembled.destination.number -= kHigh;
    if (!needsEncoding()) return isa::text(architecture, assembled);
    if (in.opcode == isa::Opcode::math) assembled.opcode = isa::Opcode::mul;
    assembled.condition = isa::Condition::none;
    assembled.saturate = false;
    return isa::text(architecture, assembled);
}
void Drawn::encode(std::span<std::byte> assembled) const {
    if (!needsEncoding() && !isHigh(in.destination)) return;
    isa::Word w;
    std::memcpy(&w, assembled.data(), sizeof w);
    if (isHigh(in.destination)) w.set(placeOfHighBit(in), placeOfHighBit(in), 1);
    if (needsEncoding()) encodeFunction(w, in);
    std::memcpy(assembled.data(), &w, sizeof w);
}

std::string RandomProgram::assembly() const {
    std::string lines = modeText(control);
    for (const Drawn& d : instructions) lines += d.assembly(*architecture) + "\n";
    return lines;
}
std::string RandomProgram::text() const {
    std::string lines = modeText(control);
    for (const Drawn& d : instructions) lines += isa::text(*architecture, d.in) + "\n";
    return lines;
}

}  // namespace zetl::test::reference
