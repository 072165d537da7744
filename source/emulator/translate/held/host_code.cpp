// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/host_code.h"

#include <cstddef>
#include <iterator>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;

namespace {

constexpr Gp kSaved[] = {rbx, rbp, r12, r13, r14, r15};
constexpr std::int32_t kAlignment = 8;  // of the stack, with as many saved

}  // namespace

HostCode::HostCode(const isa::Program::Code& of, HostAssembler& to, Registers kept)
    : code(of),
      assembler(to),
      registers(kept),
      cache(to, rbx),
      numbers(to),
      mirrors(to, cache),
      masks(to, cache, mirrors, body),
      values(to, cache, mirrors, masks),
      additions(to),
      exit(to.newLabel()),
      end(to.newLabel()) {
    to.beginsBlock(exit);
    to.beginsBlock(end);
}

/// What the step of that body does, while registers are at home; execution goes on behind the call if the next step is
/// the next one, and leaves if it is not.
void HostCode::callHandler(const Step& m, std::uint8_t body) {
    const bool measured = code.times != nullptr && m.line < code.lines();
    additions.flush();
    assembler.vzeroupper();
    if (measured) noteTick(offsetof(Thread, calledAt));
    assembler.mov(rdi, rbx);
    assembler.mov(rsi, reinterpret_cast<std::uint64_t>(&m));
    assembler.mov(rax, reinterpret_cast<std::uint64_t>(originalOf(m, body)));
    assembler.call(rax);
    if (measured) addTicksSince(offsetof(Thread, calledAt), code.times->called[m.line]);
    assembler.mov(rcx, reinterpret_cast<std::uint64_t>(&m + 1));
    assembler.cmp(rax, rcx);
    assembler.jne(exit);
    mirrors.load();
}

/// Changes only registers that a call may change.
void HostCode::noteTick(std::size_t fieldOfThread) {
    assembler.rdtsc();
    assembler.shl(rdx, 32);
    assembler.or_(rdx, rax);
    assembler.mov(field(fieldOfThread, 8), rdx);
}

/// The same, and keeps rax.
void HostCode::addTicksSince(std::size_t fieldOfThread, std::atomic<std::uint64_t>& sum) {
    assembler.mov(rcx, rax);
    assembler.rdtsc();
    assembler.shl(rdx, 32);
    assembler.or_(rdx, rax);
    assembler.sub(rdx, field(fieldOfThread, 8));
    assembler.mov(rax, reinterpret_cast<std::uint64_t>(&sum));
    assembler.lock().add(ptr(rax, 0, 8), rdx);
    assembler.mov(rax, rcx);
}

/// A step's handler, watched or not.
isa::Handler HostCode::originalOf(const Step& m, std::uint8_t body) const {
    const auto& b = code.body[body];
    return b.originals[static_cast<std::size_t>(&m - b.steps.data())];
}

/// Registers are at home from here on.
void HostCode::registersHome() {
    cache.storeAll();
    cache.forgetAll();
    masks.forgetLanes();
}

void HostCode::endBlock(Line last) {
    const bool mayWait = masks.knownActive() == 0;
    const isa::StateSlots* const needed = live == nullptr ? nullptr
                                          : mayWait       ? live->behindForAll(last)
                                                          : live->behind(last);
    if (needed != nullptr) cache.keepOnly(*needed);
    registersHome();
}

/// And nothing is held at all.
void HostCode::leaveBlock() {
    registersHome();
    mirrors.forgetFlags();
}

/// The thread does what this code does not know of.
void HostCode::stray() { assembler.mov(field(offsetof(Thread, strayed), 1), 1); }

void HostCode::leaveAt(const Step* next) {
    leaveBlock();
    assembler.mov(rax, reinterpret_cast<std::uint64_t>(next));
    assembler.jmp(exit);
}

void HostCode::enterFunction() {
    for (const Gp& saved : kSaved) assembler.push(saved);
    assembler.sub(rsp, kAlignment);
    assembler.enterFrame();
    assembler.mov(rbx, rdi);
    if (code.times != nullptr) noteTick(offsetof(Thread, enteredAt));
}

