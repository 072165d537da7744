// The run loop, and how a thread starts, stops and is moved.
#include <algorithm>
#include <cstring>
#include <optional>

#include "emulator/isa/clear_registers.h"
#include "emulator/isa/code.h"
#include "emulator/isa/entry.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/going_on.h"
#include "emulator/isa/stop.h"

namespace zetl::emulator::isa {
namespace {

/// Not inlined: where compilers see the call, they take an instruction of the host that needs longer to begin.
[[gnu::noinline]] void clear(std::byte* from, std::size_t bytes) noexcept { std::memset(from, 0, bytes); }

/// All but registers.
void resetMasks(Thread& t) noexcept {
    t.active = t.dispatched = t.callMask = 0;
    std::fill(std::begin(t.waiting), std::end(t.waiting), ~0u);
    t.fuel = 0;
    t.charged = 0;
    t.executed = 0;
    t.entered = 0;
    t.pc = t.resumedAt = t.failedAt = nullptr;
    t.program = nullptr;
    t.idle = 0;
    t.localReader = {};
    t.signalled = 0;
    t.barrier = 0;
    t.status = Status::ready;
    t.fault = {};
}

bool isMemoryFault(FaultKind k) { return k >= FaultKind::pageFault && k <= FaultKind::misaligned; }

// Several places that call, so that the processor's branch prediction can tell steps apart by their position in a run.
#define ZETL_STEP \
    if (!(m = m->handler()(t, m))) return;
void runSteps(Thread& t) {
    for (const Step* m = t.pc;;) {
        ZETL_STEP ZETL_STEP ZETL_STEP ZETL_STEP ZETL_STEP ZETL_STEP ZETL_STEP ZETL_STEP
    }
}
#undef ZETL_STEP

/// Executes the steps of one line and stops before the next one.
void stepLine(Thread& t) {
    const Step* const first = t.pc;
    const Step* m = first;
    do m = t.program->code().singleStep(m)(t, m);
    while (m && m->line == first->line && m != first);
    if (m) stopAtBreakpoint(t, m);
    if (t.status != Status::paused) return;
    // It took all of the quantum.
    t.at<std::uint32_t>(kControl1) |= kBreakpointStatus;
    t.status = Status::breakpoint;
}

}  // namespace

const Step* stopAt(Thread& t, const Step* next, Status status) noexcept {
    if (next->line != t.entered) account(t, next->line, next->line);
    t.pc = next;
    t.status = status;
    return nullptr;
}
const Step* pauseBefore(Thread& t, const Step* m) noexcept { return stopAt(t, m, Status::paused); }
const Step* stopAtBreakpoint(Thread& t, const Step* next) noexcept {
    t.at<std::uint32_t>(kControl1) |= kBreakpointStatus;
    return stopAt(t, next, Status::breakpoint);
}
const Step* fail(Thread& t, const Step* m, Fault fault) noexcept {
    const Program::Code& code = t.program->code();
    fault.ip = code.ipOf(m->line);
    if (!*fault.what && m->line < code.lines())
        if (const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(code.instructions[m->line].opcode)))
            fault.what = info->mnemonic.data();
    t.fault = fault;
    t.failedAt = m;
    if (isMemoryFault(fault.kind)) t.at<std::uint32_t>(kControl1) |= kPageFaultStatus;
    if (fault.kind == FaultKind::illegalInstruction) t.at<std::uint32_t>(kControl1) |= kIllegalStatus;
    return stopAt(t, code.at(t, m->line), Status::faulted);
}

