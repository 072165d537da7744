#include "isa/xe/decode.h"

#include <cstring>

#include "isa/xe/compaction.h"
#include "isa/xe/decode_parts.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint8_t kStrides[] = {0, 1, 2, 4};
constexpr std::uint8_t kWidths[] = {1, 2, 4, 8, 16, 1, 1, 1};
constexpr std::uint8_t kVerticals[] = {0, 1, 2, 4, 8, 16, 32, 0};
constexpr unsigned kPerRowVertical = 7;
constexpr std::uint8_t kTernaryVerticals[] = {0, 1, 4, 8};

void setIndirect(Operand& o, std::uint64_t addressSub, std::uint64_t high, bool lowBit) {
    o.kind = Operand::Kind::grf;
    o.addressing = Operand::Addressing::indirect;
    o.addressSub = static_cast<std::uint8_t>(addressSub);
    const auto bits = static_cast<std::uint32_t>(high << 1 | lowBit);
    o.addressOffset = static_cast<std::int16_t>(static_cast<std::int32_t>(bits << 21) >> 21);
    o.number = 0;
    o.subByte = 0;
}
DataType immediateType(DataType t) {
    return t == DataType::ub ? DataType::uv : t == DataType::b ? DataType::v : t == DataType::bf8 ? DataType::vf : t;
}

/// The ninth bit of a register's number, or the fifth of the part of a0 that an indirect operand names.
void setHighBit(Operand& o, bool high) {
    if (!high) return;
    constexpr std::uint8_t kUpperHalf = 16;
    if (o.isIndirect())
        o.addressSub += kUpperHalf;
    else if (o.isGrf())
        o.number += 256;
}

void decodeBranch(const Word& w, const Architecture& architecture, Instruction& in) {
    const bool nine = architecture.operands == OperandForm::nineBit;
    in.branchControl = w.bit(33);
    in.targetInRegister = !w.bit(46) && in.opcode != Opcode::join && in.opcode != Opcode::endif;
    in.jip = static_cast<std::int32_t>(w.field(127, 96));
    in.uip = static_cast<std::int32_t>(w.field(95, 64));
    if (in.opcode == Opcode::call || in.opcode == Opcode::calla)
        setRegister(in.destination, architecture, DataType::ud, w.field(63, 56), w.field(55, 51) * 2, w.bit(50));
    setHighBit(in.destination, nine && w.bit(44));
    if (in.targetInRegister) {
        setRegister(in.source[0], architecture, DataType::d, w.field(79, 72), w.field(71, 67) * 2, w.bit(66));
        setHighBit(in.source[0], nine && w.bit(45));
        in.sources = 1;
        in.jip = in.uip = 0;
    }
}

void setTernaryRegion(Operand& o, unsigned vertical, std::uint64_t horizontal) {
    o.vertical = kTernaryVerticals[vertical];
    o.horizontal = kStrides[horizontal];
    o.width = o.horizontal && o.vertical >= o.horizontal ? static_cast<std::uint8_t>(o.vertical / o.horizontal) : 1;
}
void setTernaryImmediate(Operand& o, DataType type, std::uint64_t bits) {
    o.kind = Operand::Kind::immediate;
    o.type = type;
    o.immediate = bits;
}
/// The distance of the elements of a source without a region: in bytes that of the destination's; 0 if there is none.
std::uint8_t flatStride(const Operand& destination, DataType type) {
    const std::uint32_t bytes = destination.horizontal * byteSize(destination.type);
    const std::uint32_t stride = bytes / byteSize(type);
    return bytes % byteSize(type) == 0 && (stride & (stride - 1)) == 0 ? static_cast<std::uint8_t>(stride)
                                                                       : std::uint8_t{0};
}

/// False if the elements have no distance that can be encoded.
bool setFlatTernaryRegion(Operand& o, const Operand& destination, bool scalar) {
    const std::uint8_t stride = scalar ? std::uint8_t{0} : flatStride(destination, o.type);
    if (stride > 4 || (stride == 0 && !scalar)) return false;
    o.vertical = static_cast<std::uint8_t>(stride > 1 ? stride * 2 : stride);
    o.horizontal = stride > 1 ? stride : std::uint8_t{0};
    o.width = stride > 1 ? 2 : 1;
    return true;
}
void setModifiers(Operand& o, std::uint64_t bits) {
    o.absolute = bits & 1;
    o.negate = bits & 2;
}

