// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lines of single numbers, in general registers: one lane, or a comparison of what all lanes share. Index arithmetic is
// full of them.
#include "emulator/translate/lanes/single.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using isa::DataType;
using isa::LaneType;
using isa::Opcode;
using isa::Step;
namespace layout = isa::layout;

namespace {

// As Step::kind of modify has them.
constexpr std::uint8_t kTakesAbsolute = 1;
constexpr std::uint8_t kTakesNegative = 2;
constexpr std::uint8_t kTakesComplement = 4;
constexpr std::uint16_t kIntegerConditions = 6;  // eq ne gt ge lt le, from 1

/// What a row does with single numbers.
enum class Operation : std::uint8_t { two, sum, three, shift, complement, extreme, product, upperWords };
struct SingleRow {
    std::uint16_t row;
    Operation operation;
    asmjit::InstId inst = 0;
};
constexpr std::uint16_t singleRowOf(Opcode o) { return static_cast<std::uint16_t>(o); }
constexpr SingleRow kSingleRows[] = {
    {singleRowOf(Opcode::add), Operation::two, Inst::kIdAdd},
    {singleRowOf(Opcode::mul), Operation::two, Inst::kIdImul},
    {singleRowOf(Opcode::bitAnd), Operation::two, Inst::kIdAnd},
    {singleRowOf(Opcode::bitOr), Operation::two, Inst::kIdOr},
    {singleRowOf(Opcode::bitXor), Operation::two, Inst::kIdXor},
    {singleRowOf(Opcode::bitNot), Operation::complement},
    {singleRowOf(Opcode::shl), Operation::shift, Inst::kIdShl},
    {singleRowOf(Opcode::shr), Operation::shift, Inst::kIdShr},
    {singleRowOf(Opcode::asr), Operation::shift, Inst::kIdSar},
    {singleRowOf(Opcode::mad), Operation::sum},
    {singleRowOf(Opcode::add3), Operation::three},
    {singleRowOf(Opcode::macl), Operation::upperWords, Inst::kIdImul},
    {isa::kSelRows + 4, Operation::extreme},
    {isa::kSelRows + 5, Operation::extreme},
    {kSignedProductRow, Operation::product},
    {kUnsignedProductRow, Operation::product},
};
const SingleRow* findSingleRow(std::uint16_t row) {
    const auto* const found = std::ranges::find(kSingleRows, row, &SingleRow::row);
    return found == std::end(kSingleRows) ? nullptr : found;
}

// In these registers neither predicates nor flags are put together, nor is the value stored last kept there.
const Gp kSingleValues[] = {rsi, r9, r11};

bool isWorkingSpace(std::uint64_t place) { return place >= layout::kLanes && place < layout::kBytes; }
bool isHome(std::uint64_t place) { return place < layout::kNull; }
bool isSigned(LaneType lanes) { return lanes == LaneType::i32 || lanes == LaneType::i64; }

/// The one number that constant lanes are.
std::optional<std::uint64_t> constantOf(std::uint64_t where, std::uint32_t laneBytes, std::uint32_t lanes) {
    std::uint64_t first = 0;
    std::memcpy(&first, reinterpret_cast<const void*>(where), laneBytes);
    for (std::uint32_t i = 1; i < lanes; ++i)
        if (std::memcmp(&first, reinterpret_cast<const char*>(where) + std::size_t{i} * laneBytes, laneBytes) != 0)
            return {};
    return first;
}
std::uint32_t lanesOfStep(const Step& m, const Meaning& what) { return what.wide ? m.chunks * 16u : 1; }

}  // namespace

/// Numbers that stand for a line's values in the working space.
class Singles::Known {
  public:
    struct Value {
        std::uint64_t place = 0;            ///< in the working space
        Gp general;                         ///< where it is,
        std::optional<std::uint32_t> home;  ///< or, while nothing of the line has been stored, where it still is
        DataType type = DataType::ud;       ///< there
    };
    /// `stores`: how often the line stores something.
    explicit Known(std::size_t stores) : mayStayHome_(stores <= 1) {}

