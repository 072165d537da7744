// Backward from where a number is read, on all ways of the thread, to the lines that have written it. A line without
// mask, or one of the lanes that are on where the number is read, hides what was there before. Others may have written
// or not.
#include "emulator/translate/plan/register_bounds.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>

#include "emulator/isa/control_flow.h"
#include "emulator/isa/lane_bytes.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/state_slots.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::ArchitectureRegister;
using isa::DataType;
using isa::Instruction;
using isa::LaneBytes;
using isa::Line;
using isa::Opcode;
using isa::Operand;

constexpr std::uint32_t kDefinitions = 64;  // that one question follows
constexpr std::uint32_t kBitsOfByte = 8;
constexpr Bounds kNone{Bounds::kAnything, 0};

std::uint64_t largestOf(std::uint32_t bytes) { return Bounds::kAnything >> (64 - bytes * kBitsOfByte); }

Bounds either(const Bounds& x, const Bounds& y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }

std::optional<std::uint32_t> statePlaceOf(const Operand& o) {
    if (o.isIndirect()) return {};
    if (o.isGrf()) return layout::kGrf + isa::placeOf(o);
    if (o.isArf(ArchitectureRegister::address)) return layout::kAddress + o.subByte;
    return {};
}
/// A number as the operand's type has it; one that may be negative is not known.
Bounds readAs(DataType type, const Bounds& bits) {
    const std::uint64_t largest = largestOf(isa::byteSize(type)) >> (isa::isSigned(type) ? 1 : 0);
    if (bits.high <= largest || bits.low > bits.high) return bits;
    return isa::isSigned(type) ? Bounds{} : Bounds{0, largest};
}
Bounds constantOf(const Operand& o, std::uint32_t lane) {
    constexpr std::uint32_t kNibble = 4;
    constexpr std::uint32_t kNibbles = 8;
    constexpr std::uint64_t kLargestPositive = 7;
    if (o.type == DataType::v || o.type == DataType::uv) {
        const std::uint64_t value = o.immediate >> kNibble * (lane % kNibbles) & 15;
        return o.type == DataType::v && value > kLargestPositive ? Bounds{} : Bounds{value, value};
    }
    const std::uint64_t value = o.immediate & largestOf(isa::byteSize(o.type));
    return readAs(o.type, {value, value});
}

bool isLogic(Opcode opcode) { return opcode == Opcode::bitOr || opcode == Opcode::bitXor; }
/// Whether the result may be more than the largest source. Another one that depends on itself stays what it was, or
/// becomes less.
bool grows(Opcode opcode) { return opcode == Opcode::add || opcode == Opcode::shl || isLogic(opcode); }

Bounds sum(const Bounds& x, const Bounds& y) {
    const std::uint64_t room = Bounds::kAnything - x.high;
    return room <= y.high ? Bounds{} : Bounds{x.low + y.low, x.high + y.high};
}
Bounds shifted(const Bounds& x, const Bounds& by, bool left) {
    constexpr std::uint64_t kFewBits = 31;
    if (by.low != by.high || by.high > kFewBits) return left ? Bounds{} : Bounds{0, x.high};
    if (!left) return {0, x.high >> by.high};
    return x.high >> (63 - by.high) != 0 ? Bounds{} : Bounds{x.low << by.high, x.high << by.high};
}
Bounds allBitsOf(const Bounds& x, const Bounds& y) {
    const auto bits = std::bit_width(std::max(x.high, y.high));
    return {0, bits == 0 ? 0 : Bounds::kAnything >> (64 - bits)};
}

}  // namespace

RegisterBounds::RegisterBounds(const isa::Program::Code& code, const Survey& survey)
    : code_(code), entry_(survey.entry), previous_(code.lines() + 1), meets_(code.lines() + 1) {
    for (const Line line : survey.lines)
        if (line < code.lines()) addWays(line, code.instructions[line]);
}

void RegisterBounds::addWays(Line line, const Instruction& in) {
    if (goesOn(in)) previous_[line + 1].push_back(line);
    if (!isa::isBranch(in)) return;
    known_ = known_ && !goesAnywhere(in);
    for (const std::int32_t offset : {in.jip, in.uip}) {
        if (offset == 0) continue;
        const Line to = code_.find(in.ip + static_cast<std::uint32_t>(offset));
        known_ = known_ && to != isa::kNoLine;
        if (to == isa::kNoLine) continue;
        previous_[to].push_back(line);
        if (in.opcode != Opcode::jmpi) meets_[to] = true;
    }
}

Bounds RegisterBounds::before(Line line, const Element& element, std::uint8_t lane) {
    left_ = kDefinitions;
    return known_ ? search(line, element, lane) : Bounds{};
}

Bounds RegisterBounds::search(Line line, const Element& element, std::uint8_t lane) {
    Bounds found = kNone;
    std::set<std::pair<Line, bool>> seen;
    std::vector<Way> open;
    const auto comeTo = [&](Line to, bool sameLanes) {
        if (to == entry_) found = Bounds{};
        for (const Line from : previous_[to]) {
            const Instruction& in = code_.instructions[from];
            const bool same = sameLanes && !meets_[to] && (!isa::isBranch(in) || in.opcode == Opcode::jmpi);
            if (seen.emplace(from, same).second) open.push_back({from, same});
        }
    };
    comeTo(line, true);
    while (!open.empty() && found.high != Bounds::kAnything) {
        const Way way = open.back();
        open.pop_back();
        const Effect effect = effectOf(way, element, lane);
        if (effect.writes) found = either(found, effect.bounds);
        if (!effect.hides) comeTo(way.line, way.sameLanes);
    }
    return found;
}

