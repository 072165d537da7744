#include "emulator/translate/plan/flag_logic.h"

#include <algorithm>
#include <optional>

#include "emulator/isa/program.h"
#include "emulator/isa/register_use.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::Instruction;
using isa::Line;
using isa::Opcode;
using isa::Operand;

constexpr std::uint8_t kLanes = 32;
constexpr std::uint64_t kWord = 0xffff;

bool isWord(const Operand& o) { return isa::byteSize(o.type) == sizeof(std::uint16_t); }
bool isDirect(const Operand& o) { return o.isGrf() && !o.isIndirect() && !o.hasModifier(); }
bool isOneElement(const Operand& o) { return isDirect(o) && o.vertical == 0 && o.width == 1 && o.horizontal == 0; }
/// All words of a register.
bool isRegisterOfWords(const Operand& o) { return isDirect(o) && isWord(o) && o.subByte == 0; }
bool isOfAllLanes(const Instruction& in) {
    return in.width == kLanes && in.offset == 0 && (in.flag & 1) == 0 && !in.saturate;
}

/// A number in one element of a register.
struct Constant {
    std::uint32_t place;
    std::uint64_t value;
};
/// A register that has the number where a flag has bits, and zero elsewhere.
struct Selection {
    Line line;
    std::uint32_t place;
    std::uint64_t value;
    bool noMask;
    FlagLogic::Source flag;
};

/// Goes through the lines of a block, which stops no thread between lines that compute by lanes.
class LogicFinder {
  public:
    LogicFinder(const LiveRegisters& live, bool lanesWait) : live_(live), lanesWait_(lanesWait) {}

    struct Found {
        FlagLogic logic;
        std::array<Line, 2> leftOut;
    };
    std::optional<Found> next(Line line, const Instruction& in) {
        const auto found = combined(line, in);
        const auto selection = selected(line, in);
        const auto constant = constantOf(in);
        forget(in);
        if (selection) selections_.push_back(*selection);
        if (constant) constants_.push_back(*constant);
        return found;
    }

  private:
    static std::optional<Constant> constantOf(const Instruction& in) {
        const bool moves = in.opcode == Opcode::mov && in.width == 1 && in.noMask && !in.saturate &&
                           in.predicate == isa::Predicate::none && in.condition == isa::Condition::none;
        const Operand& from = in.source[0];
        if (!moves || !isDirect(in.destination) || !from.isImmediate() || from.hasModifier()) return {};
        if (!isWord(in.destination) || in.destination.type != from.type) return {};
        return Constant{isa::placeOf(in.destination), from.immediate & kWord};
    }
    /// Of an operand that is the same word in all lanes.
    std::optional<std::uint64_t> valueOf(const Operand& o) const {
        if (!isWord(o) || o.hasModifier()) return {};
        if (o.isImmediate()) return o.immediate & kWord;
        const auto known = std::ranges::find(constants_, isa::placeOf(o), &Constant::place);
        return isOneElement(o) && known != constants_.end() ? std::optional(known->value) : std::nullopt;
    }
    std::optional<Selection> selected(Line line, const Instruction& in) const {
        const bool selects = in.opcode == Opcode::sel && in.condition == isa::Condition::none;
        if (!selects || !isOfAllLanes(in) || in.predicate != isa::Predicate::normal) return {};
        if (!isRegisterOfWords(in.destination) || in.destination.horizontal != 1) return {};
        const auto value = valueOf(in.source[0]);
        if (!value || *value == 0 || valueOf(in.source[1]) != 0) return {};
        return Selection{line,
                         isa::placeOf(in.destination),
                         *value,
                         in.noMask,
                         {static_cast<std::uint8_t>(in.flag >> 1), in.inverted}};
    }
    const Selection* selectionAt(const Operand& o) const {
        const bool inOrder = o.width == 1 ? o.vertical == 1 : o.horizontal == 1 && o.vertical == o.width;
        if (!isRegisterOfWords(o) || !inOrder) return nullptr;
        const auto known = std::ranges::find(selections_, isa::placeOf(o), &Selection::place);
        return known == selections_.end() ? nullptr : &*known;
    }
    std::optional<Found> combined(Line line, const Instruction& in) const {
        constexpr Opcode kLogic[] = {Opcode::bitAnd, Opcode::bitOr, Opcode::bitXor};
        const bool tests = in.condition == isa::Condition::equal || in.condition == isa::Condition::notEqual;
        const bool combines = std::ranges::find(kLogic, in.opcode) != std::end(kLogic) && in.destination.isNull();
        if (!combines || !tests || !isOfAllLanes(in) || in.predicate != isa::Predicate::none) return {};
        const Selection* const x = selectionAt(in.source[0]);
        const Selection* const y = selectionAt(in.source[1]);
        if (x == nullptr || y == nullptr || x == y || x->value != y->value) return {};
        if (x->noMask != in.noMask || y->noMask != in.noMask || !endsAt(line, *x) || !endsAt(line, *y)) return {};
        const bool inverted = in.condition == isa::Condition::equal;
        return Found{{in.opcode, {x->flag, y->flag}, inverted}, {x->line, y->line}};
    }
    /// Whether nobody reads the numbers behind the line.
    bool endsAt(Line line, const Selection& selection) const {
        const auto& ending = live_.endingAt(line);
        return std::ranges::find(ending, selection.place) != ending.end() &&
               !(lanesWait_ && live_.awaited().contains(selection.place));
    }
    /// What is no longer so behind the line, or is read in it.
    void forget(const Instruction& in) {
        if (!isa::computesByLanes(in)) {
            selections_.clear();
            constants_.clear();
            return;
        }
        isa::StateSlots written;
        isa::addWritten(written, in);
        const auto reads = isa::generalReads(in);
        const auto isRead = [&](const Selection& s) {
            return std::ranges::any_of(reads, [&](const isa::LaneBytes& read) {
                return read.begin < s.place + layout::kRegisterBytes && s.place < read.end;
            });
        };
        const bool anyFlag = in.destination.kind == Operand::Kind::arf && !in.destination.isNull();
        std::erase_if(selections_, [&](const Selection& s) {
            const bool flag = anyFlag || (in.condition != isa::Condition::none && in.flag >> 1 == s.flag.number);
            return flag || written.contains(s.place) || isRead(s);
        });
        std::erase_if(constants_, [&](const Constant& c) { return written.contains(c.place); });
    }

    const LiveRegisters& live_;
    const bool lanesWait_;
    std::vector<Selection> selections_;
    std::vector<Constant> constants_;
};

}  // namespace

FlagLogics::FlagLogics(const isa::Program::Code& code, std::uint8_t body, Line begin, const Survey& survey,
                       const LiveRegisters& live, bool lanesWait) {
    const auto& b = code.body[body];
    const auto compares = [&](Line line) {
        return b.start[line] != b.start[line + 1] && b.familyOf(b.steps[b.start[line + 1] - 1]) == isa::Family::compare;
    };
    LogicFinder finder(live, lanesWait);
    for (Line line = begin; line < code.lines() && survey.reached[line]; ++line) {
        if (line != begin && survey.leads[line]) break;
        const auto found = finder.next(line, code.instructions[line]);
        if (!found || !compares(line)) continue;
        logic_.emplace(line, found->logic);
        leftOut_.insert(leftOut_.end(), found->leftOut.begin(), found->leftOut.end());
    }
}

bool FlagLogics::isLeftOut(Line line) const { return std::ranges::find(leftOut_, line) != leftOut_.end(); }

}  // namespace zetl::emulator::translate