bool decodeTernary(const Word& w, const Architecture& architecture, Instruction& in) {
    const bool nine = architecture.operands == OperandForm::nineBit;
    const bool real = w.bit(39);
    in.saturate = w.bit(34);
    if (in.opcode == Opcode::bfn)
        in.function = static_cast<std::uint8_t>(w.field(87, 84) | w.field(95, 92) << 4);
    else if (in.opcode == Opcode::dnscl)
        in.function = static_cast<std::uint8_t>(w.field(87, 84) | w.field(93, 92) << 4);
    else
        in.condition = static_cast<Condition>(w.field(95, 92));
    setRegister(in.destination, architecture, ternaryType(w.field(38, 36), real), w.field(63, 56), w.field(55, 51) * 2,
                w.bit(50));
    setHighBit(in.destination, nine && w.bit(96));
    in.destination.horizontal = w.bit(48) ? 2 : 1;
    auto& [a, b, c] = in.source;
    if (w.bit(46))
        setTernaryImmediate(a, ternaryType(w.field(42, 40), real), w.field(79, 64));
    else {
        setRegister(a, architecture, ternaryType(w.field(42, 40), real), w.field(79, 72), w.field(71, 67) * 2,
                    w.bit(66));
        setTernaryRegion(a, w.bit(43) * 2u + w.bit(35), w.field(65, 64));
        setHighBit(a, nine && w.bit(97));
    }
    setRegister(b, architecture, ternaryType(w.field(90, 88), real), w.field(111, 104), w.field(103, 99) * 2,
                w.bit(98));
    if (nine) {
        setHighBit(b, w.bit(83));
        if (!setFlatTernaryRegion(b, in.destination, w.bit(49)) && in.opcode != Opcode::madm) return false;
    } else {
        setTernaryRegion(b, w.bit(91) * 2u + w.bit(83), w.field(97, 96));
    }
    if (w.bit(47))
        setTernaryImmediate(c, ternaryType(w.field(82, 80), real), w.field(127, 112));
    else {
        setRegister(c, architecture, ternaryType(w.field(82, 80), real), w.field(127, 120), w.field(119, 115) * 2,
                    w.bit(114));
        setHighBit(c, nine && w.bit(91));
        c.vertical = c.horizontal = kStrides[w.field(113, 112)];
    }
    if (in.opcode == Opcode::bfn) {
        constexpr Condition kConditions[] = {Condition::none, Condition::equal, Condition::greater, Condition::less};
        in.condition = kConditions[w.field(45, 44)];
    } else {
        setModifiers(a, w.field(45, 44));
    }
    if (in.opcode != Opcode::bfn && in.opcode != Opcode::dnscl) {
        setModifiers(b, w.field(87, 86));
        setModifiers(c, w.field(85, 84));
    }
    if (in.opcode != Opcode::madm) return true;
    in.destination.mme = static_cast<std::int8_t>(w.field(54, 51));
    a.mme = static_cast<std::int8_t>(w.field(70, 67));
    b.mme = static_cast<std::int8_t>(w.field(102, 99));
    c.mme = static_cast<std::int8_t>(w.field(118, 115));
    in.destination.subByte = a.subByte = b.subByte = c.subByte = 0;
    return true;
}

/// Where one- and two-source instructions keep the fields of a source.
struct SourcePlaces {
    int type;
    int modifiers;
    int immediate;
    int file;
    int number;
    int sub;
    int subLow;
    int horizontal;
    int width;
    int vertical;
    int indirect;
    int address;
    int offset;
};
constexpr SourcePlaces kSource0{40, 44, 46, 66, 72, 67, 87, 64, 81, 84, 80, 76, 66};
constexpr SourcePlaces kSource1{88, 120, 47, 98, 104, 99, 119, 96, 113, 116, 112, 108, 98};

void decodeSource(const Word& w, const Architecture& architecture, const SourcePlaces& p, DataType type, bool immediate,
                  Operand& o) {
    if (immediate) {
        o.kind = Operand::Kind::immediate;
        o.type = immediateType(type);
        o.immediate = w.field(127, 96);
        if (byteSize(o.type) == 2) o.immediate &= 0xffff;
        if (byteSize(o.type) == 8 && &p == &kSource0) o.immediate |= w.field(95, 64) << 32;
        return;
    }
    setRegister(o, architecture, type, w.field(p.number + 7, p.number), w.field(p.sub + 4, p.sub) * 2 + w.bit(p.subLow),
                w.bit(p.file));
    setModifiers(o, w.field(p.modifiers + 1, p.modifiers));
    const auto vertical = w.field(p.vertical + 2, p.vertical);
    o.horizontal = kStrides[w.field(p.horizontal + 1, p.horizontal)];
    o.width = kWidths[w.field(p.width + 2, p.width)];
    o.vertical = kVerticals[vertical];
    if (!w.bit(p.indirect)) return;
    setIndirect(o, w.field(p.address + 3, p.address), w.field(p.offset + 9, p.offset), w.bit(p.subLow));
    if (vertical == kPerRowVertical) o.addressing = Operand::Addressing::indirectPerRow;
}

