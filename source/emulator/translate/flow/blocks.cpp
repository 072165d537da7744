// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/flow/blocks.h"

#include <algorithm>
#include <utility>

#include "isa/xe/access_shape.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Step;

Blocks::Blocks(HostCode& host, std::uint8_t whole, std::span<const isa::Reported> reported)
    : Part(host),
      whole_(whole),
      families_(host),
      product_(host, families_.arithmetic),
      singles_(host, product_),
      fused_(host, families_.comparisons, families_.arithmetic, families_.conversions, families_.stores),
      labels_(host),
      mode_(host),
      parking_(host),
      common_(host, labels_, mode_),
      runs_(host, common_),
      barrier_(host, labels_, mode_, parking_, runs_),
      flow_(host, labels_, mode_, parking_, runs_, barrier_, whole),
      report_(host, reported) {
    shares_.calling.resize(code_.lines());
}

void Blocks::startAt(Line line, bool setsMode) {
    entry_ = line;
    barrier_.startAt(line, setsMode, whole_);
}

void Blocks::loseUnread(const Survey& survey) { live_.emplace(code_, survey); }

void Blocks::share(std::optional<CommonPart> part) { common_.share(std::move(part), whole_, entry_); }

namespace {

bool isAtomic(const isa::Instruction& in) {
    const bool sends = isa::isSend(in.opcode);
    const auto shape = sends && !in.message.endOfThread ? isa::accessShapeOf(in) : std::nullopt;
    return shape && shape->atomic;
}

/// All lanes are on behind it, whichever were before.
bool branchesWithoutMask(const isa::Instruction& in) {
    const isa::OpcodeInfo* const info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format == isa::Format::branch && in.noMask && in.opcode != isa::Opcode::jmpi;
}

/// Whether the step writes lanes of general registers that are on, which would be all of them.
bool writesAllOfRegister(const Step& m, const Meaning& what) {
    constexpr std::uint32_t kLanesOfChunk = 16;
    const bool writes = what.family == Family::compute || what.family == Family::retire || what.family == Family::pick;
    const bool selects = m.mask.predicate == isa::Predicate::none || what.family == Family::pick;
    const std::uint32_t all = ~0u >> (32 - kLanesOfChunk * m.chunks);
    return writes && selects && what.masked && what.wide && m.mask.lanes == all && m.dst < isa::layout::kGrfBytes;
}

/// The line stops every thread, or counts as if it did.
bool waitsForBarrier(const isa::Program::Code::Body& body, isa::Line line) {
    const std::uint32_t end = body.start[line + 1];
    return body.start[line] != end && body.familyOf(body.steps[end - 1]) == Family::waitBarrier;
}

}  // namespace

void Blocks::emitBody(std::uint8_t body, const Survey& survey) {
    host_.body = body;
    host_.live = live_ ? &*live_ : nullptr;
    host_.ended = true;
    product_.expect(live_ ? accumulatorReaders(code_, survey, body) : AccumulatorReaders::anybody);
    for (const Line line : survey.lines) {
        if (line >= code_.lines()) continue;
        const isa::Instruction& in = code_.instructions[line];
        if (isAtomic(in)) host_.additions.expect();
        if (branchesWithoutMask(in)) flow_.expectLanesOutside();
    }
    Survey cut = survey;
    common_.addLeads(cut.leads);
    for (const Line line : survey.lines) emitLine(line, cut);
    if (!host_.ended) host_.leaveAt(labels_.stepAt(host_.body, code_.lines()));
}

/// Whether threads reach the line only by branches that count, so that a run of straight-line code begins with it: the
/// line before counts on all of its ways, or does not go on. Lines without steps have no place of their own.
bool Blocks::isEnteredCounted(Line line) const {
    const auto& start = code_.body[host_.body].start;
    if (line >= code_.lines() || start[line] == start[line + 1]) return false;
    if (line == 0) return true;
    const isa::Instruction& before = code_.instructions[line - 1];
    if (before.opcode == isa::Opcode::jmpi) return before.predicate == isa::Predicate::none;
    const isa::OpcodeInfo* info = isa::findOpcode(static_cast<std::uint8_t>(before.opcode));
    const bool sends = isa::isSend(before.opcode);
    if (flow_.mayGoOn(line - 1)) return false;
    if (waitsForBarrier(code_.body[host_.body], line - 1)) return true;
    return (info != nullptr && info->format == isa::Format::branch) || (sends && before.message.endOfThread);
}

