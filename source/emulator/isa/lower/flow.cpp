// Branches, calls and synchronisation.
#include "emulator/isa/flow.h"

#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {
namespace {

std::uint32_t addressOf(const Instruction& in, std::int32_t distance) {
    return in.ip + static_cast<std::uint32_t>(distance);
}
bool isCall(Opcode o) { return o == Opcode::call || o == Opcode::calla || o == Opcode::ret; }

}  // namespace

/// The line at a distance; a target outside of the program is the line behind its end, which faults.
Line Lowering::targetLine(const Instruction& in, std::int32_t distance) const {
    const Line line = code_.find(addressOf(in, distance));
    return line == kNoLine ? code_.lines() : line;
}

void Lowering::branch(const Instruction& in) {
    if (in.targetInRegister && !isCall(in.opcode)) return branchToRegister(in);
    const Line jip = targetLine(in, in.jip);
    const Line uip = targetLine(in, in.uip);
    const auto emitBranch = [&](Family family, Line near, Line far, std::uint32_t wait) -> Step& {
        Step& m = emit(family);
        m.dst = near;
        m.value = static_cast<std::int32_t>(far);
        m.extra = wait;
        return m;
    };
    switch (in.opcode) {
        case Opcode::jmpi: {
            Step& m = emitBranch(Family::jump, 0, jip, 0);
            m.mask.lanes = 1;
            return;
        }
        case Opcode::jumpTo:
        case Opcode::brc: {
            if (!in.branchControl) {
                emitBranch(Family::fork, jip, uip, addressOf(in, in.uip));
                return;
            }
            emitBranch(Family::forkBackward, jip, uip, 0).src[0] = addressOf(in, in.jip);
            return;
        }
        case Opcode::brd:
            emitBranch(Family::fork, jip, jip, addressOf(in, in.jip));
            return;
        case Opcode::join:
        case Opcode::endif:
            emitBranch(Family::join, jip, jip, in.ip);
            return;
        case Opcode::branchIf:
            emitBranch(Family::branchIf, jip, uip, addressOf(in, in.jip));
            return;
        case Opcode::branchElse:
            emitBranch(Family::branchElse, jip, uip, addressOf(in, in.uip)).src[0] = in.ip + in.bytes;
            return;
        case Opcode::branchWhile:
            emitBranch(Family::loopWhile, jip, targetLine(in, in.bytes), 0).src[0] = in.ip + in.bytes;
            return;
        case Opcode::breakLoop: {  // UIP names the loop's while; lanes that left wait behind it
            const bool atWhile = uip < code_.lines() && code_.instructions[uip].opcode == Opcode::branchWhile;
            emitBranch(Family::fork, jip, uip, addressOf(in, in.uip) + (atWhile ? code_.instructions[uip].bytes : 0));
            return;
        }
        case Opcode::continueLoop:
        case Opcode::halt:
            emitBranch(Family::fork, jip, uip, addressOf(in, in.uip));
            return;
        case Opcode::call:
        case Opcode::calla: {
            if (in.targetInRegister && in.source[0].subByte % 4) refuseIllegal("misaligned register operand");
            const bool absolute = in.opcode == Opcode::calla;
            Step& m = emit(Family::call);
            m.dst = place(in.destination, 8);
            m.src[1] = in.ip + in.bytes;
            m.kind = in.targetInRegister ? (absolute ? 2 : 1) : 0;
            if (in.targetInRegister) {
                m.src[0] = place(in.source[0], 4);
                m.value = static_cast<std::int32_t>(in.ip);
            } else
                m.value = static_cast<std::int32_t>(absolute ? targetLine(in, in.jip - static_cast<std::int32_t>(in.ip))
                                                             : jip);
            return;
        }
        case Opcode::ret: {
            const std::uint32_t from = place(in.source[0], 8);
            emit(Family::ret).src[0] = from;
            return;
        }
        default:
            refuseInstruction("branch");
    }
}

/// jmpi, brd and brc: distances from this instruction; brc has a second one for the lanes that leave.
void Lowering::branchToRegister(const Instruction& in) {
    const bool forks = in.opcode == Opcode::brd || in.opcode == Opcode::brc;
    if (!forks && in.opcode != Opcode::jmpi) refuseIllegal("target in a register");
    if (in.source[0].subByte % 4) refuseIllegal("misaligned register operand");
    const bool two = in.opcode == Opcode::brc;
    const std::uint32_t from = place(in.source[0], two ? 8 : 4);
    Step& m = forks ? emit(Family::forkToRegister) : emit(jumpToRegister);
    m.src[0] = from;
    m.src[1] = two ? from + 4 : from;
    m.extra = in.ip;
    if (!forks) m.mask.lanes = 1;
}

void Lowering::sync(const Instruction& in) {
    if (in.function == sync_function::kHost) refuseInstruction("sync.host");
    if (in.function != sync_function::kBarrier) return;
    const Operand& o = in.source[0];
    if (in.sources != 0 && !o.isImmediate()) {
        emit(waitNamedBarrier).src[0] = place(o, byteSize(o.type));
        return;
    }
    const std::uint64_t id = in.sources != 0 ? o.immediate : 0;
    if (id >= kBarriers) refuseIllegal("barrier id");
    emit(Family::waitBarrier).kind = static_cast<std::uint8_t>(id);
}

}  // namespace zetl::emulator::isa
