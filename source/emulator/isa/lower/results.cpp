// Destinations: direct writing where it is allowed, retirement everywhere else, flags.
#include "emulator/isa/flow.h"
#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {
namespace {

bool overlaps(std::uint64_t a, std::uint64_t aBytes, std::uint64_t b, std::uint64_t bBytes) {
    return a < b + bBytes && b < a + aBytes;
}
bool isControl(const Operand& d) { return d.isArf(ArchitectureRegister::control); }
/// tm0.4, by which a thread that polls asks for a pause. It need not get one.
bool isPause(const Operand& d) {
    constexpr std::uint32_t kPauseCounter = 16;
    return d.isArf(ArchitectureRegister::timestamp) && d.subByte == kPauseCounter;
}
bool isReadOnly(const Operand& d) {
    return d.isArf(ArchitectureRegister::executionMask) || d.isArf(ArchitectureRegister::ip) ||
           (d.isArf(ArchitectureRegister::timestamp) && !isPause(d));
}

}  // namespace

/// Whether some lane of the host's chunks must stay untouched.
bool Lowering::partial(const LaneMask& m) const {
    return !allLanesOn() || m.predicate != Predicate::none || (in_->width != 1 && in_->width != 16 && in_->width != 32);
}

std::uint32_t Lowering::destinationPlace(const Operand& d) {
    const std::uint32_t bytes = byteSize(d.type);
    if (isReadOnly(d)) refuseIllegal("write to a read-only register");
    const std::uint32_t to = place(d, ((in_->width - 1u) * strideOf(d) + 1) * bytes);
    if (!d.isIndirect() && !d.isNull() && to % bytes) refuseIllegal("misaligned destination");
    return to;
}

/// The destination is plain lanes of the type that computes, and no source range overlaps it in part: all sources are
/// read before any lane is written.
bool Lowering::isDirect(const Instruction& in, LaneType e, const LaneMask&, const std::uint64_t (&src)[3]) const {
    const Operand& d = in.destination;
    const bool sameLanes = byteSize(d.type) == byteSize(e) && isReal(d.type) == isReal(e);
    if (!sameLanes || in.saturate || d.isIndirect() || isControl(d) || d.isNull()) return false;
    if (strideOf(d) != 1 && in.width != 1) return false;
    const bool accumulates =
        in.opcode == Opcode::addc || in.opcode == Opcode::subb || in.opcode == Opcode::mach || in.opcode == Opcode::mac;
    if (accumulates || (d.isAccumulator() && keepsWideAccumulator() && !isReal(e))) return false;
    const std::uint32_t bytes = in.width * byteSize(e);
    const std::uint32_t to = place(d, bytes);
    for (int k = 0; k < 3; ++k) {
        const bool used = k < in.sources || (k == 2 && in.opcode == Opcode::macl);
        if (used && src[k] < layout::kNull && src[k] != to && overlaps(src[k], bytes, to, bytes)) return false;
    }
    return true;
}

void Lowering::afterWrite(const Operand& d) {
    if (isControl(d)) emit(Family::applyControl);
}

/// Lanes of type e at `from` reach the destination as `type` under the mask.
void Lowering::retire(const Operand& d, DataType type, std::uint64_t from, LaneType e, const LaneMask& mask) {
    const std::uint32_t bytes = byteSize(type);
    const std::uint32_t lanesBytes = in_->width * byteSize(e);
    if (type == DataType::hf && code_.traits.flushHalf[currentLine()] && isReal(e)) {
        // Registers and constants must not change: flush a copy.
        if (from < layout::kLanes || from >= layout::kBytes) {
            const DataType same = e == LaneType::f64 ? DataType::df : DataType::f;
            Step& c = emit({.family = Family::convert, .lanes = e, .type = same, .wide = wide_});
            c.src[0] = from;
            c.dst = layout::kResult;
            from = layout::kResult;
        }
        emit(table_.flushHalf[e == LaneType::f64]).dst = static_cast<std::uint32_t>(from);
    }
    if (d.isNull()) return;  // flushed all the same: flags follow
    if (d.isIndirect()) return retireIndirect(d, type, from, e, mask);
    Operand typed = d;
    typed.type = type;
    const std::uint32_t to = destinationPlace(typed);
    const unsigned stride = strideOf(d);
    const bool inPlace = from == to && stride == 1 && byteSize(e) == bytes;
    if (from < layout::kNull && !inPlace && overlaps(from, lanesBytes, to, in_->width * stride * bytes)) {
        Step& c = emit({.family = Family::latch});
        c.src[0] = from;
        c.dst = layout::kLanes;
        c.value = static_cast<std::int32_t>(lanesBytes);
        from = layout::kLanes;
    }
    Step& r = emit({.family = Family::retire, .lanes = e, .type = type, .masked = partial(mask), .wide = wide_});
    r.src[0] = from;
    r.dst = to;
    r.stride = static_cast<std::uint8_t>(stride);
    r.mask = mask;
    if (d.isAccumulator() && !isReal(type) && keepsWideAccumulator()) shadowAccumulator(d, from, e, mask);
    afterWrite(d);
}

void Lowering::retireIndirect(const Operand& d, DataType type, std::uint64_t from, LaneType e, const LaneMask& mask) {
    Step& r = emit({.family = Family::retire, .lanes = e, .type = type, .wide = wide_});
    r.src[0] = from;
    r.dst = layout::kRaw;
    std::array<std::uint16_t, 32> offsets{};
    for (unsigned i = 0; i < 32; ++i) offsets[i] = static_cast<std::uint16_t>(i * strideOf(d) * byteSize(type));
    Step& w = emit({.family = Family::scatter});
    w.src[0] = layout::kRaw;
    w.src[1] = region(offsets);
    w.extra = d.addressSub;
    w.kind = 1;
    w.stride = 1;
    w.value = d.addressOffset;
    w.size = static_cast<std::uint8_t>(byteSize(type));
    w.mask = mask;
}

/// Whether more than 32 bits per lane of what the line leaves there may be read.
bool Lowering::keepsWideAccumulator() const { return code_.traits.wideAccumulator[currentLine()]; }

void Lowering::shadowAccumulator(const Operand& d, std::uint64_t from, LaneType e, const LaneMask& mask) {
    Step& r = emit({.family = Family::retire, .lanes = e, .type = DataType::q, .masked = partial(mask), .wide = wide_});
    const std::uint32_t at = place(d, 4) - layout::kAccumulator;
    r.src[0] = from;
    r.dst = layout::kWideAccumulator + at / 4 * 8;
    r.mask = mask;
}

void Lowering::setFlags(std::uint64_t lanes, LaneType e, int condition) {
    Step& c =
        emit({.family = Family::compare, .row = static_cast<std::uint16_t>(condition), .lanes = e, .wide = wide_});
    c.src[0] = lanes;
    c.src[1] = zeros();
}

}  // namespace zetl::emulator::isa
