#include "core/register_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace zetl::debugger {
namespace {

using instrumentation::ByteRange;
constexpr std::uint32_t kLocalIdBytes = 2;
/// Of r0, the header that each thread gets: what is in these bytes numbers its work-group.
constexpr std::array kGroupIds = {ByteRange{4, 4}, ByteRange{24, 4}, ByteRange{28, 4}};

/// What computes numbers of its destination's kind. Moves and instructions on bits also handle bits of the other kind.
constexpr std::array kArithmetic = {isa::xe::Opcode::add, isa::xe::Opcode::add3, isa::xe::Opcode::mul,
                                    isa::xe::Opcode::mad, isa::xe::Opcode::macl};

/// Where in its first source a move gets the byte from that it writes at this place of general registers; nothing for
/// instructions that are no such moves.
std::optional<std::uint32_t> copiedFrom(const isa::xe::Instruction& move, std::uint32_t place) {
    const auto& to = move.destination;
    const auto& from = move.source[0];
    const bool copies = move.opcode == isa::xe::Opcode::mov && to.isGrf() && from.isGrf() && !to.isIndirect() &&
                        !from.isIndirect() && to.type == from.type && !from.hasModifier();
    const auto begin = to.number * isa::xe::kRegisterBytes + to.subByte;
    if (!copies || place < begin) return std::nullopt;
    const auto bytes = isa::xe::byteSize(to.type);
    const auto lane = (place - begin) / (bytes * std::max<std::uint32_t>(to.horizontal, 1));
    if (lane >= move.width || from.width == 0) return std::nullopt;
    const auto element = lane / from.width * from.vertical + lane % from.width * from.horizontal;
    return from.number * isa::xe::kRegisterBytes + from.subByte + element * bytes;
}

}  // namespace

RegisterCheck::RegisterCheck(const LocationQuestion& question, ByteRange bytes, std::optional<std::uint32_t> pitch)
    : about_(question),
      bytes_(bytes),
      pitch_(pitch),
      last_(about_.flow.lastWriters(about_.now, bytes)),
      all_(about_.flow.writersIn(about_.first, about_.end, bytes)) {}

std::string RegisterCheck::doubt() const {
    constexpr std::array kAll = {&RegisterCheck::unwritten,   &RegisterCheck::header,
                                 &RegisterCheck::heldByOther, &RegisterCheck::ofOtherVariable,
                                 &RegisterCheck::ofOtherSort, &RegisterCheck::ofOtherLanes,
                                 &RegisterCheck::overwritten, &RegisterCheck::notYet,
                                 &RegisterCheck::unfinished,  &RegisterCheck::otherwiseLaidOut};
    for (const auto each : kAll)
        if (auto found = (this->*each)(); !found.empty()) return found;
    return "";
}

bool RegisterCheck::isInside(std::uint32_t number) const {
    return offsetOf(number) >= about_.first && offsetOf(number) < about_.end;
}

bool RegisterCheck::isOwnLine(int line) const {
    return line > 0 && (about_.lines.lines.contains(line) || line == about_.callLine);
}

/// It belongs to a line that sets the variable or another one that it is a copy of, or to a function that such a line
/// calls and that is built in.
bool RegisterCheck::isOwn(std::uint32_t number) const {
    const auto line = lineOf(number);
    if (isOwnLine(line) || about_.lines.copied.contains(line)) return true;
    const auto scopes = about_.debug.scopesAt(about_.begin + offsetOf(number));
    return std::ranges::any_of(
        scopes, [&](const Scope& each) { return isOwnLine(each.calledFrom.line) && !isConstantIn(each); });
}

/// The scope is that of the variable, a parameter that the text sets nowhere but in the call.
bool RegisterCheck::isConstantIn(const Scope& scope) const {
    const bool isNeverSet = about_.lines.hasText && about_.lines.lines.size() <= 1;
    return isNeverSet && !about_.scopes.empty() && scope.begin == about_.scopes.front().begin;
}

/// It belongs to a function that is built into the variable's one, whose own variables it sets.
bool RegisterCheck::isInCalled(std::uint32_t number) const {
    const auto scopes = about_.debug.scopesAt(about_.begin + offsetOf(number));
    const auto depth = about_.scopes.size();
    if (depth == 0 || scopes.size() <= depth) return false;
    return scopes[scopes.size() - depth].begin == about_.scopes.front().begin;
}

bool RegisterCheck::anyOwn(const std::vector<std::uint32_t>& writers) const {
    return std::ranges::any_of(writers, [&](auto each) { return isOwn(each); });
}

std::string RegisterCheck::nameOfRegister() const { return fmt::format("r{}", bytes_.start / isa::xe::kRegisterBytes); }

/// A loop's counter and the like: the instruction changes what it wrote itself a turn before.
bool RegisterCheck::goesAround(std::uint32_t number) const {
    const auto before = about_.flow.lastWriters(number, bytes_);
    return about_.flow.reads(number, bytes_) && std::ranges::find(before, number) != before.end();
}

