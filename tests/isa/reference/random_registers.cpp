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
bool multipliesReals(const isa::Instruction& in) {
    return in.opcode == isa::Opcode::dpas && isa::isReal(in.destination.type);
}
/// Small whole numbers of a matrix's unit: their products and sums are exact in f, whatever the order. Seldom an
/// infinity or a NaN.
class MatrixFiller {
  public:
    MatrixFiller(Dice& dice, State& s, const isa::Instruction& in) : dice_(dice), state_(s), in_(in) {}
    void fill() {
        constexpr unsigned kColumns = 16;
        constexpr unsigned kLines = 8;
        const auto& [c, b, a] = in_.source;
        const std::uint32_t inDword = 4 / isa::byteSize(b.type);
        const int unitOfB = unit();
        const int unitOfA = unit();
        const std::int32_t most = dice_.oneIn(2) ? 7 : 31;
        const bool special = dice_.oneIn(8);
        if (!c.isNull()) matrix(c, in_.repeatCount * kColumns, unitOfA + unitOfB, most * most, special);
        matrix(b, kLines * kColumns * inDword, unitOfB, most, special);
        matrix(a, in_.repeatCount * kLines * inDword, unitOfA, most, special);
    }

  private:
    Dice& dice_;
    State& state_;
    const isa::Instruction& in_;

    int unit() { return static_cast<int>(dice_.below(7)) - 3; }
    void matrix(const isa::Operand& o, std::uint32_t elements, int unit, std::int32_t most, bool special) {
        const std::uint32_t size = isa::byteSize(o.type);
        const auto place = sourcePlace(state_, o, DataType::ub, 0);
        for (std::uint32_t k = 0; k < elements; ++k) {
            const auto drawn = static_cast<std::int32_t>(dice_.below(static_cast<std::uint32_t>(2 * most + 1))) - most;
            Real v = Real::of(Integer::of(drawn));
            v.exponent = unit;
            if (special && dice_.oneIn(64)) v = dice_.oneIn(3) ? Real::invalid() : Real::infinity(dice_.oneIn(2));
            state_.write(*place + k * size, size, encodeReal(v, formatOf(o.type), Rounding::nearestEven));
        }
    }
};

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
    for (const Drawn& d : instructions)
        if (multipliesReals(d.in)) MatrixFiller(dice, s, d.in).fill();
    return s;
}

}  // namespace zetl::test::reference