/// Threads go on at the line.
void Blocks::endBlock(Line next) {
    host_.endBlock(next - 1);
    mirrors_.forgetFlags();
}

void Blocks::beginBlock(Line line, std::uint32_t first, const Survey& survey) {
    if (!host_.ended) endBlock(line);
    runs_.setEntered(isEnteredCounted(line) ? std::optional(line) : std::nullopt);
    const Label label = labels_.of(host_.body, line);
    if (!a_.code()->isLabelBound(label)) {
        a_.bind(label);
        if (line < code_.lines()) entries_.push_back({host_.body, first, label});
    }
    cache_.forgetAll();
    masks_.forgetLanes();
    mirrors_.forgetFlags();
    lastUses_ = LastUses(code_, host_.body, line, survey);
    flagLogics_ = live_ ? FlagLogics(code_, host_.body, line, survey, *live_, masks_.knownActive() == 0) : FlagLogics();
    host_.ended = false;
}

void Blocks::emitLine(Line line, const Survey& survey) {
    const auto& b = code_.body[host_.body];
    const std::uint32_t first = b.start[line];
    const auto end = line < code_.lines() ? b.start[line + 1] : static_cast<std::uint32_t>(b.steps.size());
    lines_.push_back({a_.offset(), line});
    if (survey.leads[line]) beginBlock(line, first, survey);
    common_.emit(line);
    if (first != end && !host_.ended) report_.tellOf(line);
    product_.plan(line, survey, report_.empty());
    planLine(line);
    const std::span<const Step> steps = std::span(b.steps).subspan(first, end - first);
    for (std::size_t i = emitFlagLogic(line, steps) ? steps.size() : 0; i < steps.size() && !host_.ended;)
        i += emitSteps(steps.subspan(i), i == 0);
    ++shares_.lines;
    lastUses_.eachEndingAt(line, [this](std::uint32_t place) { cache_.finish(place); });
    loseRegisters(line);
    cache_.forgetWorkingSpace();
    values_.forgetShared();
    host_.line = {};
    const bool next = line < code_.lines() && survey.reached[line + 1];
    if (!host_.ended && !next) {
        host_.leaveAt(b.steps.data() + end - (end == b.steps.size()));
        host_.ended = true;
    }
}

void Blocks::loseRegisters(Line line) {
    if (host_.live == nullptr) return;
    const bool mayWait = masks_.knownActive() == 0;
    for (const std::uint32_t place : host_.live->endingAt(line))
        if (!mayWait || !host_.live->awaited().contains(place)) cache_.lose(place);
}

/// Lanes that are off need not keep what nobody reads: then the line is what it is while all are on.
void Blocks::planLine(Line line) {
    wholeMeanings_.clear();
    currentMeanings_.clear();
    if (host_.live == nullptr || masks_.knownActive() != 0 || line >= code_.lines() || !host_.live->losesOthers(line))
        return;
    const auto& b = code_.body[host_.body];
    const std::uint32_t first = b.start[line];
    const std::uint32_t count = b.start[line + 1] - first;
    wholeMeanings_.reserve(count);
    for (std::uint32_t i = first; i < first + count; ++i) {
        const Meaning* const recorded = b.meaningOf(b.steps[i]);
        currentMeanings_.push_back(recorded);
        if (recorded == nullptr || !writesAllOfRegister(b.steps[i], *recorded)) continue;
        currentMeanings_.back() = &wholeMeanings_.emplace_back(*recorded);
        wholeMeanings_.back().masked = false;
    }
}

/// A line that combines flags, or that another one makes needless.
bool Blocks::emitFlagLogic(Line line, std::span<const Step> steps) {
    const FlagLogic* const logic = flagLogics_.at(line);
    if (host_.ended || (logic == nullptr && !flagLogics_.isLeftOut(line))) return false;
    if (logic != nullptr) families_.comparisons.combine(steps.back(), *logic);
    shares_.native += static_cast<std::uint32_t>(steps.size());
    return true;
}

