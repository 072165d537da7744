// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Threads of a group, one after the other, in one state, by a GroupPlan. Only values that later lines of the same
// thread load are stored, and counting happens only at the end.
#include "emulator/translate/group/group.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "emulator/translate/group/group_work.h"
#include "emulator/translate/plan/memory_order.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;
namespace layout = isa::layout;

namespace {

// On the stack: what the function was given, then limits of addresses.
const Mem kWork = ptr(rsp, 0, 8);
const Mem kThreads = ptr(rsp, 8, 4);
const Mem kIndexBits = ptr(rsp, 12, 4);
const Mem kGroups = ptr(rsp, 16, 4);      // that are left
const Mem kDone = ptr(rsp, 20, 4);        // threads, in groups before
const Mem kForeseenAt = ptr(rsp, 24, 8);  // where the next thread's go
constexpr std::int32_t kLimits = 32;

constexpr std::uint32_t kIndexPlace = layout::kGrf + 8;  // r0.2

/// A message that is no access of lanes, and whose memory is not the launch's own.
bool loadsGlobalBlocks(std::span<const GroupPlan::Line> lines) {
    const auto isGlobal = [](const isa::Step& m, const Meaning* what) {
        return what != nullptr && what->family == Family::block &&
               isa::BlockAccess::of(m).space == isa::MemorySpace::global;
    };
    return std::ranges::any_of(lines, [&](const GroupPlan::Line& line) {
        for (std::size_t i = 0; i < line.steps.size(); ++i)
            if (isGlobal(line.steps[i], line.meanings[i])) return true;
        return false;
    });
}

Mem fieldOfWork(std::size_t at) { return ptr(rsi, static_cast<std::int32_t>(at), 4); }

bool loadsOwnPayload(const GroupPlan& plan) {
    return std::ranges::any_of(plan.always, [](const GroupPlan::Line& line) {
        return std::ranges::any_of(
            line.meanings, [](const Meaning* what) { return what != nullptr && what->family == Family::block; });
    });
}

}  // namespace

void GroupLoop::begin(std::uint8_t body) {
    host_.body = body;
    entry_ = a_.newLabel();
    done_ = a_.newLabel();
    exit_ = a_.newLabel();
    a_.beginsBlock(done_);
    a_.beginsBlock(exit_);
    a_.bind(entry_);
    host_.enterFunction();
}

bool GroupLoop::emitOnce(const GroupPlan& plan) {
    for (const auto& line : plan.once)
        if (!emitPlanned(line)) return false;
    host_.leaveBlock();
    return true;
}

bool GroupLoop::emitForesight(const GroupPlan& plan, std::uint8_t body, Foresees what) {
    if (!loadsOwnPayload(plan) || loadsGlobalBlocks(plan.once) || loadsGlobalBlocks(plan.always)) return false;
    foresight_.emplace(host_, what, kForeseenAt);
    begin(body);
    if (foresight_->loads()) messages_.findLimits(plan, kLimits);
    const auto stackBytes = (kLimits + messages_.limitBytes() + 15) / 16 * 16;
    a_.sub(rsp, stackBytes);
    takeWork();
    messages_.storeLimits(exit_);
    refuseTo(exit_);
    saveRegisters(plan);
    const Label group = a_.newLabel();
    a_.beginsBlock(group);
    a_.bind(group);
    if (!emitOnce(plan) || !emitLinear(plan, exit_, false)) return false;
    a_.bind(done_);
    goToNextGroup(group);
    a_.bind(exit_);
    tellWorkLeft();
    a_.add(rsp, stackBytes);
    host_.leaveFunction();
    a_.stackHas(stackBytes);
    host_.emitSeldom();
    host_.emitData();
    return !foreseen().empty();
}

