// Register contents: random bits, and the edges of the types that instructions read them as.
#include "reference/operand.h"
#include "reference/random_program.h"

namespace zetl::test::reference {
namespace {

using isa::DataType;

/// A number at an edge of its type, or near one.
std::uint64_t wholeEdge(Dice& dice, unsigned bits) {
    const std::uint64_t top = 1ull << (bits - 1);
    const std::uint64_t edges[] = {0,    1,    2,      3,       7,          31,         32,         33,
                                   63,   0x55, top,    top - 1, top + 1,    ~0ull,      ~1ull,      top >> 1,
                                   0x80, 0xff, 0x8000, 0xffff,  0x80000000, 0xffffffff, 0x7fffffff, 0xffff8000};
    return dice.of(edges) + (dice.oneIn(8) ? dice.below(5) - 2 : 0);
}
/// By its parts, so that every format has its zeros, denormals, halves of last places, infinities and NaNs.
std::uint64_t realEdge(Dice& dice, RealFormat f) {
    const auto bias = static_cast<std::uint64_t>(f.bias());
    const std::uint64_t ones = maskOf(static_cast<unsigned>(f.fractionBits));
    const std::uint64_t fractions[] = {0, 0, 0, 1, ones, ones - 1, ones >> 1, (ones >> 1) + 1, dice.bits()};
    const std::uint64_t exponents[] = {0,         0,         1,         bias,      bias,      bias + 1,
                                       bias - 1,  bias - 2,  bias + 5,  bias - 7,  2 * bias,  2 * bias + 1,
                                       bias + 15, bias - 14, bias + 30, bias + 31, bias + 10, dice.bits()};
    const std::uint64_t exponent = dice.of(exponents) & maskOf(static_cast<unsigned>(f.exponentBits));
    const std::uint64_t body = exponent << f.fractionBits | (dice.of(fractions) & ones);
    return (body | dice.below(2) * (1ull << (f.exponentBits + f.fractionBits))) << f.unused;
}
std::uint64_t edge(Dice& dice, DataType type) {
    if (dice.oneIn(6)) return dice.bits();
    return isa::isReal(type) ? realEdge(dice, formatOf(type)) : wholeEdge(dice, bitsOf(type));
}
void fillSource(Dice& dice, State& s, const isa::Instruction& in, int k) {
    const isa::Operand& o = in.source[k];
    if (o.isIndirect() || !(o.isGrf() || o.isAccumulator())) return;
    const std::uint32_t size = isa::byteSize(o.type);
    for (unsigned lane = 0; lane < in.width; ++lane)
        if (const auto place = sourcePlace(s, o, o.type, lane)) s.write(*place, size, edge(dice, o.type));
}
/// A lane's 64 bits hold what 33 bits of product can be, and the low half of it is what operands see.
void fillAccumulators(Dice& dice, State& s) {
    constexpr std::uint32_t kLanes = layout::kAccumulatorBytes / 4;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t bits = dice.bits();
        const auto value = static_cast<std::int64_t>(bits) >> (dice.oneIn(4) ? 40 : 15);
        s.write(layout::kWideAccumulator + lane * 8, 8, static_cast<std::uint64_t>(value));
        s.write(layout::kAccumulator + lane * 4, 4, static_cast<std::uint64_t>(value));
    }
}

}  // namespace

State randomRegisters(Dice& dice, const std::vector<Drawn>& instructions) {
    State s;
    for (std::uint32_t at = 0; at < layout::kGrfBytes; at += 8) s.write(layout::kGrf + at, 8, dice.bits());
    fillAccumulators(dice, s);
    for (std::uint32_t k = 0; k < 16; ++k)  // of registers that an instruction's reach around them leaves in the file
        s.write(layout::kAddress + k * 2, 2, (16 + dice.below(40)) * 64 + dice.below(8) * 8);
    for (std::uint32_t flag = 0; flag < 4; ++flag)
        s.write(layout::kFlags + flag * 4, 4, dice.oneIn(4) ? ~0ull : dice.oneIn(4) ? 0 : dice.bits());
    for (std::uint32_t at = 0; at < 32; at += 8) s.write(layout::kStatus + at, 8, dice.bits());
    for (const Drawn& d : instructions)
        for (int k = 0; k < d.in.sources; ++k)
            if (!dice.oneIn(4)) fillSource(dice, s, d.in, k);
    return s;
}

}  // namespace zetl::test::reference
