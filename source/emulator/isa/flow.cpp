#include "emulator/isa/flow.h"

#include <bit>
#include <cstring>
#include <utility>

#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/stop.h"

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kNowhere = ~0u;

// Leaves straight-line code. The one counter serves three purposes: instructions executed, the quantum after which
// other threads get a turn, and thereby the time until the machine can look whether to stop.
const Step* go(Thread& t, const Step* m, Line line) {
    account(t, m->line + 1, line);
    const Step* next = t.program->code().at(t, line);
    return t.fuel < 0 ? stopAt(t, next, Status::paused) : next;
}
void park(Thread& t, std::uint32_t lanes, std::uint32_t address) {
    for (; lanes; lanes &= lanes - 1) t.waiting[std::countr_zero(lanes)] = address;
}
/// Turns on the lanes that wait at the address. Lanes of a caller may wait at the same one if a function calls itself:
/// the call mask keeps them off.
void wake(Thread& t, std::uint32_t address) {
    std::uint32_t arriving = 0;
    for (unsigned l = 0; l < 32; ++l) arriving |= std::uint32_t(t.waiting[l] == address) << l;
    arriving &= t.callMask & ~t.active;
    if (!arriving) return;
    t.active |= arriving;
    park(t, arriving, kNowhere);
}
/// The thread stops until the barrier that it has signalled is complete.
const Step* waitFor(Thread& t, const Step* m, std::uint32_t barrier) {
    if (barrier >= kBarriers || !(t.signalled >> barrier & 1)) {
        Fault f;
        f.kind = FaultKind::barrierMisuse;
        f.address = barrier;
        return fail(t, m, f);
    }
    t.signalled &= ~(1u << barrier);
    t.barrier = static_cast<std::uint8_t>(barrier);
    return stopAt(t, m + 1, Status::atBarrier);
}
/// Lanes of the instruction that are on, of these the ones whose predicate holds, and those that are on beside the
/// instruction's, which a branch leaves on; all as lanes of the thread.
struct Split {
    std::uint32_t on;
    std::uint32_t taken;
    std::uint32_t beside;
};
Split split(const Thread& t, const Step* m) {
    const std::uint32_t on = enabledLanes(t, m->mask);
    return {on << m->mask.shift, (on & predicateLanes(t, m->mask)) << m->mask.shift,
            t.active & ~(m->mask.lanes << m->mask.shift)};
}
const Step* goAddress(Thread& t, const Step* m, std::uint32_t ip) {
    if (const Line line = t.program->code().find(ip); line != kNoLine) return go(t, m, line);
    std::int64_t* runs = t.runs;
    const Program* other = t.environment->findProgram(t, ip);
    const Line line = other ? other->code().find(ip) : kNoLine;
    std::swap(t.runs, runs);  // the run that ends here belongs to the program that is left
    if (line == kNoLine) {
        Fault f;
        f.kind = FaultKind::branchTarget;
        f.address = ip;
        return fail(t, m, f);
    }
    account(t, m->line + 1, line);
    t.runs = runs;
    t.program = other;
    const Step* next = other->code().at(t, line);
    return t.fuel < 0 ? stopAt(t, next, Status::paused) : next;
}

}  // namespace

const Step* jump(Thread& t, const Step* m) {
    if (!(predicateLanes(t, m->mask) & 1)) return m + 1;
    account(t, m->line + 1, static_cast<Line>(m->value));
    const auto next = reinterpret_cast<const Step*>(m->src[0]);
    return t.fuel < 0 ? stopAt(t, next, Status::paused) : next;
}
const Step* jumpToRegister(Thread& t, const Step* m) {
    if (!(predicateLanes(t, m->mask) & 1)) return m + 1;
    return goAddress(t, m, m->extra + t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[0])));
}
const Step* forkToRegister(Thread& t, const Step* m) {
    const auto [on, taken, beside] = split(t, m);
    const std::uint32_t near = m->extra + t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[0]));
    park(t, taken, m->extra + t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[1])));
    t.active = beside | (on & ~taken);
    if (t.active) return go(t, m, m->line + 1);
    wake(t, near);
    return goAddress(t, m, near);
}
const Step* fork(Thread& t, const Step* m) {
    const auto [on, taken, beside] = split(t, m);
    park(t, taken, m->extra);
    t.active = beside | (on & ~taken);
    return go(t, m, t.active ? m->line + 1 : m->dst);
}
const Step* forkBackward(Thread& t, const Step* m) {
    const auto [on, taken, beside] = split(t, m);
    if (!taken) {
        t.active = beside | on;
        return go(t, m, m->dst);
    }
    park(t, on & ~taken, static_cast<std::uint32_t>(m->src[0]));
    t.active = beside | taken;
    return go(t, m, static_cast<Line>(m->value));
}
const Step* join(Thread& t, const Step* m) {
    wake(t, m->extra);
    return go(t, m, t.active ? m->line + 1 : m->dst);
}
const Step* arrive(Thread& t, const Step* m) {
    wake(t, m->extra);
    return t.program->code().at(t, m->line) + 1;
}