    bool mayStayHome() const { return mayStayHome_; }
    Value* find(std::uint64_t place) {
        const auto end = values_.begin() + count_;
        const auto found = std::find_if(values_.begin(), end, [&](const Value& v) { return v.place == place; });
        return found == end ? nullptr : &*found;
    }
    /// Whether it is a number of this type, still at home.
    bool isOf(std::uint64_t place, DataType type) {
        const Value* const value = find(place);
        return value != nullptr && value->home && value->type == type;
    }
    void forEach(const auto& visit) const { std::for_each(values_.begin(), values_.begin() + count_, visit); }
    /// A register for the value that will be there; null if there is none left.
    Value* take(std::uint64_t place) {
        if (Value* const known = find(place)) return known;
        if (count_ == values_.size()) return nullptr;
        values_[count_] = {place, kSingleValues[count_], {}, DataType::ud};
        return &values_[count_++];
    }

  private:
    bool mayStayHome_;
    std::array<Value, std::size(kSingleValues)> values_{};
    std::size_t count_ = 0;
};

/// Whether all steps of a line are of this kind.
bool Singles::areSingles(std::span<const Step> steps) const {
    Known values(0);
    for (const Step& m : steps) {
        if (product_.isLeftOut(m)) continue;
        const auto what = product_.meaningOf(m);
        if (!what || !isSingle(m, *what, values)) return false;
    }
    return true;
}

bool Singles::isSingle(const Step& m, const Meaning& what, Known& values) {
    if (!isWholeNumber(what.lanes)) return false;
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const auto reads = [&](std::uint64_t where) {
        if (where >= layout::kBytes) return constantOf(where, laneBytes, lanesOfStep(m, what)).has_value();
        return isWorkingSpace(where) ? values.find(where) != nullptr : isHome(where) && !what.wide;
    };
    const auto writes = [&] {
        return isWorkingSpace(m.dst) ? values.take(m.dst) != nullptr : isHome(m.dst) && !what.wide;
    };
    switch (what.family) {
        case Family::convert:
            return isWholeNumber(what.type) && (!what.wide || what.stride == 0) && loadsSingle(m, what, values) &&
                   isWorkingSpace(m.dst) && values.take(m.dst) != nullptr;
        case Family::modify:
            return values.find(m.dst) != nullptr;
        case Family::compute: {
            const auto operands = std::span(m.src).first(operandsOf(what));
            return !what.masked && findSingleRow(what.row) != nullptr && std::ranges::all_of(operands, reads) &&
                   writes();
        }
        case Family::pick:
            return !what.wide && !what.masked && reads(m.src[0]) && reads(m.src[1]) && writes();
        case Family::narrow:
            return isWholeNumber(what.type) && values.find(m.dst) != nullptr;
        case Family::compare:
            return what.row != 0 && what.row <= kIntegerConditions && reads(m.src[0]) && reads(m.src[1]);
        case Family::retire:
            return isWholeNumber(what.type) && !what.wide && reads(m.src[0]) && isHome(m.dst);
        default:
            return false;
    }
}

/// Loads an element of a register, or a value computed before: as it is, or its upper half.
bool Singles::loadsSingle(const Step& m, const Meaning& what, Known& values) {
    if (!isWorkingSpace(m.src[0])) return isHome(m.src[0]);
    return values.find(m.src[0]) != nullptr || (isa::byteSize(what.type) == 4 && values.find(m.src[0] - 4) != nullptr);
}

/// How many of the steps of a line have been emitted: all or none.
std::uint32_t Singles::emit(std::span<const Step> steps) {
    if (product_.isFirstLeftOut(steps.front()) || !areSingles(steps)) return 0;
    Known values(static_cast<std::size_t>(std::ranges::count_if(steps, [](const Step& m) { return isHome(m.dst); })));
    for (const Step& m : steps)
        if (!product_.isLeftOut(m)) emitSingle(m, *product_.meaningOf(m), values);
    return static_cast<std::uint32_t>(steps.size());
}

std::uint32_t Singles::emitAddress(std::span<const Step> line) {
    const auto isAccess = [&](const Step& m) { return host_.familyOf(m) == Family::block; };
    const auto steps = line.first(std::ranges::find_if(line, isAccess) - line.begin());
    if (steps.empty() || steps.size() == line.size() || !areSingles(steps)) return 0;
    constexpr std::size_t kStores = 2;  // so many that none of the values stays where it comes from
    Known values(kStores);
    for (const Step& m : steps) emitSingle(m, *product_.meaningOf(m), values);
    values.forEach([&](const Known::Value& value) {
        const auto place = static_cast<std::uint32_t>(value.place);
        cache_.evict(place, sizeof(std::uint64_t));
        a_.mov(state(place, sizeof(std::uint64_t)), value.general);
    });
    return static_cast<std::uint32_t>(steps.size());
}

