// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Additions by lanes to global memory, as locked instructions of the host, in the order of the lanes. All lanes are
// checked before the first one is done. The others are called, and so are all while several workers run: they take
// turns (isa/steps/turn.h).
#include "emulator/translate/messages/atomic.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::AtomicAccess;
using isa::AtomicOperation;
using isa::Thread;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kChunkLanes = 16;
// In the working space: addresses of the host, and the former values.
constexpr std::uint32_t kCells = layout::kLanes;
constexpr std::uint32_t kBefore = layout::kResult;

bool takesOperand(AtomicOperation o) { return o == AtomicOperation::add || o == AtomicOperation::subtract; }
bool subtracts(AtomicOperation o) { return o == AtomicOperation::decrement || o == AtomicOperation::subtract; }

bool isAddition(AtomicOperation o) {
    return takesOperand(o) || o == AtomicOperation::increment || o == AtomicOperation::decrement;
}

bool isKnown(const AtomicAccess& access, const Meaning& what) {
    const bool adds = access.space == isa::MemorySpace::global && isAddition(access.operation);
    const bool fits = what.atomicForm().addressBytes == 8 && what.atomicForm().elementBytes >= 4;
    const bool slots = access.addresses % RegisterCache::kSlotBytes == 0 &&
                       (!access.wanted || access.result % RegisterCache::kSlotBytes == 0);
    return adds && fits && slots;
}

}  // namespace

bool Atomics::access(const Step& m, const Meaning& what) {
    const auto access = AtomicAccess::of(m);
    const std::uint32_t bytes = what.atomicForm().elementBytes;
    if (!isKnown(access, what)) return false;
    constexpr std::uint32_t kConstants = 2;
    const std::uint32_t perChunk = bytes / 4 + 2;
    if (takesOperand(access.operation)) cache_.store(access.operands, m.chunks * kChunkLanes * bytes);
    if (access.wanted) cache_.store(access.result, m.chunks * kChunkLanes * bytes);
    cache_.evict(kCells, m.chunks * kChunkLanes * sizeof(std::uint64_t));
    cache_.evict(kBefore, m.chunks * kChunkLanes * bytes);
    masks_.setLanes(m.mask);
    auto unstored = cache_.defer(m.chunks * perChunk + kConstants);
    const Label refused = host_.seldomLabel();
    const Label done = a_.newLabel();
    const bool pends = bytes == 4 && !access.wanted && isRepeated(m);
    if (!pends) {
        a_.cmp(field(offsetof(Thread, alone), 1), 0);
        a_.je(refused);
        host_.additions.unlessPending(refused);
    }
    Lanes16 l{.access = {.addresses = access.addresses, .registers = 0, .components = 1, .componentBytes = 0},
              .area = access_.areaOf(access.space, true, m),
              .refused = refused,
              .space = access.space,
              .bytes = bytes,
              .whole = false};
    for (l.chunk = 0; l.chunk < m.chunks; ++l.chunk) {
        findCells(l);
        a_.forgetTemporaries();
    }
    a_.kmovd(ecx, k1);
    a_.popcnt(eax, ecx);
    a_.shl(eax, bytes == 8 ? 3 : 2);
    a_.add(field(offsetof(Thread, traffic) + offsetof(isa::Traffic, globalRead), 8), rax);
    a_.add(field(offsetof(Thread, traffic) + offsetof(isa::Traffic, globalWritten), 8), rax);
    a_.test(ecx, ecx);
    a_.jz(done);
    if (pends) addLater(access, done);
    if (!access.wanted) {
        const Label apart = a_.newLabel();
        addTogether(m, bytes, apart, done);
        a_.bind(apart);
    }
    addByLanes(access, bytes);
    a_.bind(done);
    if (access.wanted) takeResults(m, bytes);
    host_.otherwiseStep(m, refused, std::move(unstored));
    return true;
}

/// Leaves the lanes in ecx to the pending additions, if the thread has any.
void Atomics::addLater(const AtomicAccess& access, const Label& done) {
    const Label atOnce = a_.newLabel();
    host_.additions.expect();
    a_.mov(rsi, field(offsetof(Thread, additions), 8));
    a_.test(rsi, rsi);
    a_.jz(atOnce);
    addPending(access, done);
    a_.bind(atOnce);
}

