// One legal instruction of a form: what the published restrictions leave open is drawn.
#include <algorithm>

#include "isa/xe/decode.h"
#include "reference/random_program.h"

namespace zetl::test::reference {
namespace {

using isa::ArchitectureRegister;
using isa::Condition;
using isa::DataType;
using isa::Format;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;

// Registers that operands begin in: few, so that sources and destinations meet. What lies behind them is never beyond
// the file, however an operand is strewn.
constexpr std::uint8_t kFirstRegister = 16;
constexpr std::uint8_t kRegisters = 40;
constexpr std::uint8_t kStrides[] = {1, 1, 1, 2, 4};

class Drawing {
  public:
    Drawing(Dice& dice, const Form& form) : dice_(dice), form_(form), info_(*isa::findOpcode(number(form.opcode))) {}

    Instruction instruction();

  private:
    static std::uint8_t number(Opcode o) { return static_cast<std::uint8_t>(o); }

    void lanes();
    void types();
    bool typesFit() const;
    void matrix();
    void apart();
    void masks();
    void condition();
    void destination();
    void source(int k);
    bool immediate(int k);
    void region(Operand& o, int k);
    void modifiers(Operand& o);
    void registerOperand(Operand& o, std::uint32_t alignment);
    bool architecture(Operand& o, bool writes);
    bool mayBeIndirect() const {
        return info_.format != Format::three && info_.format != Format::math && form_.opcode != Opcode::movi;
    }
    void indirect(Operand& o);
    void macro(Operand& o);

