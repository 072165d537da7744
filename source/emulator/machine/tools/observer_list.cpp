#include "emulator/machine/tools/observer_list.h"

#include <algorithm>
#include <bit>

#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::machine {
namespace {

constexpr uint32_t kSomeLines = kMemory | kMessages | kBarriers;
constexpr uint8_t kSyncBarrier = 0xe;  // function of sync.bar

/// Which lines have to report for these interests.
bool concerns(const isa::Instruction& i, uint32_t interests) noexcept {
    if ((interests & kInstructions) != 0) return true;
    const bool send = i.opcode == isa::Opcode::send || i.opcode == isa::Opcode::sendc;
    if (send) return (interests & (kMemory | kMessages)) != 0;
    return i.opcode == isa::Opcode::sync && i.function == kSyncBarrier && (interests & kBarriers) != 0;
}

void reportMemory(Observer& observer, const Where& where, const isa::MemoryAccess& access) {
    MemoryAccess event{access.space, Access::read, 0, 0, access.bytesPerLane};
    event.access = access.atomic ? Access::atomic : access.write ? Access::write : Access::read;
    for (uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        event.lane = static_cast<uint32_t>(std::countr_zero(lanes));
        event.address = access.address[event.lane];
        observer.memory(where, event);
    }
}

}  // namespace

ObserverList::ObserverList(Quiescence& quiescence, const DeviceProfile& profile, uint64_t instructionBase)
    : quiescence_(quiescence), profile_(profile), instructionBase_(instructionBase), current_(new List) {}

ObserverList::~ObserverList() { delete current_.load(); }

Where ObserverList::whereIs(const isa::Thread& thread, uint32_t ip, uint32_t lanes) const {
    const HardwareThread& context = HardwareThread::of(thread);
    return {.dispatch = context.group->dispatch(),
            .group = context.group->id(),
            .threadInGroup = context.index,
            .thread = profile_.threadAt(context.slot),
            .ip = instructionBase_ + ip,
            .lanes = lanes};
}

// Lines are watched only once every worker has begun a turn with the short quanta that watching needs, and unwatched
// before the observer goes: either way no worker executes watched lines for long.
void ObserverList::publish(std::unique_ptr<const List> next) {
    uint32_t interests = 0;
    for (const auto& observer : *next) interests |= observer->interests();
    watchAll(interests_.load() & ~interests, false);
    std::unique_ptr<const List> old(current_.exchange(next.release(), std::memory_order_seq_cst));
    interests_.store(interests);
    quiescence_.synchronize(quiescence_.ticket());
    watchAll(interests, true);
}

void ObserverList::watchAll(uint32_t interests, bool on) {
    for (const Covered& covered : covered_) {
        if (const auto range = covered.range.lock()) watch(*covered.loaded, interests, on);
    }
}

void ObserverList::add(std::shared_ptr<Observer> observer) {
    std::lock_guard guard(mutex_);
    auto next = std::make_unique<List>(*current_.load());
    next->push_back(std::move(observer));
    publish(std::move(next));
}

void ObserverList::remove(const Observer& observer) {
    std::lock_guard guard(mutex_);
    auto next = std::make_unique<List>(*current_.load());
    std::erase_if(*next, [&](const auto& known) { return known.get() == &observer; });
    publish(std::move(next));
}

void ObserverList::watch(const LoadedProgram& loaded, uint32_t interests, bool on) {
    isa::Program& program = *loaded.program;
    for (isa::Line line = 0; interests != 0 && line < program.lineCount(); ++line) {
        if (!concerns(program.instruction(line), interests)) continue;
        on ? program.watch(line, *this) : program.unwatch(line, *this);
    }
}

void ObserverList::cover(const std::shared_ptr<CodeRange>& range) {
    std::lock_guard guard(mutex_);
    const LoadedProgram* loaded = range->program();
    std::erase_if(covered_, [](const Covered& covered) { return covered.range.expired(); });
    const bool known = std::ranges::any_of(covered_, [&](const Covered& covered) { return covered.loaded == loaded; });
    if (known || loaded == nullptr) return;
    covered_.push_back({range, loaded});
    watch(*loaded, interests_.load(), true);
}

void ObserverList::beforeLine(isa::Thread& thread, isa::Line line) noexcept {
    const isa::Program& program = *thread.program;
    const isa::Instruction& instruction = program.instruction(line);
    const Where where = whereIs(thread, program.ipOf(line), isa::lanesOf(thread, line));
    each(kInstructions, [&](Observer& o) { o.instruction(where); });
    if (!interested(kSomeLines)) return;
    if (instruction.opcode == isa::Opcode::sync) {
        if (instruction.function == kSyncBarrier) each(kBarriers, [&](Observer& o) { o.barrier(where); });
        return;
    }
    if (instruction.opcode != isa::Opcode::send && instruction.opcode != isa::Opcode::sendc) return;
    const MessageEvent event{static_cast<uint8_t>(instruction.message.function), instruction.message.descriptor,
                             where.lanes};
    each(kMessages, [&](Observer& o) { o.message(where, event); });
    if (!interested(kMemory)) return;
    if (const auto access = isa::accessOf(thread, line)) {
        each(kMemory, [&](Observer& o) { reportMemory(o, where, *access); });
    }
}

}  // namespace zetl::emulator::machine
