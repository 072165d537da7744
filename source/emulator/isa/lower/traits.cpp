#include "emulator/isa/lower/traits.h"

#include <vector>

#include "emulator/isa/float_mode.h"
#include "emulator/isa/lower/flow_parts.h"
#include "emulator/isa/lower/wide_lines.h"

namespace zetl::emulator::isa {
namespace {

/// What writes of cr0.0 set for denormals and integers, if their operands are known.
struct ControlUse {
    bool keepsHalf = false;   ///< there is an `or` that keeps denormals of hf,
    bool leavesHalf = false;  ///< and one that leaves those flushed which others keep
    bool splits = false;
    bool rounds = false;
    bool returns = false;  ///< to other code, whose cr0 may be anything

    void add(const Instruction& in) {
        if (in.opcode == Opcode::ret) returns = true;
        const Operand& d = in.destination;
        if (!d.isArf(ArchitectureRegister::control) || d.subByte != 0) return;
        const Operand& last = in.source[in.sources > 1 ? 1 : 0];
        if (!last.isImmediate()) return;
        const auto bits = static_cast<std::uint32_t>(last.immediate) ^ (in.opcode == Opcode::bitAnd ? ~0u : 0);
        constexpr std::uint32_t both = kKeepDoubleDenormals | kKeepSingleDenormals;
        if ((bits & both) != both && (bits & both) != 0) splits = true;
        if (in.opcode != Opcode::bitAnd && bits & kRoundIntegers) rounds = true;
        if (in.opcode == Opcode::bitOr && bits & kKeepHalfDenormals)
            keepsHalf = true;
        else if (in.opcode == Opcode::bitOr && bits & both)
            leavesHalf = true;
    }
    void add(const ControlUse& other) {
        keepsHalf |= other.keepsHalf;
        leavesHalf |= other.leavesHalf;
        splits |= other.splits;
        rounds |= other.rounds;
    }
    bool mayFlushHalf() const noexcept { return leavesHalf || !keepsHalf; }
};

/// Kernels do not share these with others of their module, except by functions that kernels of any module may call.
void addControl(const Program::Code& code, Traits& t) {
    FlowParts parts(code);
    std::vector<ControlUse> uses(code.lines());
    ControlUse all;
    for (Line line = 0; line < code.lines(); ++line) uses[parts.of(line)].add(code.instructions[line]);
    for (const ControlUse& use : uses) all.add(use);
    t.splitDenormals = all.splits;
    t.flushHalf.resize(code.lines());
    t.roundIntegers.resize(code.lines());
    for (Line line = 0; line < code.lines(); ++line) {
        const ControlUse& use = uses[parts.of(line)];
        t.flushHalf[line] = use.mayFlushHalf() || (use.returns && all.mayFlushHalf());
        t.roundIntegers[line] = use.rounds || (use.returns && all.rounds);
    }
}

/// Marks lines at which lanes may wait although they are no join, while or endif.
class Arrivals {
  public:
    explicit Arrivals(const Program::Code& code) : code_(code), at_(code.lines()) {}

    std::vector<bool> find() {
        for (const Instruction& in : code_.instructions) {
            if (in.targetInRegister && (in.opcode == Opcode::brd || in.opcode == Opcode::brc)) {  // anywhere
                for (Line line = 0; line < code_.lines(); ++line) mark(code_.ipOf(line));
                break;
            }
            follow(in);
        }
        return std::move(at_);
    }

  private:
    void mark(std::uint32_t ip) {
        const Line line = code_.find(ip);
        if (line == kNoLine) return;
        const Opcode o = code_.instructions[line].opcode;
        if (o != Opcode::join && o != Opcode::endif) at_[line] = true;
    }
    void follow(const Instruction& in) {
        const std::uint32_t near = in.ip + static_cast<std::uint32_t>(in.jip);
        const std::uint32_t far = in.ip + static_cast<std::uint32_t>(in.uip);
        switch (in.opcode) {
            case Opcode::branchIf:
            case Opcode::brd:
                mark(near);
                mark(far);
                break;
            case Opcode::branchElse:
            case Opcode::breakLoop:
            case Opcode::continueLoop:
            case Opcode::halt:
            case Opcode::brc:
                mark(far);
                break;
            case Opcode::branchWhile:
                mark(in.ip);
                mark(in.ip + in.bytes);
                break;
            default:
                break;
        }
    }

    const Program::Code& code_;
    std::vector<bool> at_;
};

}  // namespace

Traits findTraits(const Program::Code& code) {
    Traits traits;
    addControl(code, traits);
    traits.wideAccumulator = findWideLines(code);
    traits.arrival = Arrivals(code).find();
    return traits;
}

}  // namespace zetl::emulator::isa
