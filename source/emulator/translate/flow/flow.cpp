// Branches whose targets are in the instruction, with the effects of isa/flow.cpp. The handlers of others are called.
#include "emulator/isa/flow.h"

#include <algorithm>

#include "emulator/isa/float_mode.h"
#include "emulator/isa/stop.h"
#include "emulator/translate/held/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Step;
using isa::Thread;

namespace {

namespace layout = isa::layout;

/// The quantum is used up; the thread goes on at the line when it is resumed.
const Step* pauseAt(Thread& t, isa::Line line) {
    return isa::stopAt(t, t.program->code().at(t, line), isa::Status::paused);
}

}  // namespace

bool Emitter::flow(const Step& m) {
    const isa::Handler run = originalOf(m, body_);
    if (run == isa::jump) return jump(m);
    if (run == isa::marker) return true;
    if (run == isa::finish) return endThread(m);
    if (run == isa::applyControl) return applyControl(m);
    if (run == isa::signalBarrier) return signalBarrier(m);
    if (run == isa::waitBarrier) return waitAtBarrier(m);
    struct Branch {
        isa::Handler handler;
        void (Emitter::*translate)(const Step&);
        bool usesExtra;   ///< lanes wait at this address
        bool usesSource;  ///< and at that of the first source
    };
    static constexpr Branch kBranches[] = {
        {isa::fork, &Emitter::fork, true, false},
        {isa::forkBackward, &Emitter::forkBackward, false, true},
        {isa::join, &Emitter::join, true, false},
        {isa::branchIf, &Emitter::branchIf, true, false},
        {isa::branchElse, &Emitter::branchElse, true, true},
        {isa::loopWhile, &Emitter::loopWhile, false, true},
    };
    const auto* const branch = std::ranges::find(kBranches, run, &Branch::handler);
    if (branch == std::end(kBranches) || !parks(m, branch->usesExtra, branch->usesSource)) return false;
    registersHome();
    ended_ = true;
    (this->*branch->translate)(m);
    return true;
}

/// Whether there are places for the lanes that may wait. Without a mask an instruction parks lanes that wait elsewhere.
bool Emitter::parks(const Step& m, bool atExtra, bool atSource) {
    if (m.mask.noMask && originalOf(m, body_) != isa::join) return false;
    return (!atExtra || hasParking(m.extra)) && (!atSource || hasParking(static_cast<std::uint32_t>(m.src[0])));
}

/// Nobody sees the registers of a thread that has ended, but tests; the next one in its state finds no lane waiting.
bool Emitter::endThread(const Step& m) {
    if (registers_ != Registers::dropped) leaveBlock();
    giveParkedLanes();
    countRun(m);
    enterAt(m.line + 1);
    a_.mov(field(offsetof(Thread, pc), 8), 0);
    a_.mov(field(offsetof(Thread, status), 1), static_cast<int>(isa::Status::done));
    followEnd();
    cache_.forgetAll();
    ended_ = true;
    return true;
}

/// Kernels set the mode once, by an `or`, to what the thread before them left: if it is another, the step sets it. Code
/// that changes it otherwise does so each time, as divisions by other means than the host's do, and sets it here.
bool Emitter::applyControl(const Step& m) {
    const Label refused = seldomLabel();
    cache_.store(layout::kControl, 4);
    auto unstored = cache_.defer(0);
    const bool changes = group_ == nullptr && code_.instructions[m.line].opcode != isa::Opcode::bitOr;
    changes ? setMode(refused) : unlessModeSet(refused);
    otherwiseStep(m, refused, std::move(unstored));
    return true;
}
/// As isa::setFloatMode().
void Emitter::setMode(const Label& refused) {
    constexpr std::uint32_t kRoundsUp = 1 << isa::kRoundingShift;
    constexpr std::uint32_t kRoundsDown = 2 << isa::kRoundingShift;
    const auto mode = [](std::size_t at) { return ptr(rcx, static_cast<std::int32_t>(at), 4); };
    const Mem host = mode(offsetof(isa::HostFloatMode, host));
    const Label keeps = a_.newLabel();
    const Label done = a_.newLabel();
    modeAskedFor(refused);
    a_.cmp(eax, mode(offsetof(isa::HostFloatMode, control)));
    a_.je(done);
    a_.mov(mode(offsetof(isa::HostFloatMode, control)), eax);
    a_.mov(edx, eax);
    a_.and_(edx, kRoundsUp);
    a_.imul(edx, edx, isa::kHostRoundsUp / kRoundsUp);
    a_.mov(r8d, eax);
    a_.and_(r8d, kRoundsDown);
    a_.imul(r8d, r8d, isa::kHostRoundsDown / kRoundsDown);
    a_.lea(edx, ptr(rdx, r8, 0, isa::kHostExceptions));
    a_.test(eax, isa::kKeepSingleDenormals | isa::kKeepDoubleDenormals);
    a_.jnz(keeps);
    a_.or_(edx, isa::kHostFlushes);
    a_.bind(keeps);
    a_.mov(host, edx);
    a_.vldmxcsr(host);
    a_.bind(done);
}

