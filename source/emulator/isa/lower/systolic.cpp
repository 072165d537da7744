// dpas: which types can be multiplied with each other, and where the matrices are.
#include "emulator/isa/lower/lowering.h"
#include "emulator/isa/scaled_matrices.h"

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kColumns = 16;
constexpr std::uint32_t kDepth = 8;

std::uint32_t bitsOf(const Operand& o) { return o.elementBits ? o.elementBits : byteSize(o.type) * 8; }
bool isDword(DataType t) { return t == DataType::d || t == DataType::ud; }
bool isByte(DataType t) { return t == DataType::b || t == DataType::ub; }

bool isSmall(const Operand& o) { return o.type == DataType::bf8 || o.type == DataType::hf8; }

/// What kind of dpas it is, as StepTable numbers them. `small`: the architecture has reals of at most a byte.
int kindOf(const Instruction& in, bool small) {
    constexpr int kSmall = 4;
    const auto& [c, b, a] = in.source;
    if (isSmall(b) && isSmall(a) && small && b.elementBits == a.elementBits) {
        const auto fits = [](DataType t) { return t == DataType::f || t == DataType::bf; };
        return fits(c.type) && fits(in.destination.type) ? kSmall : -1;
    }
    if (isByte(b.type) && isByte(a.type)) return isDword(in.destination.type) && isDword(c.type) ? 0 : -1;
    if (a.type != b.type) return -1;
    const auto holdsSums = [&](DataType t, DataType narrow) { return t == DataType::f || t == narrow; };
    constexpr DataType factors[] = {DataType::hf, DataType::bf, DataType::tf32};
    for (int k = 0; k < 3; ++k) {
        const DataType narrow = factors[k] == DataType::tf32 ? DataType::f : factors[k];
        if (b.type == factors[k] && holdsSums(c.type, narrow) && holdsSums(in.destination.type, narrow)) return k + 1;
    }
    return -1;
}
/// Elements that one stage sums up: what fits into 32 bits of the wider operand.
std::uint32_t elementsOfStage(std::uint32_t bits) { return bits == 32 ? 1 : bits == 16 ? 2 : bits == 8 ? 4 : 8; }
std::uint8_t shapeOf(const Operand& o) {
    if (isSmall(o)) return static_cast<std::uint8_t>(bitsOf(o) | (o.type == DataType::hf8 ? 16 : 0));
    return static_cast<std::uint8_t>(bitsOf(o) & 15) | (isSigned(o.type) ? 16 : 0);
}

}  // namespace

void Lowering::systolic(const Instruction& in) {
    const auto& [c, b, a] = in.source;
    if (in.width != kColumns || in.systolicDepth != kDepth) refuseInstruction("dpas of this size");
    const int kind = kindOf(in, code_.options.architecture->operands == OperandForm::nineBit);
    if (kind < 0) refuseIllegal("operand types");
    const std::uint32_t stage = elementsOfStage(std::max(bitsOf(a), bitsOf(b)));
    const std::uint32_t depth = kDepth * stage;
    const std::uint32_t rows = in.repeatCount;
    const auto narrow = [&](const Operand& o) { return byteSize(o.type) == 2; };
    const auto aligned = [&](const Operand& o, std::uint32_t bytes, std::uint32_t unit) {
        const auto offset = place(o, bytes);
        if (offset % unit != 0) refuseIllegal("misaligned register operand");
        return offset;
    };
    const auto sums = [&](const Operand& o) {
        return aligned(o, rows * kColumns * byteSize(o.type), byteSize(o.type));
    };
    const auto factors = [&](const Operand& o, std::uint32_t count) {
        return aligned(o, count * depth * bitsOf(o) / 8, 4);
    };
    const bool scaled = in.opcode == Opcode::bdpas;
    if (scaled && (kind == 0 || kind == 3)) refuseIllegal("operand types");
    const int scaledKind = kind == 4 ? 2 : kind - 1;
    Step& m = emit(scaled ? table_.scaledSystolic[scaledKind][narrow(c)][narrow(in.destination)]
                          : table_.systolic[kind][narrow(c)][narrow(in.destination)]);
    m.extra = c.isNull();
    m.src[0] = c.isNull() ? 0 : sums(c);
    m.dst = sums(in.destination);
    m.src[1] = factors(b, kColumns);
    m.src[2] = factors(a, rows);
    m.chunks = static_cast<std::uint8_t>(rows);
    m.value = static_cast<std::int32_t>(depth);
    m.kind = static_cast<std::uint8_t>(stage);
    m.size = shapeOf(b);
    m.stride = shapeOf(a);
    if (!scaled) return;
    constexpr std::uint32_t kHalf = 32;  // bytes between the scales of two halves
    const auto scales = [&](const Operand& o, std::uint32_t count) {
        const std::uint32_t all = depth > kHalf ? kHalf + count : count;
        return o.isNull() ? ScaledMatrices::kNone : place(o, all);
    };
    ScaledMatrices{.columns = scales(in.scale[0], kColumns), .rows = scales(in.scale[1], rows), .noSums = c.isNull()}
        .encode(m);
}

}  // namespace zetl::emulator::isa
