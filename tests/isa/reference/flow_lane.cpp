// One lane alone: what each branch means to it, and nothing of masks, waiting or meeting again.
#include "reference/executor.h"
#include "reference/flow_program.h"

namespace zetl::test::reference {
namespace {

using isa::Instruction;
using isa::Opcode;

/// Whether the lane's bit of the flag lets it take a branch.
bool isTaken(const Instruction& in, const State& s, unsigned lane) {
    if (in.predicate == isa::Predicate::none) return true;
    const std::uint64_t flag = s.read(layout::kFlags + in.flag / 2 * 4u, 4) >> (in.flag % 2 * 16);
    return (flag >> (in.opcode == Opcode::jmpi ? 0 : in.offset + lane) & 1) != in.inverted;
}

class Walk {
  public:
    Walk(const std::vector<Instruction>& program, State& state, unsigned lane)
        : program_(program), state_(state), lane_(lane) {}

    bool run() {
        constexpr int kMost = 200000;
        const std::uint32_t active = state_.active;
        state_.active = 1u << lane_;
        int executed = 0;
        for (std::uint32_t ip = 0; executed < kMost && !at(ip).message.endOfThread; ++executed) ip = next(at(ip), ip);
        state_.active = active;
        return executed < kMost;
    }

  private:
    const Instruction& at(std::uint32_t ip) const { return program_[ip / kInstructionBytes]; }

    std::uint32_t next(const Instruction& in, std::uint32_t ip) {
        const std::uint32_t behind = ip + kInstructionBytes;
        const std::uint32_t near = ip + static_cast<std::uint32_t>(in.jip);
        const std::uint32_t far = ip + static_cast<std::uint32_t>(in.uip);
        const bool taken = isTaken(in, state_, lane_);
        switch (in.opcode) {
            case Opcode::join:
            case Opcode::endif:
                return behind;
            case Opcode::jmpi:
            case Opcode::brd:
            case Opcode::branchWhile:
                return taken ? near : behind;
            case Opcode::branchIf:
                return taken ? behind : near;
            case Opcode::jumpTo:
                return taken ? far : in.branchControl ? near : behind;
            case Opcode::branchElse:
                return far;
            case Opcode::brc:
            case Opcode::continueLoop:
            case Opcode::halt:
                return taken ? far : behind;
            case Opcode::breakLoop:  // which names the loop's end
                return taken ? far + kInstructionBytes : behind;
            case Opcode::call:
                returns_.push_back(behind);
                return near;
            case Opcode::ret: {
                const std::uint32_t back = returns_.back();
                returns_.pop_back();
                return back;
            }
            default:
                execute(in, state_);
                return behind;
        }
    }

    const std::vector<Instruction>& program_;
    State& state_;
    unsigned lane_;
    std::vector<std::uint32_t> returns_;
};

}  // namespace

bool runLane(const std::vector<Instruction>& program, State& state, unsigned lane) {
    return Walk(program, state, lane).run();
}

}  // namespace zetl::test::reference