bool GroupLoop::emit(const GroupPlan& plan, std::uint8_t body) {
    begin(body);
    messages_.findLimits(plan, kLimits);
    const auto stackBytes = (kLimits + messages_.limitBytes() + 15) / 16 * 16;
    a_.sub(rsp, stackBytes);
    takeWork();
    messages_.storeLimits(exit_);
    refuseTo(exit_);
    saveRegisters(plan);
    const Label group = a_.newLabel();
    a_.beginsBlock(group);
    a_.bind(group);
    if (!emitOnce(plan)) return false;
    const Label thread = a_.newLabel();
    a_.beginsBlock(thread);
    const Label linear = a_.newLabel();
    const bool tries = loadsOwnPayload(plan);
    if (tries) a_.jmp(linear);
    if (!emitAny(plan, thread)) return false;
    a_.bind(done_);
    goToNextGroup(group);
    a_.bind(exit_);
    countThreads(plan);
    a_.add(rsp, stackBytes);
    host_.leaveFunction();
    a_.stackHas(stackBytes);
    if (tries) {
        const auto begin = emitLinearBest(plan, thread);
        isLinear_ = begin.has_value();
        a_.code()->bindLabel(linear, a_.currentSection()->id(), begin.value_or(a_.code()->labelOffset(thread)));
    }
    host_.emitSeldom();
    host_.emitData();
    return true;
}

void GroupLoop::saveRegisters(const GroupPlan& plan) {
    constexpr std::uint32_t kAtOnce = 8;
    for (const GroupPlan::Saved& each : plan.saved) {
        for (std::uint32_t at = 0; at < layout::kRegisterBytes; at += kAtOnce)
            host_.moveBytes(kAtOnce, state(each.from + at, kAtOnce), state(each.to + at, kAtOnce));
        host_.calledWrite.add(each.to, layout::kRegisterBytes);
    }
}

/// The loop for all threads, which begins at that label.
bool GroupLoop::emitAny(const GroupPlan& plan, const Label& thread) {
    a_.align(asmjit::AlignMode::kCode, 64);
    a_.bind(thread);
    a_.mov(eax, kIndexBits);
    a_.or_(eax, r12d);
    a_.mov(state(kIndexPlace, 4), eax);
    for (const auto& line : plan.always) {
        if (!emitPlanned(line)) return false;
        cache_.keepOnly(line.read);
    }
    cache_.forgetAll();
    a_.inc(r12d);
    a_.cmp(r12d, kThreads);
    a_.jb(thread);
    return true;
}

/// From here on, threads that the code cannot execute go there.
void GroupLoop::refuseTo(const Label& elsewhere) {
    refused_ = elsewhere;
    host_.refuseTo(elsewhere);
}

bool GroupLoop::emitPlanned(const GroupPlan::Line& line) {
    for (std::size_t i = 0; i < line.steps.size(); ++i) {
        beginStep(line, i);
        const bool known = line.meanings[i] != nullptr                ? emitStep(PlannedStep::of(line, i))
                           : line.families[i] == Family::applyControl ? mode_.apply(line.steps[i], false)
                                                                      : true;
        if (!known) return false;
        a_.forgetTemporaries();
    }
    endLine();
    return true;
}

void GroupLoop::beginStep(const GroupPlan::Line& line, std::size_t step) {
    cache_.release();
    host_.line = {std::span(line.steps).subspan(step), std::span(line.meanings).subspan(step)};
}
void GroupLoop::endLine() {
    cache_.forgetWorkingSpace();
    values_.forgetShared();
    host_.line = {};
}

PlannedStep PlannedStep::of(const GroupPlan::Line& line, std::size_t step) {
    const bool gapsAreFree = !line.gapsAreFree.empty() && line.gapsAreFree[step];
    return {.m = line.steps[step],
            .what = *line.meanings[step],
            .gaps = gapsAreFree ? Gaps::free : Gaps::kept,
            .leads = !line.leads.empty() && line.leads[step],
            .guard = line.guards.empty() ? Guard::none : line.guards[step],
            .picked = line.picked[step]};
}