/// Emits the first of these steps, or several of them as one, and returns their number. `begins`: they are a whole
/// line.
std::uint32_t Blocks::emitSteps(std::span<const Step> rest, bool begins) {
    cache_.release();
    host_.line = {rest, std::span(currentMeanings_).last(currentMeanings_.empty() ? 0 : rest.size())};
    std::uint32_t fused = begins ? singles_.emit(rest) : 0;
    if (fused == 0 && begins) fused = singles_.emitAddress(rest);
    if (fused == 0) fused = product_.emitOfProduct(rest);
    if (fused == 0) fused = fused_.emit(rest);
    if (fused == 0 && families_.lanes.accessMoved(rest)) fused = static_cast<std::uint32_t>(rest.size());
    shares_.native += fused;
    if (fused == 0) emitStep(rest.front());
    const std::uint32_t done = std::max(fused, 1u);
    noteWrittenFlags(rest.first(done));
    a_.forgetTemporaries();
    cache_.endStep();
    if (host_.registers == Registers::home && !host_.ended) host_.leaveBlock();
    return done;
}

/// Steps that wrote to where flags are as to any register: predicates look for them at home and in their mirrors.
void Blocks::noteWrittenFlags(std::span<const Step> steps) {
    constexpr std::uint32_t kEnd = isa::layout::kFlags + RegisterCache::kSlotBytes;
    const bool any = std::ranges::any_of(steps, [&](const Step& m) {
        const Meaning* const what = code_.body[host_.body].meaningOf(m);
        return what != nullptr && what->family < Family::laneAccess && m.dst >= isa::layout::kAddress && m.dst < kEnd;
    });
    if (!any || host_.ended) return;
    cache_.store(isa::layout::kFlags, RegisterCache::kSlotBytes);
    masks_.forgetLanes();
}

void Blocks::emitStep(const Step& m) {
    cache_.release();
    const Meaning* const what = host_.meaningOf(m);
    if (what == nullptr || what->family >= Family::laneAccess) cache_.forgetSingles();
    if (what != nullptr ? families_.emit(m, *what) : flow_.emit(m)) {
        ++shares_.native;
        return;
    }
    ++shares_.called;
    if (m.line < code_.lines()) {
        ++shares_.calledBy[code_.instructions[m.line].opcode];
        shares_.calling[m.line] = true;
        isa::addWritten(host_.calledWrite, code_.instructions[m.line]);
    }
    callStep(m);
}

/// Calls the step's handler. Its result decides: for the next step, the code goes on here; for any other, the steps do.
void Blocks::callStep(const Step& m) {
    const bool parks = Parking::isParking(host_.familyOf(m));
    values_.storeShared();
    host_.leaveBlock();
    if (parks) parking_.give();
    host_.callHandler(m, host_.body);
    if (parks) parking_.take(host_.body);
}

void Blocks::finish() {
    lines_.push_back({a_.offset(), code_.lines()});
    host_.emitSeldom();
    barrier_.emitBeginnings();
    labels_.bindOthers();
    a_.bind(host_.exit);
    host_.stray();
    common_.stopFinding();
    if (!parking_.empty()) {
        a_.mov(r13, rax);
        parking_.call(&giveParked);
        a_.mov(rax, r13);
    }
    a_.bind(host_.end);
    host_.additions.flush();
    host_.leaveFunction();
    emitEntries();
    host_.emitData();
    parking_.embed();
}

void Blocks::emitEntries() {
    for (Entry& entry : entries_) {
        const Label block = entry.label;
        entry.label = a_.newLabel();
        a_.align(asmjit::AlignMode::kCode, 16);
        a_.bind(entry.label);
        barrier_.bindEntry(entry.body, entry.step);
        host_.enterFunction();
        mirrors_.load();
        if (!parking_.empty()) parking_.take(entry.body);
        a_.jmp(block);
    }
}

}  // namespace zetl::emulator::translate