void Singles::emitSingle(const Step& m, const Meaning& what, Known& values) {
    switch (what.family) {
        case Family::convert:
            return loadSingle(m, what, values);
        case Family::modify:
            return modifySingle(m, what, values);
        case Family::compute:
            return computeSingle(m, what, values);
        case Family::pick:
            return pickSingle(m, what, values);
        case Family::narrow:
            return extendSingle(singleInRegister(m.dst, values), what.type);
        case Family::compare:
            return compareSingle(m, what, values);
        default:
            return retireSingle(m, what, values);
    }
}

/// An operand: in a register, in memory where it is home, or a constant of 32 bits.
asmjit::Operand Singles::single(std::uint64_t where, std::uint32_t bytes, Known& values) {
    if (where >= layout::kBytes) {
        const std::uint64_t bits = *constantOf(where, bytes, 1);
        const auto value = bytes == 4 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
        if (value == static_cast<std::int32_t>(value)) return Imm(value);
        a_.mov(rax, value);
        return rax;
    }
    const Known::Value* const known = values.find(where);
    if (known != nullptr && !known->home) return ofBytes(known->general, bytes);
    if (known == nullptr || isa::byteSize(known->type) == bytes)
        return values_.singleAt(known != nullptr ? *known->home : static_cast<std::uint32_t>(where), bytes);
    extendTo(rax, values_.singleAt(*known->home, isa::byteSize(known->type)), known->type);
    return ofBytes(rax, bytes);
}
/// The same in a certain register.
void Singles::singleTo(const Gp& to, std::uint64_t where, Known& values) {
    const Known::Value* const known = values.find(where);
    if (known != nullptr && known->home)
        extendTo(to.r64(), values_.singleAt(*known->home, isa::byteSize(known->type)), known->type);
    else
        a_.emit(Inst::kIdMov, to, single(where, to.size(), values));
}
/// The value of a place in the working space.
Gp Singles::singleInRegister(std::uint64_t place, Known& values) {
    Known::Value& value = *values.find(place);
    if (value.home) singleTo(value.general, place, values);
    value.home.reset();
    return value.general;
}

/// A number of this type, extended to 64 bits.
void Singles::extendTo(const Gp& to, const asmjit::Operand& from, DataType type) {
    const std::uint32_t bytes = isa::byteSize(type);
    if (bytes == 8)
        a_.emit(Inst::kIdMov, to, from);
    else if (bytes == 4)
        isa::isSigned(type) ? a_.emit(Inst::kIdMovsxd, to, from) : a_.emit(Inst::kIdMov, to.r32(), from);
    else
        isa::isSigned(type) ? a_.emit(Inst::kIdMovsx, to, from) : a_.emit(Inst::kIdMovzx, to.r32(), from);
}

void Singles::loadSingle(const Step& m, const Meaning& what, Known& values) {
    if (isWorkingSpace(m.src[0])) {
        const bool upper = values.find(m.src[0]) == nullptr;
        const Gp from = singleInRegister(m.src[0] - (upper ? 4 : 0), values);
        Known::Value& value = *values.take(m.dst);
        value.home.reset();
        if (value.general != from) a_.mov(value.general, from);
        if (upper) a_.shr(value.general, 32);
        if (!upper || isa::isSigned(what.type)) extendSingle(value.general, what.type);
        return;
    }
    Known::Value& value = *values.take(m.dst);
    value.home = static_cast<std::uint32_t>(m.src[0]);
    value.type = what.type;
    if (!values.mayStayHome()) singleInRegister(m.dst, values);
}

void Singles::modifySingle(const Step& m, const Meaning& what, Known& values) {
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const Gp x = ofBytes(singleInRegister(m.dst, values), bytes);
    if ((m.kind & kTakesAbsolute) != 0 && isSigned(what.lanes)) {
        const Gp negative = ofBytes(rax, bytes);
        a_.mov(negative, x);
        a_.neg(negative);
        a_.cmovns(x, negative);
    }
    if ((m.kind & kTakesNegative) != 0) a_.neg(x);
    if ((m.kind & kTakesComplement) != 0) a_.not_(x);
}