bool GroupLoop::emitStep(const PlannedStep& step) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    switch (what.family) {
        case Family::compare:
            return families_.comparisons.guard(m, what, step.guard, refused_);
        case Family::pick:
            return step.picked ? families_.arithmetic.pickOne(m, what, *step.picked)
                               : families_.arithmetic.pick(m, what);
        case Family::retire:
            return families_.stores.retire(m, what, step.gaps);
        case Family::laneAccess:
            return messages_.access(step, refused_);
        case Family::block:
            if (isa::BlockAccess::of(m).space != isa::MemorySpace::global) return families_.emit(m, what);
            messages_.loadBlock(m, refused_);
            return true;
        default:
            return families_.emit(m, what);
    }
}

/// Where it begins. If lanes of several elements do not all run on, they cannot stay in memory's order.
std::optional<std::uint64_t> GroupLoop::emitLinearBest(const GroupPlan& plan, const Label& otherwise) {
    for (const bool inMemoryOrder : {true, false}) {
        if (inMemoryOrder && !keepsMemoryOrder(plan)) continue;
        const std::uint64_t begin = a_.offset();
        if (emitLinear(plan, otherwise, inMemoryOrder)) return begin;
        endLine();
        cache_.forgetAll();
    }
    return {};
}

bool GroupLoop::emitLinear(const GroupPlan& plan, const Label& otherwise, bool inMemoryOrder) {
    const Values::Lease lease = values_.lendGenerals();
    HeldLanes& held = held_.emplace(host_, families_.access, LinearLanes(a_, rbx, plan.changed, otherwise));
    Foresight* const foresight = foresight_ ? &*foresight_ : nullptr;
    LinearSteps& linear =
        linear_.emplace(host_, held, families_.conversions, families_.access, messages_, otherwise, foresight);
    offsets_.emplace(host_, held, families_.access, messages_, otherwise);
    refuseTo(otherwise);
    const Label thread = a_.newLabel();
    messages_.beginLoop(inMemoryOrder);
    masks_.forgetLanes();
    a_.beginsBlock(thread);
    a_.align(asmjit::AlignMode::kCode, 64);
    a_.bind(thread);
    Gp index;
    const auto first = held.lanes.fresh(index, 32);
    a_.mov(index.r32(), r12d);
    a_.or_(index.r32(), kIndexBits);
    held.lanes.hold(elements(kIndexPlace, 4, 1, 1), *first);
    for (const auto& line : plan.always) {
        for (std::size_t i = 0; i < line.steps.size(); ++i) {
            beginStep(line, i);
            held.lanes.beginStep();
            if (line.meanings[i] != nullptr && !emitLinearStep(held, PlannedStep::of(line, i), line.read)) return false;
            held.lanes.alsoNeeded(held.offsets.numbers());
            a_.forgetTemporaries();
        }
        endLine();
        isa::StateSlots needed = line.read;
        held.offsets.keepOnly(needed);
        held.offsets.addDwords(needed);
        cache_.keepOnly(needed);
        held.lanes.keepOnly(needed);
    }
    cache_.forgetAll();
    if (foresight_) foresight_->goOn();
    a_.inc(r12d);
    a_.cmp(r12d, kThreads);
    a_.jb(thread);
    a_.jmp(done_);
    return foresight_ || linear.runs();
}

bool GroupLoop::emitLinearStep(HeldLanes& held, const PlannedStep& step, const isa::StateSlots& read) {
    if (linear_->emit(step, read)) return true;
    if (foresight_) return foreseeStep(held, step);
    return offsets_->emit(step) || emitOnVectors(held, step);
}

/// The result of a step that leads to no address is not known.
bool GroupLoop::foreseeStep(HeldLanes& held, const PlannedStep& step) {
    const Family family = step.what.family;
    const bool decides = family == Family::compare && step.guard != Guard::none;
    if (family == Family::block || decides) return false;
    if (family == Family::laneAccess && (!foresight_->loads() || !foreseeLanes(held, step))) return false;
    if (foresight_->loads() && step.leads) return emitOnVectors(held, step);
    const auto extents = extentsOf(step.m, step.what);
    return extents && (!extents->write || held.replace(*extents->write));
}

