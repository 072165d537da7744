// Threads of a group, one after the other, in one state: what a GroupPlan says. Nothing is stored that no later line of
// the same thread loads, nothing is counted but at the end.
#include "emulator/isa/decode/lsc_descriptor.h"
#include "emulator/isa/flow.h"
#include "emulator/translate/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneAccess;
using isa::Thread;
namespace layout = isa::layout;

namespace {

// On the stack: arguments of the function.
constexpr std::int32_t kStackBytes = 16;
const Mem kEnd = ptr(rsp, 0, 4);
const Mem kIndexBits = ptr(rsp, 4, 4);
const Mem kFirst = ptr(rsp, 8, 4);

}  // namespace

bool Emitter::emitGroup(const GroupPlan& plan, std::uint8_t body) {
    constexpr std::uint32_t kAll = 32;
    constexpr std::uint32_t kThreadIndex = layout::kGrf + 8;  // r0.2
    body_ = body;
    group_ = &plan;
    cache_.limit(kAll);
    groupEntry_ = a_.newLabel();
    groupExit_ = a_.newLabel();
    a_.bind(groupEntry_);
    enterFunction();
    a_.sub(rsp, kStackBytes);
    a_.mov(kEnd, edx);
    a_.mov(kIndexBits, ecx);
    a_.mov(kFirst, esi);
    a_.mov(r12d, esi);
    for (const auto& line : plan.once)
        if (!emitPlanned(line)) return false;
    leaveBlock();
    const Label thread = a_.newLabel();
    a_.align(asmjit::AlignMode::kCode, 64);
    a_.bind(thread);
    a_.mov(eax, kIndexBits);
    a_.or_(eax, r12d);
    a_.mov(state(kThreadIndex, 4), eax);
    for (const auto& line : plan.always) {
        if (!emitPlanned(line)) return false;
        cache_.keepOnly(line.read);
    }
    cache_.forgetAll();
    a_.inc(r12d);
    a_.cmp(r12d, kEnd);
    a_.jb(thread);
    a_.bind(groupExit_);
    countThreads();
    a_.mov(eax, r12d);
    a_.add(rsp, kStackBytes);
    leaveFunction();
    for (std::size_t i = 0; i < seldom_.size(); ++i) seldom_[i]();
    cache_.emitConstants();
    return true;
}

bool Emitter::emitPlanned(const GroupPlan::Line& line) {
    for (std::size_t i = 0; i < line.steps.size(); ++i) {
        cache_.release();
        const Meaning* const what = line.meanings[i];
        const bool known = what != nullptr                         ? emitKnown(line.steps[i], *what)
                           : line.handlers[i] == isa::applyControl ? applyControl(line.steps[i])
                                                                   : true;
        if (!known) return false;
    }
    cache_.forgetWorkingSpace();
    return true;
}

/// The threads that are done, all at once: their lines, and the bytes that they moved.
void Emitter::countThreads() {
    const Label uncounted = a_.newLabel();
    const auto cell = [](isa::Line line) { return static_cast<std::int32_t>(line * sizeof(std::int64_t)); };
    a_.mov(ecx, r12d);
    a_.sub(ecx, kFirst);
    a_.mov(rdx, field(offsetof(Thread, runs), 8));
    a_.test(rdx, rdx);
    a_.jz(uncounted);
    a_.sub(ptr(rdx, cell(group_->end + 1), 8), rcx);
    a_.add(ptr(rdx, cell(group_->entry), 8), rcx);
    a_.bind(uncounted);
    for (const auto& [at, bytes] : groupTraffic_) {
        a_.imul(rax, rcx, bytes);
        a_.add(field(at, 8), rax);
    }
}

/// A load or store of lanes that run on, all of them: one check and whole vectors. Others leave the group's code.
bool Emitter::runAccess(const Step& m, const Meaning& what) {
    const auto access = LaneAccess::of(m);
    const std::uint32_t bytes = what.form.data == isa::lsc::kD64 ? 8 : 4;
    const Label refused = a_.newLabel();
    const std::uint32_t total = m.chunks * 16u * bytes;
    unlessRunning(m, bytes, refused);
    findRun(areaOf(what.form.space, what.form.write, m), total, refused);
    for (std::uint32_t at = 0; at < total; at += RegisterCache::kSlotBytes) {
        cache_.release();
        const Mem memory = ptr(rcx, static_cast<std::int32_t>(at), 64);
        const std::uint32_t place = access.registers + at;
        what.form.write ? a_.vmovdqu32(memory, cache_.read(place)) : a_.vmovdqu32(cache_.replace(place), memory);
    }
    groupTraffic_[*trafficOf(what.form.space, what.form.write).cell] += static_cast<std::int32_t>(total);
    seldom([this, refused] {
        a_.bind(refused);
        a_.jmp(groupExit_);
    });
    return true;
}

/// Whether the addresses of all lanes run on from the first one's, which is in rax then.
void Emitter::unlessRunning(const Step& m, std::uint32_t bytes, const Label& otherwise) {
    constexpr std::uint32_t kPerVector = 8;
    constexpr std::uint8_t kOrDiffers = 0xf6;  // a | (b ^ c)
    const std::uint32_t addresses = LaneAccess::of(m).addresses;
    for (std::uint32_t v = 0; v < m.chunks * 2u; ++v) {
        cache_.release();
        const Zmm here = cache_.read(addresses + v * RegisterCache::kSlotBytes);
        const Zmm distance = distances(bytes, v % 2);
        if (v == 0) a_.vmovq(rax, here.xmm());
        if (v == 0) a_.vpbroadcastq(zmm0, rax);
        if (v == 2) {
            a_.lea(rdx, ptr(rax, static_cast<std::int32_t>(2 * kPerVector * bytes)));
            a_.vpbroadcastq(zmm0, rdx);
        }
        a_.vpsubq(zmm2, here, distance);
        v == 0 ? a_.vpxorq(zmm1, zmm2, zmm0) : a_.vpternlogq(zmm1, zmm2, zmm0, kOrDiffers);
    }
    a_.vptestmq(k3, zmm1, zmm1);
    a_.kortestb(k3, k3);
    a_.jnz(otherwise);
}

}  // namespace zetl::emulator::translate
