// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Work that threads of a group do alike: the first that reaches the CommonPart leaves its results there; the others
// take them over and go on behind it. The instructions of each thread are counted all the same.
#include "emulator/translate/flow/common_work.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "emulator/isa/common_work.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::CommonWork;
using isa::Thread;

namespace {

/// In the CommonWork at rcx.
Mem common(std::size_t offset, std::uint32_t bytes) { return ptr(rcx, static_cast<std::int32_t>(offset), bytes); }
const Mem kFinder = common(offsetof(CommonWork, finder), 8);
const Mem kFound = common(offsetof(CommonWork, found), 4);
const Mem kDetours = common(offsetof(CommonWork, detours), 4);
const Mem kEntered = common(offsetof(CommonWork, entered), 4);
const Mem kRunCount = common(offsetof(CommonWork, runCount), 4);
const Mem kFuel = common(offsetof(CommonWork, fuel), 8);
const Mem kCharged = common(offsetof(CommonWork, charged), 8);
/// One of its runs, by number.
Mem runOf(const Gp& number, std::size_t part) {
    static_assert(sizeof(CommonWork::Run) == 8);
    return ptr(rcx, number, 3, static_cast<std::int32_t>(offsetof(CommonWork, runs) + part), 4);
}

}  // namespace

void WorkSharing::share(std::optional<CommonPart> part, std::uint8_t body, Line entry) {
    static std::atomic<std::uint32_t> parts = 0;
    part_ = std::move(part);
    in_ = body;
    entry_ = entry;
    if (part_) number_ = ++parts;
}

void WorkSharing::addLeads(std::vector<bool>& leads) const {
    if (part_ && host_.body == in_) leads[part_->from] = leads[part_->to] = true;
}

bool WorkSharing::contains(Line line) const { return part_ && host_.body == in_ && part_->contains(line); }

/// Where the part begins, ends, or leads by a detour.
void WorkSharing::emit(Line line) {
    if (!part_ || host_.body != in_) return;
    if (line == part_->from) begin();
    if (line == part_->to) end();
    const auto detour = std::ranges::find(part_->detours, line, &CommonPart::Detour::line);
    if (detour != part_->detours.end()) noteDetour(static_cast<std::size_t>(detour - part_->detours.begin()));
}

void WorkSharing::begin() {
    const Label alone = a_.newLabel();
    const Label takes = host_.seldomLabel();
    workTo(alone);
    // Of a thread that began elsewhere nothing is known.
    a_.cmp(state(isa::layout::kDebug, 4), code_.ipOf(entry_));
    a_.jne(alone);
    a_.cmp(kFound, number_);
    a_.je(takes);
    a_.mov(kFinder, rbx);
    a_.mov(kRunCount, 0);
    a_.mov(kDetours, 0);
    a_.mov(rax, field(offsetof(Thread, fuel), 8));
    a_.mov(kFuel, rax);
    a_.mov(rax, field(offsetof(Thread, charged), 8));
    a_.mov(kCharged, rax);
    a_.bind(alone);
    host_.seldom([this, alone, takes, body = host_.body] {
        a_.bind(takes);
        take(alone);
        a_.jmp(labels_.of(body, part_->to));
    });
}

/// A thread that would have to pause on its way does it all itself.
void WorkSharing::take(const Label& otherwise) {
    if (part_->setsMode) {
        a_.cmp(field(offsetof(Thread, hostMode), 8), 0);
        a_.je(otherwise);
    }
    a_.mov(rax, field(offsetof(Thread, fuel), 8));
    a_.sub(rax, kFuel);
    a_.js(otherwise);
    a_.mov(field(offsetof(Thread, fuel), 8), rax);
    a_.mov(rax, kCharged);
    a_.add(field(offsetof(Thread, charged), 8), rax);
    a_.mov(eax, kEntered);
    a_.mov(field(offsetof(Thread, entered), 4), eax);
    takeRuns();
    for (const CommonPart::Slot& slot : part_->slots) {
        if (!slot.whole) continue;
        a_.vmovdqu64(zmm0, common(slotOf(slot.place), 64));
        a_.vmovdqu64(state(slot.place, 64), zmm0);
    }
    takePieces(part_->pieces);
    for (std::size_t i = 0; i < part_->detours.size(); ++i) takeDetour(i);
    const Label behind = a_.newLabel();
    if (part_->setsMode) mode_.set(behind);
    a_.bind(behind);
}
/// Counts what the finder counted.
void WorkSharing::takeRuns() {
    const Label next = a_.newLabel();
    const Label done = a_.newLabel();
    a_.mov(rsi, field(offsetof(Thread, runs), 8));
    a_.mov(edx, kRunCount);
    a_.test(rsi, rsi);
    a_.short_().jz(done);
    a_.bind(next);
    a_.sub(edx, 1);
    a_.short_().js(done);
    a_.mov(eax, runOf(rdx, offsetof(CommonWork::Run, begin)));
    a_.inc(ptr(rsi, rax, 3, 0, 8));
    a_.mov(eax, runOf(rdx, offsetof(CommonWork::Run, end)));
    a_.dec(ptr(rsi, rax, 3, 0, 8));
    a_.short_().jmp(next);
    a_.bind(done);
}
/// As wide as possible each.
void WorkSharing::takePieces(const std::vector<CommonPart::Piece>& pieces) {
    for (const CommonPart::Piece& piece : pieces) {
        const std::uint32_t slot = piece.place / RegisterCache::kSlotBytes * RegisterCache::kSlotBytes;
        for (std::uint32_t at = piece.place; at < piece.place + piece.bytes;) {
            std::uint32_t bytes = 32;
            while (bytes > piece.place + piece.bytes - at) bytes /= 2;
            host_.moveBytes(bytes, common(slotOf(slot) + at - slot, bytes), state(at, bytes));
            at += bytes;
        }
    }
}
void WorkSharing::takeDetour(std::size_t number) {
    const Label on = a_.newLabel();
    a_.test(kDetours, 1u << number);
    a_.jz(on);
    takePieces(part_->detours[number].pieces);
    a_.bind(on);
}

