#include "reference/executor.h"

#include "reference/lane_result.h"

namespace zetl::test::reference {
namespace {

using isa::Condition;
using isa::DataType;
using isa::Opcode;
using isa::Predicate;

/// Lanes by number: which the execution mask leaves on, and which the predicate lets through.
struct Masks {
    std::uint32_t enabled = 0;
    std::uint32_t predicate = 0;

    static Masks of(const isa::Instruction& in, const State& s);
    bool isOn(unsigned lane) const { return (enabled & predicate) >> lane & 1; }
};
unsigned flagBit(const isa::Instruction& in, unsigned lane) { return (in.flag & 1u) * 16 + in.offset + lane; }
std::uint32_t flagPlace(const isa::Instruction& in) { return layout::kFlags + (in.flag >> 1) * 4u; }

Masks Masks::of(const isa::Instruction& in, const State& s) {
    Masks m;
    const std::uint64_t flag = s.read(flagPlace(in), 4);
    bool any = false;
    bool all = true;
    for (unsigned i = 0; i < in.width; ++i) {
        const bool bit = flag >> flagBit(in, i) & 1;
        any |= bit;
        all &= bit;
        if (in.noMask || (s.active >> (in.offset + i) & 1)) m.enabled |= 1u << i;
        if (bit) m.predicate |= 1u << i;
    }
    const std::uint32_t lanes = in.width == 32 ? ~0u : (1u << in.width) - 1;
    if (in.predicate == Predicate::any) m.predicate = any ? lanes : 0;
    if (in.predicate == Predicate::all) m.predicate = all ? lanes : 0;
    if (in.inverted) m.predicate ^= lanes;
    if (in.predicate == Predicate::none) m.predicate = lanes;
    return m;
}
bool selectsByFlag(const isa::Instruction& in) { return in.opcode == Opcode::sel && in.condition == Condition::none; }
bool writesFlags(const isa::Instruction& in) {
    return in.condition != Condition::none && in.opcode != Opcode::sel && in.opcode != Opcode::csel;
}
bool isMacro(const isa::Instruction& in) {
    return in.opcode == Opcode::math && in.function >= isa::math_function::kInvm;
}

/// What a result leaves open, the element's bits being at `place`.
std::optional<Open> openOf(const Result& result, std::uint32_t place, DataType type) {
    if (result.others.empty() && !result.near && !result.isOpen) return {};
    Open open{place, isa::byteSize(type), result.others, type, result.near, result.relative};
    if (!result.isOpen) open.allowed.push_back(result.bits);
    return open;
}

/// One instruction's results, all of them known before the first is written.
class Execution {
  public:
    Execution(const isa::Instruction& in, State& s) : in_(in), state_(s), masks_(Masks::of(in, s)) {}

    std::vector<Open> run() {
        const State before = state_;
        for (unsigned i = 0; i < in_.width; ++i) {
            const bool counts = selectsByFlag(in_) ? (masks_.enabled >> i & 1) : masks_.isOn(i);
            if (counts) lane({before, in_, FloatMode::of(before), i, (masks_.predicate >> i & 1) != 0});
        }
        return std::move(open_);
    }

