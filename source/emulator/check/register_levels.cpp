#include "emulator/check/register_levels.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/check/register_bytes.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/step.h"

namespace zetl::emulator::check {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;

namespace {

constexpr std::uint32_t kHalf = 16;

Level highestOf(const std::array<Level, 8>& lane, std::uint32_t bytes) noexcept {
    return *std::max_element(lane.begin(), lane.begin() + bytes);
}

/// Of a result that arithmetic made of something at that level.
Level computedOf(Level level) noexcept {
    return level == Level::unwritten || level == Level::partly ? Level::computed : level;
}

/// The first two operands and-ed, or-ed with the third: how a field of bits is put into a word.
constexpr std::uint8_t kAndOr = 0xf8;

bool insertsBits(const Instruction& in) noexcept {
    if (in.opcode == Opcode::bfi2) return true;
    return in.opcode == Opcode::bfn && in.function == kAndOr;
}

bool isFlag(const Operand& operand) noexcept { return operand.isArf(zetl::isa::xe::ArchitectureRegister::flag); }

constexpr std::uint32_t kAddresses = 16;  // that are followed

/// To which an address register points, before the operand's offset for a lane.
std::uint32_t addressedBy(const isa::Thread& thread, const Operand& operand, std::uint32_t part) noexcept {
    const auto base = thread.at<std::uint16_t>(isa::layout::kAddress + part * sizeof(std::uint16_t));
    return static_cast<std::uint32_t>(base + operand.addressOffset) % isa::layout::kGrfBytes;
}

/// Where the lanes of a result go.
class Result {
  public:
    Result(const isa::Thread& thread, const Operand& to) noexcept
        : step_(std::max<std::uint32_t>(to.horizontal, 1) * byteSize(to.type)), isIndirect_(to.isIndirect()) {
        if (isIndirect_)
            begin_ = addressedBy(thread, to, to.addressSub);
        else
            begin_ = (to.isAccumulator() ? isa::layout::kAccumulator : isa::layout::kGrf) + isa::placeOf(to);
    }
    std::uint32_t place(std::uint32_t lane) const noexcept {
        const std::uint32_t at = begin_ + lane * step_;
        return isIndirect_ ? at % isa::layout::kGrfBytes : at;
    }
    /// Bytes from the first lane to the end of the last one.
    std::uint32_t reach(std::uint32_t lanes, std::uint32_t bytes) const noexcept { return (lanes - 1) * step_ + bytes; }

