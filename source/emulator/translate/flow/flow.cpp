// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Branches whose targets are in the instruction, with the effects of isa/flow.cpp. The handlers of others are called.
#include "emulator/translate/flow/flow.h"

#include <algorithm>

#include "emulator/isa/float_mode.h"
#include "emulator/isa/stop.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Step;
using isa::Thread;

namespace {

/// The quantum is used up; the thread goes on at the line when it is resumed.
const Step* pauseAt(Thread& t, isa::Line line) {
    return isa::stopAt(t, t.program->code().at(t, line), isa::Status::paused);
}

}  // namespace

bool Flow::emit(const Step& m) {
    const Family family = host_.familyOf(m);
    switch (family) {
        case Family::jump:
            return jump(m);
        case Family::marker:
            return true;
        case Family::finish:
            return endThread(m);
        case Family::applyControl:
            return mode_.apply(m, true);
        case Family::signalBarrier:
            return barrier_.signal(m);
        case Family::waitBarrier:
            return barrier_.wait(m);
        default:
            return branch(m, family);
    }
}

bool Flow::branch(const Step& m, Family family) {
    struct Branch {
        Family family;
        void (Flow::*translate)(const Step&);
    };
    static constexpr Branch kBranches[] = {
        {Family::fork, &Flow::fork},
        {Family::forkBackward, &Flow::forkBackward},
        {Family::join, &Flow::join},
        {Family::branchIf, &Flow::branchIf},
        {Family::branchElse, &Flow::branchElse},
        {Family::loopWhile, &Flow::loopWhile},
    };
    const auto* const branch = std::ranges::find(kBranches, family, &Branch::family);
    // Without a mask an instruction parks lanes that wait elsewhere.
    if (branch == std::end(kBranches) || (m.mask.noMask && family != Family::join)) return false;
    host_.endBlock(m.line);
    host_.ended = true;
    (this->*branch->translate)(m);
    return true;
}

/// Nobody sees the registers of a thread that has ended, but tests; the next one in its state finds no lane waiting.
bool Flow::endThread(const Step& m) {
    if (!endWithThread(host_.registers)) host_.leaveBlock();
    parking_.give();
    runs_.count(m);
    runs_.enterAt(m.line + 1);
    a_.mov(field(offsetof(Thread, pc), 8), 0);
    a_.mov(field(offsetof(Thread, status), 1), static_cast<int>(isa::Status::done));
    barrier_.followEnd();
    cache_.forgetAll();
    host_.ended = true;
    return true;
}