/// Of an access to addresses that are no single number.
bool GroupLoop::foreseeLanes(HeldLanes& held, const PlannedStep& step) {
    const auto access = isa::LaneAccess::of(step.m);
    const auto lanes = static_cast<std::uint32_t>(step.m.chunks * 16u);
    if (access.components != 1 || !held.spill(elements(access.addresses, 8, 1, lanes))) return false;
    const std::vector<Zmm> addresses = messages_.addressesOf(step.m);
    messages_.findAllInLimit(step.m, step.what, addresses, refused_);
    foresight_->noteLanes(step.m.line, lanes * elementBytes(step.what.laneForm()), addresses);
    return true;
}

/// As everywhere else, on vectors.
bool GroupLoop::emitOnVectors(HeldLanes& held, const PlannedStep& step) {
    const auto extents = extentsOf(step.m, step.what);
    if (!extents) return false;
    for (const Extent& read : extents->reads)
        if (!held.spill(read)) return false;
    return (!extents->write || held.replace(*extents->write)) && emitStep(step);
}

void GroupLoop::takeWork() {
    a_.mov(kWork, rsi);
    a_.mov(eax, fieldOfWork(offsetof(GroupWork, threads)));
    a_.mov(ecx, eax);
    a_.sub(ecx, fieldOfWork(offsetof(GroupWork, partial)));
    a_.mov(kThreads, ecx);
    a_.shl(eax, 24);
    a_.mov(kIndexBits, eax);
    a_.mov(eax, fieldOfWork(offsetof(GroupWork, groups)));
    a_.mov(kGroups, eax);
    if (foresight_) {
        a_.mov(rax, ptr(rsi, static_cast<std::int32_t>(offsetof(GroupWork, addresses)), 8));
        a_.mov(kForeseenAt, rax);
    }
    a_.mov(r12d, fieldOfWork(offsetof(GroupWork, first)));
    a_.xor_(eax, eax);
    a_.sub(eax, r12d);
    a_.mov(kDone, eax);
}

/// A group is done to its end. If it was not the last, its number in r0.1 becomes that of the next.
void GroupLoop::goToNextGroup(const Label& next) {
    constexpr std::uint32_t kGroup = layout::kGrf + 4;  // r0.1
    a_.add(kDone, r12d);
    a_.xor_(r12d, r12d);
    a_.dec(kGroups);
    a_.jz(exit_);
    a_.inc(state(kGroup, 4));
    a_.jmp(next);
}

/// The next thread is in r12d.
void GroupLoop::tellWorkLeft() {
    a_.mov(rsi, kWork);
    a_.mov(fieldOfWork(offsetof(GroupWork, first)), r12d);
    a_.mov(ecx, kGroups);
    a_.mov(fieldOfWork(offsetof(GroupWork, groups)), ecx);
}

/// The threads that are done, all at once: their lines, and the bytes that they moved.
void GroupLoop::countThreads(const GroupPlan& plan) {
    const Label uncounted = a_.newLabel();
    const auto cell = [](isa::Line line) { return static_cast<std::int32_t>(line * sizeof(std::int64_t)); };
    tellWorkLeft();
    a_.mov(ecx, r12d);
    a_.add(ecx, kDone);
    a_.mov(rdx, field(offsetof(Thread, runs), 8));
    a_.test(rdx, rdx);
    a_.jz(uncounted);
    a_.sub(ptr(rdx, cell(plan.end + 1), 8), rcx);
    a_.add(ptr(rdx, cell(plan.entry), 8), rcx);
    a_.bind(uncounted);
    for (const auto& [at, bytes] : messages_.traffic()) {
        a_.imul(rax, rcx, bytes);
        a_.add(field(at, 8), rax);
    }
}

}  // namespace zetl::emulator::translate