/// The low bytes of a register, extended to all of it.
void Singles::extendSingle(const Gp& value, DataType type) {
    if (isa::byteSize(type) != 8) extendTo(value, ofBytes(value, isa::byteSize(type)), type);
}

/// Where a step's result is computed: where it stays, or in rcx.
Gp Singles::resultOfSingle(const Step& m, const Meaning& what, Known& values) {
    const auto sources = std::span(m.src).first(what.family == Family::pick ? 2 : operandsOf(what));
    if (!isWorkingSpace(m.dst)) return takeSingleFor(sources, values);
    if (std::ranges::find(sources, m.dst) != sources.end()) return rcx;
    Known::Value& value = *values.take(m.dst);
    value.home.reset();
    return value.general;
}

void Singles::computeSingle(const Step& m, const Meaning& what, Known& values) {
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const SingleRow& row = *findSingleRow(what.row);
    const Gp result = resultOfSingle(m, what, values);
    const Gp d = ofBytes(result, bytes);
    const auto operand = [&](std::uint32_t k) { return single(m.src[k], bytes, values); };
    const auto load = [&](const Gp& to, std::uint32_t k) { singleTo(to, m.src[k], values); };
    switch (row.operation) {
        case Operation::two:
            load(d, 0);
            combineSingle(row.inst, d, operand(1));
            break;
        case Operation::sum:
            load(d, 1);
            combineSingle(Inst::kIdImul, d, operand(2));
            combineSingle(Inst::kIdAdd, d, operand(0));
            break;
        case Operation::three:
            load(d, 0);
            combineSingle(Inst::kIdAdd, d, operand(1));
            combineSingle(Inst::kIdAdd, d, operand(2));
            break;
        case Operation::upperWords:
            load(d, 1);
            a_.emit(isSigned(what.lanes) ? Inst::kIdSar : Inst::kIdShr, d, Imm(16));
            combineSingle(row.inst, d, operand(0));
            a_.shl(d, 16);
            combineSingle(Inst::kIdAdd, d, operand(2));
            break;
        case Operation::complement:
            load(d, 0);
            a_.not_(d);
            break;
        case Operation::shift:
            shiftSingle(row.inst, m, bytes, values);
            a_.mov(d, ofBytes(rdx, bytes));
            break;
        case Operation::extreme:
            extremeSingle(d, m, what, values);
            break;
        case Operation::product:
            multiplySingle(result, m, what, values);
            break;
    }
    keepSingle(m, bytes, result, values);
}
/// The lesser or the greater of two numbers.
void Singles::extremeSingle(const Gp& d, const Step& m, const Meaning& what, Known& values) {
    const bool greatest = what.row == isa::kSelRows + 4;
    const Gp y = ofBytes(rdx, d.size());
    singleTo(d, m.src[0], values);
    singleTo(y, m.src[1], values);
    a_.cmp(y, d);
    a_.emit(isSigned(what.lanes) ? (greatest ? Inst::kIdCmovg : Inst::kIdCmovl)
                                 : (greatest ? Inst::kIdCmova : Inst::kIdCmovb),
            d, y);
}
/// All 64 bits of a product of dwords.
void Singles::multiplySingle(const Gp& result, const Step& m, const Meaning& what, Known& values) {
    const DataType type = what.row == kSignedProductRow ? DataType::d : DataType::ud;
    for (const auto& [to, k] : {std::pair(result, 0), std::pair(Gp(rdx), 1)}) {
        singleTo(to, m.src[k], values);
        if (!values.isOf(m.src[k], type)) extendTo(to, to.r32(), type);
    }
    a_.imul(result, rdx);
}
/// An instruction of two operands; a product has no form with a constant alone.
void Singles::combineSingle(asmjit::InstId inst, const Gp& d, const asmjit::Operand& y) {
    if (inst == Inst::kIdImul && y.isImm())
        a_.imul(d, d, y.as<Imm>());
    else
        a_.emit(inst, d, y);
}
/// To rdx. The host takes the count modulo the width by itself.
void Singles::shiftSingle(asmjit::InstId inst, const Step& m, std::uint32_t bytes, Known& values) {
    const Gp x = ofBytes(rdx, bytes);
    const asmjit::Operand count = single(m.src[1], bytes, values);
    if (!count.isImm()) a_.emit(Inst::kIdMov, ofBytes(rcx, bytes), count);
    singleTo(x, m.src[0], values);
    if (count.isImm())
        a_.emit(inst, x, Imm(count.as<Imm>().value() & (bytes * 8 - 1)));
    else
        a_.emit(inst, x, cl);
}