bool RegisterCheck::mayBeOwn(std::uint32_t number) const {
    if (isOwn(number)) return true;
    if (!isInCalled(number) && (isOfOneValue(number) || isAsAtFirst(number))) return true;
    return !about_.lines.hasText && goesAround(number);
}

std::string RegisterCheck::overwritten() const {
    for (const auto each : last_) {
        if (!isInside(each) || mayBeOwn(each)) continue;
        if (!about_.isArgument && areOthersWritersBelieved()) continue;
        return fmt::format("{} was written by {} since", nameOfRegister(), placeOf(each));
    }
    return "";
}

std::string RegisterCheck::placeOf(std::uint32_t number) const {
    const auto line = lineOf(number);
    return line > 0 ? fmt::format("line {}", line)
                    : fmt::format("the instruction at {:#x}", about_.begin + offsetOf(number));
}

/// A copy of another variable, for instance, has no instructions of its own: what is written first, or by one line
/// alone, is its value.
bool RegisterCheck::areOthersWritersBelieved() const {
    if (anyOwn(all_) || about_.flow.anyComputes([&](std::uint32_t each) { return isOwnLine(lineOf(each)); }))
        return false;
    const bool isOneLine = lineOf(all_.front()) > 0 && areOnOneLine(all_);  // 0: of no line, which says nothing
    const auto first = about_.flow.numberAt(about_.first);
    const bool hadValue = !first || !about_.flow.lastWriters(*first, bytes_).empty();
    return isOneLine || (!hadValue && last_.size() == 1 && last_.front() == all_.front());
}

bool RegisterCheck::areOnOneLine(const std::vector<std::uint32_t>& writers) const {
    return std::ranges::all_of(writers, [&](auto each) { return lineOf(each) == lineOf(writers.front()); });
}

std::string RegisterCheck::notYet() const {
    if (about_.isArgument) return "";
    const auto own = std::ranges::find_if(all_, [&](auto each) { return isOwn(each); });
    const bool startsHere = offsetOf(about_.now) == about_.first && about_.first > about_.body &&
                            about_.flow.writes(about_.now, bytes_) && !about_.flow.reads(about_.now, bytes_);
    if (startsHere) return fmt::format("this instruction writes {}", nameOfRegister());
    if (own == all_.end() && last_.empty() && !all_.empty())
        return fmt::format("{} writes {} later", placeOf(all_.front()), nameOfRegister());
    if (own == all_.end() || anyOwn(last_)) return "";
    if (std::ranges::any_of(last_, [&](auto each) { return isInside(each); })) return "";
    const bool isCopyOfOther = about_.lines.isInitialised && !isOnDeclaration();
    return isCopyOfOther ? "" : fmt::format("{} writes {} later", placeOf(*own), nameOfRegister());
}

/// Whether some instruction that writes it belongs to the line of its declaration.
bool RegisterCheck::isOnDeclaration() const {
    return std::ranges::any_of(all_, [&](auto each) { return lineOf(each) == *about_.lines.lines.begin(); });
}

/// The line computes on, in the same register or in an accumulator, which debug information cannot name.
std::string RegisterCheck::unfinished() const {
    for (const auto each : last_) {
        if (offsetOf(each) < about_.body || !isOwnLine(lineOf(each))) continue;
        for (auto next = each + 1; about_.flow.areInOneBlock(each, next) && lineOf(next) == lineOf(each); ++next) {
            if (!about_.flow.reads(next, bytes_)) continue;
            const auto& to = about_.flow.instruction(next).destination;
            const bool isAhead = next >= about_.now && about_.flow.writes(next, bytes_);
            if (isAhead || (to.isAccumulator() && !isWrittenFrom(next)))
                return fmt::format("{} holds an intermediate result of line {}", nameOfRegister(), lineOf(each));
        }
    }
    return "";
}

/// The rest of the line brings the accumulator's value back.
bool RegisterCheck::isWrittenFrom(std::uint32_t number) const {
    for (auto next = number + 1; about_.flow.areInOneBlock(number, next) && lineOf(next) == lineOf(number); ++next)
        if (about_.flow.writes(next, bytes_)) return true;
    return false;
}

/// Elements of another size than the location's, of which it would show parts of two.
std::string RegisterCheck::otherwiseLaidOut() const {
    if (!pitch_ || *pitch_ == 0) return "";
    if (holdsLocalIds() && *pitch_ != kLocalIdBytes) return layout(kLocalIdBytes);
    for (const auto each : last_) {
        const auto& one = about_.flow.instruction(each);
        const auto& to = one.destination;
        if (isa::xe::isSend(one.opcode) || !to.isGrf() || to.isIndirect() || one.width == 1) continue;
        const auto written = isa::xe::byteSize(to.type) * std::max<std::uint32_t>(to.horizontal, 1);
        if (written != *pitch_) return layout(written);
    }
    return "";
}

