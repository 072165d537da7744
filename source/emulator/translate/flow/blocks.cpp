#include <algorithm>

#include "emulator/isa/flow.h"
#include "emulator/translate/held/emitter.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Step;
using isa::Thread;

Emitter::Emitter(const isa::Program::Code& code, HostAssembler& to, Registers registers, std::uint8_t whole)
    : code_(code),
      a_(to),
      registers_(registers),
      cache_(to, rbx),
      whole_(whole),
      exit_(to.newLabel()),
      end_(to.newLabel()),
      parkingList_(to.newLabel()) {
    shares_.calling.resize(code.lines());
    a_.beginsBlock(exit_);
    a_.beginsBlock(end_);
}

void Emitter::startAt(Line line, bool setsMode) {
    first_ = {line, setsMode, {}};
    if (whole_ != 0) first_->beginnings.push_back({whole_, a_.newLabel(), a_.newLabel()});
    first_->beginnings.push_back({code_.bodyOf[static_cast<int>(isa::Version::masked)], a_.newLabel(), a_.newLabel()});
    for (const Beginning& beginning : first_->beginnings) a_.beginsBlock(beginning.goesOn);
}

Mem Emitter::state(std::uint32_t place, std::uint32_t bytes) const {
    static_assert(offsetof(Thread, state) == 0);
    return ptr(rbx, static_cast<std::int32_t>(place), bytes);
}
Mem Emitter::field(std::size_t offset, std::uint32_t bytes) const {
    return ptr(rbx, static_cast<std::int32_t>(offset), bytes);
}

const Step* Emitter::stepAt(std::uint8_t body, Line line) const {
    const auto& b = code_.body[body];
    return b.steps.data() + b.start[line];
}

asmjit::Label Emitter::labelOf(std::uint8_t body, Line line) {
    auto& label = labels_[{body, code_.body[body].start[line]}];
    if (label.isValid()) return label;
    label = a_.newLabel();
    a_.beginsBlock(label);
    return label;
}

namespace {

bool isAtomic(const isa::Instruction& in) {
    const bool sends = in.opcode == isa::Opcode::send || in.opcode == isa::Opcode::sendc;
    const auto shape = sends && !in.message.endOfThread ? isa::accessShapeOf(in) : std::nullopt;
    return shape && shape->atomic;
}

/// All lanes are on behind it, whichever were before.
bool branchesWithoutMask(const isa::Instruction& in) {
    const isa::OpcodeInfo* const info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format == isa::Format::branch && in.noMask && in.opcode != isa::Opcode::jmpi;
}

/// The line stops every thread, or counts as if it did.
bool waitsForBarrier(const isa::Program::Code::Body& body, isa::Line line) {
    const std::uint32_t end = body.start[line + 1];
    return body.start[line] != end && body.originals[end - 1] == isa::waitBarrier;
}

}  // namespace

void Emitter::emitBody(std::uint8_t body, const Survey& survey) {
    body_ = body;
    ended_ = true;
    for (const Line line : survey.lines) {
        if (line >= code_.lines()) continue;
        const isa::Instruction& in = code_.instructions[line];
        adds_ = adds_ || isAtomic(in);
        mayLeaveCallMask_ = mayLeaveCallMask_ || branchesWithoutMask(in);
    }
    Survey cut = survey;
    if (common_ && body == whole_) cut.leads[common_->from] = cut.leads[common_->to] = true;
    for (const Line line : survey.lines) emitLine(line, cut);
    if (!ended_) leaveAt(stepAt(body_, code_.lines()));
}

