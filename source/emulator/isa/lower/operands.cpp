// Sources: places in the register state, constant lanes, regions, conversion to the lanes that compute.
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/isa/flow.h"
#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {

namespace {

constexpr std::uint32_t kAddresses = 16;  // that movi takes

/// movi: the first address names the register; of every lane's own address only the place within it counts.
const Step* pickByIndex(Thread& t, const Step* m) {
    constexpr std::uint32_t kPlace = layout::kRegisterBytes - 1;
    const auto address = [&](std::uint32_t i) {
        return t.at<std::uint16_t>(layout::kAddress + (m->extra + i) % kAddresses * 2);
    };
    const std::uint32_t base = (address(0) + static_cast<std::uint32_t>(m->value)) & ~kPlace;
    for (std::uint32_t i = 0; i < kAddresses; ++i) {
        if (!(m->mask.lanes >> i & 1)) continue;
        const std::uint32_t at = (base + (address(i) & kPlace)) & (layout::kGrfBytes - 1);
        std::memcpy(t.state + m->dst + i * m->size, t.state + at, m->size);
    }
    return m + 1;
}

constexpr Lowering::RegisterFile kRegisterFiles[] = {{layout::kNull, 0, layout::kLaneBytes},
                                                     {layout::kAddress, 64, 32},
                                                     {layout::kAccumulator, 64, layout::kAccumulatorBytes},
                                                     {layout::kFlags, 4, 16},
                                                     {layout::kExecutionMask, 64, 64},
                                                     {layout::kMessage, 64, 12},
                                                     {layout::kStackPointer, 64, 64},
                                                     {layout::kStatus, 16, 32},
                                                     {layout::kControl, 64, 16},
                                                     {layout::kNotification, 64, 64},
                                                     {layout::kIp, 64, 64},
                                                     {},
                                                     {layout::kTimestamp, 64, 64},
                                                     {},
                                                     {},
                                                     {layout::kDebug, 64, 64},
                                                     {layout::kScalar, 64, 64}};
constexpr std::uint32_t kFirstMme = 8;  // accumulator numbers from here on name extra-precision registers

double halfValue(std::uint32_t u) {
    double v =
        u & 0x7c00 ? std::ldexp(1024 + (u & 1023), static_cast<int>(u >> 10 & 31) - 25) : std::ldexp(u & 1023, -24);
    constexpr std::uint64_t special = 0x7ff0000000000000;
    const std::uint64_t quiet = u & 1023 ? 0x0008000000000000 : 0;
    if ((u & 0x7c00) == 0x7c00) v = std::bit_cast<double>(special | quiet | std::uint64_t{u & 1023} << 42);
    return u & 0x8000 ? -v : v;
}
double tinyFloat(std::uint32_t b) {  // 8 bits: sign, 3 of exponent, 4 of fraction
    const double v = b & 127 ? std::ldexp(1 + (b & 15) / 16.0, static_cast<int>(b >> 4 & 7) - 3) : 0;
    return b & 128 ? -v : v;
}
double realValue(const Operand& o, unsigned lane) {
    const auto u = static_cast<std::uint32_t>(o.immediate);
    switch (o.type) {
        case DataType::df:
            return std::bit_cast<double>(o.immediate);
        case DataType::f:
            return static_cast<double>(std::bit_cast<float>(u));
        case DataType::vf:
            return tinyFloat(u >> 8 * (lane & 3) & 255);
        case DataType::bf:
            return static_cast<double>(std::bit_cast<float>(u << 16));
        default:
            return halfValue(u);
    }
}
std::int64_t integerValue(const Operand& o, DataType type, unsigned lane) {
    const std::uint64_t bits = o.immediate;
    switch (type) {
        case DataType::v:
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 4 * (lane & 7)) << 28) >> 28;
        case DataType::uv:
            return static_cast<std::int64_t>(bits >> 4 * (lane & 7) & 15);
        case DataType::ub:
            return static_cast<std::uint8_t>(bits);
        case DataType::b:
            return static_cast<std::int8_t>(bits);
        case DataType::uw:
            return static_cast<std::uint16_t>(bits);
        case DataType::w:
            return static_cast<std::int16_t>(bits);
        case DataType::ud:
            return static_cast<std::uint32_t>(bits);
        case DataType::d:
            return static_cast<std::int32_t>(bits);
        default:
            return static_cast<std::int64_t>(bits);
    }
}
std::int64_t modified(std::int64_t v, std::uint8_t modifiers) {
    auto u = static_cast<std::uint64_t>(v);
    if (modifiers & kAbsoluteValue && v < 0) u = 0 - u;
    if (modifiers & kNegated) u = 0 - u;
    return static_cast<std::int64_t>(modifiers & kComplemented ? ~u : u);
}
double modified(double v, std::uint8_t modifiers) {
    if (modifiers & kAbsoluteValue) v = std::fabs(v);
    return modifiers & kNegated ? -v : v;
}