/// Counts the straight-line run that ends with the step, but does not set where the next one begins.
void Emitter::countRun(const Step& m) {
    const Line end = m.line + 1;
    const auto cell = [](Line line) { return static_cast<std::int32_t>(line * sizeof(std::int64_t)); };
    const Label uncounted = a_.newLabel();
    if (!entered_) a_.mov(eax, field(offsetof(Thread, entered), 4));
    if (isCommon(m.line)) noteRun(end);
    a_.mov(rcx, field(offsetof(Thread, runs), 8));
    a_.test(rcx, rcx);
    a_.short_().jz(uncounted);
    a_.dec(ptr(rcx, cell(end), 8));
    entered_ ? a_.inc(ptr(rcx, cell(*entered_), 8)) : a_.inc(ptr(rcx, rax, 3, 0, 8));
    a_.bind(uncounted);
    if (entered_) {
        const std::uint32_t charge = code_.chargeOf(*entered_, end);
        if (charge != 0) a_.add(field(offsetof(Thread, charged), 8), charge);
        a_.sub(field(offsetof(Thread, fuel), 8), end - *entered_ + charge);
        return;
    }
    a_.mov(edx, end);
    a_.sub(rdx, rax);
    addCharge(end);
    a_.sub(field(offsetof(Thread, fuel), 8), rdx);
}
/// What the lines from the one in rax on are charged, to rdx.
void Emitter::addCharge(Line end) {
    if (code_.charges[end] == 0) return;
    a_.mov(rcx, reinterpret_cast<std::uint64_t>(code_.charges.data()));
    a_.mov(ecx, ptr(rcx, rax, 2, 0, 4));
    a_.mov(eax, code_.charges[end]);
    a_.sub(rax, rcx);
    a_.add(field(offsetof(Thread, charged), 8), rax);
    a_.add(rdx, rax);
}
void Emitter::enterAt(Line line) { a_.mov(field(offsetof(Thread, entered), 4), line); }
/// If the quantum is used up, as countRun() shows, the thread stops: before one line, or another if no lane is on.
void Emitter::pauseIfOver(Line some, Line none) {
    const Label paused = a_.newLabel();
    a_.js(paused);
    seldom([this, paused, some, none] {
        a_.bind(paused);
        a_.mov(esi, some);
        if (none != some) {
            a_.mov(eax, none);
            a_.test(r12d, r12d);
            a_.cmovz(esi, eax);
        }
        pause();
    });
}
/// The thread stops before the line in esi.
void Emitter::pause() {
    a_.mov(field(offsetof(Thread, entered), 4), esi);
    a_.vzeroupper();
    a_.mov(rdi, rbx);
    a_.mov(rax, reinterpret_cast<std::uint64_t>(&pauseAt));
    a_.call(rax);
    a_.jmp(exit_);
}

