// Threads of a group, one after the other, in one state, by a GroupPlan. Only values that later lines of the same
// thread load are stored, and counting happens only at the end.
#include <algorithm>
#include <array>
#include <vector>

#include "emulator/isa/flow.h"
#include "emulator/translate/held/emitter.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneAccess;
using isa::Thread;
namespace layout = isa::layout;

namespace {

// On the stack: what the function was given, then limits of addresses.
const Mem kWork = ptr(rsp, 0, 8);
const Mem kThreads = ptr(rsp, 8, 4);
const Mem kIndexBits = ptr(rsp, 12, 4);
const Mem kGroups = ptr(rsp, 16, 4);  // that are left
const Mem kDone = ptr(rsp, 20, 4);    // threads, in groups before
constexpr std::int32_t kLimits = 24;

Mem fieldOfWork(std::size_t at) { return ptr(rsi, static_cast<std::int32_t>(at), 4); }

/// The bytes that a message moves for a lane, and in a thread.
std::uint32_t laneBytesOf(const isa::Step& m, const Meaning& what) {
    return LaneAccess::of(m).components * elementBytes(what.form);
}
std::uint32_t bytesOf(const isa::Step& m, const Meaning& what) { return m.chunks * 16u * laneBytesOf(m, what); }

/// Not elements of less than a dword, for which the host has no instruction, and not structures that are stored, which
/// might overlap.
bool mayLieApart(const isa::Step& m, const Meaning& what) {
    return elementBytes(what.form) >= 4 && (!what.form.write || LaneAccess::of(m).components == 1);
}

bool loadsOwnPayload(const GroupPlan& plan) {
    return std::ranges::any_of(plan.always, [](const GroupPlan::Line& line) {
        return std::ranges::any_of(
            line.meanings, [](const Meaning* what) { return what != nullptr && what->family == Family::block; });
    });
}

}  // namespace

Mem Emitter::groupEnd() { return kThreads; }
Mem Emitter::groupIndexBits() { return kIndexBits; }

bool Emitter::emitGroup(const GroupPlan& plan, std::uint8_t body) {
    constexpr std::uint32_t kThreadIndex = layout::kGrf + 8;  // r0.2
    body_ = body;
    group_ = &plan;
    groupEntry_ = a_.newLabel();
    groupDone_ = a_.newLabel();
    groupExit_ = a_.newLabel();
    a_.beginsBlock(groupDone_);
    a_.beginsBlock(groupExit_);
    a_.bind(groupEntry_);
    enterFunction();
    findLimits(plan);
    const auto stackBytes = (kLimits + 8 * static_cast<std::int32_t>(groupLimits_.size()) + 15) / 16 * 16;
    a_.sub(rsp, stackBytes);
    takeWork();
    storeLimits();
    groupRefused_ = groupExit_;
    const Label group = a_.newLabel();
    a_.beginsBlock(group);
    a_.bind(group);
    for (const auto& line : plan.once)
        if (!emitPlanned(line)) return false;
    leaveBlock();
    const Label thread = a_.newLabel();
    a_.beginsBlock(thread);
    const Label linear = a_.newLabel();
    const bool tries = loadsOwnPayload(plan);
    if (tries) a_.jmp(linear);
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
    a_.cmp(r12d, kThreads);
    a_.jb(thread);
    a_.bind(groupDone_);
    goToNextGroup(group);
    a_.bind(groupExit_);
    countThreads();
    a_.add(rsp, stackBytes);
    leaveFunction();
    a_.stackHas(stackBytes);
    if (tries) {
        const std::uint64_t begin = a_.offset();
        holdsNumbers_ = true;
        groupLinear_ = emitLinear(plan, thread);
        holdsNumbers_ = false;
        a_.code()->bindLabel(linear, a_.currentSection()->id(), groupLinear_ ? begin : a_.code()->labelOffset(thread));
    }
    for (std::size_t i = 0; i < seldom_.size(); ++i) seldom_[i]();
    cache_.emitConstants();
    embedNumbers();
    return true;
}