  private:
    void lane(const Lane& lane) {
        if (in_.opcode == Opcode::cmp || in_.opcode == Opcode::cmpn) {
            const bool holds = comparisonHolds(lane);
            setFlag(lane.number, holds);
            Result result;
            result.bits = holds ? maskOf(bitsOf(in_.destination.type)) : 0;
            write(lane, result);
            return;
        }
        const Result result = selects(in_.opcode) ? selectedResult(lane) : computedResult(lane);
        write(lane, result);
        writeAccumulators(lane);
        if (isMacro(in_)) setFlag(lane.number, true);  // an early out
        if (writesFlags(in_))
            setFlag(lane.number,
                    in_.condition == Condition::overflow ? result.overflows : holdsForResult(lane, result));
    }
    void setFlag(unsigned lane, bool value) {
        const std::uint64_t bit = 1ull << flagBit(in_, lane);
        const std::uint64_t flag = state_.read(flagPlace(in_), 4);
        state_.write(flagPlace(in_), 4, value ? flag | bit : flag & ~bit);
    }
    void write(const Lane& lane, const Result& result) {
        const DataType type = in_.destination.type;
        const auto place = destinationPlace(lane.state, in_.destination, type, lane.number);
        if (!place) return;
        state_.write(*place, isa::byteSize(type), result.bits);
        if (const auto open = openOf(result, *place, type)) open_.push_back(*open);
        if (in_.destination.isAccumulator()) keepProduct(lane);
    }
    /// Whole numbers in the accumulator have 64 bits a lane. Those of a product are all known; what other instructions
    /// leave in the upper half is not published.
    void keepProduct(const Lane& lane) {
        const std::uint32_t wide = wideAccumulatorPlace(in_.destination.subByte / 4 + lane.number +
                                                        in_.destination.number * layout::kRegisterBytes / 4);
        if (in_.opcode != Opcode::mul || in_.saturate || computesReals(in_) || isa::isReal(in_.destination.type)) {
            open_.push_back({wide, 8, {}, DataType::q, std::nullopt, 0});
            return;
        }
        const auto factor = [&](int k) { return elementValue(lane.state, in_, k, lane.number).integer; };
        state_.write(wide, 8, (factor(0) * factor(1)).low());
    }
    /// The carry of addc, the borrow of subb, the sum of mach.
    void writeAccumulators(const Lane& lane) {
        const unsigned n = firstAccumulatorLane(in_) + lane.number;
        const auto whole = [&](int k) { return elementValue(lane.state, in_, k, lane.number).integer; };
        if (in_.opcode == Opcode::addc || in_.opcode == Opcode::subb) {
            const Integer exact = in_.opcode == Opcode::addc ? whole(0) + whole(1) : whole(0) - whole(1);
            state_.write(layout::kAccumulator + n * 4, 4, !Range::of(DataType::ud).holds(exact));
            state_.write(wideAccumulatorPlace(n), 8, !Range::of(DataType::ud).holds(exact));
        }
        if (in_.opcode == Opcode::mach) {
            const Integer old = integerOf(lane.state.read(wideAccumulatorPlace(n), 8), DataType::q);
            const Integer total = old + whole(0) * (whole(1) >> 16) * Integer{1 << 16, false};
            state_.write(wideAccumulatorPlace(n), 8, total.low());
            state_.write(layout::kAccumulator + n * 4, 4, total.low());
        }
    }

    const isa::Instruction& in_;
    State& state_;
    Masks masks_;
    std::vector<Open> open_;
};

std::vector<Open> multiplyMatrices(const isa::Instruction& in, State& s) {
    const State before = s;
    const Masks masks = Masks::of(in, before);
    const DataType type = in.destination.type;
    const std::uint32_t size = isa::byteSize(type);
    const auto first = destinationPlace(s, in.destination, DataType::ub, 0);
    std::vector<Open> opens;
    for (unsigned row = 0; row < in.repeatCount; ++row)
        for (unsigned column = 0; column < in.width; ++column) {
            if (!masks.isOn(column)) continue;
            Result result;
            if (isa::isReal(type))
                result = realMatrixElement(before, in, row, column);
            else
                result.bits = matrixElement(before, in, row, column);
            const std::uint32_t place = *first + (row * in.width + column) * size;
            s.write(place, size, result.bits);
            if (const auto open = openOf(result, place, type)) opens.push_back(*open);
        }
    return opens;
}

}  // namespace

std::vector<Open> execute(const isa::Instruction& in, State& state) {
    if (in.opcode == Opcode::dpas) return multiplyMatrices(in, state);
    return Execution(in, state).run();
}

}  // namespace zetl::test::reference