void WorkSharing::noteDetour(std::size_t number) {
    const Label on = a_.newLabel();
    unlessFinding(on);
    a_.or_(kDetours, 1u << number);
    a_.bind(on);
}
/// Notes the run that is being accounted, whose beginning is in eax if it is not known.
void WorkSharing::noteRun(std::optional<Line> begin, Line end) {
    const Label on = a_.newLabel();
    const Label tooMany = a_.newLabel();
    unlessFinding(on);
    a_.mov(edx, kRunCount);
    a_.cmp(edx, CommonWork::kMostRuns);
    a_.short_().jae(tooMany);
    begin ? a_.mov(runOf(rdx, offsetof(CommonWork::Run, begin)), *begin)
          : a_.mov(runOf(rdx, offsetof(CommonWork::Run, begin)), eax);
    a_.mov(runOf(rdx, offsetof(CommonWork::Run, end)), end);
    a_.inc(kRunCount);
    a_.short_().jmp(on);
    a_.bind(tooMany);
    a_.mov(kFinder, 0);
    a_.bind(on);
}

void WorkSharing::end() {
    const Label on = a_.newLabel();
    const Label found = host_.seldomLabel();
    workTo(on);
    a_.cmp(kFinder, rbx);
    a_.je(found);
    a_.bind(on);
    host_.seldom([this, on, found] {
        a_.bind(found);
        for (const CommonPart::Slot& slot : part_->slots) {
            a_.vmovdqu64(zmm0, state(slot.place, 64));
            a_.vmovdqu64(common(slotOf(slot.place), 64), zmm0);
        }
        a_.mov(rax, kFuel);
        a_.sub(rax, field(offsetof(Thread, fuel), 8));
        a_.mov(kFuel, rax);
        a_.mov(rax, field(offsetof(Thread, charged), 8));
        a_.sub(rax, kCharged);
        a_.mov(kCharged, rax);
        a_.mov(eax, field(offsetof(Thread, entered), 4));
        a_.mov(kEntered, eax);
        a_.mov(kFinder, 0);
        a_.mov(kFound, number_);
        a_.jmp(on);
    });
}

/// The thread leaves host code: what it does afterwards is not noted.
void WorkSharing::stopFinding() {
    if (!part_) return;
    const Label on = a_.newLabel();
    workTo(on);
    a_.mov(kFinder, 0);
    a_.bind(on);
}
/// The thread's CommonWork in rcx; jumps, not far, if it has none.
void WorkSharing::workTo(const Label& otherwise) {
    a_.mov(rcx, field(offsetof(Thread, common), 8));
    a_.test(rcx, rcx);
    a_.short_().jz(otherwise);
}
void WorkSharing::unlessFinding(const Label& otherwise) {
    workTo(otherwise);
    a_.cmp(kFinder, rbx);
    a_.short_().jne(otherwise);
}

/// Where the register at that place is kept.
std::uint32_t WorkSharing::slotOf(std::uint32_t place) const {
    const auto slot = std::ranges::find(part_->slots, place, &CommonPart::Slot::place);
    const auto number = static_cast<std::uint32_t>(slot - part_->slots.begin());
    return static_cast<std::uint32_t>(offsetof(CommonWork, slots)) + number * RegisterCache::kSlotBytes;
}

}  // namespace zetl::emulator::translate