/// The lanes in which modifiers are applied: signed ones, for a source may have a sign where its instruction does not
/// care.
LaneType modifiedLanes(LaneType e) {
    if (e == LaneType::u32) return LaneType::i32;
    return e == LaneType::u64 ? LaneType::i64 : e;
}

bool isOperandType(DataType t) { return static_cast<int>(t) < kDataTypes && t != DataType::reserved; }

/// Byte offsets of the region's elements; per-row addressing has the row in the address register.
std::array<std::uint16_t, 32> offsetsOf(const Operand& o, std::uint32_t elementBytes) {
    std::array<std::uint16_t, 32> list{};
    const bool rows = o.addressing != Operand::Addressing::indirectPerRow;
    for (unsigned i = 0; i < 32; ++i)
        list[i] = static_cast<std::uint16_t>(((rows ? i / o.width * o.vertical : 0) + i % o.width * o.horizontal) *
                                             elementBytes);
    return list;
}
std::uint32_t extentOf(const std::array<std::uint16_t, 32>& offsets, unsigned lanes, std::uint32_t elementBytes) {
    std::uint32_t last = 0;
    for (unsigned i = 0; i < lanes; ++i) last = std::max<std::uint32_t>(last, offsets[i]);
    return last + elementBytes;
}
/// 0, 1, 2 or 4 if the elements lie at that distance; -1 for any other region.
int strideOf(const Operand& o, unsigned lanes) {
    if (lanes == 1) return 1;
    const unsigned stride = o.width > 1 ? o.horizontal : o.vertical;
    if (stride > 4 || stride == 3) return -1;
    const bool oneRow = o.width == 1 || lanes <= o.width;
    return oneRow || o.vertical == o.width * stride ? static_cast<int>(stride) : -1;
}

/// 32 lanes of a type, from the function of a lane's number, or from one number for all.
template <class Lane>
std::array<std::uint64_t, 32> lanesOf(bool differ, auto&& number) {
    std::array<std::uint64_t, 32> bits{};
    auto value = static_cast<Lane>(number(0u));
    for (unsigned i = 0; i < 32; ++i) {
        if (differ) value = static_cast<Lane>(number(i));
        std::memcpy(reinterpret_cast<std::byte*>(bits.data()) + i * sizeof value, &value, sizeof value);
    }
    return bits;
}

}  // namespace

Lowering::RegisterFile Lowering::registerFile(ArchitectureRegister which) const {
    RegisterFile file = kRegisterFiles[static_cast<int>(which)];
    if (which == ArchitectureRegister::address) file.bytes = code_.options.architecture->addressBytes;
    if (which == ArchitectureRegister::scalar) file.bytes = code_.options.architecture->scalarBytes;
    return file;
}

std::uint32_t Lowering::place(const Operand& o, std::uint32_t extent) const {
    if (o.isGrf()) {
        const std::uint32_t at = o.number * layout::kRegisterBytes + o.subByte;
        if (at + extent > registerFileBytes(code_, in_->ip)) refuseIllegal("operand beyond the register file");
        return layout::kGrf + at;
    }
    const RegisterFile file = registerFile(o.arf);
    const bool hidden = o.arf == ArchitectureRegister::message && !code_.options.architecture->start.subsliceInMessage;
    if (!file.bytes || hidden) refuseInstruction("architecture register " + std::to_string(static_cast<int>(o.arf)));
    if (o.arf == ArchitectureRegister::null) return file.begin;
    const bool mme = o.isAccumulator() && o.number >= kFirstMme;
    const std::uint32_t at = (mme ? o.number - kFirstMme : o.number) * file.stride + o.subByte;
    if (at + extent > (mme ? layout::kMmeBytes : file.bytes)) refuseIllegal("operand beyond an architecture register");
    return (mme ? layout::kMme : file.begin) + at;
}

std::uint32_t Lowering::sourcePlace(const Operand& o, std::uint32_t extent) {
    const bool computed = o.isArf(ArchitectureRegister::executionMask) || o.isArf(ArchitectureRegister::timestamp) ||
                          o.isArf(ArchitectureRegister::notification) || o.isArf(ArchitectureRegister::ip);
    if (computed) {
        Step& m = emit(refresh);
        m.kind = static_cast<std::uint8_t>(o.arf);
        m.value = static_cast<std::int32_t>(in_->ip);
    }
    return place(o, extent);
}

std::uint64_t Lowering::constant(const std::array<std::uint64_t, 32>& lanes) { return code_.constant(lanes); }

std::uint64_t Lowering::immediate(const Operand& o, std::uint8_t modifiers, LaneType e) {
    const bool differ = isVectorImmediate(o.type);
    const auto real = [&](unsigned i) {
        return isReal(o.type) ? modified(realValue(o, i), modifiers)
                              : static_cast<double>(modified(integerValue(o, o.type, i), modifiers));
    };
    const auto integer = [&](unsigned i) { return modified(integerValue(o, o.type, i), modifiers); };
    if (e == LaneType::f32) return constant(lanesOf<float>(differ, real));
    if (e == LaneType::f64) return constant(lanesOf<double>(differ, real));
    return constant(byteSize(e) == 8 ? lanesOf<std::int64_t>(differ, integer) : lanesOf<std::int32_t>(differ, integer));
}