void HostCode::leaveFunction() {
    if (code.times != nullptr) addTicksSince(offsetof(Thread, enteredAt), code.times->hostCode);
    assembler.vzeroupper();
    assembler.leaveFrame();
    assembler.add(rsp, kAlignment);
    for (std::size_t i = std::size(kSaved); i-- > 0;) assembler.pop(kSaved[i]);
    assembler.ret();
}

void HostCode::takeOverEntry(const Gp& thread) {
    if (code.times == nullptr) return;
    assembler.mov(rdx, field(offsetof(Thread, enteredAt), 8));
    assembler.mov(ptr(thread, static_cast<std::int32_t>(offsetof(Thread, enteredAt)), 8), rdx);
}

/// Of a step of the line that is emitted.
const Meaning* HostCode::meaningOf(const Step& m) const {
    return line.meanings.empty() ? code.body[body].meaningOf(m)
                                 : line.meanings[static_cast<std::size_t>(&m - line.rest.data())];
}

void HostCode::moveBytes(std::uint32_t bytes, const Mem& from, const Mem& to) {
    switch (bytes) {
        case 1:
            assembler.movzx(r8d, from);
            assembler.mov(to, r8b);
            break;
        case 2:
            assembler.movzx(r8d, from);
            assembler.mov(to, r8w);
            break;
        case 4:
            assembler.mov(r8d, from);
            assembler.mov(to, r8d);
            break;
        case 8:
            assembler.mov(r8, from);
            assembler.mov(to, r8);
            break;
        case 16:
            assembler.vmovdqu(xmm0, from);
            assembler.vmovdqu(to, xmm0);
            break;
        case 32:
            assembler.vmovdqu(ymm0, from);
            assembler.vmovdqu(to, ymm0);
            break;
        default:
            assembler.vmovdqu64(zmm0, from);
            assembler.vmovdqu64(to, zmm0);
    }
}

/// The step does what the code before `refused` could not, and then that code's registers are as it leaves them. Where
/// it finds all of them home, the thread has not strayed.
void HostCode::otherwiseStep(const Step& m, const Label& refused, RegisterCache::Snapshot unstored,
                             const Step* before) {
    const Label done = assembler.newLabel();
    masks.forgetLanes();
    assembler.forgetTemporaries();
    assembler.bind(done);
    cache.settle();
    if (refused_) {
        seldom([this, refused, otherwise = *refused_] {
            assembler.bind(refused);
            assembler.jmp(otherwise);
        });
        return;
    }
    const bool home = unstored.empty() && m.line < code.lines();
    if (home) isa::addWritten(calledWrite, code.instructions[m.line]);
    seldom(
        [this, &m, before, refused, done, home, unstored = std::move(unstored), held = cache.snapshot(), body = body] {
            assembler.bind(refused);
            cache.storeDeferred(unstored);
            if (!home) stray();
            if (before != nullptr) callHandler(*before, body);
            callHandler(m, body);
            isa::StateSlots changed;
            if (m.line < code.lines()) isa::addWritten(changed, code.instructions[m.line]);
            cache.reload(held, m.line < code.lines() ? unstored : RegisterCache::Snapshot{}, changed);
            assembler.jmp(done);
        });
}

void HostCode::otherwiseCall(const Label& seldomly, RegisterCache::Snapshot unstored, std::function<void()> call) {
    const Label done = assembler.newLabel();
    masks.forgetLanes();
    assembler.forgetTemporaries();
    assembler.bind(done);
    cache.settle();
    seldom([this, seldomly, done, call = std::move(call), unstored = std::move(unstored), held = cache.snapshot()] {
        assembler.bind(seldomly);
        cache.storeDeferred(unstored);
        if (!unstored.empty()) stray();
        call();
        cache.reload(held, unstored, {});
        assembler.jmp(done);
    });
}

Label HostCode::seldomLabel() {
    const Label label = assembler.newLabel();
    cache.forgetLane();
    assembler.beginsSeldom(label);
    return label;
}

void HostCode::emitSeldom() {
    for (std::size_t i = 0; i < seldom_.size(); ++i) seldom_[i]();
}

void HostCode::emitData() {
    cache.emitConstants();
    numbers.embed();
}

isa::StateSlots HostCode::written() const {
    isa::StateSlots slots = cache.stored();
    slots.add(calledWrite);
    return slots;
}

}  // namespace zetl::emulator::translate