void Thread::reset(const StateSlots& dirty) noexcept {
    dirty.eachRun([this](const StateSlots::Run& run) { clear(state + run.place, run.bytes); });
    resetMasks(*this);
}
Entry entryOf(const Program& program, std::uint32_t ip, std::uint32_t lanes) noexcept {
    const Line line = program.lineAt(ip);
    if (line == kNoLine) return {};
    return {&program, ip, line, lanes, program.code().at(versionFor(lanes), line)};
}
bool Entry::isOf(const Thread& t) const noexcept {
    return t.program == program && t.pc != nullptr && t.pc->line == line;
}
// What only faults, stops and debuggers leave behind is not there: a thread that met one did not just end.
void restart(Thread& t, const Entry& entry, std::uint32_t dispatched, std::span<const StateSlots::Run> dirty) noexcept {
    clearRegisters(t.state, dirty);
    std::fill(std::begin(t.waiting), std::end(t.waiting), ~0u);
    t.active = t.callMask = t.dispatched = dispatched;
    t.executed = 0;
    t.idle = 0;
    t.localReader = {};
    t.signalled = 0;
    t.barrier = 0;
    t.program = entry.program;
    t.entered = entry.line;
    t.pc = dispatched == entry.lanes ? entry.pc : entry.program->code().at(t, entry.line);
    t.status = Status::ready;
    t.at<std::uint32_t>(kControl2) = entry.ip;
    t.at<std::uint32_t>(layout::kDebug) = entry.ip;
    t.at<std::uint32_t>(layout::kStatus + 8) = dispatched;
}
void Thread::dropWindows() noexcept {
    std::fill(std::begin(readable), std::end(readable), MemoryWindow{});
    std::fill(std::begin(writable), std::end(writable), MemoryWindow{});
}
bool Thread::enter(const Program& p, std::uint32_t address) noexcept {
    const Line line = p.lineAt(address);
    if (line == kNoLine) return false;
    program = &p;
    active = callMask = dispatched;
    entered = line;
    status = Status::ready;
    pc = p.code().at(*this, line);
    at<std::uint32_t>(kControl2) = address;
    at<std::uint32_t>(layout::kDebug) = address;
    at<std::uint32_t>(layout::kStatus + 8) = dispatched;
    return true;
}
bool Thread::rebind(const Program& p) noexcept {
    const Line line = pc ? p.lineAt(ip()) : kNoLine;
    if (line == kNoLine) return false;
    program = &p;
    entered = line;
    pc = p.code().at(*this, line);
    return true;
}
bool Thread::moveTo(const Program& p, std::uint32_t address) noexcept {
    const Line line = p.lineAt(address);
    if (line == kNoLine) return false;
    program = &p;
    entered = line;
    pc = p.code().at(*this, line);
    resumedAt = failedAt = nullptr;
    return true;
}
// The line's earlier steps are done: once more they would read registers that the access has written in part.
void Thread::retry() noexcept {
    pc = resumedAt = failedAt;  // it was there: it neither begins nor meets a breakpoint
    strayed = true;
    status = Status::ready;
    fault = {};
    at<std::uint32_t>(kControl1) &= ~kPageFaultStatus;
}
std::uint32_t Thread::ip() const noexcept { return pc ? program->code().ipOf(pc->line) : 0; }

bool relocate(Thread& t) noexcept {
    const auto wanted = t.at<std::uint32_t>(kControl2);
    if (!t.pc || wanted == t.ip()) return t.pc != nullptr;
    const Program* p = t.program->lineAt(wanted) != kNoLine ? t.program : t.environment->findProgram(t, wanted);
    const Line line = p ? p->lineAt(wanted) : kNoLine;
    if (line == kNoLine) {
        t.fault = {};
        t.fault.kind = FaultKind::branchTarget;
        t.fault.ip = t.ip();
        t.fault.address = wanted;
        t.fault.what = "cr0.2";
        t.status = Status::faulted;
        return false;
    }
    t.program = p;
    t.entered = line;
    t.pc = p->code().at(t, line);
    return true;
}

void passOver(Thread& t) noexcept {
    auto& control = t.at<std::uint32_t>(layout::kControl);
    t.resumedAt = control & kSuppressBreakpoint ? t.pc : nullptr;
    control &= ~kSuppressBreakpoint;
}
bool stepOnly(Thread& t, bool waited) noexcept {
    if ((t.at<std::uint32_t>(kControl1) & kBreakpointStatus) == 0) return false;
    if (waited)
        stopAtBreakpoint(t, t.pc);  // a step into a barrier ends when that is complete, before the next instruction
    else
        stepLine(t);
    return true;
}

void resume(Thread& t, std::int64_t quantum, Windows windows) noexcept {
    if (!relocate(t)) return;
    if (windows == Windows::dropped) t.dropWindows();
    passOver(t);
    const bool waited = t.status == Status::atBarrier;
    t.fuel = quantum;
    t.charged = 0;
    t.status = Status::ready;
    {
        std::optional<FloatModeGuard> guard;
        if (t.hostMode == nullptr) guard.emplace();
        setFloatMode(t);
        if (!stepOnly(t, waited)) runSteps(t);
    }
    t.executed += static_cast<std::uint64_t>(quantum - t.fuel - t.charged);
    t.at<std::uint32_t>(kControl2) = t.ip();
}

bool start(Thread& t, std::int64_t quantum, bool setsMode) noexcept {
    t.fuel = quantum;
    t.charged = 0;
    t.strayed = false;
    if (!setsMode) setFloatMode(t);
    const Step* const next = t.pc->handler()(t, t.pc);
    if (next != nullptr) {
        t.strayed = true;
        t.pc = next;
        runSteps(t);
    }
    t.executed += static_cast<std::uint64_t>(quantum - t.fuel - t.charged);
    t.at<std::uint32_t>(kControl2) = t.ip();
    return !t.strayed;
}

bool runWithin(Thread& t, std::uint32_t begin, std::uint32_t end) noexcept {
    const bool debuggersStep = t.at<std::uint32_t>(kControl1) & kBreakpointStatus;
    do {
        t.at<std::uint32_t>(kControl1) |= kBreakpointStatus;
        resume(t, 1, Windows::kept);
        const bool stopped = t.status != Status::breakpoint || t.program->hasBreakpoint(t.pc->line);
        if (debuggersStep || stopped) return false;
        t.at<std::uint32_t>(kControl1) &= ~kBreakpointStatus;
        t.status = Status::ready;
    } while (t.ip() >= begin && t.ip() < end);
    return true;
}

}  // namespace zetl::emulator::isa