/// To the line in the version for the lanes that are on now.
void Emitter::dispatch(Line line, bool sameLanes) {
    if (sameLanes) {
        a_.jmp(labelOf(body_, line));
        return;
    }
    constexpr std::pair<isa::Version, std::uint32_t> kWhole[] = {{isa::Version::lanes32, ~0u},
                                                                 {isa::Version::lanes16, 0xffffu}};
    for (const auto& [version, lanes] : kWhole) {
        const std::uint8_t body = code_.bodyOf[static_cast<int>(version)];
        if (body != whole_ || body == 0) continue;
        a_.cmp(r12d, lanes);
        a_.je(labelOf(body, line));
    }
    goToMasked(line);
}
/// To the line in the version for any lanes, or on to it if it comes next.
void Emitter::goToMasked(Line line) {
    constexpr std::uint8_t kMasked = 0;
    if (body_ != kMasked || line != next_) a_.jmp(labelOf(kMasked, line));
    ended_ = body_ != kMasked || line != next_;
}
void Emitter::goTo(const Step& m, Line line, bool sameLanes) {
    countRun(m);
    pauseIfOver(line, line);
    enterAt(line);
    next_ = isa::kNoLine;
    dispatch(line, sameLanes);
}
/// Straight on to the next line, as if there were no branch: the run that it would end goes on. The thread pauses where
/// the branch would have paused it.
void Emitter::goOn(const Step& m) {
    const Line next = m.line + 1;
    const Label paused = a_.newLabel();
    if (entered_) {
        a_.cmp(field(offsetof(Thread, fuel), 8), next - *entered_ + code_.chargeOf(*entered_, next));
    } else {
        a_.mov(eax, field(offsetof(Thread, entered), 4));
        if (code_.charges[next] != 0) {
            a_.mov(rcx, reinterpret_cast<std::uint64_t>(code_.charges.data()));
            a_.mov(ecx, ptr(rcx, rax, 2, 0, 4));
            a_.add(rax, rcx);
        }
        a_.add(rax, field(offsetof(Thread, fuel), 8));
        a_.cmp(rax, next + code_.charges[next]);
    }
    a_.jl(paused);
    seldom([this, &m, paused, next, entered = entered_] {
        a_.bind(paused);
        entered_ = entered;
        countRun(m);
        a_.mov(esi, next);
        pause();
    });
    next_ = isa::kNoLine;
    dispatch(next, true);
}
/// Whether threads may come from the line to the next one by goOn().
bool Emitter::mayGoOn(Line line) const {
    const auto& b = code_.body[body_];
    const std::uint32_t end = b.start[line + 1];
    if (b.start[line] == end) return false;
    const Step& last = b.steps[end - 1];
    const isa::Handler run = b.originals[end - 1];
    return (run == isa::fork && agrees(last)) || (run == isa::join && knownActive() == ~0u);
}
/// Whether lanes that agree on a branch are looked for.
bool Emitter::agrees(const Step& m) { return m.mask.predicate != isa::Predicate::none && !m.mask.noMask; }

/// To one line if any lane is on, to another if none is.
void Emitter::goByLanes(const Step& m, Line some, Line none) {
    const Label on = a_.newLabel();
    countRun(m);
    pauseIfOver(some, none);
    a_.test(r12d, r12d);
    a_.short_().jnz(on);
    enterAt(none);
    next_ = isa::kNoLine;
    goToMasked(none);
    a_.bind(on);
    enterAt(some);
    next_ = m.line + 1;
    dispatch(some, false);
}

bool Emitter::jump(const Step& m) {
    registersHome();
    const Label on = a_.newLabel();
    if (m.mask.predicate != isa::Predicate::none) {
        const std::uint32_t number = m.mask.flag >> 1;
        const std::uint32_t bit = m.mask.shift + (m.mask.flag & 1) * 16u;
        if (m.mask.predicate == isa::Predicate::normal && m.mask.lanes == 1 && bit < 32 && isFlagHeld(number)) {
            a_.test(flagMirror(number), 1u << bit);
            m.mask.inverted ? a_.jnz(on) : a_.jz(on);
        } else {
            predicateTo(eax, m.mask);
            a_.test(eax, 1);
            a_.jz(on);
        }
    }
    goTo(m, static_cast<Line>(m.value), true);
    a_.bind(on);
    ended_ = m.mask.predicate == isa::Predicate::none;
    return true;
}

/// Lanes of the instruction that are on, and of these the ones whose predicate holds; both as lanes of the thread.
void Emitter::split(const Step& m, const Gp& on, const Gp& taken) {
    isa::LaneMask enabled = m.mask;
    enabled.predicate = isa::Predicate::none;
    enabledTo(on, m.mask);
    if (m.mask.predicate != isa::Predicate::none && constantLanes(enabled) == ~0u) {
        predicateTo(taken, m.mask);
    } else {
        a_.mov(taken, on);
        if (m.mask.predicate != isa::Predicate::none) {
            predicateTo(r8d, m.mask);
            a_.and_(taken, r8d);
        }
    }
    if (m.mask.shift != 0) {
        a_.shl(on, m.mask.shift);
        a_.shl(taken, m.mask.shift);
    }
}

