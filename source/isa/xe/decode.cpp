#include "isa/xe/decode.h"

#include <cstring>

#include "isa/xe/compaction.h"
#include "isa/xe/lsc_descriptor.h"
#include "isa/xe/word.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint8_t kStrides[] = {0, 1, 2, 4};
constexpr std::uint8_t kWidths[] = {1, 2, 4, 8, 16, 1, 1, 1};
constexpr std::uint8_t kVerticals[] = {0, 1, 2, 4, 8, 16, 32, 0};
constexpr unsigned kPerRowVertical = 7;
constexpr std::uint8_t kTernaryVerticals[] = {0, 1, 4, 8};

void setRegister(Operand& o, DataType type, std::uint64_t number, std::uint64_t byte, bool grf) {
    o.kind = grf ? Operand::Kind::grf : Operand::Kind::arf;
    o.type = type;
    o.subByte = static_cast<std::uint8_t>(byte);
    o.number = static_cast<std::uint8_t>(grf ? number : number & 15);
    if (!grf) o.arf = static_cast<ArchitectureRegister>(number >> 4);
}
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

/// Of the extended descriptor, what the instruction holds.
std::uint32_t extendedPart(const Word& w) {
    return static_cast<std::uint32_t>(w.field(47, 35) << 11 | w.field(65, 64) << 24 | w.field(97, 96) << 26 |
                                      w.field(127, 124) << 28);
}

void decodeSend(const Word& w, MessageForm form, Instruction& in) {
    Message& m = in.message;
    m.function = static_cast<SharedFunction>(w.field(95, 92));
    m.endOfThread = w.bit(34);
    m.descriptorInRegister = w.bit(48);
    m.extendedInRegister = w.bit(49);
    if (!m.descriptorInRegister)
        m.descriptor = static_cast<std::uint32_t>(w.field(91, 81) | w.field(121, 113) << 11 | w.field(55, 51) << 20 |
                                                  w.field(71, 67) << 25 | w.field(123, 122) << 30);
    setRegister(in.destination, DataType::ud, w.field(63, 56), 0, w.bit(50));
    setRegister(in.source[0], DataType::ud, w.field(79, 72), 0, w.bit(66));
    setRegister(in.source[1], DataType::ud, w.field(111, 104), 0, w.bit(98));
    if (m.extendedInRegister) m.extendedSub = static_cast<std::uint8_t>(w.field(42, 40));
    if (m.extendedInRegister && form == MessageForm::sendWithOffset && m.function == SharedFunction::ugm) {
        constexpr std::uint32_t kSubRegister = 7u << 16;  // the bits that say which part of a0
        m.extended = extendedPart(w) & ~kSubRegister;
        m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
    } else if (m.extendedInRegister) {
        m.extendedBso = w.bit(39);
        if (m.extendedBso) m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
    } else {
        m.extended = extendedPart(w);
        m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
    }
    m.hasOffset = form == MessageForm::sendWithOffset &&
                  (m.function == SharedFunction::ugm || (m.function == SharedFunction::slm && !m.extendedInRegister));
    if (!m.descriptorInRegister) m.addressOffset = lsc::addressOffset(m);
    in.sources = 2;
}

void decodeBranch(const Word& w, Instruction& in) {
    in.branchControl = w.bit(33);
    in.targetInRegister = !w.bit(46) && in.opcode != Opcode::join && in.opcode != Opcode::endif;
    in.jip = static_cast<std::int32_t>(w.field(127, 96));
    in.uip = static_cast<std::int32_t>(w.field(95, 64));
    if (in.opcode == Opcode::call || in.opcode == Opcode::calla)
        setRegister(in.destination, DataType::ud, w.field(63, 56), w.field(55, 51) * 2, w.bit(50));
    if (in.targetInRegister) {
        setRegister(in.source[0], DataType::d, w.field(79, 72), w.field(71, 67) * 2, w.bit(66));
        in.sources = 1;
        in.jip = in.uip = 0;
    }
}