/// What the number of a function of math means.
std::uint8_t mathFunction(const Architecture& architecture, std::uint8_t number) {
    constexpr std::uint8_t kFirstOfNineBit = 9;
    constexpr std::uint8_t kLastOfNineBit = 10;
    const bool renumbered =
        architecture.operands == OperandForm::nineBit && number >= kFirstOfNineBit && number <= kLastOfNineBit;
    return renumbered ? static_cast<std::uint8_t>(number - kFirstOfNineBit + math_function::kTanh) : number;
}

/// The second source's region is one bit, and numbers have a ninth one, whose place is the immediate's if there is one.
/// False if the encoding is reserved.
bool decodeNineBits(const Word& w, Instruction& in, const OpcodeInfo& info) {
    auto& [a, b, c] = in.source;
    if (info.format == Format::one) {
        if (in.opcode == Opcode::mov && (w.bit(47) || (w.bit(98) && !a.isImmediate()))) return false;
        setHighBit(in.destination, w.bit(a.isImmediate() ? 44 : 96));
        if (!a.isImmediate()) setHighBit(a, w.bit(97));
        return true;
    }
    const bool immediate = in.sources > 1 && b.isImmediate();
    setHighBit(in.destination, w.bit(immediate ? 46 : 96));
    setHighBit(a, w.bit(immediate ? 43 : 97));
    if (in.sources < 2 || immediate) return true;
    setHighBit(b, w.bit(122));
    constexpr int kScalarRegion = 116;
    const bool scalar = w.bit(kScalarRegion);
    const std::uint8_t stride = scalar ? std::uint8_t{0} : flatStride(in.destination, b.type);
    b.vertical = stride;
    b.width = 1;
    b.horizontal = 0;
    constexpr std::uint8_t kWidest = 16;
    return info.format == Format::math || in.opcode == Opcode::movi || scalar || (stride != 0 && stride <= kWidest);
}

bool decodeBinary(const Word& w, const Architecture& architecture, Instruction& in, const OpcodeInfo& info) {
    const bool nine = architecture.operands == OperandForm::nineBit;
    in.saturate = w.bit(34);
    in.sources = info.sources;
    const auto condition = static_cast<std::uint8_t>(w.field(95, 92));
    if (info.format == Format::math) {
        in.function = mathFunction(architecture, condition);
        in.sources = in.function == math_function::kInvm ||
                             (in.function >= math_function::kFirstBinary && in.function < math_function::kInvm)
                         ? 2
                         : 1;
    } else if (in.opcode == Opcode::lfsr || in.opcode == Opcode::shfl) {
        in.function = condition;
    } else {
        in.condition = static_cast<Condition>(condition);
    }
    // One bit says of destination and first source whether they are real where a ninth bit of numbers takes the place
    // of the other; math knows no others.
    const bool shared = nine && info.format != Format::one;
    const std::uint64_t real = shared && info.format == Format::math ? 1 : w.field(39, 39);
    setRegister(in.destination, architecture, static_cast<DataType>(w.field(38, 36) | real << 3), w.field(63, 56),
                w.field(55, 51) * 2 + w.bit(33), w.bit(50));
    in.destination.horizontal = kStrides[w.field(49, 48)];
    if (w.bit(35)) setIndirect(in.destination, w.field(63, 60), w.field(59, 50), w.bit(33));
    const std::uint64_t sourceReal = shared ? real : w.field(43, 43);
    decodeSource(w, architecture, kSource0, static_cast<DataType>(w.field(42, 40) | sourceReal << 3),
                 w.bit(kSource0.immediate) && !shared, in.source[0]);
    if (in.source[0].isImmediate() && byteSize(in.source[0].type) == 8) in.condition = Condition::none;
    if (in.sources > 1)
        decodeSource(w, architecture, kSource1, static_cast<DataType>(w.field(91, 88)), w.bit(kSource1.immediate),
                     in.source[1]);
    if (nine && !decodeNineBits(w, in, info)) return false;
    if (info.format != Format::math || (in.function != math_function::kInvm && in.function != math_function::kRsqtm))
        return true;
    in.destination.mme = static_cast<std::int8_t>(w.field(54, 51));
    in.source[0].mme = static_cast<std::int8_t>(w.field(70, 67));
    in.source[1].mme = static_cast<std::int8_t>(w.field(102, 99));
    in.destination.subByte = in.source[0].subByte = in.source[1].subByte = 0;
    return true;
}