/// Whether threads reach the line only by branches that count, so that a run of straight-line code begins with it: the
/// line before counts on all of its ways, or does not go on. Lines without steps have no place of their own.
bool Emitter::isEnteredCounted(Line line) const {
    const auto& start = code_.body[body_].start;
    if (line >= code_.lines() || start[line] == start[line + 1]) return false;
    if (line == 0) return true;
    const isa::Instruction& before = code_.instructions[line - 1];
    if (before.opcode == isa::Opcode::jmpi) return before.predicate == isa::Predicate::none;
    const isa::OpcodeInfo* info = isa::findOpcode(static_cast<std::uint8_t>(before.opcode));
    const bool sends = before.opcode == isa::Opcode::send || before.opcode == isa::Opcode::sendc;
    if (mayGoOn(line - 1)) return false;
    if (waitsForBarrier(code_.body[body_], line - 1)) return true;
    return (info != nullptr && info->format == isa::Format::branch) || (sends && before.message.endOfThread);
}

void Emitter::emitLine(Line line, const Survey& survey) {
    const auto& b = code_.body[body_];
    const std::uint32_t first = b.start[line];
    const auto end = line < code_.lines() ? b.start[line + 1] : static_cast<std::uint32_t>(b.steps.size());
    lines_.push_back({a_.offset(), line});
    if (survey.leads[line]) {
        if (!ended_) leaveBlock();
        entered_ = isEnteredCounted(line) ? std::optional(line) : std::nullopt;
        const asmjit::Label label = labelOf(body_, line);
        if (!a_.code()->isLabelBound(label)) {
            a_.bind(label);
            if (line < code_.lines()) entries_.push_back({body_, first, label});
        }
        cache_.forgetAll();
        forgetLanes();
        forgetFlags();
        ended_ = false;
    }
    emitCommon(line);
    if (first != end && !ended_) tellOf(line);
    planProduct(line, survey);
    for (std::uint32_t i = first; i < end && !ended_; ++i) {
        cache_.release();
        const auto rest = std::span(b.steps).subspan(i, end - i);
        rest_ = rest;
        std::uint32_t fused = i == first ? emitSingles(rest) : 0;
        if (fused == 0) fused = emitOfProduct(rest);
        if (fused == 0) fused = emitFused(rest);
        shares_.native += fused;
        if (fused == 0) emitStep(b.steps[i]);
        noteWrittenFlags(rest.first(std::max(fused, 1u)));
        if (fused != 0) i += fused - 1;
        a_.forgetTemporaries();
        cache_.endStep();
        if (registers_ == Registers::home && !ended_) leaveBlock();
    }
    ++shares_.lines;
    cache_.forgetWorkingSpace();
    shared_.clear();
    rest_ = {};
    const bool next = line < code_.lines() && survey.reached[line + 1];
    if (!ended_ && !next) {
        leaveAt(b.steps.data() + end - (end == b.steps.size()));
        ended_ = true;
    }
}

/// Steps that wrote to where flags are as to any register: predicates look for them at home and in their mirrors.
void Emitter::noteWrittenFlags(std::span<const Step> steps) {
    constexpr std::uint32_t kEnd = isa::layout::kFlags + RegisterCache::kSlotBytes;
    const bool any = std::ranges::any_of(steps, [&](const Step& m) {
        const Meaning* const what = code_.body[body_].meaningOf(m);
        return what != nullptr && what->family < Family::laneAccess && m.dst >= isa::layout::kAddress && m.dst < kEnd;
    });
    if (!any || ended_) return;
    cache_.store(isa::layout::kFlags, RegisterCache::kSlotBytes);
    forgetLanes();
}

void Emitter::emitStep(const Step& m) {
    cache_.release();
    const Meaning* const what = code_.body[body_].meaningOf(m);
    if (what == nullptr || what->family >= Family::laneAccess) cache_.forgetSingles();
    if (what != nullptr ? emitKnown(m, *what) : flow(m)) {
        ++shares_.native;
        return;
    }
    ++shares_.called;
    if (m.line < code_.lines()) {
        ++shares_.calledBy[code_.instructions[m.line].opcode];
        shares_.calling[m.line] = true;
        isa::addWritten(calledWrite_, code_.instructions[m.line]);
    }
    callStep(m);
}