bool Emitter::emitPlanned(const GroupPlan::Line& line) {
    for (std::size_t i = 0; i < line.steps.size(); ++i) {
        const Meaning* const what = line.meanings[i];
        beginPlanned(line, i);
        const bool known = what != nullptr                         ? emitKnown(line.steps[i], *what)
                           : line.handlers[i] == isa::applyControl ? applyControl(line.steps[i])
                                                                   : true;
        if (!known) return false;
        a_.forgetTemporaries();
    }
    endPlanned();
    return true;
}
void Emitter::beginPlanned(const GroupPlan::Line& line, std::size_t step) {
    cache_.release();
    gapsAreFree_ = !line.gapsAreFree.empty() && line.gapsAreFree[step];
    rest_ = std::span(line.steps).subspan(step);
    planned_ = std::span(line.meanings).subspan(step);
    leads_ = !line.leads.empty() && line.leads[step];
    guard_ = line.guards.empty() ? Guard::none : line.guards[step];
    picked_ = line.picked[step];
}
void Emitter::endPlanned() {
    cache_.forgetWorkingSpace();
    shared_.clear();
    rest_ = {};
    planned_ = {};
    guard_ = Guard::none;
    picked_.reset();
}

void Emitter::takeWork() {
    a_.mov(kWork, rsi);
    a_.mov(eax, fieldOfWork(offsetof(GroupWork, threads)));
    a_.mov(ecx, eax);
    a_.sub(ecx, fieldOfWork(offsetof(GroupWork, partial)));
    a_.mov(kThreads, ecx);
    a_.shl(eax, 24);
    a_.mov(kIndexBits, eax);
    a_.mov(eax, fieldOfWork(offsetof(GroupWork, groups)));
    a_.mov(kGroups, eax);
    a_.mov(r12d, fieldOfWork(offsetof(GroupWork, first)));
    a_.xor_(eax, eax);
    a_.sub(eax, r12d);
    a_.mov(kDone, eax);
}

/// A group is done to its end. If it was not the last, its number in r0.1 becomes that of the next.
void Emitter::goToNextGroup(const Label& next) {
    constexpr std::uint32_t kGroup = layout::kGrf + 4;  // r0.1
    a_.add(kDone, r12d);
    a_.xor_(r12d, r12d);
    a_.dec(kGroups);
    a_.jz(groupExit_);
    a_.inc(state(kGroup, 4));
    a_.jmp(next);
}