DataType ternaryType(std::uint64_t code, bool real) {
    if (!real) return static_cast<DataType>(code);
    return code == 1   ? DataType::hf
           : code == 2 ? DataType::f
           : code == 3 ? DataType::df
           : code == 5 ? DataType::bf
           : code == 6 ? DataType::tf32
                       : DataType::unused;
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
void setModifiers(Operand& o, std::uint64_t bits) {
    o.absolute = bits & 1;
    o.negate = bits & 2;
}

void decodeTernary(const Word& w, Instruction& in) {
    const bool real = w.bit(39);
    in.saturate = w.bit(34);
    if (in.opcode == Opcode::bfn)
        in.function = static_cast<std::uint8_t>(w.field(87, 84) | w.field(95, 92) << 4);
    else
        in.condition = static_cast<Condition>(w.field(95, 92));
    setRegister(in.destination, ternaryType(w.field(38, 36), real), w.field(63, 56), w.field(55, 51) * 2, w.bit(50));
    in.destination.horizontal = w.bit(48) ? 2 : 1;
    auto& [a, b, c] = in.source;
    if (w.bit(46))
        setTernaryImmediate(a, ternaryType(w.field(42, 40), real), w.field(79, 64));
    else {
        setRegister(a, ternaryType(w.field(42, 40), real), w.field(79, 72), w.field(71, 67) * 2, w.bit(66));
        setTernaryRegion(a, w.bit(43) * 2u + w.bit(35), w.field(65, 64));
    }
    setRegister(b, ternaryType(w.field(90, 88), real), w.field(111, 104), w.field(103, 99) * 2, w.bit(98));
    setTernaryRegion(b, w.bit(91) * 2u + w.bit(83), w.field(97, 96));
    if (w.bit(47))
        setTernaryImmediate(c, ternaryType(w.field(82, 80), real), w.field(127, 112));
    else {
        setRegister(c, ternaryType(w.field(82, 80), real), w.field(127, 120), w.field(119, 115) * 2, w.bit(114));
        c.vertical = c.horizontal = kStrides[w.field(113, 112)];
    }
    setModifiers(a, w.field(45, 44));
    if (in.opcode != Opcode::bfn) {
        setModifiers(b, w.field(87, 86));
        setModifiers(c, w.field(85, 84));
    }
    if (in.opcode != Opcode::madm) return;
    in.destination.mme = static_cast<std::int8_t>(w.field(54, 51));
    a.mme = static_cast<std::int8_t>(w.field(70, 67));
    b.mme = static_cast<std::int8_t>(w.field(102, 99));
    c.mme = static_cast<std::int8_t>(w.field(118, 115));
    in.destination.subByte = a.subByte = b.subByte = c.subByte = 0;
}

/// Operands are whole registers; elements of the second and third source may be narrower than their type's byte.
void decodeSystolic(const Word& w, Instruction& in) {
    const bool real = w.bit(39);
    const auto operand = [&](Operand& o, std::uint64_t type, std::uint64_t number, std::uint64_t sub, bool grf,
                             std::uint64_t narrow) {
        constexpr std::uint8_t bits[] = {0, 4, 2, 0};
        setRegister(o, ternaryType(type, real), number, sub * 2, grf);
        o.horizontal = 1;
        o.elementBits = real ? std::uint8_t(0) : bits[narrow];
    };
    operand(in.destination, w.field(38, 36), w.field(63, 56), w.field(55, 51), w.bit(50), 0);
    operand(in.source[0], w.field(42, 40), w.field(79, 72), w.field(71, 67), w.bit(66), 0);
    operand(in.source[1], w.field(90, 88), w.field(111, 104), w.field(103, 99), w.bit(98), w.field(87, 86));
    operand(in.source[2], w.field(82, 80), w.field(127, 120), w.field(119, 115), w.bit(114), w.field(85, 84));
    in.predicate = Predicate::none;
    in.systolicDepth = static_cast<std::uint8_t>(1u << w.field(49, 48));
    in.repeatCount = static_cast<std::uint8_t>(w.field(45, 43) + 1);
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

void decodeSource(const Word& w, const SourcePlaces& p, bool hasLongImmediate, Operand& o) {
    const auto type = static_cast<DataType>(w.field(p.type + 3, p.type));
    if (w.bit(p.immediate)) {
        o.kind = Operand::Kind::immediate;
        o.type = immediateType(type);
        o.immediate = w.field(127, 96);
        if (byteSize(o.type) == 2) o.immediate &= 0xffff;
        if (byteSize(o.type) == 8 && hasLongImmediate) o.immediate |= w.field(95, 64) << 32;
        return;
    }
    setRegister(o, type, w.field(p.number + 7, p.number), w.field(p.sub + 4, p.sub) * 2 + w.bit(p.subLow),
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

void decodeBinary(const Word& w, Instruction& in, const OpcodeInfo& info) {
    in.saturate = w.bit(34);
    in.sources = info.sources;
    const auto condition = static_cast<std::uint8_t>(w.field(95, 92));
    if (info.format == Format::math) {
        in.function = condition;
        in.sources = condition == math_function::kInvm ||
                             (condition >= math_function::kFirstBinary && condition < math_function::kInvm)
                         ? 2
                         : 1;
    } else {
        in.condition = static_cast<Condition>(condition);
    }
    setRegister(in.destination, static_cast<DataType>(w.field(39, 36)), w.field(63, 56),
                w.field(55, 51) * 2 + w.bit(33), w.bit(50));
    in.destination.horizontal = kStrides[w.field(49, 48)];
    if (w.bit(35)) setIndirect(in.destination, w.field(63, 60), w.field(59, 50), w.bit(33));
    decodeSource(w, kSource0, true, in.source[0]);
    if (in.source[0].isImmediate() && byteSize(in.source[0].type) == 8) in.condition = Condition::none;
    if (in.sources > 1) decodeSource(w, kSource1, false, in.source[1]);
    if (info.format != Format::math || (in.function != math_function::kInvm && in.function != math_function::kRsqtm))
        return;
    in.destination.mme = static_cast<std::int8_t>(w.field(54, 51));
    in.source[0].mme = static_cast<std::int8_t>(w.field(70, 67));
    in.source[1].mme = static_cast<std::int8_t>(w.field(102, 99));
    in.destination.subByte = in.source[0].subByte = in.source[1].subByte = 0;
}

void decodeSync(const Word& w, Instruction& in) {
    in.function = static_cast<std::uint8_t>(w.field(95, 92));
    Operand& o = in.source[0];
    if (w.bit(46)) {
        o.kind = Operand::Kind::immediate;
        o.immediate = w.field(127, 96);
    } else {
        setRegister(o, DataType::uw, w.field(79, 72), w.field(71, 67) * 2, w.bit(66));
    }
    in.sources = o.isNull() ? 0 : 1;
}

void decodeBody(const Word& w, const OpcodeInfo& info, MessageForm form, Instruction& in) {
    switch (info.format) {
        case Format::control:
            return;
        case Format::sync:
            return decodeSync(w, in);
        case Format::branch:
            return decodeBranch(w, in);
        case Format::send:
            return decodeSend(w, form, in);
        case Format::three:
            in.sources = 3;
            return decodeTernary(w, in);
        case Format::systolic:
            in.sources = 3;
            return decodeSystolic(w, in);
        default:
            return decodeBinary(w, in, info);
    }
}

}  // namespace

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
    in.atomic = w.bit(32);
    decodeBody(w, *info, architecture.messages, in);
    return in;
}

}  // namespace zetl::isa::xe
