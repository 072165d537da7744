// Instructions that came with Xe3P and are no rows: a lane's result is more than its own elements, or comes from a
// table.
#include <cstring>

#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kEntries = 16;  // of a table, dwords
constexpr std::uint8_t kByFourBits = 6;

/// src[0] the table, src[1] lanes with their indices, dst lanes; kind: bytes of an index.
const Step* lookUp(Thread& t, const Step* m) {
    std::uint32_t table[kEntries];
    std::memcpy(table, t.state + m->src[0], sizeof table);
    const auto entry = [&](std::uint32_t index) { return table[index % kEntries]; };
    for (std::uint32_t i = 0; i < m->chunks * 16u; ++i) {
        const auto at = static_cast<std::uint32_t>(i * sizeof(std::uint32_t));
        const auto index = t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[1]) + at);
        std::uint32_t found = (entry(index) & 0xffff) | (entry(index >> 4) & 0xffff0000);
        if (m->kind == 2) {
            found = 0;
            for (std::uint32_t byte = 0; byte < 4; ++byte) found |= entry(index >> byte * 4) & 0xffu << byte * 8;
        }
        t.at<std::uint32_t>(m->dst + at) = found;
    }
    return m + 1;
}

bool isPlainInstruction(const Instruction& in) {
    const auto changed = [](const Operand& o) { return o.hasModifier() || o.isIndirect(); };
    return !in.saturate && in.condition == Condition::none && !changed(in.destination) && !changed(in.source[0]) &&
           !changed(in.source[1]);
}
bool holdsDwords(DataType t) { return t == DataType::d || t == DataType::ud; }

}  // namespace

/// mullh: the low halves of products are the destination, the high halves the register behind it.
void Lowering::longProduct(const Instruction& in) {
    constexpr std::uint8_t kMostLanes = 16;
    const bool fits =
        holdsDwords(in.destination.type) && holdsDwords(in.source[0].type) && holdsDwords(in.source[1].type);
    if (!isPlainInstruction(in) || !fits || in.width > kMostLanes || !in.destination.isGrf() ||
        in.destination.horizontal > 1)
        refuseIllegal("mullh of these operands");
    std::uint64_t src[3] = {};
    readSources(in, LaneType::i64, src);  // each by its own type: the bits are right whatever the lanes' sign
    const std::uint32_t compute = stepCount();
    Step& product = emit({.family = Family::compute,
                          .row = static_cast<std::uint16_t>(Opcode::mul),
                          .lanes = LaneType::i64,
                          .wide = wide_});
    for (int k = 0; k < 3; ++k) product.src[k] = src[k];
    product.dst = layout::kResult;
    Step& high = emit({.family = Family::convert,
                       .lanes = LaneType::u32,
                       .type = DataType::ud,
                       .stride = static_cast<std::uint8_t>(wide_ ? 2 : 1),
                       .wide = wide_});
    high.src[0] = layout::kResult + 4;
    high.dst = layout::kExtra;
    Operand next = in.destination;
    ++next.number;
    retire(in.destination, DataType::ud, layout::kResult, LaneType::i64, mask_);
    retire(next, DataType::ud, layout::kExtra, LaneType::u32, mask_);
    markLongProduct(src, compute);
}

/// shfl.idx4. How the other functions of shfl work is not published, and the vendor's assembler refuses them.
void Lowering::shuffle(const Instruction& in) {
    constexpr std::uint8_t kFewestLanes = 16;
    const DataType index = in.source[1].type;
    if (in.function != kByFourBits) refuseInstruction("shfl by other than tables");
    const bool fits = holdsDwords(in.destination.type) && holdsDwords(in.source[0].type) && in.source[0].isGrf() &&
                      (index == DataType::ub || index == DataType::uw);
    if (!isPlainInstruction(in) || !fits || in.width < kFewestLanes) refuseIllegal("shfl of these operands");
    const std::uint32_t table = sourcePlace(in.source[0], kEntries * sizeof(std::uint32_t));
    const std::uint64_t indices = fetch(in.source[1], index, kNoModifier, LaneType::u32, 1);
    Step& s = emit(lookUp);
    s.src[0] = table;
    s.src[1] = indices;
    s.dst = layout::kResult;
    s.kind = static_cast<std::uint8_t>(byteSize(index));
    retire(in.destination, DataType::ud, layout::kResult, LaneType::u32, mask_);
}

}  // namespace zetl::emulator::isa