/// The threads that are done, all at once: their lines, and the bytes that they moved. The next one is in r12d.
void Emitter::countThreads() {
    const Label uncounted = a_.newLabel();
    const auto cell = [](isa::Line line) { return static_cast<std::int32_t>(line * sizeof(std::int64_t)); };
    a_.mov(rsi, kWork);
    a_.mov(fieldOfWork(offsetof(GroupWork, first)), r12d);
    a_.mov(ecx, kGroups);
    a_.mov(fieldOfWork(offsetof(GroupWork, groups)), ecx);
    a_.mov(ecx, r12d);
    a_.add(ecx, kDone);
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

/// A load or store of all lanes: one check and whole vectors if they run on, else one check of all and a gather or
/// scatter. What neither can do leaves the loop.
bool Emitter::runAccess(const Step& m, const Meaning& what) {
    const auto access = LaneAccess::of(m);
    const std::uint32_t laneBytes = laneBytesOf(m, what);
    const bool anyhow = mayLieApart(m, what);
    const Label apart = anyhow ? a_.newLabel() : groupRefused_;
    const Label done = a_.newLabel();
    // The same registers whichever way is taken. Behind the branch a constant would be taken for loaded on all ways.
    GroupLanes lanes{{distances(laneBytes, 0), distances(laneBytes, 1)}, {}, {}};
    for (std::uint32_t v = 0; v < m.chunks * 2u; ++v)
        lanes.addresses.push_back(cache_.read(access.addresses + v * RegisterCache::kSlotBytes));
    lanes.data = dataOfRun(m, what);
    unlessRunning(lanes, laneBytes, apart);
    a_.mov(rcx, rax);
    findInLimit(m, what, groupRefused_);
    expectRun(bytesOf(m, what));
    moveRun(m, what, lanes.data);
    a_.bind(done);
    groupTraffic_[*trafficOf(what.form.space, what.form.write).cell] += static_cast<std::int32_t>(bytesOf(m, what));
    if (!anyhow) return true;
    seldom([this, &m, &what, apart, done, lanes, otherwise = groupRefused_] {
        a_.bind(apart);
        moveApart(m, what, lanes, done, otherwise);
        a_.jmp(done);
    });
    return true;
}

/// Registers that a message moves, by sixteen lanes and component.
std::vector<Emitter::Zmm> Emitter::dataOfRun(const Step& m, const Meaning& what) {
    Lanes16 l = lanesOf(m, what);
    std::vector<Zmm> data;
    for (; l.chunk < m.chunks; ++l.chunk)
        for (std::uint32_t k = 0; k < l.access.components; ++k)
            for (std::uint32_t part = 0; part < (l.bytes == 8 ? 2u : 1u); ++part)
                data.push_back(what.form.write ? dataOf(l, k, part) : resultOf(l, k, part));
    return data;
}
Emitter::Lanes16 Emitter::lanesOf(const Step& m, const Meaning& what) const {
    return {.access = LaneAccess::of(m),
            .area = areaOf(what.form.space, what.form.write, m),
            .refused = groupRefused_,
            .space = what.form.space,
            .bytes = elementBytes(what.form),
            .whole = true};
}

/// Lanes that do not all run on.
void Emitter::moveApart(const Step& m, const Meaning& what, const GroupLanes& lanes, const Label& done,
                        const Label& refused) {
    constexpr std::uint8_t kGreater = 6;
    const std::uint32_t components = LaneAccess::of(m).components;
    const Area area = areaOf(what.form.space, what.form.write, m);
    const std::array offsets{zmm1, zmm2, zmm3, zmm4};
    a_.vpbroadcastq(zmm0, *area.begin);
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        a_.vpsubq(offsets[v], lanes.addresses[v], zmm0);
        if (v != 0) a_.vpmaxuq(zmm5, v == 1 ? offsets[0] : zmm5, offsets[v]);
    }
    a_.mov(r11, limitOf(m, what));
    a_.add(r11, static_cast<std::int32_t>(bytesOf(m, what) - laneBytesOf(m, what)));
    a_.vpbroadcastq(zmm0, r11);
    a_.vpcmpuq(k3, zmm5, zmm0, kGreater);
    a_.kortestb(k3, k3);
    a_.jnz(refused);
    a_.mov(rcx, area.host);
    if (components == 1) moveEights(what, lanes, done);
    for (std::uint32_t k = 0; k < components; ++k) moveLanes(what, lanes, k, components);
}

/// Moves one component of each lane, at the offsets in zmm1 to zmm4. Lanes that share memory are written in their
/// order, as by the step.
void Emitter::moveLanes(const Meaning& what, const GroupLanes& lanes, std::uint32_t component,
                        std::uint32_t components) {
    const std::array offsets{zmm1, zmm2, zmm3, zmm4};
    const bool wide = elementBytes(what.form) == 8;
    a_.kxnorb(k5, k5, k5);
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        const Mem memory = ptr(rcx, offsets[v], 0, static_cast<std::int32_t>(component * (wide ? 8 : 4)));
        const std::size_t vectors = wide ? 2 : 1;  // of sixteen lanes
        const Zmm& all = lanes.data[(v / 2 * components + component) * vectors + (wide ? v % 2 : 0)];
        const bool high = !wide && v % 2 != 0;
        a_.kmovb(k3, k5);
        if (what.form.write) {
            if (high) a_.vextracti64x4(ymm5, all, 1);
            wide ? a_.k(k3).vpscatterqq(memory, all) : a_.k(k3).vpscatterqd(memory, high ? ymm5 : all.ymm());
        } else if (wide) {
            a_.vpxorq(all, all, all);
            a_.k(k3).vpgatherqq(all, memory);
        } else {
            const Zmm part = high ? zmm5 : zmm0;
            a_.vpxorq(part, part, part);
            a_.k(k3).vpgatherqd(part.ymm(), memory);
            if (high) a_.vinserti64x4(all, zmm0, ymm5, 1);
        }
    }
}

