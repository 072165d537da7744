// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// The barrier that compilers use, number 0, by threads of a group that one host thread runs: the last that arrives goes
// on, the others leave straight to the next that may (isa/company.h). All other barriers are called.
#include "emulator/translate/flow/barrier.h"

#include <algorithm>

#include "emulator/isa/company.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/stop.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Companion;
using isa::GroupBarrier;
using isa::Meeting;
using isa::Thread;

namespace {

namespace layout = isa::layout;

constexpr std::size_t ofCompanion(std::size_t offset) { return offsetof(Thread, companion) + offset; }
constexpr std::size_t kMeeting = ofCompanion(offsetof(Companion, meeting));
constexpr std::size_t kNext = ofCompanion(offsetof(Companion, next));
constexpr std::size_t kSignalledIn = ofCompanion(offsetof(Companion, signalledIn));
constexpr std::size_t kGoesOnAt = ofCompanion(offsetof(Companion, goesOnAt));

Mem within(const Gp& of, std::size_t offset, std::uint32_t bytes) {
    return ptr(of, static_cast<std::int32_t>(offset), bytes);
}

}  // namespace

/// As Barriers::signal() of the machine does it.
bool Barrier::signal(const Step& m) {
    constexpr std::int32_t kNumberOrRole = 0xc01f;  // of what the payload's third dword says, beside two counts
    const auto payload = static_cast<std::uint32_t>(m.src[0]) + 8;
    const Label refused = host_.seldomLabel();
    const Label open = a_.newLabel();
    cache_.store(payload, 4);
    auto unstored = cache_.defer(0);
    a_.mov(rcx, field(kMeeting, 8));
    a_.test(rcx, rcx);
    a_.jz(refused);
    a_.movzx(eax, state(payload, 2));  // in parts, as compilers write it: a load across stores would wait
    a_.movzx(edx, state(payload + 2, 1));
    a_.test(eax, kNumberOrRole);
    a_.jnz(refused);
    a_.test(edx, edx);
    a_.jz(refused);
    a_.mov(rcx, within(rcx, offsetof(Meeting, barrier), 8));
    a_.mov(esi, within(rcx, offsetof(GroupBarrier, producers), 4));
    a_.test(esi, esi);
    a_.cmovz(esi, edx);
    a_.cmp(esi, edx);
    a_.jne(refused);
    a_.mov(rdi, field(kSignalledIn, 8));
    a_.mov(esi, within(rcx, offsetof(GroupBarrier, phase), 4));
    a_.mov(ptr(rdi, 0, 4), esi);
    a_.or_(field(offsetof(Thread, signalled), 4), 1);
    a_.mov(eax, within(rcx, offsetof(GroupBarrier, arrived), 4));
    a_.inc(eax);
    a_.cmp(eax, edx);
    a_.jb(open);
    a_.inc(esi);
    a_.xor_(eax, eax);
    a_.xor_(edx, edx);
    a_.bind(open);
    a_.mov(within(rcx, offsetof(GroupBarrier, phase), 4), esi);
    a_.mov(within(rcx, offsetof(GroupBarrier, arrived), 4), eax);
    a_.mov(within(rcx, offsetof(GroupBarrier, producers), 4), edx);
    host_.otherwiseStep(m, refused, std::move(unstored));
    return true;
}

/// As waitBarrier() of the steps does it, and the machine then.
bool Barrier::wait(const Step& m) {
    if (m.kind != 0 || (&m + 1)->line != m.line + 1) return false;
    const Label called = a_.newLabel();
    const Label behind = a_.newLabel();
    host_.endBlock(m.line);
    mirrors_.forgetFlags();
    host_.additions.flush();
    a_.mov(rcx, field(kMeeting, 8));
    a_.test(rcx, rcx);
    a_.jz(called);
    a_.btr(field(offsetof(Thread, signalled), 4), 0);
    a_.jnc(called);
    runs_.count(m);
    runs_.enterAt(m.line + 1);
    a_.mov(rcx, field(kMeeting, 8));
    a_.mov(rdx, within(rcx, offsetof(Meeting, barrier), 8));
    a_.mov(edx, within(rdx, offsetof(GroupBarrier, phase), 4));
    a_.mov(rax, field(kSignalledIn, 8));
    a_.cmp(ptr(rax, 0, 4), edx);
    a_.jne(behind);
    followWithNext(m, behind);
    host_.seldom([this, &m, called, behind, body = host_.body] {
        a_.bind(called);
        host_.callHandler(m, body);
        a_.jmp(behind);
    });
    a_.bind(behind);
    return true;
}

/// The thread waits. Another goes on.
void Barrier::followWithNext(const Step& m, const Label& behind) {
    const Label leaves = a_.newLabel();
    const Label goesOn = a_.newLabel();
    parking_.give();
    a_.mov(rax, reinterpret_cast<std::uint64_t>(&m + 1));
    a_.mov(field(offsetof(Thread, pc), 8), rax);
    a_.mov(state(isa::kControl2, 4), code_.ipOf(m.line + 1));
    a_.mov(field(offsetof(Thread, barrier), 1), 0);
    a_.mov(field(offsetof(Thread, status), 1), static_cast<int>(isa::Status::atBarrier));
    a_.lea(rax, ptr(goesOn));
    a_.mov(field(kGoesOnAt, 8), rax);
    a_.mov(rcx, field(kMeeting, 8));
    goOnWithAnother(leaves);
    a_.bind(leaves);
    a_.xor_(eax, eax);
    a_.jmp(host_.end);
    host_.seldom([this, leaves, goesOn, behind, body = host_.body] {
        a_.bind(goesOn);
        mode_.unlessSet(leaves);
        a_.mov(field(kGoesOnAt, 8), 0);
        a_.mov(field(offsetof(Thread, status), 1), static_cast<int>(isa::Status::ready));
        mirrors_.load();
        parking_.take(body);
        a_.jmp(behind);
    });
}