/// What is in a register, to where the step has its result.
void Singles::keepSingle(const Step& m, std::uint32_t bytes, const Gp& result, Known& values) {
    if (!isWorkingSpace(m.dst)) return values_.storeSingle(m.dst, bytes, result);
    Known::Value& value = *values.take(m.dst);
    value.home.reset();
    if (result != value.general) a_.mov(ofBytes(value.general, bytes), ofBytes(result, bytes));
}

void Singles::pickSingle(const Step& m, const Meaning& what, Known& values) {
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const Gp result = resultOfSingle(m, what, values);
    const Gp x = ofBytes(rdx, bytes);
    singleTo(x, m.src[0], values);
    singleTo(ofBytes(result, bytes), m.src[1], values);
    a_.test(masks_.selected(m.mask), 1);
    a_.cmovnz(ofBytes(result, bytes), x);
    keepSingle(m, bytes, result, values);
}

/// All lanes have the same result.
void Singles::compareSingle(const Step& m, const Meaning& what, Known& values) {
    constexpr asmjit::InstId kSigned[] = {
        0, Inst::kIdSete, Inst::kIdSetne, Inst::kIdSetg, Inst::kIdSetge, Inst::kIdSetl, Inst::kIdSetle};
    constexpr asmjit::InstId kUnsigned[] = {
        0, Inst::kIdSete, Inst::kIdSetne, Inst::kIdSeta, Inst::kIdSetae, Inst::kIdSetb, Inst::kIdSetbe};
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const Gp x = ofBytes(rdx, bytes);
    singleTo(x, m.src[0], values);
    const asmjit::Operand y = single(m.src[1], bytes, values);
    const std::uint32_t flag = m.mask.flag >> 1;
    const Gp mirror = mirrors_.flagMirror(flag);
    const bool needed = y.isReg() && y.as<Gp>().id() == mirror.id();
    const bool whole = masks_.isWholeFlag(m.mask) && flag < layout::kFlagRegisters && !needed;
    const Gp bits = whole ? mirror : Gp(ecx);
    a_.xor_(bits, bits);
    a_.emit(Inst::kIdCmp, x, y);
    a_.emit((isSigned(what.lanes) ? kSigned : kUnsigned)[what.row], bits.r8());
    a_.neg(bits);
    if (!whole) return masks_.mergeFlags(m);
    mirrors_.setFlag(flag, mirror);
    masks_.forgetPredicated();
}

void Singles::retireSingle(const Step& m, const Meaning& what, Known& values) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t bytes = isa::byteSize(what.type);
    const auto always = what.masked ? masks_.constantLanes(m.mask) : std::optional(1u);
    if (always && (*always & 1) == 0) return;
    const Gp value = takeSingleFor(std::span(m.src).first(1), values);
    singleTo(ofBytes(value, laneBytes), m.src[0], values);
    if (bytes > laneBytes) extendTo(value, value.r32(), isSigned(what.lanes) ? DataType::d : DataType::ud);
    if (always) return values_.storeSingle(m.dst, bytes, value);
    const Label off = a_.newLabel();
    masks_.lanesTo(eax, m.mask);
    cache_.evict(m.dst, bytes);
    a_.test(eax, 1);
    a_.jz(off);
    values_.storeSingle(m.dst, bytes, value);
    a_.bind(off);
    cache_.evict(m.dst, bytes);  // it may have stayed as it was
}

/// A register to compute in that none of these operands is in, if there is one.
Gp Singles::takeSingleFor(std::span<const std::uint64_t> sources, Known& values) {
    std::array<std::uint32_t, 3> homes{};
    std::size_t count = 0;
    for (const std::uint64_t where : sources) {
        const Known::Value* const known = values.find(where);
        if (known != nullptr && known->home)
            homes[count++] = *known->home;
        else if (isHome(where))
            homes[count++] = static_cast<std::uint32_t>(where);
    }
    return cache_.takeSingle(std::span(homes).first(count));
}

}  // namespace zetl::emulator::translate
