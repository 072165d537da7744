#include "reference/operand.h"

#include <algorithm>

namespace zetl::test::reference {
namespace {

using isa::ArchitectureRegister;
using isa::DataType;
using isa::Operand;

std::optional<std::uint32_t> fileOf(ArchitectureRegister r) {
    switch (r) {
        case ArchitectureRegister::address:
            return layout::kAddress;
        case ArchitectureRegister::accumulator:
            return layout::kAccumulator;
        case ArchitectureRegister::flag:
            return layout::kFlags;
        case ArchitectureRegister::executionMask:
            return layout::kExecutionMask;
        case ArchitectureRegister::stackPointer:
            return layout::kStackPointer;
        case ArchitectureRegister::status:
            return layout::kStatus;
        case ArchitectureRegister::control:
            return layout::kControl;
        case ArchitectureRegister::notification:
            return layout::kNotification;
        case ArchitectureRegister::ip:
            return layout::kIp;
        case ArchitectureRegister::timestamp:
            return layout::kTimestamp;
        case ArchitectureRegister::debug:
            return layout::kDebug;
        default:
            return {};
    }
}
std::uint32_t registerBytes(ArchitectureRegister r) {
    if (r == ArchitectureRegister::flag) return 4;
    return r == ArchitectureRegister::status ? 16 : layout::kRegisterBytes;
}
std::optional<std::uint32_t> firstByte(const Operand& o) {
    constexpr std::uint32_t kFirstMme = 8;  // accumulators from there on are those of the division macros
    if (o.isGrf()) return layout::kGrf + o.number * layout::kRegisterBytes + o.subByte;
    const auto file = o.kind == Operand::Kind::arf ? fileOf(o.arf) : std::nullopt;
    if (!file) return {};
    if (o.isAccumulator() && o.number >= kFirstMme)
        return layout::kMme + (o.number - kFirstMme) * layout::kRegisterBytes + o.subByte;
    return *file + o.number * registerBytes(o.arf) + o.subByte;
}
std::uint32_t indirectPlace(const State& s, const Operand& o, unsigned row, std::uint32_t offset) {
    constexpr std::uint32_t kAddresses = 16;
    const auto address =
        static_cast<std::uint32_t>(s.read(layout::kAddress + (o.addressSub + row) % kAddresses * 2, 2));
    return layout::kGrf + ((address + static_cast<std::uint32_t>(o.addressOffset) + offset) % layout::kGrfBytes);
}
/// Registers that are made when they are read.
std::optional<std::uint64_t> computedBits(const State& s, const isa::Instruction& in, const Operand& o) {
    const auto part = [&](std::uint64_t bits) { return o.subByte < 8 ? bits >> 8 * o.subByte : 0; };
    if (o.isArf(ArchitectureRegister::executionMask)) return part(s.active);
    if (o.isArf(ArchitectureRegister::ip)) return part(in.ip);
    if (o.isArf(ArchitectureRegister::timestamp)) return part(s.timestamp);
    return {};
}
/// An element of a vector of reals: sign, three bits of exponent, four of fraction; no bits are zero.
Real tinyReal(std::uint64_t bits) {
    Real v = Real::zero(bits >> 7 & 1);
    if ((bits & 127) == 0) return v;
    v.magnitude = 16 | (bits & 15);
    v.exponent = static_cast<int>(bits >> 4 & 7) - 3 - 4;
    return v;
}
/// A vector immediate is 128 bits of words, of reals of dwords, over and over: a lane takes what lies where its result
/// does. Without a result it takes the next one.
unsigned elementOf(const Operand& destination, DataType vector, unsigned lane) {
    if (destination.isNull()) return lane;
    const unsigned apart = destination.horizontal * isa::byteSize(destination.type);
    return lane * std::max(1u, apart / (vector == DataType::vf ? 4 : 2));
}
std::uint64_t immediateBits(const Operand& o, unsigned element) {
    const std::uint64_t nibble = o.immediate >> 4 * (element & 7) & 15;
    switch (o.type) {
        case DataType::uv:
            return nibble;
        case DataType::v:
            return (nibble ^ 8) - 8;
        case DataType::vf:
            return encodeReal(tinyReal(o.immediate >> 8 * (element & 3) & 255), kSingle, Rounding::nearestEven);
        default:
            return o.immediate;
    }
}

}  // namespace

std::optional<std::uint32_t> sourcePlace(const State& s, const Operand& o, DataType type, unsigned lane) {
    const std::uint32_t size = isa::byteSize(type);
    const unsigned row = lane / o.width;
    const unsigned column = lane % o.width;
    if (o.addressing == Operand::Addressing::indirectPerRow)
        return indirectPlace(s, o, row, column * o.horizontal * size);
    const std::uint32_t offset = (row * o.vertical + column * o.horizontal) * size;
    if (o.addressing == Operand::Addressing::indirect) return indirectPlace(s, o, 0, offset);
    const auto first = firstByte(o);
    if (first && o.mme >= 0) return *first + lane * size;
    return first ? std::optional(*first + offset) : std::nullopt;
}
std::optional<std::uint32_t> destinationPlace(const State& s, const Operand& o, DataType type, unsigned lane) {
    const std::uint32_t stride = o.mme >= 0 || o.horizontal == 0 ? 1 : o.horizontal;
    const std::uint32_t offset = lane * stride * isa::byteSize(type);
    if (o.isIndirect()) return indirectPlace(s, o, 0, offset);
    const auto first = firstByte(o);
    return first ? std::optional(*first + offset) : std::nullopt;
}

DataType elementType(const Operand& o) {
    if (o.type == DataType::v) return DataType::d;
    if (o.type == DataType::uv) return DataType::ud;
    return o.type == DataType::vf ? DataType::f : o.type;
}
std::uint64_t elementBits(const State& s, const isa::Instruction& in, int source, unsigned lane) {
    const Operand& o = in.source[source];
    const DataType type = elementType(o);
    const std::uint64_t mask = maskOf(bitsOf(type));
    if (o.isImmediate()) return immediateBits(o, elementOf(in.destination, o.type, lane)) & mask;
    if (const auto bits = computedBits(s, in, o)) return *bits & mask;
    const auto place = sourcePlace(s, o, type, lane);
    return place ? s.read(*place, isa::byteSize(type)) : 0;
}

Value elementValue(const State& s, const isa::Instruction& in, int source, unsigned lane) {
    const Operand& o = in.source[source];
    const DataType type = elementType(o);
    const std::uint64_t bits = elementBits(s, in, source, lane);
    Value v;
    v.isReal = isa::isReal(type);
    if (v.isReal) {
        v.real = decodeReal(bits, formatOf(type));
        if (o.absolute) v.real = magnitudeOf(v.real);
        if (o.negate) v.real = negated(v.real);
        return v;
    }
    v.integer = integerOf(bits, type);
    if (o.absolute) v.integer.negative = false;
    if (o.negate) v.integer = -v.integer;
    return v;
}

}  // namespace zetl::test::reference