/// The thread has ended. Another goes on, if it has company.
void Barrier::followEnd() {
    const Label leaves = a_.newLabel();
    a_.mov(rcx, field(kMeeting, 8));
    a_.test(rcx, rcx);
    a_.jz(leaves);
    a_.mov(state(isa::kControl2, 4), 0);
    host_.additions.flush();
    a_.mov(rcx, field(kMeeting, 8));
    goOnWithAnother(leaves);
    a_.bind(leaves);
    a_.xor_(eax, eax);
    a_.jmp(host_.end);
}

/// With the next one in the ring that has not ended, if it waited for an earlier phase, or has not begun, and may still
/// run. The meeting is in rcx.
void Barrier::goOnWithAnother(const Label& otherwise) {
    const Label next = a_.newLabel();
    const Label going = a_.newLabel();
    const Label waitsNowhere = host_.seldomLabel();
    a_.mov(rdx, within(rcx, offsetof(Meeting, barrier), 8));
    a_.mov(edx, within(rdx, offsetof(GroupBarrier, phase), 4));
    a_.mov(rsi, field(kNext, 8));
    a_.bind(next);
    a_.cmp(rsi, rbx);
    a_.je(otherwise);
    a_.cmp(within(rsi, offsetof(Thread, fuel), 8), 0);
    a_.jl(otherwise);
    a_.mov(rax, within(rsi, kGoesOnAt, 8));
    a_.test(rax, rax);
    a_.jz(waitsNowhere);
    a_.mov(rdi, within(rsi, kSignalledIn, 8));
    a_.cmp(ptr(rdi, 0, 4), edx);
    a_.je(otherwise);
    a_.bind(going);
    host_.takeOverEntry(rsi);
    a_.mov(rbx, rsi);
    a_.mov(within(rcx, offsetof(Meeting, running), 8), rbx);
    a_.jmp(rax);
    host_.seldom([this, next, going, waitsNowhere, otherwise] {
        const Label hasNotEnded = a_.newLabel();
        a_.bind(waitsNowhere);
        a_.cmp(within(rsi, offsetof(Thread, status), 1), static_cast<int>(isa::Status::done));
        a_.short_().jne(hasNotEnded);
        a_.mov(rsi, within(rsi, kNext, 8));
        a_.jmp(next);
        a_.bind(hasNotEnded);
        beginAnother(going, otherwise);
    });
}

/// Takes the thread in rsi if it is where it would enter this code and nothing has to be done about it before.
void Barrier::beginAnother(const Label& going, const Label& otherwise) {
    if (!first_) {
        a_.jmp(otherwise);
        return;
    }
    a_.cmp(within(rsi, offsetof(Thread, status), 1), static_cast<int>(isa::Status::ready));
    a_.jne(otherwise);
    a_.cmp(within(rsi, isa::kControl2, 4), code_.ipOf(first_->line));
    a_.jne(otherwise);
    a_.cmp(within(rsi, offsetof(Thread, resumedAt), 8), 0);
    a_.jne(otherwise);
    a_.test(within(rsi, isa::kControl1, 4), static_cast<std::int32_t>(isa::kBreakpointStatus));
    a_.jnz(otherwise);
    a_.test(within(rsi, layout::kControl, 4), static_cast<std::int32_t>(isa::kSuppressBreakpoint));
    a_.jnz(otherwise);
    a_.mov(rdi, within(rsi, offsetof(Thread, pc), 8));
    a_.mov(rdi, within(rdi, offsetof(Step, run), 8));
    for (Beginning& beginning : first_->beginnings) {
        const Label no = a_.newLabel();
        a_.lea(rax, ptr(beginning.entered));
        a_.cmp(rdi, rax);
        a_.short_().jne(no);
        a_.lea(rax, ptr(beginning.goesOn));
        a_.jmp(going);
        a_.bind(no);
    }
    a_.jmp(otherwise);
}
/// Where those go on: as if they had been called. No lanes wait.
void Barrier::emitBeginnings() {
    if (!first_) return;
    for (const Beginning& beginning : first_->beginnings) {
        a_.bind(beginning.goesOn);
        const Label leaves = a_.newLabel();
        if (!first_->setsMode) mode_.unlessSet(leaves);
        mirrors_.load();
        a_.jmp(labels_.of(beginning.body, first_->line));
        a_.bind(leaves);
        a_.xor_(eax, eax);
        a_.jmp(host_.end);
    }
}

void Barrier::startAt(Line line, bool setsMode, std::uint8_t whole) {
    first_ = {line, setsMode, {}};
    if (whole != 0) first_->beginnings.push_back({whole, a_.newLabel(), a_.newLabel()});
    first_->beginnings.push_back({code_.bodyOf[static_cast<int>(isa::Version::masked)], a_.newLabel(), a_.newLabel()});
    for (const Beginning& beginning : first_->beginnings) a_.beginsBlock(beginning.goesOn);
}

void Barrier::bindEntry(std::uint8_t body, std::uint32_t step) {
    if (first_ && code_.body[body].start[first_->line] == step)
        a_.bind(std::ranges::find(first_->beginnings, body, &Beginning::body)->entered);
}

}  // namespace zetl::emulator::translate