std::uint64_t Lowering::region(const std::array<std::uint16_t, 32>& offsets) {
    if (code_.regions.empty() || code_.regions.back() != offsets) code_.regions.push_back(offsets);
    return reinterpret_cast<std::uint64_t>(code_.regions.back().data());
}

std::uint64_t Lowering::gatherRegion(const Operand& o, std::uint32_t elementBytes) {
    const auto offsets = offsetsOf(o, elementBytes);
    const std::uint32_t from =
        o.isIndirect() ? layout::kGrf : sourcePlace(o, extentOf(offsets, in_->width, elementBytes));
    const bool byIndex = in_->opcode == Opcode::movi && o.isIndirect();
    if (byIndex && in_->width > kAddresses) refuseIllegal("more lanes than addresses");
    Step& g = byIndex ? emit(pickByIndex) : emit({.family = Family::gather});
    g.src[0] = from;
    g.src[1] = region(offsets);
    g.src[2] = code_.options.architecture->addressBytes / sizeof(std::uint16_t) - 1;
    g.dst = layout::kRaw;
    g.size = static_cast<std::uint8_t>(elementBytes);
    g.kind = static_cast<std::uint8_t>(o.addressing);
    g.value = o.addressOffset;
    g.stride = o.width;
    g.extra = o.addressSub;
    return layout::kRaw;
}

std::uint64_t Lowering::fetch(const Operand& operand, DataType readAs, std::uint8_t modifiers, LaneType e, int buffer) {
    Operand o = operand;
    if (o.isImmediate()) {
        if (!isVectorImmediate(o.type)) o.type = readAs;
        return immediate(o, modifiers, e);
    }
    if (o.kind == Operand::Kind::none || o.isNull()) return zeros();
    if (!isOperandType(readAs) || (isReal(readAs) && !isReal(e))) refuseIllegal("operand type");
    if (!isSigned(readAs)) modifiers &= static_cast<std::uint8_t>(~kAbsoluteValue);
    const std::uint32_t bytes = byteSize(readAs);
    if (!o.isIndirect() && o.subByte % bytes) refuseIllegal("misaligned register operand");
    if (o.mme >= 0) {
        o.vertical = o.horizontal = 1;
        o.width = 1;
    }
    int stride = o.isIndirect() ? -1 : strideOf(o, in_->width);
    std::uint64_t from;
    const bool linear = stride >= 0;
    if (linear) {
        from = sourcePlace(o, ((in_->width - 1u) * static_cast<std::uint32_t>(stride) + 1) * bytes);
        // Flag registers are narrower than the widest types.
        if (from % bytes) refuseIllegal("misaligned register operand");
    } else {
        from = gatherRegion(o, bytes);
        stride = 1;
    }
    const bool same = bytes == byteSize(e) && isReal(readAs) == isReal(e);
    if (same && stride == 1 && !modifiers && linear) return from;
    const std::uint32_t lanes = layout::kLanes + static_cast<std::uint32_t>(buffer) * layout::kLaneBytes;
    const std::uint32_t load = stepCount();
    loads_[static_cast<std::size_t>(buffer)] = {load, modifiers};
    Step& c = emit({.family = Family::convert,
                    .lanes = e,
                    .type = readAs,
                    .stride = static_cast<std::uint8_t>(stride),
                    .wide = wide_});
    c.src[0] = from;
    c.dst = lanes;
    if (readAs == DataType::hf && code_.traits.flushHalf[currentLine()])
        emit(table_.flushHalf[e == LaneType::f64]).dst = lanes;
    if (modifiers) {
        Step& f = emit({.family = Family::modify, .lanes = modifiedLanes(e), .wide = wide_});
        f.dst = lanes;
        f.kind = modifiers;
        if (modifiers == kNegated) markNegative(load);
    }
    return lanes;
}

void Lowering::readSources(const Instruction& in, LaneType e, std::uint64_t (&src)[3]) {
    const bool logic = in.opcode == Opcode::bitNot || in.opcode == Opcode::bitAnd || in.opcode == Opcode::bitOr ||
                       in.opcode == Opcode::bitXor;
    loads_ = {};
    for (int k = 0; k < in.sources; ++k) {
        const Operand& o = in.source[k];
        const auto modifiers =
            static_cast<std::uint8_t>(logic ? (o.negate ? kComplemented : kNoModifier)
                                            : (o.absolute ? kAbsoluteValue : 0) | (o.negate ? kNegated : 0));
        src[k] = fetch(o, readType(in, k), modifiers, e, k);
    }
}

}  // namespace zetl::emulator::isa