/// The lanes go on, and so do those beside the instruction's, which it leaves as they are.
void Emitter::goOnWith(const Step& m, const Gp& lanes) {
    const std::uint32_t beside = ~(m.mask.lanes << m.mask.shift);
    if (beside == 0) return setActive(lanes);
    a_.and_(r12d, beside);
    a_.or_(r12d, lanes);
    setActive(r12d);
}

/// Lanes that agree do not wait: none is taken, or all lanes that the thread has on are, to the join that would wake
/// them. Behind a branch that left no lane on, it may be that no lane is on here.
void Emitter::forkTogether(const Step& m) {
    if (!agrees(m)) return;
    const bool meet =
        m.dst < code_.lines() && code_.ipOf(m.dst) == m.extra && code_.instructions[m.dst].opcode == isa::Opcode::join;
    const Label some = a_.newLabel();
    const Label apart = a_.newLabel();
    a_.test(edx, edx);
    a_.jnz(some);
    if (knownActive() == 0) {
        a_.test(r12d, r12d);
        a_.jz(apart);
    }
    goOn(m);
    a_.bind(some);
    if (meet) {
        a_.cmp(edx, r12d);
        a_.jne(apart);
        if (mayLeaveCallMask_) {  // the join does not wake those
            a_.mov(eax, field(offsetof(Thread, callMask), 4));
            a_.andn(eax, eax, edx);
            a_.jnz(apart);
        }
        goAllToJoin(m);
    }
    a_.bind(apart);
}

/// All lanes that are on, which are in r12d, to the join. A thread that stops before it must show them waiting there.
void Emitter::goAllToJoin(const Step& m) {
    const Label paused = a_.newLabel();
    countRun(m);
    a_.js(paused);
    seldom([this, &m, paused] {
        a_.bind(paused);
        parkAt(r12d, m.extra);
        a_.xor_(r12d, r12d);
        setActive(r12d);
        a_.mov(esi, m.dst);
        pause();
    });
    enterAt(m.dst);
    next_ = isa::kNoLine;
    dispatch(m.dst, true);
}

/// goto, brc, break, cont, halt: taken lanes wait.
void Emitter::fork(const Step& m) {
    split(m, ecx, edx);
    forkTogether(m);
    a_.andn(eax, edx, ecx);
    goOnWith(m, eax);
    parkAt(edx, m.extra);
    goByLanes(m, m.line + 1, m.dst);
}
/// Taken lanes go, the others wait.
void Emitter::forkBackward(const Step& m) {
    split(m, ecx, edx);
    const Label taken = a_.newLabel();
    const Label together = a_.newLabel();
    a_.test(edx, edx);
    a_.jnz(taken);
    goOnWith(m, ecx);
    goTo(m, m.dst, false);
    a_.bind(taken);
    goOnWith(m, edx);
    a_.xor_(ecx, edx);
    a_.jz(together);
    parkAt(ecx, static_cast<std::uint32_t>(m.src[0]));
    a_.bind(together);
    goTo(m, static_cast<Line>(m.value), false);
}
void Emitter::join(const Step& m) {
    if (knownActive() == ~0u) return goOn(m);  // no lane can wait
    wake(m.extra);
    goByLanes(m, m.line + 1, m.dst);
}
void Emitter::branchIf(const Step& m) {
    split(m, ecx, edx);
    goOnWith(m, edx);
    a_.xor_(ecx, edx);
    parkAt(ecx, m.extra);
    goByLanes(m, m.line + 1, m.dst);
}
void Emitter::branchElse(const Step& m) {
    split(m, ecx, edx);
    parkAt(ecx, m.extra);
    a_.andn(r12d, ecx, r12d);
    setActive(r12d);
    wake(static_cast<std::uint32_t>(m.src[0]));
    goByLanes(m, m.line + 1, m.dst);
}
void Emitter::loopWhile(const Step& m) {
    split(m, ecx, edx);
    goOnWith(m, edx);
    a_.xor_(ecx, edx);
    parkAt(ecx, static_cast<std::uint32_t>(m.src[0]));
    const Label over = a_.newLabel();
    a_.test(edx, edx);
    a_.jz(over);
    goTo(m, m.dst, false);
    a_.bind(over);
    wake(static_cast<std::uint32_t>(m.src[0]));
    goTo(m, static_cast<Line>(m.value), false);
}

}  // namespace zetl::emulator::translate
