#include "reference/nine_bit.h"

#include <algorithm>

#include "isa/xe/decode.h"

namespace zetl::test::reference {
namespace {

using isa::Format;
using isa::Operand;

// How far registers are moved. What lies behind them is within the file, however an operand is strewn.
constexpr std::uint16_t kMoves[] = {0, 0, 256, 240, 328};

bool isShort(const Operand& o) { return o.kind == Operand::Kind::grf && !o.isIndirect(); }

/// Elements between those of the second source; 0 if there is no such number, and all lanes read one.
std::uint8_t flatStride(const Operand& destination, const Operand& source, bool ternary) {
    const std::uint32_t apart = std::max<std::uint32_t>(destination.horizontal, 1) * isa::byteSize(destination.type);
    const std::uint32_t size = isa::byteSize(source.type);
    const std::uint32_t most = ternary ? 4 : 16;
    return apart % size != 0 || apart / size > most ? std::uint8_t{0} : static_cast<std::uint8_t>(apart / size);
}

void setRegion(Dice& dice, const isa::Instruction& in, Operand& o, bool ternary) {
    const bool scalar = in.width == 1 || dice.oneIn(4);
    std::uint8_t stride = scalar ? std::uint8_t{0} : flatStride(in.destination, o, ternary);
    if (o.isAccumulator() && stride > 2) stride = 0;  // whose lanes would lie behind the last accumulator
    o.vertical = stride;
    o.width = 1;
    o.horizontal = 0;
    if (!ternary || stride < 2) return;
    o.vertical = static_cast<std::uint8_t>(2 * stride);  // of rows of two elements: it cannot be 2
    o.width = 2;
    o.horizontal = stride;
}

}  // namespace

bool fitNineBits(Dice& dice, isa::Instruction& in) {
    if (!zetl::isa::xe::kXe3P.has(static_cast<std::uint8_t>(in.opcode))) return false;
    const Format format = isa::findOpcode(static_cast<std::uint8_t>(in.opcode))->format;
    const bool real = isa::isReal(in.destination.type);
    if (in.source[0].type == isa::DataType::vf && in.destination.type != isa::DataType::f) return false;
    if (format == Format::math && !real) return false;  // there are no whole numbers
    // 9 and 10 are other functions there, of one source and unknown precision.
    if (format == Format::math && (in.function == 9 || in.function == 10)) return false;
    if (in.sources > 1 && format != Format::systolic && isa::isReal(in.source[0].type) != real) return false;
    for (Operand& o : in.source)  // the address register has more parts, around which rows go
        if (o.addressing == Operand::Addressing::indirectPerRow) o.addressing = Operand::Addressing::indirect;
    const bool macro = in.destination.mme >= 0;
    Operand& second = in.source[1];
    if (in.sources > 1 && !second.isImmediate() && format != Format::systolic && !macro &&
        in.opcode != isa::Opcode::movi) {
        if (second.isIndirect()) return false;
        setRegion(dice, in, second, format == Format::three);
    }
    if (in.opcode == isa::Opcode::movi) {
        second.vertical = flatStride(in.destination, second, false);
        second.horizontal = 0;
        return true;
    }
    for (Operand* o : {&in.destination, &in.source[0], &in.source[1], &in.source[2]})
        if (isShort(*o)) o->number = static_cast<std::uint16_t>(o->number + dice.of(kMoves));
    return true;
}

}  // namespace zetl::test::reference