  private:
    const std::uint32_t step_;
    const bool isIndirect_;
    std::uint32_t begin_ = 0;
};

constexpr std::uint64_t onesOf(std::uint32_t bytes) noexcept {
    return bytes < sizeof(std::uint64_t) ? (std::uint64_t{1} << bytes * 8) - 1 : ~std::uint64_t{0};
}

bool sameOperand(const Operand& a, const Operand& b) noexcept {
    return a.isGrf() && b.isGrf() && !a.isIndirect() && !b.isIndirect() && a.number == b.number &&
           a.subByte == b.subByte && a.type == b.type && a.vertical == b.vertical && a.width == b.width &&
           a.horizontal == b.horizontal;
}

}  // namespace

void RegisterLevels::begin(std::span<const isa::StateSlots::Run> unwritten, std::uint32_t given) {
    marked_.each([this](std::uint32_t number) {
        if (number >= RegisterSet::kRegisters) return;
        std::fill_n(bytes_.begin() + number * isa::layout::kRegisterBytes, isa::layout::kRegisterBytes, Level::defined);
        undefined_[number] = 0;
    });
    flags_.fill(0);
    marked_.clear();
    const std::uint32_t from = given * isa::layout::kRegisterBytes;
    for (const isa::StateSlots::Run& run : unwritten) {
        const std::uint32_t begin = std::max(run.place, from);
        const std::uint32_t end = std::min(run.place + run.bytes, isa::layout::kGrf + isa::layout::kGrfBytes);
        if (begin >= end) continue;
        std::fill(bytes_.begin() + begin, bytes_.begin() + end, Level::unwritten);
        UsedBytes::eachPiece(begin, end - begin,
                             [this](std::uint32_t number, UsedBytes::Bytes some) { undefine(number, some, some); });
    }
}

void RegisterLevels::set(std::uint32_t place, Level level) noexcept {
    if (place >= bytes_.size()) return;
    bytes_[place] = level;
    const UsedBytes::Bytes one = UsedBytes::Bytes{1} << place % isa::layout::kRegisterBytes;
    undefine(place / isa::layout::kRegisterBytes, one, level != Level::defined ? one : 0);
}

void RegisterLevels::set(std::uint32_t place, const Lane& levels, std::uint32_t bytes) noexcept {
    const std::uint32_t within = place % isa::layout::kRegisterBytes;
    if (within + bytes > isa::layout::kRegisterBytes || place + bytes > bytes_.size()) {
        for (std::uint32_t i = 0; i < bytes; ++i) set(place + i, levels[i]);
        return;
    }
    const UsedBytes::Bytes all = (UsedBytes::Bytes{1} << bytes) - 1;
    const std::uint32_t number = place / isa::layout::kRegisterBytes;
    if (levels == Lane{} && (undefined_[number] & all << within) == 0) return;  // most often, and nothing changes
    std::copy_n(levels.begin(), bytes, bytes_.begin() + place);
    UsedBytes::Bytes some = 0;
    for (std::uint32_t i = 0; i < levels.size(); ++i) some |= UsedBytes::Bytes{levels[i] != Level::defined} << i;
    undefine(number, all << within, (some & all) << within);
}

/// Of a register, `some` of these bytes.
void RegisterLevels::undefine(std::uint32_t number, UsedBytes::Bytes of, UsedBytes::Bytes some) noexcept {
    undefined_[number] = (undefined_[number] & ~of) | some;
    undefined_[number] != 0 ? marked_.add(number) : marked_.remove(number);
}

Level RegisterLevels::highest(std::uint32_t place, std::uint32_t bytes) const noexcept {
    Level level = Level::defined;
    for (std::uint32_t i = 0; i < bytes; ++i) level = std::max(level, at(place + i));
    return level;
}

void RegisterLevels::define(std::uint32_t place, std::uint32_t bytes) noexcept {
    if (place >= bytes_.size()) return;
    std::fill_n(bytes_.begin() + place, std::min<std::size_t>(bytes, bytes_.size() - place), Level::defined);
    UsedBytes::eachPiece(place, bytes,
                         [this](std::uint32_t number, UsedBytes::Bytes some) { undefine(number, some, 0); });
}

void RegisterLevels::setFlag(std::uint32_t number, std::uint32_t undecided) noexcept {
    flags_[number] = undecided;
    const bool any = std::ranges::any_of(flags_, [](std::uint32_t lanes) { return lanes != 0; });
    any ? marked_.add(RegisterSet::kFlags) : marked_.remove(RegisterSet::kFlags);
}

std::uint32_t RegisterLevels::undecided(const Instruction& in, std::uint32_t enabled) const noexcept {
    if (in.predicate != zetl::isa::xe::Predicate::normal) return 0;
    return flags_[(in.flag >> 1) % flags_.size()] >> ((in.flag & 1) * kHalf) >> in.offset & enabled;
}

void RegisterLevels::defineFlags(const Instruction& in) noexcept { setFlag((in.flag >> 1) % flags_.size(), 0); }

RegisterLevels::Element RegisterLevels::elementOf(const isa::Thread& thread, const Operand& operand,
                                                  std::uint32_t lane) const noexcept {
    const std::uint32_t size = byteSize(operand.type);
    if (operand.isAccumulator() && !operand.isIndirect())
        return {isa::layout::kAccumulator + operand.number * isa::layout::kRegisterBytes + operand.subByte +
                    isa::elementOf(operand, lane) * size,
                true};
    if (!operand.isGrf()) return {};
    if (!operand.isIndirect()) return {isa::placeOf(operand) + isa::elementOf(operand, lane) * size, true};
    const std::uint32_t width = std::max<std::uint32_t>(operand.width, 1);
    const bool rows = operand.addressing == Operand::Addressing::indirectPerRow;
    const std::uint32_t part = operand.addressSub + (rows ? lane / width : 0);
    if (part >= kAddresses) return {};
    const std::uint32_t element = rows ? lane % width * operand.horizontal : isa::elementOf(operand, lane);
    return {(addressedBy(thread, operand, part) + element * size) % isa::layout::kGrfBytes, true};
}

/// From the first register again behind the last.
bool RegisterLevels::mayMeet(std::uint32_t place, std::uint32_t bytes) const noexcept {
    const std::uint32_t within = place % isa::layout::kRegisterBytes;
    if (within + bytes <= isa::layout::kRegisterBytes)  // most often
        return (undefined_[place / isa::layout::kRegisterBytes] >> within &
                ~UsedBytes::Bytes{0} >> (isa::layout::kRegisterBytes - bytes)) != 0;
    const std::uint32_t before = std::min(bytes, isa::layout::kGrfBytes - place);
    return !areDefined(place, before) || (bytes != before && !areDefined(0, bytes - before));
}

bool RegisterLevels::mayMeetSource(const isa::Thread& thread, const Operand& source,
                                   std::uint32_t lanes) const noexcept {
    const std::uint32_t size = byteSize(source.type);
    if (source.addressing == Operand::Addressing::indirect)
        return mayMeet(addressedBy(thread, source, source.addressSub), (isa::elementOf(source, lanes - 1) + 1) * size);
    const std::uint32_t width = std::max<std::uint32_t>(source.width, 1);
    const std::uint32_t rows = std::min((lanes + width - 1) / width, kAddresses - source.addressSub % kAddresses);
    const std::uint32_t bytes = ((width - 1) * source.horizontal + 1) * size;
    bool any = false;
    for (std::uint32_t row = 0; row < rows; ++row)
        any |= mayMeet(addressedBy(thread, source, source.addressSub + row), bytes);
    return any;
}

bool RegisterLevels::mayMeetAddressed(const isa::Thread& thread, const Instruction& in) const noexcept {
    if (in.opcode == Opcode::movi) return !marked_.empty();
    const Operand& to = in.destination;
    const std::uint32_t lanes = lanesOf(in);
    const Result result(thread, to);
    if (to.isIndirect() && mayMeet(result.place(0), result.reach(lanes, byteSize(to.type)))) return true;
    return std::ranges::any_of(in.source.begin(), in.source.begin() + in.sources, [&](const Operand& source) {
        return source.isGrf() && source.isIndirect() && mayMeetSource(thread, source, lanes);
    });
}

std::uint64_t RegisterLevels::valueOf(const isa::Thread& thread, const Operand& operand,
                                      std::uint32_t lane) const noexcept {
    std::uint64_t value = operand.immediate;
    const std::uint32_t size = byteSize(operand.type);
    if (!operand.isImmediate()) {
        value = 0;
        if (const Element element = elementOf(thread, operand, lane); element.known)
            std::memcpy(&value, thread.state + element.place, size);
        else
            value = ~std::uint64_t{0};  // not known: at least not zero
    }
    return operand.negate ? ~value : value;
}

RegisterLevels::Lane RegisterLevels::sourceOf(const isa::Thread& thread, const Operand& operand,
                                              std::uint32_t lane) const noexcept {
    Lane levels{};
    const Element element = elementOf(thread, operand, lane);
    if (!element.known) return levels;
    for (std::uint32_t i = 0; i < byteSize(operand.type); ++i) levels[i] = at(element.place + i);
    return levels;
}

bool RegisterLevels::givesZero(const isa::Thread& thread, const Operand& operand, std::uint32_t lane) const noexcept {
    const std::uint32_t size = byteSize(operand.type);
    return highestOf(sourceOf(thread, operand, lane), size) == Level::defined &&
           (valueOf(thread, operand, lane) & (size < 8 ? (std::uint64_t{1} << size * 8) - 1 : ~std::uint64_t{0})) == 0;
}

RegisterLevels::Lane RegisterLevels::resultOf(const isa::Thread& thread, const Instruction& in,
                                              std::uint32_t lane) const noexcept {
    Lane result{};
    const std::uint32_t bytes = byteSize(in.destination.type);
    const auto whole = [&](Level level) {
        std::fill_n(result.begin(), bytes, level);
        return result;
    };
    const Operand& first = in.source[0];
    const Operand& second = in.source[1];
    const Lane a = sourceOf(thread, first, lane);
    const std::uint32_t firstBytes = byteSize(first.type);
    Level all = highestOf(a, firstBytes);
    Lane b{};
    if (in.sources > 1) {
        b = sourceOf(thread, second, lane);
        all = std::max(all, highestOf(b, byteSize(second.type)));
    }
    if (in.sources > 2) {
        const Operand& third = in.source[2];
        all = std::max(all, highestOf(sourceOf(thread, third, lane), byteSize(third.type)));
    }
    const bool plain = isWholeNumber(first.type) && isWholeNumber(in.destination.type);
    switch (in.opcode) {
        case Opcode::mov: {
            if (all == Level::defined) return result;
            if (!plain && first.type != in.destination.type) return whole(computedOf(all));
            const Level top = isSigned(first.type) ? a[firstBytes - 1] : Level::defined;
            for (std::uint32_t i = 0; i < bytes; ++i) result[i] = i < firstBytes ? a[i] : top;
            return result;
        }
        case Opcode::bitAnd:
        case Opcode::bitOr: {
            // A byte that the other operand decides is defined.
            const std::uint64_t decides = in.opcode == Opcode::bitAnd ? 0 : 0xff;
            const std::uint64_t x = valueOf(thread, first, lane);
            const std::uint64_t y = valueOf(thread, second, lane);
            for (std::uint32_t i = 0; i < bytes; ++i) {
                const bool byFirst = a[i] == Level::defined && (x >> i * 8 & 0xff) == decides;
                const bool bySecond = b[i] == Level::defined && (y >> i * 8 & 0xff) == decides;
                if (byFirst || bySecond) continue;
                result[i] = std::max(a[i], b[i]);
                const bool one = a[i] == Level::defined || b[i] == Level::defined;
                const std::uint64_t known = (a[i] == Level::defined ? x : y) >> i * 8 & 0xff;
                if (in.opcode == Opcode::bitAnd && one && known != 0xff && result[i] == Level::unwritten)
                    result[i] = Level::partly;
                // A field of bits that is put into a word of which nothing else is written: a byte has one level.
                if (in.opcode == Opcode::bitOr && one && result[i] == Level::partly) result[i] = Level::defined;
            }
            return result;
        }
        case Opcode::bitXor:
        case Opcode::bitNot:
            if (in.opcode == Opcode::bitXor && sameOperand(first, second)) return result;
            for (std::uint32_t i = 0; i < bytes; ++i) result[i] = computedOf(std::max(a[i], b[i]));
            return result;
        case Opcode::shr:
        case Opcode::shl: {
            if (!second.isImmediate() || !plain) return whole(computedOf(all));
            const std::uint32_t shift = second.immediate & (bytes * 8 - 1);
            const bool part = shift % 8 != 0;
            for (std::uint32_t i = 0; i < bytes; ++i) {
                const auto from = [&](std::int64_t byte) {
                    return byte >= 0 && byte < firstBytes ? a[static_cast<std::size_t>(byte)] : Level::defined;
                };
                const std::int64_t moved = in.opcode == Opcode::shr ? i + shift / 8 : std::int64_t{i} - shift / 8;
                result[i] = std::max(from(moved),
                                     part ? from(in.opcode == Opcode::shr ? moved + 1 : moved - 1) : Level::defined);
            }
            return result;
        }
        case Opcode::cmp:  // x == x of any register is how compilers make a mask of the lanes that are active
            return sameOperand(first, second) && isWholeNumber(first.type) ? result : whole(computedOf(all));
        case Opcode::add:
            if (in.source[0].negate != in.source[1].negate && sameOperand(first, second)) return result;
            return whole(computedOf(all));
        case Opcode::mul:
        case Opcode::mach:
        case Opcode::macl:
            if (givesZero(thread, first, lane) || givesZero(thread, second, lane)) return result;
            return whole(computedOf(all));
        case Opcode::mad: {
            const Level sum = highestOf(a, firstBytes);
            const bool none = givesZero(thread, second, lane) || givesZero(thread, in.source[2], lane);
            return whole(computedOf(none ? sum : all));
        }
        default:
            if (insertsBits(in) && all <= Level::partly) return result;
            return whole(computedOf(all));
    }
}

RegisterLevels::Bits RegisterLevels::bitsOf(const isa::Thread& thread, const Operand& operand) const noexcept {
    Bits bits;
    if (isFlag(operand)) {
        const std::uint32_t number = operand.number % flags_.size();
        const std::uint32_t shift = operand.subByte * 8u;
        bits.value = thread.at<std::uint32_t>(isa::layout::kFlags + number * 4) >> shift;
        if (operand.negate) bits.value = ~bits.value;
        bits.undecided = flags_[number] >> shift;
    } else {
        bits.value = valueOf(thread, operand, 0);
        const Lane levels = sourceOf(thread, operand, 0);
        for (std::uint32_t i = 0; i < levels.size(); ++i)
            if (levels[i] != Level::defined) bits.undecided |= std::uint64_t{0xff} << i * 8;
    }
    const std::uint64_t all = onesOf(byteSize(operand.type));
    return {bits.value & all, bits.undecided & all};
}

std::uint64_t RegisterLevels::undecidedBits(const isa::Thread& thread, const Instruction& in) const noexcept {
    const Bits a = bitsOf(thread, in.source[0]);
    const Bits b = in.sources > 1 ? bitsOf(thread, in.source[1]) : Bits{};
    const std::uint64_t either = a.undecided | b.undecided;
    switch (in.opcode) {
        case Opcode::mov:
        case Opcode::bitNot:
        case Opcode::bitXor:
            return either;
        case Opcode::bitAnd:
            return either & (a.value | a.undecided) & (b.value | b.undecided);
        case Opcode::bitOr:
            return either & (~a.value | a.undecided) & (~b.value | b.undecided);
        default:
            return either != 0 ? ~std::uint64_t{0} : 0;
    }
}

void RegisterLevels::setFlags(const Operand& to, std::uint64_t undecided) noexcept {
    const std::uint32_t shift = to.subByte * 8u;
    const auto all = static_cast<std::uint32_t>(onesOf(byteSize(to.type)));
    const std::uint32_t number = to.number % flags_.size();
    setFlag(number, (flags_[number] & ~(all << shift)) | (static_cast<std::uint32_t>(undecided) & all) << shift);
}

bool RegisterLevels::reads(const isa::Thread& thread, const Instruction& in, std::uint32_t enabled) const noexcept {
    const bool withFlags =
        in.predicate != zetl::isa::xe::Predicate::none || in.condition != zetl::isa::xe::Condition::none;
    if (withFlags && marked_.has(RegisterSet::kFlags)) return true;
    for (std::uint32_t i = 0; i < in.sources; ++i) {
        const Operand& source = in.source[i];
        if (isFlag(source) && marked_.has(RegisterSet::kFlags)) return true;
        if (!source.isGrf() && !source.isAccumulator()) continue;
        if (source.isIndirect()) {
            if (in.opcode == Opcode::movi || mayMeetSource(thread, source, lanesOf(in))) return true;
            continue;
        }
        const std::uint32_t size = byteSize(source.type);
        const std::uint32_t place =
            (source.isAccumulator() ? isa::layout::kAccumulator : isa::layout::kGrf) + isa::placeOf(source);
        const std::uint32_t last = isa::elementOf(source, lanesOf(in) - 1);
        if (areDefined(place, (last + 1) * size)) continue;  // most often, as regions of rows ascend
        for (std::uint32_t lanes = enabled; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
            if (!areDefined(place + isa::elementOf(source, lane) * size, size)) return true;
        }
    }
    return false;
}

bool RegisterLevels::areDefined(std::uint32_t place, std::uint32_t bytes) const noexcept {
    UsedBytes::Bytes any = 0;
    UsedBytes::eachPiece(place, bytes,
                         [&](std::uint32_t number, UsedBytes::Bytes some) { any |= undefined_[number] & some; });
    return any == 0;
}

void RegisterLevels::defineResult(const isa::Thread& thread, const Instruction& in, std::uint32_t enabled) {
    const Operand& to = in.destination;
    if (isFlag(to) && in.predicate == zetl::isa::xe::Predicate::none) return setFlags(to, 0);
    if (!to.isGrf() && !to.isAccumulator()) return;
    const std::uint32_t bytes = byteSize(to.type);
    const std::uint32_t lanes = lanesOf(in);
    const bool all = in.predicate == zetl::isa::xe::Predicate::none || in.opcode == Opcode::sel;
    const std::uint32_t passes = all ? enabled : isa::predicateLanes(thread, isa::laneMaskOf(in)) & enabled;
    const Result result(thread, to);
    const std::uint32_t whole = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
    const bool isOnePiece = to.horizontal <= 1 && !to.isIndirect();
    if (isOnePiece && (passes & whole) == whole) return define(result.place(0), lanes * bytes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        if ((passes >> lane & 1) != 0) define(result.place(lane), bytes);
}

void RegisterLevels::compute(const isa::Thread& thread, const Instruction& in, std::uint32_t enabled) {
    const Operand& to = in.destination;
    if (isFlag(to) && in.predicate == zetl::isa::xe::Predicate::none) return setFlags(to, undecidedBits(thread, in));
    const std::uint32_t bytes = byteSize(to.type);
    const std::uint32_t lanes = lanesOf(in);
    const std::uint32_t chosen = undecided(in, enabled);
    const std::uint32_t passes = in.predicate == zetl::isa::xe::Predicate::none || in.opcode == Opcode::sel
                                     ? enabled
                                     : isa::predicateLanes(thread, isa::laneMaskOf(in)) & enabled;
    const bool picks = in.opcode == Opcode::sel && in.predicate == zetl::isa::xe::Predicate::normal;
    const std::uint32_t first = picks ? isa::predicateLanes(thread, isa::laneMaskOf(in)) : 0;
    std::array<Lane, kMostLanes> results{};
    std::uint32_t flags = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if ((enabled >> lane & 1) == 0) continue;
        Lane& result = results[lane];
        if (picks)
            result = sourceOf(thread, in.source[(first >> lane & 1) != 0 ? 0 : 1], lane);
        else
            result = resultOf(thread, in, lane);
        if ((chosen >> lane & 1) != 0) std::fill_n(result.begin(), bytes, Level::chosen);
        if (highestOf(result, bytes) != Level::defined) flags |= 1u << lane;
    }
    const bool kept = to.isGrf() || to.isAccumulator();
    const Result places(thread, to);
    for (std::uint32_t lane = 0; kept && lane < lanes; ++lane) {
        if (((passes | chosen) >> lane & 1) == 0) continue;
        set(places.place(lane), results[lane], bytes);
    }
    if (in.condition == zetl::isa::xe::Condition::none || in.opcode == Opcode::sel || in.opcode == Opcode::csel) return;
    const std::uint32_t shift = (in.flag & 1) * kHalf + in.offset;
    const std::uint32_t number = (in.flag >> 1) % flags_.size();
    setFlag(number, (flags_[number] & ~(passes << shift)) | (flags & passes) << shift);
}

}  // namespace zetl::emulator::check
