#include "core/frame.h"

#include <algorithm>

#include "core/address.h"
#include "core/failure.h"
#include "core/xe_registers.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {
namespace {

constexpr std::size_t kMostFrames = 100;

/// A frame of the machine: the code and registers of one function.
struct MachineFrame {
    std::uint64_t address = 0;
    std::map<unsigned, Bytes> saved;
    LaneFrame lanes = {};
};

std::uint64_t numberOf(const Location& location, const Surroundings& around) {
    if (location.pieces.empty()) fail("{}", location.problem);
    const auto& piece = location.pieces.front();
    if (piece.kind != Piece::Kind::registerBits) return piece.kind == Piece::Kind::value ? piece.value : piece.address;
    const auto bytes = around.readRegister(piece.number);
    if (!bytes) fail("cannot read register {}", piece.number);
    return bitsOf(*bytes, piece.firstBit, piece.bits ? static_cast<unsigned>(piece.bits) : 64);
}

class Unwinder {
  public:
    Unwinder(StoppedThread& thread, const ModuleList& modules, const Memory& memory)
        : thread_(thread), modules_(modules), memory_(memory) {}

    /// Nothing if this is a kernel, or the tables do not describe the caller.
    std::optional<MachineFrame> callerOf(const MachineFrame& callee, bool isInnermost) const {
        const auto* module = modules_.at(callee.address);
        const auto row = module ? module->frames().at(isInnermost ? callee.address : callee.address - 1) : std::nullopt;
        if (!row) return std::nullopt;
        if (const auto* const stack = thread_.architecture().laneStack()) return onLaneStack(*stack, callee, *row);
        const auto* function = module->debug().functionAt(callee.address);
        if (!function || module->entryOf(function->name) == function->begin) return std::nullopt;
        Frame here;
        here.saved = callee.saved;
        const auto around = surroundingsOf(here, thread_, memory_, 0);
        const auto returned = restored(*row, row->returnRegister, around);
        if (!returned) return std::nullopt;
        MachineFrame caller;
        caller.saved = callee.saved;
        for (const auto& [number, rule] : row->registers)
            if (number != row->returnRegister && rule.kind != FrameRule::Kind::undefined)
                if (auto bytes = restored(*row, number, around)) caller.saved[number] = *std::move(bytes);
        caller.address = thread_.architecture().codeBase(thread_) + bitsOf(*returned, 0, 32);
        return modules_.at(caller.address) && caller.address != callee.address ? std::optional(caller) : std::nullopt;
    }

  private:
    std::optional<MachineFrame> onLaneStack(const LaneStack& stack, const MachineFrame& callee,
                                            const FrameRow& row) const {
        auto caller = callerOnLaneStack(stack, row, callee.lanes, thread_, memory_);
        if (!caller || !modules_.at(caller->address)) return std::nullopt;
        return MachineFrame{caller->address, {}, std::move(caller->frame)};
    }
    /// A whole register with its value in the caller.
    std::optional<Bytes> restored(const FrameRow& row, unsigned number, const Surroundings& around) const try {
        const auto rule = row.registers.find(number);
        if (rule == row.registers.end()) return std::nullopt;
        switch (rule->second.kind) {
            case FrameRule::Kind::inRegister:
                return around.readRegister(rule->second.number);
            case FrameRule::Kind::atExpression:
                return fromStack(numberOf(placeOf(row, rule->second, around), around));
            default:
                return std::nullopt;
        }
    } catch (const Failure&) {
        return std::nullopt;
    }
    /// Newer compilers write rules that need the canonical frame address, and older ones rules that stand alone.
    static Location placeOf(const FrameRow& row, const FrameRule& rule, const Surroundings& around) {
        auto alone = evaluate(rule.expression, around);
        if (!alone.pieces.empty() || row.canonical.empty()) return alone;
        auto whole = row.canonical;
        whole.insert(whole.end(), rule.expression.begin(), rule.expression.end());
        return evaluate(whole, around);
    }
    std::optional<Bytes> fromStack(std::uint64_t address) const {
        return readAny(memory_, thread_, address, isa::xe::kRegisterBytes);
    }

    StoppedThread& thread_;
    const ModuleList& modules_;
    const Memory& memory_;
};

/// The function and the functions inlined at the address, innermost first.
void addFrames(const MachineFrame& machine, bool isInnermost, const ModuleList& modules, std::vector<Frame>& frames) {
    const auto* module = modules.at(machine.address);
    const auto looked = isInnermost ? machine.address : machine.address - 1;
    const auto scopes = module ? module->debug().scopesAt(looked) : std::vector<Scope>{};
    Frame frame{machine.address, module, modules.nameOf(looked), modules.lineAt(looked),
                false,           0,      machine.saved,          machine.lanes};
    if (scopes.empty()) return frames.push_back(std::move(frame));
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        frame.function = scopes[i].function.empty() ? modules.nameOf(looked) : scopes[i].function;
        frame.isInlined = i + 1 < scopes.size();
        frame.scope = i;
        frames.push_back(frame);
        frame.line = scopes[i].calledFrom;
    }
}

}  // namespace

std::optional<Bytes> Frame::readRegister(StoppedThread& thread, unsigned number) const {
    if (const auto known = saved.find(number); known != saved.end()) return known->second;
    return thread.architecture().readNumbered(thread, number);
}

Surroundings surroundingsOf(const Frame& frame, StoppedThread& thread, const Memory& memory, unsigned lane) {
    Surroundings around;
    around.lane = lane;
    if (frame.module) around.frameBase = frame.module->debug().frameBaseAt(frame.address);
    around.readRegister = [&frame, &thread](unsigned number) { return frame.readRegister(thread, number); };
    around.readMemory = [&memory, &thread](std::uint64_t address, std::size_t bytes) {
        return readAny(memory, thread, address, bytes);
    };
    return around;
}

std::vector<Frame> framesOf(StoppedThread& thread, const ModuleList& modules, const Memory& memory) {
    const Unwinder unwinder(thread, modules, memory);
    std::vector<Frame> frames;
    std::optional<MachineFrame> machine = MachineFrame{thread.address(), {}, {}};
    for (bool isInnermost = true; machine && frames.size() < kMostFrames; isInnermost = false) {
        addFrames(*machine, isInnermost, modules, frames);
        machine = unwinder.callerOf(*machine, isInnermost);
    }
    return frames;
}

}  // namespace zetl::debugger
