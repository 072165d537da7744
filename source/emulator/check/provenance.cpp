#include "emulator/check/provenance.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "emulator/isa/observe.h"
#include "emulator/isa/register_use.h"
#include "isa/xe/opcodes.h"

namespace zetl::emulator::check {
namespace {

using zetl::isa::xe::DataType;
using zetl::isa::xe::Instruction;
using zetl::isa::xe::Opcode;
using zetl::isa::xe::Operand;

constexpr std::uint32_t kRegisters = 512;
constexpr std::uint32_t kPointerBytes = 8;

constexpr std::uint32_t kSlots = isa::layout::kRegisterBytes / kPointerBytes;  // of a register

/// Slots [first, first + count), each of which holds a pointer or a part of something else.
struct Span {
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    std::uint32_t end() const noexcept { return std::min(first + count, kRegisters * kSlots); }
    std::uint32_t firstRegister() const noexcept { return first / kSlots; }
    std::uint32_t endRegister() const noexcept { return (end() + kSlots - 1) / kSlots; }
};
Span registers(std::uint32_t first, std::uint32_t count) noexcept { return {first * kSlots, count * kSlots}; }

bool hasFormat(const Instruction& in, zetl::isa::xe::Format format) noexcept {
    const auto* const known = zetl::isa::xe::findOpcode(static_cast<std::uint8_t>(in.opcode));
    return known != nullptr && known->format == format;
}
bool transfersControl(const Instruction& in) noexcept { return hasFormat(in, zetl::isa::xe::Format::branch); }
bool sendsMessage(const Instruction& in) noexcept { return hasFormat(in, zetl::isa::xe::Format::send); }

std::uint32_t registerCount(std::uint64_t bytes) noexcept {
    return static_cast<std::uint32_t>((bytes + isa::layout::kRegisterBytes - 1) / isa::layout::kRegisterBytes);
}

/// What the instruction may write of the registers; nothing if that is not known.
std::optional<Span> writtenBy(const Instruction& in) noexcept {
    const Operand& to = in.destination;
    if (!to.isGrf()) return Span{};
    if (to.isIndirect()) return std::nullopt;
    if (sendsMessage(in)) {
        constexpr unsigned kLengthAt = 20;
        constexpr std::uint32_t kLengthMask = 0x1f;
        const bool said = !in.message.general && !in.message.descriptorInRegister;
        return registers(to.number, said ? static_cast<std::uint32_t>(in.message.descriptor >> kLengthAt) & kLengthMask
                                         : registerCount(isa::kManyRegisterBytes));
    }
    if (hasFormat(in, zetl::isa::xe::Format::systolic))
        return registers(to.number, registerCount(isa::kManyRegisterBytes));
    const std::uint32_t size = zetl::isa::xe::byteSize(to.type);
    const std::uint32_t step = std::max<std::uint32_t>(to.horizontal, 1) * size;
    const std::uint32_t begin = to.subByte / kPointerBytes;
    const std::uint32_t bytes = in.width == 0 ? 0 : step * (in.width - 1) + size;
    const std::uint32_t end = (to.subByte + bytes + kPointerBytes - 1) / kPointerBytes;
    return Span{to.number * kSlots + begin, end - begin};
}

/// A copy of whole slots by all lanes, bit by bit.
bool copies(const Instruction& in) noexcept {
    const Operand& from = in.source[0];
    const Operand& to = in.destination;
    const bool plain = in.opcode == Opcode::mov && in.noMask && !in.saturate &&
                       in.predicate == zetl::isa::xe::Predicate::none && from.isGrf() && to.isGrf() &&
                       !from.isIndirect() && !to.isIndirect() && !from.hasModifier() && from.type == to.type;
    const std::uint32_t size = zetl::isa::xe::byteSize(to.type);
    if (!plain || to.horizontal > 1 || size * in.width % kPointerBytes != 0 || to.subByte % kPointerBytes != 0)
        return false;
    for (std::uint32_t lane = 0; lane < in.width; ++lane)
        if (isa::elementOf(from, lane) != lane) return false;
    return from.subByte == to.subByte;
}

bool isWhole(DataType type) noexcept {
    constexpr DataType kTypes[] = {DataType::ub, DataType::b, DataType::uw, DataType::w,
                                   DataType::ud, DataType::d, DataType::uq, DataType::q};
    return std::ranges::find(kTypes, type) != std::end(kTypes);
}
bool isQuad(DataType type) noexcept { return type == DataType::uq || type == DataType::q; }

/// One pass over a program.
class Scan {
  public:
    explicit Scan(const isa::Program& program) : program_(program) {}