/// Where the elements of sixteen lanes are, to the working space.
void Atomics::findCells(const Lanes16& l) {
    access_.loadAddresses(l);
    a_.mov(eax, l.bytes - 1);
    a_.vpbroadcastq(zmm0, rax);
    a_.vptestmq(k3, zmm1, zmm0);
    a_.vptestmq(k4, zmm2, zmm0);
    a_.kunpckbw(k3, k4, k3);
    a_.kshiftrd(k5, k1, l.chunk * kChunkLanes);
    a_.ktestw(k3, k5);
    a_.jnz(l.refused);
    access_.findLanes(l);
    a_.vpbroadcastq(zmm0, rcx);
    a_.vpaddq(zmm1, zmm1, zmm0);
    a_.vpaddq(zmm2, zmm2, zmm0);
    const std::uint32_t place = kCells + l.chunk * 2 * RegisterCache::kSlotBytes;
    a_.vmovdqa64(state(place, 64), zmm1);
    a_.vmovdqa64(state(place + RegisterCache::kSlotBytes, 64), zmm2);
}

/// Adds each of the lanes in ecx, of which there is at least one.
void Atomics::addByLanes(const AtomicAccess& access, std::uint32_t bytes) {
    const auto of = [&](std::uint32_t place) {
        return ptr(rbx, rdx, bytes == 8 ? 3 : 2, static_cast<std::int32_t>(place), bytes);
    };
    const Gp value = bytes == 8 ? Gp(rax) : Gp(eax);
    const bool takes = takesOperand(access.operation);
    const std::int32_t one = subtracts(access.operation) ? -1 : 1;
    const Label next = a_.newLabel();
    a_.bind(next);
    a_.tzcnt(edx, ecx);
    a_.mov(r8, ptr(rbx, rdx, 3, static_cast<std::int32_t>(kCells), 8));
    const Mem cell = ptr(r8, 0, bytes);
    if (takes) {
        a_.mov(value, of(access.operands));
        if (subtracts(access.operation)) a_.neg(value);
    } else if (access.wanted) {
        a_.mov(value, one);
    }
    if (access.wanted) {
        a_.lock().xadd(cell, value);
        a_.mov(of(kBefore), value);
    } else {
        takes ? a_.lock().add(cell, value) : a_.lock().add(cell, one);
    }
    a_.blsr(ecx, ecx);
    a_.jnz(next);
}

/// Whether the code jumps back over the step.
bool Atomics::isRepeated(const Step& m) const {
    for (isa::Line line = m.line; line < code_.lines(); ++line) {
        const isa::Instruction& in = code_.instructions[line];
        if (in.message.endOfThread) return false;
        const isa::OpcodeInfo* info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
        if (info == nullptr || info->format != isa::Format::branch || in.targetInRegister) continue;
        const isa::Line back = code_.find(in.ip + static_cast<std::uint32_t>(in.jip));
        if (in.jip < 0 && back != isa::kNoLine && back <= m.line) return true;
    }
    return false;
}