const Step* branchIf(Thread& t, const Step* m) {
    const auto [on, taken, beside] = split(t, m);
    park(t, on & ~taken, m->extra);
    t.active = beside | taken;
    return go(t, m, t.active ? m->line + 1 : m->dst);
}
const Step* branchElse(Thread& t, const Step* m) {
    const std::uint32_t on = split(t, m).on;
    park(t, on, m->extra);
    t.active &= ~on;
    wake(t, static_cast<std::uint32_t>(m->src[0]));
    return go(t, m, t.active ? m->line + 1 : m->dst);
}
const Step* loopWhile(Thread& t, const Step* m) {
    const auto [on, taken, beside] = split(t, m);
    const auto behind = static_cast<std::uint32_t>(m->src[0]);
    park(t, on & ~taken, behind);
    t.active = beside | taken;
    if (taken) return go(t, m, m->dst);
    wake(t, behind);
    return go(t, m, static_cast<Line>(m->value));
}

const Step* call(Thread& t, const Step* m) {
    const std::uint32_t taken = split(t, m).taken;
    if (!taken) return go(t, m, m->line + 1);
    const std::uint32_t target = m->kind ? t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[0])) : 0;
    const auto behind = static_cast<std::uint32_t>(m->src[1]);
    const std::uint32_t saved[2] = {behind, t.callMask};
    std::memcpy(t.state + m->dst, saved, sizeof saved);
    if (!m->mask.noMask) {
        park(t, t.active & ~taken, behind);
        t.active = t.callMask = taken;
    }
    if (m->kind == 0) return go(t, m, static_cast<Line>(m->value));
    return goAddress(t, m, m->kind == 2 ? target : static_cast<std::uint32_t>(m->value) + target);
}
const Step* ret(Thread& t, const Step* m) {
    // Lanes beside it stay on, and without mask those that are off wait where they do.
    const std::uint32_t taken = split(t, m).taken & t.active;
    std::uint32_t saved[2];
    std::memcpy(saved, t.state + m->src[0], sizeof saved);
    park(t, taken, saved[0]);
    t.active &= ~taken;
    if (t.active) return go(t, m, m->line + 1);
    t.callMask = saved[1];
    wake(t, saved[0]);
    return goAddress(t, m, saved[0]);
}

const Step* signalBarrier(Thread& t, const Step* m) {
    const auto payload = t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[0]) + 8);
    BarrierSignal s;
    s.consumers = static_cast<std::uint8_t>(payload >> 24);
    s.producers = static_cast<std::uint8_t>(payload >> 16);
    s.role = static_cast<BarrierSignal::Role>(payload >> 14 & 3);
    s.id = static_cast<std::uint8_t>(payload & (kBarriers - 1));
    t.signalled |= 1u << s.id;
    t.environment->signalBarrier(t, s);
    return m + 1;
}
const Step* composeBarrier(Thread& t, const Step* m) {
    constexpr std::uint32_t kWord = 8;
    const std::uint32_t threads = t.at<std::uint32_t>(static_cast<std::uint32_t>(m->src[0]) + kWord) >> 24;
    t.at<std::uint32_t>(layout::kRaw + kWord) = threads << 24 | threads << 16;
    return m + 1;
}
const Step* waitBarrier(Thread& t, const Step* m) { return waitFor(t, m, m->kind); }
const Step* waitNamedBarrier(Thread& t, const Step* m) {
    return waitFor(t, m, t.at<std::uint16_t>(static_cast<std::uint32_t>(m->src[0])));
}
const Step* finish(Thread& t, const Step* m) {
    account(t, m->line + 1, m->line + 1);
    t.pc = nullptr;
    t.status = Status::done;
    return nullptr;
}

const Step* refuse(Thread& t, const Step* m) {
    Fault f;
    f.kind = static_cast<FaultKind>(m->kind);
    f.what = reinterpret_cast<const char*>(m->src[0]);
    return fail(t, m, f);
}
const Step* marker(Thread&, const Step* m) { return m + 1; }
const Step* memoryFence(Thread&, const Step* m) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return m + 1;
}
const Step* applyControl(Thread& t, const Step* m) {
    setFloatMode(t);
    return m + 1;
}
const Step* applyDoubleMode(Thread& t, const Step* m) {
    setDoubleMode(t);
    return m + 1;
}
const Step* refresh(Thread& t, const Step* m) {
    switch (static_cast<ArchitectureRegister>(m->kind)) {
        case ArchitectureRegister::executionMask:
            t.at<std::uint32_t>(layout::kExecutionMask) = t.active;
            break;
        case ArchitectureRegister::timestamp:
            t.at<std::uint64_t>(layout::kTimestamp) = t.environment->timestamp();
            break;
        case ArchitectureRegister::notification:
            // Code that polls n0 waits for the barrier next. So n0 reads as signalled at once, and the wait does the
            // waiting.
            t.at<std::uint32_t>(layout::kNotification) = t.signalled & 1;
            break;
        default:
            t.at<std::uint32_t>(layout::kIp) = static_cast<std::uint32_t>(m->value);
    }
    return m + 1;
}

}  // namespace zetl::emulator::isa