    Pointers run() {
        Pointers pointers{std::vector<std::int32_t>(program_.lineCount(), kUnknownPointer),
                          std::vector<bool>(program_.lineCount()), std::vector<bool>(program_.lineCount())};
        if (!findTargets()) return pointers;
        for (isa::Line begin = 0; begin < program_.lineCount();) {
            isa::Line end = begin;
            while (end < program_.lineCount() && !program_.instruction(end).message.endOfThread) ++end;
            end = std::min<isa::Line>(end + 1, program_.lineCount());
            if (findGiven(begin, end)) follow(begin, end, pointers.places);
            for (isa::Line line = begin; line < end; ++line)
                if (const std::int32_t place = pointers.places[line]; place != kUnknownPointer) {
                    const std::uint32_t slot = static_cast<std::uint32_t>(place) / kPointerBytes;
                    pointers.byLanes[line] = !given_[slot];
                    pointers.ofArguments[line] = given_[slot] && arguments_[slot];
                }
            begin = end;
        }
        return pointers;
    }

  private:
    enum class What : std::uint8_t { unknown, index, address, loaded };
    struct Value {
        What what = What::unknown;
        std::int32_t pointer = kUnknownPointer;  ///< of an address, and where what was loaded begins
    };

    /// Where branches lead. False if that is not known.
    bool findTargets() {
        for (isa::Line line = 0; line < program_.lineCount(); ++line) {
            const Instruction& in = program_.instruction(line);
            if (in.opcode == Opcode::call || in.opcode == Opcode::calla || in.targetInRegister) return false;
            if (!transfersControl(in)) continue;
            for (const std::int32_t distance : {in.jip, in.uip}) {
                targets_.insert(in.ip + static_cast<std::uint32_t>(distance));
                targets_.insert(in.ip + in.bytes + static_cast<std::uint32_t>(distance));
            }
        }
        return true;
    }

    /// Which slots get what the thread is given, and keep it: those that are written once in these lines, which end a
    /// thread and begin behind the end of another, before any branch, by a block from memory or by a copy of what the
    /// thread began with. False if that is not known.
    bool findGiven(isa::Line begin, isa::Line end) {
        std::array<std::uint32_t, kRegisters * kSlots> givers{};
        std::array<std::uint32_t, kRegisters * kSlots> others{};
        std::array<std::uint32_t, kRegisters * kSlots> loads{};
        std::array<bool, kRegisters> ofHeader{true};  // made of r0 and numbers alone
        arguments_ = {};
        loadedOnce_.fill(kUnknownPointer);
        bool branched = false;
        for (isa::Line line = begin; line < end; ++line) {
            const Instruction& in = program_.instruction(line);
            branched |= transfersControl(in);
            const auto span = writtenBy(in);
            if (!span) return false;
            const auto plan = sendsMessage(in) && !branched ? isa::AccessPlan::of(in) : std::nullopt;
            const bool block = plan && plan->shape.block && !plan->shape.write && !plan->shape.atomic;
            const bool ofArguments = block && (plan->shape.space == isa::MemorySpace::payload ||
                                               ofHeader[plan->payload / isa::layout::kRegisterBytes % kRegisters]);
            const bool ofOthers = branched || sendsMessage(in) || !readsOnly(in, ofHeader);
            const std::uint32_t from = in.source[0].number * kSlots + in.source[0].subByte / kPointerBytes;
            const bool loadsEach = sendsMessage(in) && loadsPointers(in);
            const bool copy = !branched && copies(in) && isUnwritten({from, span->count}, givers, others);
            for (std::uint32_t i = span->first; i < span->end(); ++i) {
                ++(block || copy ? givers : loadsEach ? loads : others)[i];
                arguments_[i] = ofArguments || copy;
                if (loadsEach) loadedOnce_[i / kSlots] = placeOfLoaded(in);
            }
            for (std::uint32_t i = span->firstRegister(); i < span->endRegister(); ++i) ofHeader[i] = !ofOthers;
        }
        for (std::uint32_t i = 0; i < given_.size(); ++i) {
            given_[i] = givers[i] == 1 && others[i] == 0 && loads[i] == 0;
            if (loads[i] != 1 || givers[i] != 0 || others[i] != 0) loadedOnce_[i / kSlots] = kUnknownPointer;
        }
        return true;
    }

