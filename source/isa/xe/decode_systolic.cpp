// dpas and bdpas. Operands are whole registers; elements of the second and third source may be narrower than their
// type's byte.
#include "isa/xe/decode_parts.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint8_t kNarrowBits[] = {0, 4, 2, 0};

void setMatrix(Operand& o, const Architecture& architecture, DataType type, std::uint64_t number, std::uint64_t sub,
               bool grf) {
    setRegister(o, architecture, type, number, sub * 2, grf);
    o.horizontal = 1;
}

/// Of reals there is one type below a byte, e2m1.
std::uint8_t narrowBits(const Architecture& architecture, bool real, std::uint64_t field) {
    if (!real) return kNarrowBits[field];
    return architecture.operands == OperandForm::nineBit && field == 2 ? std::uint8_t(4) : std::uint8_t(0);
}

/// A register's number whose bits lie apart.
template <std::size_t N>
std::uint64_t gathered(const Word& w, const std::uint8_t (&places)[N]) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < N; ++i) number |= std::uint64_t{w.bit(places[i])} << i;
    return number;
}

}  // namespace

void decodeSystolic(const Word& w, const Architecture& architecture, Instruction& in) {
    const bool nine = architecture.operands == OperandForm::nineBit;
    const bool real = w.bit(39);
    const auto number = [&](int low, int high) {
        return w.field(low + 7, low) | (nine ? std::uint64_t{w.bit(high)} << 8 : 0);
    };
    const auto type = [&](int low) { return ternaryType(w.field(low + 2, low), real); };
    auto& [c, b, a] = in.source;
    setMatrix(in.destination, architecture, type(36), number(56, 96), w.field(55, 51), w.bit(50));
    setMatrix(c, architecture, type(40), number(72, 97), w.field(71, 67), w.bit(66));
    setMatrix(b, architecture, type(88), number(104, 83), w.field(103, 99), w.bit(98));
    setMatrix(a, architecture, type(80), number(120, 91), w.field(119, 115), w.bit(114));
    b.elementBits = narrowBits(architecture, real, w.field(87, 86));
    a.elementBits = narrowBits(architecture, real, w.field(85, 84));
    in.sources = 3;
    if (in.opcode == Opcode::dpas) {
        if (!nine) in.predicate = Predicate::none;
        in.systolicDepth = static_cast<std::uint8_t>(1u << w.field(49, 48));
        in.repeatCount = static_cast<std::uint8_t>(w.field(45, 43) + 1);
        return;
    }
    // All of bdpas are of one size; the bits of the third source's place are the second scale's.
    constexpr std::uint8_t kScaleOfSecond[] = {47, 64, 65, 92, 93, 94, 95, 112, 113};
    constexpr std::uint8_t kScaleOfThird[] = {43, 44, 45, 46, 115, 116, 117, 118, 119};
    constexpr std::uint8_t kSize = 8;
    in.systolicDepth = in.repeatCount = kSize;
    in.predicate = Predicate::none;
    b.subByte = a.subByte = 0;
    setMatrix(in.scale[0], architecture, DataType::ub, gathered(w, kScaleOfSecond), w.field(103, 102) * 8, w.bit(35));
    setMatrix(in.scale[1], architecture, DataType::ub, gathered(w, kScaleOfThird), w.field(101, 99) * 4, w.bit(34));
}

}  // namespace zetl::isa::xe