/// For eight lanes whose addresses follow the first one's, as in groups with rows of eight or sixteen. The offsets are
/// in zmm1 to zmm4.
void Emitter::moveEights(const Meaning& what, const GroupLanes& lanes, const Label& done) {
    constexpr std::uint8_t kOrDiffers = 0xf6;  // a | (b ^ c)
    const std::array offsets{zmm1, zmm2, zmm3, zmm4};
    const bool wide = elementBytes(what.form) == 8;
    const Label scattered = a_.newLabel();
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        a_.vpbroadcastq(zmm0, offsets[v].xmm());
        a_.vpaddq(zmm0, zmm0, lanes.distance[0]);
        v == 0 ? a_.vpxorq(zmm5, zmm0, offsets[v]) : a_.vpternlogq(zmm5, zmm0, offsets[v], kOrDiffers);
    }
    a_.vptestmq(k3, zmm5, zmm5);
    a_.kortestb(k3, k3);
    a_.jnz(scattered);
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        const Zmm& all = lanes.data[wide ? v : v / 2];
        a_.vmovq(rdx, offsets[v].xmm());
        const Mem memory = ptr(rcx, rdx);
        if (wide) {
            what.form.write ? a_.vmovdqu64(memory, all) : a_.vmovdqu64(all, memory);
        } else if (what.form.write) {
            if (v % 2 != 0) a_.vextracti64x4(ymm5, all, 1);
            a_.vmovdqu64(memory, v % 2 != 0 ? ymm5 : all.ymm());
        } else {
            a_.vmovdqu64(v % 2 != 0 ? ymm5 : ymm0, memory);
            if (v % 2 != 0) a_.vinserti64x4(all, zmm0, ymm5, 1);
        }
    }
    a_.jmp(done);
    a_.bind(scattered);
}

/// The address in rcx becomes a host address, if all bytes that a thread moves are in the allocation.
void Emitter::findInLimit(const Step& m, const Meaning& what, const Label& refused) {
    const Area area = areaOf(what.form.space, what.form.write, m);
    a_.sub(rcx, *area.begin);
    a_.cmp(rcx, limitOf(m, what));
    a_.ja(refused);
    a_.add(rcx, area.host);
}
/// Of a load whose data will be addresses, at rcx: it is expected to go on where the one of the thread before ended. If
/// it does, the host has the data as soon as it has guessed so, long before it has worked out where they are.
void Emitter::expectRun(std::uint32_t bytes) {
    if (!leads_ || expected_ == Thread::kExpected) return;
    const Mem expected = field(offsetof(Thread, expected) + sizeof(std::uint64_t) * expected_++, 8);
    const Label elsewhere = seldomLabel();
    const Label found = a_.newLabel();
    a_.mov(rdx, expected);
    a_.cmp(rdx, rcx);
    a_.jne(elsewhere);
    a_.bind(found);
    a_.mov(rcx, rdx);
    a_.add(rdx, bytes);
    a_.mov(expected, rdx);
    seldom([this, elsewhere, found] {
        a_.bind(elsewhere);
        a_.mov(rdx, rcx);
        a_.jmp(found);
    });
}
/// Moves lanes with successive addresses from rcx on.
void Emitter::moveRun(const Step& m, const Meaning& what, const std::vector<Zmm>& data) {
    const Lanes16 l = lanesOf(m, what);
    const bool write = what.form.write;
    if (l.access.components == 1 && l.bytes >= 4) {
        for (std::size_t v = 0; v < data.size(); ++v) {
            const Mem memory = ptr(rcx, static_cast<std::int32_t>(v * RegisterCache::kSlotBytes), 64);
            write ? a_.vmovdqu32(memory, data[v]) : a_.vmovdqu32(data[v], memory);
        }
        return;
    }
    const auto each = static_cast<std::ptrdiff_t>(data.size() / m.chunks);
    for (std::uint8_t chunk = 0; chunk < m.chunks; ++chunk) {
        const auto first = data.begin() + chunk * each;
        const std::vector<Zmm> part(first, first + each);
        if (chunk != 0) a_.add(rcx, static_cast<std::int32_t>(bytesOf(m, what) / m.chunks));
        if (l.access.components == 1)
            write ? storeRun(l, part) : loadRun(l, part);
        else
            write ? storeInterleaved(l, part) : loadInterleaved(l, part);
    }
}