    /// What the thread began with, but for r0.
    static bool isUnwritten(const Span& span, std::span<const std::uint32_t> givers,
                            std::span<const std::uint32_t> others) noexcept {
        if (span.first < kSlots || span.first + span.count > kRegisters * kSlots) return false;
        for (std::uint32_t i = span.first; i < span.end(); ++i)
            if (givers[i] != 0 || others[i] != 0) return false;
        return true;
    }

    /// Besides numbers, only these registers.
    static bool readsOnly(const Instruction& in, const std::array<bool, kRegisters>& these) noexcept {
        return std::all_of(in.source.begin(), in.source.begin() + in.sources, [&](const Operand& from) {
            return from.isImmediate() ||
                   (from.isGrf() && !from.isIndirect() && from.number < kRegisters && these[from.number]);
        });
    }

    void follow(isa::Line begin, isa::Line end, std::vector<std::int32_t>& pointers) {
        forget();
        for (isa::Line line = begin; line < end; ++line) {
            const Instruction& in = program_.instruction(line);
            if (targets_.contains(in.ip)) forget();
            if (sendsMessage(in)) pointers[line] = pointerOf(in);
            const std::int32_t loaded = loadedPointerOf(in);  // it may be overwritten
            define(in);
            if (!sendsMessage(in)) pointers[line] = readBy(in, loaded);
            if (transfersControl(in)) forget();
        }
    }

    void forget() noexcept { values_.fill({}); }

    /// A pointer for all lanes, which stays where it is.
    bool isGivenPointer(const Operand& operand) const noexcept {
        return operand.isGrf() && !operand.isIndirect() && !operand.hasModifier() && isQuad(operand.type) &&
               operand.horizontal == 0 && operand.width <= 1 && operand.vertical == 0 && operand.number < kRegisters &&
               operand.subByte % kPointerBytes == 0 &&
               given_[operand.number * kSlots + operand.subByte / kPointerBytes];
    }
    /// Less than 64 bits, extended.
    bool isNarrow(const Operand& operand) const noexcept {
        if (operand.isImmediate()) return isWhole(operand.type);
        return operand.isGrf() && !operand.isIndirect() && isWhole(operand.type) && !isQuad(operand.type);
    }
    Value valueAt(const Operand& operand, std::uint32_t lanes) const noexcept {
        if (!operand.isGrf() || operand.isIndirect() || operand.hasModifier() || !isQuad(operand.type)) return {};
        if (operand.subByte != 0) return {};
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            if (isa::elementOf(operand, lane) != lane) return {};
        return commonOf(operand.number, registerCount(std::uint64_t{lanes} * kPointerBytes));
    }
    /// What all of these registers hold alike.
    Value commonOf(std::uint32_t first, std::uint32_t count) const noexcept {
        if (first + count > kRegisters || count == 0) return {};
        const Value all = valueIn(first);
        for (std::uint32_t i = 1; i < count; ++i)
            if (const Value one = valueIn(first + i); one.what != all.what || one.pointer != all.pointer) return {};
        return all;
    }
    /// What one load alone writes is known on all ways.
    Value valueIn(std::uint32_t number) const noexcept {
        const Value& value = values_[number];
        if (value.what != What::unknown || loadedOnce_[number] == kUnknownPointer) return value;
        return {What::loaded, loadedOnce_[number]};
    }

