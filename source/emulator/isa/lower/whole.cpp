// Steps of one instruction that host code may do as one: recorded at the first of them, as soon as they are there.
#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {
namespace {

constexpr unsigned kChunk = 16;  // lanes
constexpr unsigned kWords = 32;  // in a register

bool isInteger(DataType type, std::uint32_t bytes) { return !isReal(type) && byteSize(type) == bytes; }
bool isWord(DataType type) { return type == DataType::w || type == DataType::uw; }
bool isEquality(Condition c) { return c == Condition::equal || c == Condition::notEqual; }

}  // namespace

void Lowering::mark(Whole whole, std::uint32_t first, std::uint32_t end) {
    Meaning& meaning = body_.meanings[first];
    meaning.whole = whole;
    meaning.steps = static_cast<std::uint8_t>(end - first);
}

void Lowering::markNegative(std::uint32_t load) {
    const Meaning& what = body_.meanings[load];
    const bool dwords = isInteger(what.type, 4) && !isReal(what.lanes) && byteSize(what.lanes) == 4;
    const bool reals = (what.type == DataType::f && what.lanes == LaneType::f32) ||
                       (what.type == DataType::df && what.lanes == LaneType::f64);
    if (wide_ && what.stride == 1 && (dwords || reals)) mark(Whole::negative, load, load + 2);
}

/// Of a source that is loaded and then stored.
void Lowering::markMove(const Operand& d) {
    const Load& load = loads_[0];
    const std::uint32_t end = load.step + 2;
    if (!wide_ || !load.isPlain() || end != stepCount()) return;
    const Meaning& what = body_.meanings[load.step];
    if (isReal(what.lanes)) return;
    const bool whole = what.stride != 0 && strideOf(d) == 1 && !partial(mask_);
    if (whole && isInteger(d.type, byteSize(what.lanes))) return mark(Whole::move, load.step, end);
    const bool words = in_->width == kWords && isInteger(what.type, 2) && what.stride == 1;
    if (words && isInteger(d.type, 1) && strideOf(d) == 2) return mark(Whole::moveBytes, load.step, end);
    const auto isNarrow = [](DataType type) { return isInteger(type, 1) || isInteger(type, 2); };
    const std::uint32_t spacing = what.stride * byteSize(what.type);
    const bool inRegister = in_->width == kWords && isNarrow(what.type) && what.stride != 0 && spacing <= 2;
    if (inRegister && isNarrow(d.type) && strideOf(d) == 1) mark(Whole::narrowMove, load.step, end);
}

/// Of a comparison that stores no lanes.
void Lowering::markCompare(std::uint32_t compare) {
    const Meaning& what = body_.meanings[compare];
    if (!wide_ || what.lanes != LaneType::i64 || !isEquality(static_cast<Condition>(what.row))) return;
    const auto& [x, y, none] = loads_;
    const bool negated = y.step != Load::kNone && y.modifiers == kNegated && y.step + 2 == compare;
    if (!negated || !x.isPlain() || x.step + 1 != y.step) return;
    const auto takesDwords = [&](const Load& load) {
        const Meaning& source = body_.meanings[load.step];
        return source.type == DataType::d && source.stride == 1;
    };
    if (takesDwords(x) && takesDwords(y)) mark(Whole::compareNegative, x.step, compare + 1);
}

/// Of a comparison whose flags are spread and stored.
void Lowering::markFlagLanes(const Operand& d, std::uint32_t compare) {
    const std::uint32_t end = compare + 3;
    const bool fits = byteSize(d.type) == 4 || (byteSize(d.type) == 2 && in_->width == kWords);
    if (!wide_ || end != stepCount() || !fits || strideOf(d) != 1) return;
    mark(Whole::flagLanes, compare + 1, end);
    if (byteSize(body_.meanings[compare].lanes) == 4) mark(Whole::compareToLanes, compare, end);
}

/// Of a product in lanes of 64 bits.
void Lowering::markProduct(const Operand& d, std::uint32_t compute) {
    const auto& [x, y, none] = loads_;
    const bool everyLane = d.isIndirect() || (strideOf(d) == 1 && !partial(mask_));
    if (in_->width > kChunk || d.isNull() || !isInteger(d.type, 4) || !everyLane) return;
    if (!x.isPlain() || x.step + 2 != compute || !y.isPlain() || y.step + 1 != compute) return;
    const Meaning& dwords = body_.meanings[x.step];
    const Meaning& words = body_.meanings[y.step];
    if (isInteger(dwords.type, 4) && dwords.stride == 1 && words.type == DataType::uw && words.stride == 2)
        mark(Whole::product, x.step, compute + 2);
}

/// Of both halves of the products of 16 dwords and dwords or constants.
void Lowering::markLongProduct(const std::uint64_t (&src)[3], std::uint32_t compute) {
    const auto& [x, y, none] = loads_;
    const auto takesDwords = [&](const Load& load) {
        const Meaning& source = body_.meanings[load.step];
        return load.isPlain() && isInteger(source.type, 4) && source.stride == 1;
    };
    const bool constant = y.step == Load::kNone && src[1] >= layout::kBytes;
    if (!wide_ || in_->width != kChunk || x.step == Load::kNone || !takesDwords(x)) return;
    if (!constant && (y.step != x.step + 1 || !takesDwords(y))) return;
    if (x.step + (constant ? 1 : 2) == compute) mark(Whole::longProduct, x.step, stepCount());
}

/// Of a selection in 32 lanes of 32 bits.
void Lowering::markPick(const Operand& d, std::uint32_t compute) {
    const std::uint32_t end = compute + 2;
    if (end == stepCount() && isInteger(d.type, 2) && strideOf(d) == 1) mark(Whole::pickWords, compute, end);
}

/// Of a selection or logic in 32 lanes of 32 bits, with two sources: words or constants, but not constants alone.
void Lowering::markWords(const Instruction& in, const std::uint64_t (&src)[3], std::uint32_t compute) {
    std::uint32_t first = compute;
    for (std::size_t k = 2; k-- > 0;) {
        const Load& load = loads_[k];
        if (load.step == Load::kNone && src[k] >= layout::kBytes) continue;
        if (!load.isPlain() || load.step + 1 != first) return;
        const Meaning& what = body_.meanings[load.step];
        if (!isWord(what.type) || what.stride > 1) return;
        first = load.step;
    }
    const Operand& d = in.destination;
    const std::uint32_t end = stepCount();
    const bool stores = end == compute + 2 && in.condition == Condition::none && strideOf(d) == 1;
    const bool compares = end == compute + 3 && d.isNull() && isEquality(in.condition);
    if (first != compute && isWord(d.type) && (stores || compares)) mark(Whole::words, first, end);
}

}  // namespace zetl::emulator::isa
