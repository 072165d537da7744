// Moves, selections, comparisons.
#include "reference/lane_result.h"

namespace zetl::test::reference {
namespace {

using isa::Condition;
using isa::DataType;
using isa::Opcode;

Order orderOf(const Lane& lane, int first, int second) {
    if (computesReals(lane.in)) return compare(realSource(lane, first), realSource(lane, second));
    const auto whole = [&](int k) { return elementValue(lane.state, lane.in, k, lane.number).integer; };
    return compare(whole(first), whole(second));
}
Order orderToZero(const Lane& lane, int source) {
    if (computesReals(lane.in)) return compare(realSource(lane, source), Real::zero(false));
    return compare(elementValue(lane.state, lane.in, source, lane.number).integer, Integer{});
}
bool isNan(const Lane& lane, int source) { return computesReals(lane.in) && realSource(lane, source).isNan(); }

/// Minimum and maximum prefer what is no NaN; other conditions are comparisons.
bool choosesFirst(const Lane& lane) {
    const Order order = orderOf(lane, 0, 1);
    const Condition c = lane.in.condition;
    if (c == Condition::none) return lane.predicate;
    if (c == Condition::less || c == Condition::greaterEqual)
        return !isNan(lane, 0) && (isNan(lane, 1) || holds(c, order));
    return holds(c, order);
}
int chosenSource(const Lane& lane) {
    if (lane.in.opcode == Opcode::sel) return choosesFirst(lane) ? 0 : 1;
    if (lane.in.opcode == Opcode::csel) return holds(lane.in.condition, orderToZero(lane, 2)) ? 0 : 1;
    return 0;
}
/// Nothing but a copy: equal types, no modifier, nothing asked about the value.
bool copies(const isa::Instruction& in) {
    if (in.opcode == Opcode::csel || in.saturate || in.condition != Condition::none) return false;
    for (int k = 0; k < in.sources; ++k)
        if (elementType(in.source[k]) != in.destination.type || in.source[k].hasModifier()) return false;
    return true;
}
/// f, df and bf reach a destination of their own type as they are, denormals and all; signs are bits.
bool keepsBits(const Lane& lane, int source) {
    const DataType type = elementType(lane.in.source[source]);
    return isa::isReal(type) && type == lane.in.destination.type && type != DataType::hf && !lane.in.saturate;
}
std::uint64_t signedBits(const Lane& lane, int source) {
    const isa::Operand& o = lane.in.source[source];
    const std::uint64_t sign = 1ull << formatOf(o.type).signBit();
    std::uint64_t bits = elementBits(lane.state, lane.in, source, lane.number);
    if (o.absolute) bits &= ~sign;
    return o.negate ? bits ^ sign : bits;
}
/// movi: the first address names the register, each lane's own address the place within it.
std::optional<std::uint64_t> indexedBits(const Lane& lane) {
    const isa::Operand& o = lane.in.source[0];
    if (lane.in.opcode != Opcode::movi || !o.isIndirect()) return {};
    const auto address = [&](unsigned n) {
        return static_cast<std::uint32_t>(lane.state.read(layout::kAddress + (o.addressSub + n) % 16 * 2, 2));
    };
    const std::uint32_t inRegister = layout::kRegisterBytes - 1;
    const std::uint32_t base = (address(0) + static_cast<std::uint32_t>(o.addressOffset)) & ~inRegister;
    const std::uint32_t place = (base + (address(lane.number) & inRegister)) % layout::kGrfBytes;
    return lane.state.read(layout::kGrf + place, isa::byteSize(o.type));
}

}  // namespace

bool selects(Opcode o) { return o == Opcode::mov || o == Opcode::movi || o == Opcode::sel || o == Opcode::csel; }

Result selectedResult(const Lane& lane) {
    const int k = chosenSource(lane);
    Result result;
    if (const auto bits = indexedBits(lane)) {
        result.bits = *bits;
        return result;
    }
    if (copies(lane.in)) {
        result.bits = elementBits(lane.state, lane.in, k, lane.number);
        return result;
    }
    if (!computesReals(lane.in)) return storedInteger(lane, elementValue(lane.state, lane.in, k, lane.number).integer);
    result = storedReal(lane, realSource(lane, k));
    const DataType from = elementType(lane.in.source[k]);
    const bool widens = from == DataType::bf && lane.in.destination.type == DataType::f;
    if (lane.in.saturate || !(widens || keepsBits(lane, k))) return result;
    if (realSource(lane, k).isNan()) result.others.push_back(result.bits);  // quieted or not
    result.bits = signedBits(lane, k) << (widens ? 16 : 0);
    return result;
}

bool comparisonHolds(const Lane& lane) {
    const bool ordering = lane.in.condition == Condition::greater || lane.in.condition == Condition::greaterEqual ||
                          lane.in.condition == Condition::less;
    if (lane.in.opcode == Opcode::cmpn && ordering && isNan(lane, 1)) return true;
    return holds(lane.in.condition, orderOf(lane, 0, 1));
}

}  // namespace zetl::test::reference