    Value resultOf(const Instruction& in) const noexcept {
        const Operand& first = in.source[0];
        const Operand& second = in.source[1];
        if (in.opcode == Opcode::mov && isNarrow(first)) return {What::index, kUnknownPointer};
        if (in.opcode == Opcode::shl && second.isImmediate()) {
            const bool index = isNarrow(first) || valueAt(first, in.width).what == What::index;
            return {index ? What::index : What::unknown, kUnknownPointer};
        }
        if (in.opcode != Opcode::add) return {};
        for (const auto& [base, other] : {std::pair{&first, &second}, std::pair{&second, &first}}) {
            const bool index = isNarrow(*other) || valueAt(*other, in.width).what == What::index;
            if (isGivenPointer(*base) && index) return {What::address, static_cast<std::int32_t>(isa::placeOf(*base))};
            const Value known = valueAt(*base, in.width);
            if (known.what == What::address && other->isImmediate()) return known;
            if (known.what == What::loaded && index) return {What::address, known.pointer};
        }
        return {};
    }

    /// The pointer from which the instruction makes addresses.
    std::int32_t readBy(const Instruction& in, std::int32_t loaded) const noexcept {
        if (!in.destination.isGrf() || in.destination.number >= kRegisters) return kUnknownPointer;
        const Value& made = values_[in.destination.number];
        const bool reads = isGivenPointer(in.source[0]) || isGivenPointer(in.source[1]) ||
                           (loaded != kUnknownPointer && loaded == made.pointer);
        return reads && made.what == What::address ? made.pointer : kUnknownPointer;
    }
    /// Where the pointers begin that the instruction reads of those that were loaded.
    std::int32_t loadedPointerOf(const Instruction& in) const noexcept {
        if (in.opcode != Opcode::add) return kUnknownPointer;
        for (const Operand* const from : {&in.source[0], &in.source[1]})
            if (const Value value = valueAt(*from, in.width); value.what == What::loaded) return value.pointer;
        return kUnknownPointer;
    }
    static std::int32_t placeOfLoaded(const Instruction& in) noexcept {
        return static_cast<std::int32_t>(in.destination.number * isa::layout::kRegisterBytes);
    }
    /// Of a load of eight bytes for each lane.
    static bool loadsPointers(const Instruction& in) noexcept {
        const auto plan = isa::AccessPlan::of(in);
        return plan && plan->shape.space == isa::MemorySpace::global && !plan->shape.write && !plan->shape.block &&
               !plan->shape.block2d && !plan->shape.strided && plan->shape.bytes == kPointerBytes;
    }

    void define(const Instruction& in) noexcept {
        const auto span = writtenBy(in);
        if (!span || span->count == 0) return;
        Value value;
        const Operand& to = in.destination;
        const bool plain = !sendsMessage(in) && isa::computesByLanes(in) &&
                           in.predicate == zetl::isa::xe::Predicate::none && !in.saturate && isQuad(to.type) &&
                           to.subByte == 0 && (to.horizontal == 1 || in.width == 1);
        if (plain) value = resultOf(in);
        if (sendsMessage(in) && loadsPointers(in)) value = {What::loaded, placeOfLoaded(in)};
        for (std::uint32_t i = span->firstRegister(); i < span->endRegister(); ++i) values_[i] = value;
    }

    std::int32_t pointerOf(const Instruction& in) const noexcept {
        const auto plan = isa::AccessPlan::of(in);
        if (!plan || plan->shape.space != isa::MemorySpace::global || plan->shape.block2d || plan->shape.strided ||
            plan->shape.addressBytes != kPointerBytes || plan->numbers >= 0)
            return kUnknownPointer;
        const std::uint32_t at = plan->payload + plan->shape.addressAt;
        if (at % isa::layout::kRegisterBytes != 0) return kUnknownPointer;
        const std::uint32_t lanes = plan->shape.block ? 1 : in.width;
        const Value value =
            commonOf(at / isa::layout::kRegisterBytes, registerCount(std::uint64_t{lanes} * kPointerBytes));
        return value.what == What::address ? value.pointer : kUnknownPointer;
    }

    const isa::Program& program_;
    std::set<std::uint32_t> targets_;
    std::array<bool, kRegisters * kSlots> given_{};      // slots
    std::array<bool, kRegisters * kSlots> arguments_{};  // of these, those that are the same for all threads
    std::array<std::int32_t, kRegisters> loadedOnce_{};  // where a load's data begin that nothing else writes
    std::array<Value, kRegisters> values_{};
};

}  // namespace

Pointers pointersOf(const isa::Program& program) { return Scan(program).run(); }

}  // namespace zetl::emulator::check