std::string RegisterCheck::layout(std::uint32_t written) const {
    return fmt::format("the numbers in {} are {} bytes apart, not {}", nameOfRegister(), written, *pitch_);
}

/// As the thread got them.
bool RegisterCheck::holdsLocalIds() const {
    const auto& ids = about_.localIds;
    return bytes_.start >= ids.start && bytes_.start < ids.start + ids.count &&
           std::ranges::all_of(last_, [&](auto each) { return offsetOf(each) < about_.body; });
}

/// Compilers keep some values in accumulators, which debug information cannot name, and name a register for them. In a
/// loop, what comes to this place for the first time finds nothing there, either.
std::string RegisterCheck::unwritten() const {
    if (bytes_.start < about_.given || about_.flow.comeBefore(last_, about_.now)) return "";
    return fmt::format("no instruction has written {} before", nameOfRegister());
}

/// Of the header, only the numbers of the work-group are values of variables.
std::string RegisterCheck::header() const {
    constexpr std::uint32_t kHeaderEnd = isa::xe::kRegisterBytes;
    const auto isId = [](std::uint32_t byte) {
        return std::ranges::any_of(kGroupIds,
                                   [&](ByteRange id) { return byte >= id.start && byte < id.start + id.count; });
    };
    for (const auto each : last_) {
        const auto from = copiedFrom(about_.flow.instruction(each), bytes_.start);
        if (from && *from < kHeaderEnd && !isId(*from))
            return fmt::format("{} holds a part of the thread's header", nameOfRegister());
    }
    return "";
}

/// What the register held before the range: if no instruction needs that any more, nothing says that it is the
/// variable's value.
std::string RegisterCheck::heldByOther() const {
    const auto first = about_.flow.numberAt(about_.first);
    if (last_.empty() || !first || about_.isArgument) return "";
    const bool isElsewhere = std::ranges::none_of(last_, [&](auto each) { return isInside(each) || isOwn(each); });
    if (!isElsewhere || about_.flow.isReadFrom(*first, bytes_)) return "";
    return fmt::format("no instruction needs what {} wrote to {}", placeOf(last_.front()), nameOfRegister());
}

/// Debug information names one register for several elements that are loaded together: it is that of the line that
/// loads.
std::string RegisterCheck::ofOtherVariable() const {
    if (anyOwn(last_)) return "";
    for (const auto each : last_)
        if (about_.linesOfOthers.contains(lineOf(each)))
            return fmt::format("{} holds the variable that {} sets", nameOfRegister(), placeOf(each));
    return "";
}

std::string RegisterCheck::ofOtherSort() const {
    const auto kind = about_.type ? about_.type->kind : Type::Kind::structure;
    const bool isReal = kind == Type::Kind::floating;
    if (!isReal && kind != Type::Kind::integer && kind != Type::Kind::natural) return "";
    for (const auto each : last_) {
        const auto& one = about_.flow.instruction(each);
        if (std::ranges::find(kArithmetic, one.opcode) == kArithmetic.end()) continue;
        if (isa::xe::isReal(one.destination.type) == isReal) continue;
        return fmt::format("{} holds a number of another kind, which {} computed", nameOfRegister(), placeOf(each));
    }
    return "";
}

/// A register that all lanes share follows those that run: a lane that left the loop before them has another value.
std::string RegisterCheck::ofOtherLanes() const {
    if (pitch_ != 0u) return "";
    const auto& flow = about_.flow;
    for (const auto each : last_) {
        if (offsetOf(each) < about_.body || flow.isConvergent(each)) continue;
        const bool hasLeft = flow.leads(each, each) && !flow.leads(about_.now, each);
        if (!about_.isRunning || hasLeft)
            return fmt::format("lanes share {}, and {} wrote it for those that ran", nameOfRegister(), placeOf(each));
    }
    return "";
}

/// Some instruction reads what this one or one of the variable's own wrote, whichever came last: both are its values.
bool RegisterCheck::isOfOneValue(std::uint32_t number) const {
    return about_.flow.meets(number, bytes_, [&](std::uint32_t other) { return isOwn(other); });
}

/// The register held the same value where the range began, which is the variable's by the debug information.
bool RegisterCheck::isAsAtFirst(std::uint32_t number) const {
    const auto& flow = about_.flow;
    const auto first = flow.numberAt(about_.first);
    if (!first || !flow.isReadFrom(*first, bytes_)) return false;
    const auto then = flow.lastWriters(*first, bytes_);
    const auto isThen = [&](std::uint32_t each) { return std::ranges::find(then, each) != then.end(); };
    const auto isOfThen = [&](std::uint32_t each) {
        return (then.size() == 1 && isThen(each)) || flow.meets(each, bytes_, isThen);
    };
    return !then.empty() && std::ranges::all_of(then, isOfThen) && isOfThen(number);
}

}  // namespace zetl::debugger