bool Emitter::emitKnown(const Step& m, const Meaning& what) {
    switch (what.family) {
        case Family::compute:
            return compute(m, what);
        case Family::convert:
            return convert(m, what);
        case Family::modify:
            return modify(m, what);
        case Family::clamp:
            return clamp(m, what);
        case Family::retire:
            return retire(m, what);
        case Family::compare:
            return compare(m, what);
        case Family::pick:
            return pick(m, what);
        case Family::spread:
            return spreadFlags(m);
        case Family::laneAccess:
            return laneAccess(m, what);
        case Family::block:
            return block(m);
        case Family::atomic:
            return atomic(m, what);
        case Family::narrow:
            return narrow(m, what);
        case Family::gather:
            return gather(m);
        case Family::scatter:
            return scatter(m);
        case Family::latch:
            return latch(m);
        case Family::other:
            return false;
    }
    return false;
}

/// Calls the step's handler. Its result decides: for the next step, the code goes on here; for any other, the steps do.
void Emitter::callStep(const Step& m) {
    const bool parks = isParking(originalOf(m, body_));
    storeShared();
    leaveBlock();
    if (parks) giveParkedLanes();
    callHandler(m, body_);
    if (parks) takeParkedLanes(body_);
}

/// What the step of that body does, while registers are at home; execution goes on behind the call if the next step is
/// the next one, and leaves if it is not.
void Emitter::callHandler(const Step& m, std::uint8_t body) {
    flushPending();
    a_.vzeroupper();
    a_.mov(rdi, rbx);
    a_.mov(rsi, reinterpret_cast<std::uint64_t>(&m));
    a_.mov(rax, reinterpret_cast<std::uint64_t>(originalOf(m, body)));
    a_.call(rax);
    a_.mov(rcx, reinterpret_cast<std::uint64_t>(&m + 1));
    a_.cmp(rax, rcx);
    a_.jne(exit_);
    loadMirrors();
}

/// A step's handler, watched or not.
isa::Handler Emitter::originalOf(const Step& m, std::uint8_t body) const {
    const auto& b = code_.body[body];
    return b.originals[static_cast<std::size_t>(&m - b.steps.data())];
}

/// Registers are at home from here on.
void Emitter::registersHome() {
    cache_.storeAll();
    cache_.forgetAll();
    forgetLanes();
}
/// And nothing is held at all.
void Emitter::leaveBlock() {
    registersHome();
    forgetFlags();
}

/// The thread does what this code does not know of.
void Emitter::stray() { a_.mov(field(offsetof(Thread, strayed), 1), 1); }

isa::StateSlots Emitter::written() const {
    isa::StateSlots slots = cache_.stored();
    slots.add(calledWrite_);
    return slots;
}

void Emitter::leaveAt(const Step* next) {
    leaveBlock();
    a_.mov(rax, reinterpret_cast<std::uint64_t>(next));
    a_.jmp(exit_);
}

void Emitter::finish() {
    lines_.push_back({a_.offset(), code_.lines()});
    for (std::size_t i = 0; i < seldom_.size(); ++i) seldom_[i]();
    emitBeginnings();
    for (const auto& [place, label] : labels_) {
        if (a_.code()->isLabelBound(label)) continue;
        a_.bind(label);
        leaveAt(code_.body[place.first].steps.data() + place.second);
    }
    a_.bind(exit_);
    stray();
    stopFinding();
    if (!parking_.empty()) {
        a_.mov(r13, rax);
        callParking(&giveParked);
        a_.mov(rax, r13);
    }
    a_.bind(end_);
    flushPending();
    leaveFunction();
    for (Entry& entry : entries_) {
        const asmjit::Label block = entry.label;
        entry.label = a_.newLabel();
        a_.align(asmjit::AlignMode::kCode, 16);
        a_.bind(entry.label);
        if (first_ && code_.body[entry.body].start[first_->line] == entry.step)
            a_.bind(std::ranges::find(first_->beginnings, entry.body, &Beginning::body)->entered);
        enterFunction();
        loadMirrors();
        if (!parking_.empty()) takeParkedLanes(entry.body);
        a_.jmp(block);
    }
    cache_.emitConstants();
    embedNumbers();
    embedParkingList();
}

}  // namespace zetl::emulator::translate