/// Adds each of the lanes in ecx to the pending additions at rsi.
void Atomics::addPending(const AtomicAccess& access, const Label& done) {
    using Pending = isa::PendingAdditions;
    using Entry = Pending::Entry;
    static_assert(sizeof(Entry) == 16);
    const auto entry = [](std::size_t at) {
        return ptr(rsi, rdi, 0, static_cast<std::int32_t>(offsetof(Pending, entries) + at), 8);
    };
    const std::int32_t one = subtracts(access.operation) ? -1 : 1;
    const Label next = a_.newLabel();
    const Label fresh = a_.newLabel();
    const Label added = a_.newLabel();
    a_.mov(ptr(rsi, offsetof(Pending, pending), 4), 1);
    a_.bind(next);
    a_.tzcnt(edx, ecx);
    a_.mov(r8, ptr(rbx, rdx, 3, static_cast<std::int32_t>(kCells), 8));
    a_.lea(edi, ptr(r8, r8, 1));
    a_.add(edi, edi);
    a_.and_(edi, (Pending::kEntries - 1) * 16);
    if (takesOperand(access.operation)) {
        a_.mov(eax, ptr(rbx, rdx, 2, static_cast<std::int32_t>(access.operands), 4));
        if (subtracts(access.operation)) a_.neg(eax);
    }
    a_.cmp(entry(offsetof(Entry, element)), r8);
    a_.jne(fresh);
    takesOperand(access.operation) ? a_.add(entry(offsetof(Entry, sum)), rax)
                                   : a_.add(entry(offsetof(Entry, sum)), one);
    a_.bind(added);
    a_.blsr(ecx, ecx);
    a_.jnz(next);
    a_.jmp(done);
    host_.seldom([this, access, entry, one, fresh, added] {
        const Label empty = a_.newLabel();
        a_.bind(fresh);
        if (!takesOperand(access.operation)) a_.mov(eax, one);
        a_.mov(r9, entry(offsetof(Entry, element)));
        a_.test(r9, r9);
        a_.jz(empty);
        a_.mov(r10, entry(offsetof(Entry, sum)));
        a_.lock().add(ptr(r9, 0, 4), r10d);
        a_.bind(empty);
        a_.mov(entry(offsetof(Entry, element)), r8);
        a_.mov(entry(offsetof(Entry, sum)), rax);
        a_.mov(r9d, edi);
        a_.shr(r9d, 4);
        a_.bts(ptr(rsi, offsetof(Pending, used), 8), r9);
        a_.jmp(added);
    });
}

/// Adds all of them at once, if they meet in one element and the values in between are not needed.
void Atomics::addTogether(const Step& m, std::uint32_t bytes, const Label& otherwise, const Label& done) {
    const auto access = AtomicAccess::of(m);
    const Label mayMeet = a_.newLabel();
    a_.tzcnt(edx, ecx);
    a_.mov(r8, ptr(rbx, rdx, 3, static_cast<std::int32_t>(kCells), 8));
    a_.bsr(edx, ecx);
    a_.cmp(r8, ptr(rbx, rdx, 3, static_cast<std::int32_t>(kCells), 8));
    a_.je(mayMeet);
    host_.seldom([this, access, bytes, mayMeet, otherwise, done] {
        const Gp value = bytes == 8 ? Gp(r9) : Gp(r9d);
        a_.bind(mayMeet);
        a_.mov(eax, ecx);
        const Label compare = a_.newLabel();
        a_.bind(compare);
        a_.tzcnt(edx, eax);
        a_.cmp(r8, ptr(rbx, rdx, 3, static_cast<std::int32_t>(kCells), 8));
        a_.jne(otherwise);
        a_.blsr(eax, eax);
        a_.jnz(compare);
        if (takesOperand(access.operation)) {
            const Label next = a_.newLabel();
            a_.xor_(r9d, r9d);
            a_.bind(next);
            a_.tzcnt(edx, ecx);
            a_.add(value, ptr(rbx, rdx, bytes == 8 ? 3 : 2, static_cast<std::int32_t>(access.operands), bytes));
            a_.blsr(ecx, ecx);
            a_.jnz(next);
        } else {
            a_.popcnt(r9d, ecx);
        }
        if (subtracts(access.operation)) a_.neg(value);
        a_.lock().add(ptr(r8, 0, bytes), value);
        a_.jmp(done);
    });
}

/// What was there before, to the lanes that are on.
void Atomics::takeResults(const Step& m, std::uint32_t bytes) {
    const auto access = AtomicAccess::of(m);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / bytes;
    for (std::uint32_t v = 0; v < m.chunks * kChunkLanes / perVector; ++v) {
        cache_.release();
        const Zmm held = cache_.update(access.result + v * RegisterCache::kSlotBytes);
        const Mem before = state(kBefore + v * RegisterCache::kSlotBytes, 64);
        a_.k(masks_.lanesOf(v, perVector));
        bytes == 8 ? a_.vmovdqu64(held, before) : a_.vmovdqu32(held, before);
    }
}

}  // namespace zetl::emulator::translate