void decodeSync(const Word& w, const Architecture& architecture, Instruction& in) {
    in.function = static_cast<std::uint8_t>(w.field(95, 92));
    Operand& o = in.source[0];
    const auto type = static_cast<DataType>(w.field(43, 40));
    if (w.bit(46)) {
        o.kind = Operand::Kind::immediate;
        o.type = immediateType(type);
        o.immediate = w.field(127, 96);
        if (byteSize(o.type) == 2) o.immediate &= 0xffff;
    } else {
        setRegister(o, architecture, type, w.field(79, 72), w.field(71, 67) * 2, w.bit(66));
    }
    in.sources = o.isNull() ? 0 : 1;
}

/// False if the encoding is reserved.
bool decodeBody(const Word& w, const OpcodeInfo& info, const Architecture& architecture, Instruction& in) {
    switch (info.format) {
        case Format::control:
            return true;
        case Format::sync:
            decodeSync(w, architecture, in);
            return true;
        case Format::branch:
            decodeBranch(w, architecture, in);
            return true;
        case Format::send:
            isGeneralSend(info.opcode) ? decodeGeneralSend(w, architecture, in) : decodeSend(w, architecture, in);
            return true;
        case Format::three:
            in.sources = 3;
            return decodeTernary(w, architecture, in);
        case Format::systolic:
            decodeSystolic(w, architecture, in);
            return true;
        default:
            return decodeBinary(w, architecture, in, info);
    }
}

}  // namespace

void setRegister(Operand& o, const Architecture& architecture, DataType type, std::uint64_t number, std::uint64_t byte,
                 bool grf) {
    o.kind = grf ? Operand::Kind::grf : Operand::Kind::arf;
    o.type = type;
    o.subByte = static_cast<std::uint8_t>(byte);
    o.number = static_cast<std::uint16_t>(grf ? number : number & 15);
    if (grf) return;
    o.arf = static_cast<ArchitectureRegister>(number >> 4 & 15);
    if (o.arf == ArchitectureRegister::stackPointer && architecture.scalarBytes != 0)
        o.arf = ArchitectureRegister::scalar;
}

DataType ternaryType(std::uint64_t code, bool real) {
    using enum DataType;
    constexpr DataType kReals[] = {bf8, hf, f, df, hf8, bf, tf32, reserved};
    return real ? kReals[code & 7] : static_cast<DataType>(code & 7);
}

std::optional<Instruction> decode(const Architecture& architecture, std::span<const std::byte> code,
                                  std::uint32_t ip) noexcept {
    Word w;
    if (code.size() < 8) return {};
    std::memcpy(&w.low, code.data(), 8);
    const bool compacted = w.low >> 29 & 1;
    if (compacted) {
        const auto expanded = expandCompacted(architecture, w.low);
        if (!expanded) return {};
        w = *expanded;
    } else {
        if (code.size() < 16) return {};
        std::memcpy(&w.high, code.data() + 8, 8);
    }
    const auto number = static_cast<std::uint8_t>(w.field(6, 0));
    const OpcodeInfo* info = findOpcode(number);
    if (!info || !architecture.has(number) || w.field(20, 18) > 5) return {};
    Instruction in;
    in.ip = ip;
    in.bytes = compacted ? 8 : 16;
    in.opcode = info->opcode;
    in.width = static_cast<std::uint8_t>(1u << w.field(20, 18));
    in.offset = static_cast<std::uint8_t>(w.field(25, 24) * 8);
    in.flag = static_cast<std::uint8_t>(w.field(23, 21));
    in.scoreboard = static_cast<std::uint16_t>(w.field(17, 8));
    in.predicate = static_cast<Predicate>(w.field(27, 26));
    in.inverted = w.bit(28);
    in.noMask = w.bit(31);
    in.breakpoint = w.bit(30);
    in.atomic = w.bit(32) && !isGeneralSend(in.opcode);
    if (!decodeBody(w, *info, architecture, in)) return {};
    return in;
}

}  // namespace zetl::isa::xe