RegisterBounds::Effect RegisterBounds::effectOf(const Way& way, const Element& element, std::uint8_t lane) {
    const Instruction& in = code_.instructions[way.line];
    const Operand& d = in.destination;
    const auto from = statePlaceOf(d);
    const bool isGeneral = element.place < layout::kGrfBytes;
    if (d.isIndirect() && isGeneral) return {.bounds = {}, .writes = true};
    if (!from || d.isGrf() != isGeneral) return {};
    const bool plain = isa::computesByLanes(in) && isa::writesDestinationOnly(in) && in.opcode != Opcode::mullh;
    if (plain) return effectOfLanes(way, element, lane, *from);
    isa::StateSlots slots;
    isa::addWritten(slots, in);
    return {.bounds = {}, .writes = slots.contains(element.place)};
}

RegisterBounds::Effect RegisterBounds::effectOfLanes(const Way& way, const Element& element, std::uint8_t lane,
                                                     std::uint32_t from) {
    const Instruction& in = code_.instructions[way.line];
    const Operand& d = in.destination;
    const std::uint32_t bytes = isa::byteSize(d.type);
    const std::uint32_t apart = std::max<std::uint32_t>(d.horizontal, 1) * bytes;
    const std::uint32_t end = from + (in.width - 1u) * apart + bytes;
    if (element.place + element.bytes <= from || end <= element.place) return {};
    for (std::uint32_t n = 0; n < in.width; ++n) {
        const std::uint32_t begin = from + n * apart;
        if (element.place + element.bytes <= begin || begin + bytes <= element.place) continue;
        const bool inside = begin <= element.place && element.place + element.bytes <= begin + bytes;
        if (!inside) return {.bounds = {}, .writes = true};
        const bool ownLane = way.sameLanes && lane == in.offset + n;
        const bool always = in.predicate == isa::Predicate::none || in.opcode == Opcode::sel;
        const Bounds whole = written(way.line, n);
        const std::uint32_t shift = (element.place - begin) * kBitsOfByte;
        const std::uint64_t largest = largestOf(element.bytes);
        const bool fits = whole.high >> shift <= largest || whole.low > whole.high;
        const Bounds part = shift == 0 ? whole : Bounds{0, whole.high >> shift};
        return {.bounds = fits ? part : Bounds{0, largest}, .writes = true, .hides = always && (in.noMask || ownLane)};
    }
    return {};
}

/// What a lane of a line writes. A line that depends on itself adds nothing to what it begins with, unless it grows.
Bounds RegisterBounds::written(Line line, std::uint32_t lane) {
    const auto known = std::ranges::find_if(open_, [&](const Definition& d) { return d.isOf(line, lane); });
    if (known != open_.end()) {
        const bool grown = std::any_of(known, open_.end(), [](const Definition& d) { return d.grows; });
        return grown ? Bounds{} : kNone;
    }
    if (left_ == 0) return {};
    --left_;
    open_.push_back({line, lane, grows(code_.instructions[line].opcode)});
    const Bounds bounds = compute(line, lane);
    open_.pop_back();
    const Operand& d = code_.instructions[line].destination;
    const std::uint64_t largest = largestOf(isa::byteSize(d.type));
    const bool fits = bounds.high <= largest || bounds.low > bounds.high;
    return fits ? bounds : Bounds{0, largest};
}

Bounds RegisterBounds::compute(Line line, std::uint32_t lane) {
    const Instruction& in = code_.instructions[line];
    if (!isa::isWholeNumber(in.destination.type) || in.saturate) return {};
    const Bounds x = source(line, 0, lane);
    if (in.opcode == Opcode::mov) return x;
    const Bounds y = source(line, 1, lane);
    if (in.opcode == Opcode::sel) return either(x, y);
    if (in.opcode == Opcode::bitAnd) return {0, std::min(x.high, y.high)};
    if (x.low > x.high || y.low > y.high) return kNone;
    if (x.high == Bounds::kAnything) return {};
    if (in.opcode == Opcode::shl || in.opcode == Opcode::shr) return shifted(x, y, in.opcode == Opcode::shl);
    if (y.high == Bounds::kAnything) return {};
    if (in.opcode == Opcode::add) return sum(x, y);
    return isLogic(in.opcode) ? allBitsOf(x, y) : Bounds{};
}

Bounds RegisterBounds::source(Line line, std::uint32_t which, std::uint32_t lane) {
    const Instruction& in = code_.instructions[line];
    const Operand& o = in.source[which];
    const bool packed = o.type == DataType::v || o.type == DataType::uv;
    if (o.hasModifier() || (!isa::isWholeNumber(o.type) && !packed)) return {};
    if (o.isImmediate()) return constantOf(o, lane);
    const auto place = statePlaceOf(o);
    if (!place) return {};
    const std::uint32_t bytes = isa::byteSize(o.type);
    const auto reader = in.noMask ? LaneBytes::kAllLanes : static_cast<std::uint8_t>(in.offset + lane);
    return readAs(o.type, search(line, {*place + isa::elementOf(o, lane) * bytes, bytes}, reader));
}

}  // namespace zetl::emulator::translate