/// If the quantum is used up, as runs_.count() shows, the thread stops: before one line, or another if no lane is on.
void Flow::pauseIfOver(Line some, Line none) {
    const Label paused = a_.newLabel();
    a_.js(paused);
    host_.seldom([this, paused, some, none] {
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
void Flow::pause() {
    a_.mov(field(offsetof(Thread, entered), 4), esi);
    a_.vzeroupper();
    a_.mov(rdi, rbx);
    a_.mov(rax, reinterpret_cast<std::uint64_t>(&pauseAt));
    a_.call(rax);
    a_.jmp(host_.exit);
}

/// To the line in the version for the lanes that are on now.
void Flow::dispatch(Line line, bool sameLanes) {
    if (sameLanes) {
        a_.jmp(labels_.of(host_.body, line));
        return;
    }
    constexpr std::pair<isa::Version, std::uint32_t> kWhole[] = {{isa::Version::lanes32, ~0u},
                                                                 {isa::Version::lanes16, 0xffffu}};
    for (const auto& [version, lanes] : kWhole) {
        const std::uint8_t body = code_.bodyOf[static_cast<int>(version)];
        if (body != whole_ || body == 0) continue;
        a_.cmp(r12d, lanes);
        a_.je(labels_.of(body, line));
    }
    goToMasked(line);
}
/// To the line in the version for any lanes, or on to it if it comes next.
void Flow::goToMasked(Line line) {
    constexpr std::uint8_t kMasked = 0;
    if (host_.body != kMasked || line != next_) a_.jmp(labels_.of(kMasked, line));
    host_.ended = host_.body != kMasked || line != next_;
}
void Flow::goTo(const Step& m, Line line, bool sameLanes) {
    runs_.count(m);
    pauseIfOver(line, line);
    runs_.enterAt(line);
    next_ = isa::kNoLine;
    dispatch(line, sameLanes);
}
/// Straight on to the next line, as if there were no branch: the run that it would end goes on. The thread pauses where
/// the branch would have paused it.
void Flow::goOn(const Step& m) {
    const Line next = m.line + 1;
    const Label paused = a_.newLabel();
    if (const auto entered = runs_.entered()) {
        a_.cmp(field(offsetof(Thread, fuel), 8), next - *entered + code_.chargeOf(*entered, next));
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
    host_.seldom([this, &m, paused, next, entered = runs_.entered()] {
        a_.bind(paused);
        runs_.setEntered(entered);
        runs_.count(m);
        a_.mov(esi, next);
        pause();
    });
    next_ = isa::kNoLine;
    dispatch(next, true);
}
/// Whether threads may come from the line to the next one by goOn().
bool Flow::mayGoOn(Line line) const {
    const auto& b = code_.body[host_.body];
    const std::uint32_t end = b.start[line + 1];
    if (b.start[line] == end) return false;
    const Step& last = b.steps[end - 1];
    const Family family = b.familyOf(last);
    return (family == Family::fork && agrees(last)) || (family == Family::join && masks_.knownActive() == ~0u);
}
/// Whether lanes that agree on a branch are looked for.
bool Flow::agrees(const Step& m) { return m.mask.predicate != isa::Predicate::none && !m.mask.noMask; }

/// To one line if any lane is on, to another if none is.
void Flow::goByLanes(const Step& m, Line some, Line none) {
    const Label on = a_.newLabel();
    runs_.count(m);
    pauseIfOver(some, none);
    a_.test(r12d, r12d);
    a_.short_().jnz(on);
    runs_.enterAt(none);
    next_ = isa::kNoLine;
    goToMasked(none);
    a_.bind(on);
    runs_.enterAt(some);
    next_ = m.line + 1;
    dispatch(some, false);
}

bool Flow::jump(const Step& m) {
    host_.endBlock(m.line);
    const Label on = a_.newLabel();
    if (m.mask.predicate != isa::Predicate::none) {
        const std::uint32_t number = m.mask.flag >> 1;
        const std::uint32_t bit = m.mask.shift + (m.mask.flag & 1) * 16u;
        if (m.mask.predicate == isa::Predicate::normal && m.mask.lanes == 1 && bit < 32 &&
            mirrors_.isFlagHeld(number)) {
            a_.test(mirrors_.flagMirror(number), 1u << bit);
            m.mask.inverted ? a_.jnz(on) : a_.jz(on);
        } else {
            masks_.predicateTo(eax, m.mask);
            a_.test(eax, 1);
            a_.jz(on);
        }
    }
    goTo(m, static_cast<Line>(m.value), true);
    a_.bind(on);
    host_.ended = m.mask.predicate == isa::Predicate::none;
    return true;
}

/// Lanes of the instruction that are on, and of these the ones whose predicate holds; both as lanes of the thread.
void Flow::split(const Step& m, const Gp& on, const Gp& taken) {
    isa::LaneMask enabled = m.mask;
    enabled.predicate = isa::Predicate::none;
    masks_.enabledTo(on, m.mask);
    if (m.mask.predicate != isa::Predicate::none && masks_.constantLanes(enabled) == ~0u) {
        masks_.predicateTo(taken, m.mask);
    } else {
        a_.mov(taken, on);
        if (m.mask.predicate != isa::Predicate::none) {
            masks_.predicateTo(r8d, m.mask);
            a_.and_(taken, r8d);
        }
    }
    if (m.mask.shift != 0) {
        a_.shl(on, m.mask.shift);
        a_.shl(taken, m.mask.shift);
    }
}

/// The lanes go on, and so do those beside the instruction's, which it leaves as they are.
void Flow::goOnWith(const Step& m, const Gp& lanes) {
    const std::uint32_t beside = ~(m.mask.lanes << m.mask.shift);
    if (beside == 0) return mirrors_.setActive(lanes);
    a_.and_(r12d, beside);
    a_.or_(r12d, lanes);
    mirrors_.setActive(r12d);
}

/// Lanes that agree do not wait: none is taken, or all lanes that the thread has on are, to the join that would wake
/// them. Behind a branch that left no lane on, it may be that no lane is on here.
void Flow::forkTogether(const Step& m) {
    if (!agrees(m)) return;
    const bool meet =
        m.dst < code_.lines() && code_.ipOf(m.dst) == m.extra && code_.instructions[m.dst].opcode == isa::Opcode::join;
    const Label some = a_.newLabel();
    const Label apart = a_.newLabel();
    a_.test(edx, edx);
    a_.jnz(some);
    if (masks_.knownActive() == 0) {
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
void Flow::goAllToJoin(const Step& m) {
    const Label paused = a_.newLabel();
    runs_.count(m);
    a_.js(paused);
    host_.seldom([this, &m, paused] {
        a_.bind(paused);
        parking_.parkAt(r12d, m.extra);
        a_.xor_(r12d, r12d);
        mirrors_.setActive(r12d);
        a_.mov(esi, m.dst);
        pause();
    });
    runs_.enterAt(m.dst);
    next_ = isa::kNoLine;
    dispatch(m.dst, true);
}

/// goto, brc, break, cont, halt: taken lanes wait.
void Flow::fork(const Step& m) {
    split(m, ecx, edx);
    forkTogether(m);
    a_.andn(eax, edx, ecx);
    goOnWith(m, eax);
    parking_.parkAt(edx, m.extra);
    goByLanes(m, m.line + 1, m.dst);
}
/// Taken lanes go, the others wait.
void Flow::forkBackward(const Step& m) {
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
    parking_.parkAt(ecx, static_cast<std::uint32_t>(m.src[0]));
    a_.bind(together);
    goTo(m, static_cast<Line>(m.value), false);
}
void Flow::join(const Step& m) {
    if (masks_.knownActive() == ~0u) return goOn(m);  // no lane can wait
    parking_.wake(m.extra);
    goByLanes(m, m.line + 1, m.dst);
}
void Flow::branchIf(const Step& m) {
    split(m, ecx, edx);
    goOnWith(m, edx);
    a_.xor_(ecx, edx);
    parking_.parkAt(ecx, m.extra);
    goByLanes(m, m.line + 1, m.dst);
}
void Flow::branchElse(const Step& m) {
    split(m, ecx, edx);
    parking_.parkAt(ecx, m.extra);
    a_.andn(r12d, ecx, r12d);
    mirrors_.setActive(r12d);
    parking_.wake(static_cast<std::uint32_t>(m.src[0]));
    goByLanes(m, m.line + 1, m.dst);
}
void Flow::loopWhile(const Step& m) {
    split(m, ecx, edx);
    goOnWith(m, edx);
    a_.xor_(ecx, edx);
    parking_.parkAt(ecx, static_cast<std::uint32_t>(m.src[0]));
    const Label over = a_.newLabel();
    a_.test(edx, edx);
    a_.jz(over);
    goTo(m, m.dst, false);
    a_.bind(over);
    parking_.wake(static_cast<std::uint32_t>(m.src[0]));
    goTo(m, static_cast<Line>(m.value), false);
}

}  // namespace zetl::emulator::translate