    Dice& dice_;
    const Form& form_;
    const isa::OpcodeInfo& info_;
    Instruction in_;
};

Instruction Drawing::instruction() {
    in_.opcode = form_.opcode;
    in_.function = form_.opcode == Opcode::bfn ? static_cast<std::uint8_t>(dice_.bits()) : form_.function;
    in_.sources = static_cast<std::uint8_t>(
        std::count_if(form_.source.begin(), form_.source.end(), [](Types t) { return t != 0; }));
    lanes();
    do types();
    while (!typesFit());
    masks();
    if (info_.format == Format::systolic) {
        matrix();
        return in_;
    }
    condition();
    in_.saturate = form_.has(kSaturate) && in_.condition != Condition::overflow && dice_.oneIn(4);
    if (in_.saturate && !typesFit()) in_.saturate = false;
    destination();
    for (int k = 0; k < in_.sources; ++k) source(k);
    if (in_.condition == Condition::unordered && !isa::isReal(in_.source[0].type)) in_.condition = Condition::equal;
    if (form_.opcode == Opcode::movi) {  // its second source says nothing
        in_.sources = 2;
        in_.source[1].kind = Operand::Kind::arf;
        in_.source[1].vertical = in_.source[1].horizontal = 1;
    }
    return in_;
}

void Drawing::lanes() {
    constexpr std::uint8_t widths[] = {1, 2, 4, 8, 16, 16, 16, 16, 32, 32};
    do in_.width = dice_.of(widths);
    while (form_.has(kSixteen) && in_.width > 16);
    if (info_.format == Format::systolic) in_.width = 16;
    const std::uint32_t places = (32u - in_.width) / 8 + 1;
    if (dice_.oneIn(3)) in_.offset = static_cast<std::uint8_t>(dice_.below(places) * 8);
    if (in_.width >= 16) in_.offset &= 16;
}

void Drawing::types() {
    in_.destination.type = dice_.of(form_.destination);
    DataType first = form_.has(kUniform) ? in_.destination.type : dice_.of(form_.source[0]);
    for (int k = 0; k < in_.sources; ++k) {
        const bool tied = form_.has(kUniform) || form_.has(kSameSources);
        in_.source[k].type = tied ? first : k == 0 ? first : dice_.of(form_.source[k]);
    }
}
/// What the emulator's description excepts: a uq beyond the range of q that meets a signed number, where more than the
/// low bits of the result counts.
bool Drawing::typesFit() const {
    const bool counts = form_.has(kOrdered) || in_.saturate;
    bool isSigned = isa::isSigned(in_.destination.type) && in_.saturate;
    bool unsignedLong = false;
    for (int k = 0; k < in_.sources; ++k) {
        isSigned |= isa::isSigned(in_.source[k].type);
        unsignedLong |= in_.source[k].type == DataType::uq;
    }
    return !counts || !unsignedLong || !isSigned;
}

void Drawing::masks() {
    constexpr isa::Predicate kinds[] = {isa::Predicate::normal, isa::Predicate::normal, isa::Predicate::any,
                                        isa::Predicate::all};
    in_.noMask = dice_.oneIn(3);
    if (info_.format == Format::systolic) return;
    const std::uint32_t halves = in_.offset + in_.width <= 16 ? 2 : 1;
    in_.flag = static_cast<std::uint8_t>(dice_.below(4) * 2 + dice_.below(halves));
    const bool selects = form_.opcode == Opcode::sel;
    if (!(selects || (!form_.has(kMacro) && !form_.has(kNoPredicate) && dice_.oneIn(3)))) return;
    in_.predicate = dice_.of(kinds);
    in_.inverted = dice_.oneIn(3);
}
void Drawing::condition() {
    constexpr Condition kinds[] = {Condition::equal,        Condition::notEqual, Condition::greater,
                                   Condition::greaterEqual, Condition::less,     Condition::lessEqual};
    const bool selects = form_.has(kMayCompare) && dice_.oneIn(2);
    if (!selects && !form_.has(kCompares) && !(form_.has(kConditions) && dice_.oneIn(3))) return;
    in_.condition = dice_.of(kinds);
    const bool real = isa::isReal(in_.source[0].type) && (form_.has(kCompares) || isa::isReal(in_.destination.type));
    if (real && dice_.oneIn(6)) in_.condition = Condition::unordered;
    if (form_.has(kOverflow) && dice_.oneIn(4)) in_.condition = Condition::overflow;
    if (selects) in_.predicate = isa::Predicate::none;
    if (selects) in_.inverted = false;
}

void Drawing::registerOperand(Operand& o, std::uint32_t alignment) {
    o.kind = Operand::Kind::grf;
    o.number = static_cast<std::uint8_t>(kFirstRegister + dice_.below(kRegisters));
    o.subByte = dice_.oneIn(2) ? 0 : static_cast<std::uint8_t>(dice_.below(64 / alignment) * alignment);
}
/// Long immediates take the place of much else.
bool Drawing::immediate(int k) {
    const bool last = k == in_.sources - 1;
    const bool ternary = info_.format == Format::three;
    if (!form_.has(kImmediate) || !dice_.oneIn(5) || !(last || (ternary && k == 0))) return false;
    Operand& o = in_.source[k];
    const Types set = form_.source[k];
    Types possible = set & (bit(DataType::w) | bit(DataType::uw) | bit(DataType::hf));
    if (!ternary) possible |= set & (bit(DataType::d) | bit(DataType::ud) | bit(DataType::f));
    if (form_.opcode == Opcode::mov && in_.condition == Condition::none)
        possible |= set & (bit(DataType::q) | bit(DataType::uq) | bit(DataType::df));
    if (form_.has(kUniform)) possible &= bit(o.type);
    if (possible == 0) return false;
    const DataType before = o.type;
    o.type = dice_.of(possible);
    if (!typesFit()) {
        o.type = before;
        return false;
    }
    o.kind = Operand::Kind::immediate;
    constexpr std::uint64_t edges[] = {0, 1, ~0ull, 1ull << 15, 1ull << 31, 1ull << 63, 0x7fff, 0x3f800000, 0x3c00, 5};
    o.immediate = (dice_.oneIn(2) ? dice_.of(edges) : dice_.bits()) & maskOf(bitsOf(o.type));
    const bool vector = !ternary && !form_.has(kOrdered) && !form_.has(kUniform) && bitsOf(o.type) == 16 &&
                        isa::isWholeNumber(o.type) && dice_.oneIn(3);
    if (vector) {
        o.type = isa::isSigned(o.type) ? DataType::v : DataType::uv;
        o.immediate = dice_.bits() & 0xffffffff;
    } else if (o.type == DataType::f && form_.opcode == Opcode::mov && dice_.oneIn(4)) {
        o.type = DataType::vf;
    }
    return true;
}
void Drawing::modifiers(Operand& o) {
    const bool counts = form_.has(kOrdered) || in_.saturate || isa::isReal(in_.destination.type);
    const bool wide = counts && std::ranges::any_of(in_.source, [](const Operand& s) {
                          return isa::isWholeNumber(s.type) && isa::byteSize(s.type) == 8;
                      });
    if (form_.has(kSign) && !wide) {  // a negated number of 64 bits has 65
        o.negate = dice_.oneIn(4);
        o.absolute = dice_.oneIn(5);
        if (o.type == DataType::uq || o.type == DataType::ud) o.absolute = false;
    }
    if (form_.has(kComplement)) o.negate = dice_.oneIn(4);
}
void Drawing::region(Operand& o, int k) {
    constexpr std::uint8_t verticals[] = {0, 1, 2, 4, 8, 16, 32};
    constexpr std::uint8_t rows[] = {1, 2, 4, 8, 16};
    constexpr std::uint8_t strides[] = {0, 1, 2, 4};
    constexpr std::uint8_t ternaryVerticals[] = {0, 1, 4, 8};
    o.width = 1;
    switch (dice_.below(4)) {
        case 0:
            o.vertical = o.horizontal = 0;
            break;
        case 1:
            o.vertical = o.horizontal = dice_.of(kStrides);
            break;
        default:
            o.vertical = o.horizontal = 1;
    }
    if (info_.format == Format::three) {
        if (o.vertical == 2 && k < 2) o.vertical = o.horizontal = 1;
        if (k < 2 && o.vertical != 0) o.horizontal = 0;
        if (k < 2 && dice_.oneIn(3)) {
            o.vertical = dice_.of(ternaryVerticals);
            o.horizontal = dice_.of(strides);
        }
        if (k < 2) o.width = o.horizontal && o.vertical >= o.horizontal ? o.vertical / o.horizontal : 1;
        return;
    }
    if (o.horizontal != 0) o.horizontal = 0;  // of rows with one element
    if (!dice_.oneIn(4)) return;
    o.vertical = dice_.of(verticals);
    do o.width = dice_.of(rows);
    while (o.width > in_.width);
    o.horizontal = o.width == 1 ? 0 : dice_.of(strides);
}
/// a0, flags, accumulators and what the machine says of itself.
bool Drawing::architecture(Operand& o, bool writes) {
    const bool accumulator = isa::byteSize(o.type) == 4 || (isa::isReal(o.type) && o.type != DataType::bf);
    const bool implied = form_.opcode == Opcode::mac || form_.opcode == Opcode::mach || form_.opcode == Opcode::macl ||
                         form_.opcode == Opcode::addc || form_.opcode == Opcode::subb;
    if (accumulator && !(writes && implied) && dice_.oneIn(8) && form_.opcode != Opcode::movi) {
        o.kind = Operand::Kind::arf;
        o.arf = ArchitectureRegister::accumulator;
        o.number = static_cast<std::uint8_t>(dice_.below(2) * 2);
        if (writes) return true;
        const bool third = &o == &in_.source[2];  // whose one stride is both
        o.vertical = std::min<std::uint8_t>(o.vertical, info_.format == Format::three && !third ? 1 : 2);
        o.width = 1;
        o.horizontal = third ? o.vertical : 0;
        return true;
    }
    if (info_.format == Format::three || in_.width > 1 || !dice_.oneIn(4)) return false;
    if (!isa::isWholeNumber(o.type) || isa::byteSize(o.type) > 4 || isa::byteSize(o.type) < 2) return false;
    constexpr ArchitectureRegister read[] = {ArchitectureRegister::address,     ArchitectureRegister::flag,
                                             ArchitectureRegister::status,      ArchitectureRegister::executionMask,
                                             ArchitectureRegister::control,     ArchitectureRegister::timestamp,
                                             ArchitectureRegister::notification};
    o.kind = Operand::Kind::arf;
    o.arf = writes ? (dice_.oneIn(2) ? ArchitectureRegister::address : ArchitectureRegister::flag) : dice_.of(read);
    o.number = o.arf == ArchitectureRegister::flag ? static_cast<std::uint8_t>(dice_.below(4)) : 0;
    const std::uint32_t room = o.arf == ArchitectureRegister::address ? 32 : 4;
    o.subByte = static_cast<std::uint8_t>(dice_.below(room / isa::byteSize(o.type)) * isa::byteSize(o.type));
    if (!writes) o.vertical = o.horizontal = 0;
    return true;
}
void Drawing::indirect(Operand& o) {
    o.kind = Operand::Kind::grf;
    o.addressing = Operand::Addressing::indirect;
    o.number = o.subByte = 0;
    o.addressSub = static_cast<std::uint8_t>(dice_.below(16));
    o.addressOffset = static_cast<std::int16_t>((static_cast<int>(dice_.below(128)) - 64) * 8);
}
void Drawing::macro(Operand& o) {
    registerOperand(o, 64);
    o.subByte = 0;
    o.mme = static_cast<std::int8_t>(dice_.below(9));
    o.vertical = o.horizontal = 1;
}

void Drawing::destination() {
    Operand& d = in_.destination;
    const bool ternary = info_.format == Format::three;
    if (form_.has(kMacro)) return macro(d);
    d.horizontal = ternary ? static_cast<std::uint8_t>(1 + dice_.below(2)) : dice_.of(kStrides);
    const bool setsFlags =
        in_.condition != Condition::none && form_.opcode != Opcode::sel && form_.opcode != Opcode::csel;
    if (setsFlags && dice_.oneIn(4)) {
        d.kind = Operand::Kind::arf;
        d.horizontal = 1;
        return;
    }
    if (!setsFlags && architecture(d, true)) {
        d.horizontal = 1;
        return;
    }
    if (mayBeIndirect() && dice_.oneIn(12)) return indirect(d);
    registerOperand(d, std::max<std::uint32_t>(isa::byteSize(d.type), ternary ? 2 : 1));
}
void Drawing::source(int k) {
    Operand& o = in_.source[k];
    if (form_.has(kMacro)) {
        macro(o);
        modifiers(o);
        return;
    }
    if (form_.opcode == Opcode::movi) {
        indirect(o);
        o.vertical = o.width = 8;
        o.horizontal = 1;
        return;
    }
    if (immediate(k)) return;
    region(o, k);
    modifiers(o);
    if (architecture(o, false)) return;
    if (mayBeIndirect() && dice_.oneIn(10)) {
        indirect(o);
        if (in_.width <= 16 && dice_.oneIn(2)) {
            o.addressing = Operand::Addressing::indirectPerRow;
            o.vertical = 0;
        }
        return;
    }
    // The encoding of the others has no odd bytes.
    const bool hasOddBytes = info_.format != Format::three && k == 0;
    registerOperand(o, std::max<std::uint32_t>(isa::byteSize(o.type), hasOddBytes ? 1 : 2));
}

void Drawing::matrix() {
    constexpr std::uint8_t bits[] = {0, 4, 2};
    in_.systolicDepth = 8;
    in_.repeatCount = static_cast<std::uint8_t>(1 + dice_.below(8));
    registerOperand(in_.destination, 64);
    in_.destination.horizontal = 1;
    for (Operand& o : in_.source) {
        registerOperand(o, 64);
        o.subByte = 0;
        o.horizontal = 1;
    }
    in_.destination.subByte = 0;
    if (isa::isReal(in_.destination.type)) {
        apart();
    } else {
        in_.source[1].elementBits = dice_.of(bits);
        in_.source[2].elementBits = dice_.of(bits);
    }
    if (!dice_.oneIn(6)) return;
    in_.source[0].kind = Operand::Kind::arf;
    in_.source[0].number = 0;
}

/// Matrices of reals seldom meet: what one holds means nothing in another's type.
void Drawing::apart() {
    constexpr std::uint8_t kMostRegisters = 8;
    if (dice_.oneIn(4)) return;
    const std::uint32_t turn = dice_.below(3);
    for (std::uint32_t k = 0; k < 3; ++k)
        in_.source[k].number = static_cast<std::uint8_t>(kFirstRegister + (k + turn) % 3 * kMostRegisters);
}

}  // namespace

Drawn randomInstruction(Dice& dice, std::size_t form) { return {Drawing(dice, forms()[form]).instruction(), form}; }

}  // namespace zetl::test::reference
