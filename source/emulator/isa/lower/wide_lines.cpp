#include "emulator/isa/lower/wide_lines.h"

#include <algorithm>
#include <utility>

namespace zetl::emulator::isa {
namespace {

// Overwriting lines that are remembered; what further ones overwrite counts as read.
constexpr std::size_t kMostRemembered = 8;

class WideLines {
  public:
    explicit WideLines(const Program::Code& code)
        : code_(code), begins_(code.lines() + 1), reaches_(code.lines() + 1) {}

    std::vector<bool> find() {
        std::vector<bool> wide(code_.lines());
        if (std::ranges::none_of(code_.instructions, readsWide)) return wide;
        if (std::ranges::any_of(code_.instructions, returnsLanesAnywhere)) {
            wide.assign(code_.lines(), true);
            return wide;
        }
        findReaching();
        bool isRead = false;  // the content behind the line, unless it is overwritten first
        std::vector<Line> overwriting;
        for (Line line = code_.lines(); line-- > 0;) {
            const Instruction& in = code_.instructions[line];
            if (begins_[line + 1] || isBranch(in)) {
                overwriting.clear();
                isRead = reaches_[line + 1];
            }
            wide[line] = writesWhole(in) && isRead && !isOverwritten(in, overwriting);
            if (readsWide(in) || ends(in)) {
                overwriting.clear();
                isRead = readsWide(in);
            }
            const bool certain = in.destination.isAccumulator() && writesWhole(in) && in.predicate == Predicate::none;
            if (certain && !readsWide(in)) remember(overwriting, line);
        }
        return wide;
    }

  private:
    static bool isBranch(const Instruction& in) {
        const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
        return info != nullptr && info->format == Format::branch;
    }
    static bool readsWide(const Instruction& in) {
        if (in.opcode == Opcode::mach) return true;
        if (in.opcode == Opcode::mac) return !isReal(in.destination.type);
        if (in.opcode != Opcode::macl) return false;
        const auto isLong = [](const Operand& o) { return o.kind != Operand::Kind::none && byteSize(o.type) == 8; };
        return in.condition == Condition::overflow || in.saturate || isLong(in.destination) ||
               std::ranges::any_of(in.source, isLong);
    }
    static bool writesWhole(const Instruction& in) {
        if (in.opcode == Opcode::addc || in.opcode == Opcode::subb || in.opcode == Opcode::mach) return true;
        return in.destination.isAccumulator() && !isReal(in.destination.type);
    }
    static bool ends(const Instruction& in) {
        return in.opcode == Opcode::illegal || (isSend(in.opcode) && in.message.endOfThread);
    }
    /// As far as the code alone tells.
    static bool leadsAnywhere(const Instruction& in) {
        return isBranch(in) && (in.targetInRegister || in.opcode == Opcode::ret || in.opcode == Opcode::calla);
    }
    /// Lanes may come back at any line.
    static bool returnsLanesAnywhere(const Instruction& in) {
        return in.targetInRegister && (in.opcode == Opcode::brd || in.opcode == Opcode::brc);
    }
    /// All lanes that `by` has written, if no lane comes or goes in between.
    static bool overwrites(const Instruction& in, const Instruction& by) {
        const Operand& to = in.destination;
        const Operand& from = by.destination;
        return from.isAccumulator() && (in.noMask || (!by.noMask && in.offset == by.offset)) && in.width >= by.width &&
               to.number == from.number && to.subByte == from.subByte && to.horizontal == from.horizontal &&
               byteSize(to.type) == byteSize(from.type);
    }
    static void remember(std::vector<Line>& lines, Line line) {
        if (lines.size() == kMostRemembered) lines.erase(lines.begin());
        lines.push_back(line);
    }
    bool isOverwritten(const Instruction& by, const std::vector<Line>& lines) const {
        return std::ranges::any_of(lines, [&](Line line) { return overwrites(code_.instructions[line], by); });
    }
    /// Lines that lead to one that reads more than 32 bits, and those that do so, whatever is overwritten on the way.
    void findReaching() {
        std::vector<std::pair<Line, Line>> arrivals;  // from where branches lead there
        for (Line line = 0; line < code_.lines(); ++line) {
            const Instruction& in = code_.instructions[line];
            if (readsWide(in) || leadsAnywhere(in)) reach(line);
            if (!isBranch(in) || leadsAnywhere(in)) continue;
            for (const std::int32_t distance : {in.jip, in.uip}) {
                const Line to = code_.find(in.ip + static_cast<std::uint32_t>(distance));
                if (to == kNoLine) continue;
                begins_[to] = true;
                arrivals.emplace_back(to, line);
            }
        }
        std::ranges::sort(arrivals);
        while (!open_.empty()) {
            const Line line = open_.back();
            open_.pop_back();
            if (line > 0 && !ends(code_.instructions[line - 1])) reach(line - 1);
            for (auto a = std::ranges::lower_bound(arrivals, std::pair(line, Line{0}));
                 a != arrivals.end() && a->first == line; ++a)
                reach(a->second);
        }
    }
    void reach(Line line) {
        if (reaches_[line]) return;
        reaches_[line] = true;
        open_.push_back(line);
    }

    const Program::Code& code_;
    std::vector<bool> begins_;   // by line: a branch leads there
    std::vector<bool> reaches_;  // by line, and one for the end
    std::vector<Line> open_;
};

}  // namespace

std::vector<bool> findWideLines(const Program::Code& code) { return WideLines(code).find(); }

}  // namespace zetl::emulator::isa