/// The windows do not change while host code runs: how far into each an access may begin is worked out once.
void Emitter::findLimits(const GroupPlan& plan) {
    for (const auto& line : plan.always)
        for (std::size_t i = 0; i < line.steps.size(); ++i) {
            const Meaning* const what = line.meanings[i];
            if (what == nullptr || what->family != Family::laneAccess) continue;
            const Area area = areaOf(what->form.space, what->form.write, line.steps[i]);
            const auto next = static_cast<std::int32_t>(groupLimits_.size());
            groupLimits_.try_emplace({area.bytes.offsetLo32(), bytesOf(line.steps[i], *what)}, next);
        }
}
void Emitter::storeLimits() {
    for (const auto& [access, number] : groupLimits_) {
        const auto& [window, bytes] = access;
        a_.mov(rax, ptr(rbx, window, 8));
        a_.sub(rax, static_cast<std::int32_t>(bytes));
        a_.jb(groupExit_);
        a_.mov(ptr(rsp, kLimits + 8 * number, 8), rax);
    }
}
Mem Emitter::limitOf(const Step& m, const Meaning& what) const {
    const Area area = areaOf(what.form.space, what.form.write, m);
    const std::int32_t number = groupLimits_.at({area.bytes.offsetLo32(), bytesOf(m, what)});
    return ptr(rsp, kLimits + 8 * number, 8);
}

/// Whether the addresses of all lanes run on from the first one's, which is in rax then. Most that do not differ among
/// the first eight.
void Emitter::unlessRunning(const GroupLanes& lanes, std::uint32_t bytes, const Label& otherwise) {
    constexpr std::uint32_t kPerVector = 8;
    constexpr std::uint8_t kOrDiffers = 0xf6;  // a | (b ^ c)
    constexpr std::uint8_t kDiffers = 4;
    const auto& [distance, addresses, data] = lanes;
    a_.vpbroadcastq(zmm0, addresses[0].xmm());
    a_.vpsubq(zmm1, addresses[0], distance[0]);
    a_.vpcmpuq(k3, zmm1, zmm0, kDiffers);
    a_.kortestb(k3, k3);
    a_.jnz(otherwise);
    a_.vmovq(rax, addresses[0].xmm());
    for (std::uint32_t v = 1; v < addresses.size(); ++v) {
        if (v == 2) {
            a_.lea(rdx, ptr(rax, static_cast<std::int32_t>(2 * kPerVector * bytes)));
            a_.vpbroadcastq(zmm0, rdx);
        }
        a_.vpsubq(zmm2, addresses[v], distance[v % 2]);
        v == 1 ? a_.vpxorq(zmm1, zmm2, zmm0) : a_.vpternlogq(zmm1, zmm2, zmm0, kOrDiffers);
    }
    a_.vptestmq(k3, zmm1, zmm1);
    a_.kortestb(k3, k3);
    a_.jnz(otherwise);
}

}  // namespace zetl::emulator::translate
