// How many threads of a straight-line kernel may run without being looked at: their accesses are known before they run.
#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "emulator/check/checker.h"
#include "emulator/check/observed_line.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::check {

/// What is known of the allocation that threads access by a line, from one thread to the next.
class Checker::Foreseen {
  public:
    Foreseen(Checker& checker, const ObservedLine& line, const isa::PlannedAccess& access)
        : checker_(checker), line_(line), bytes_(access.bytes), addresses_(access.addresses) {}

    /// From where on the thread's addresses are. Goes on to those behind them.
    bool isPlain(GroupState& group, std::uint32_t index, const machine::Extent& id, const std::uint64_t*& addresses) {
        line_.index = index;
        line_.id = id;
        const PlannedLanes lanes{std::span(addresses, addresses_), bytes_ / addresses_};
        addresses += addresses_;
        return lanes.runOn() ? isRunPlain(group, lanes.address.front()) : checker_.arePlain(line_, group, lanes);
    }

  private:
    bool isRunPlain(GroupState& group, std::uint64_t address) {
        if (allocation_ == nullptr || version_ != checker_.machine_.memory().table().version() || !fits(address)) {
            if (!line_.checked.access || !checker_.isPlain(line_, group, {address, bytes_})) return false;
            learn(group, address);
            return true;
        }
        if (cells_ == nullptr) return true;
        cells_->prefetchBehind((address - allocation_->begin) / kGranule);
        const AccessingRun run{line_.number,
                               line_.index,
                               command_,
                               address,
                               bytes_,
                               line_.checked.access->shape.write,
                               line_.checked.ofExchange};
        return checker_.races_.globalRun(group, run, *cells_, *allocation_);
    }
    bool fits(std::uint64_t address) const noexcept {
        const std::uint64_t within = address - allocation_->begin;
        const std::uint64_t bytes = allocation_->end - allocation_->begin;
        return within < bytes && bytes_ <= bytes - within &&
               (line_.checked.elementBytes <= 1 || address % line_.checked.elementBytes == 0);
    }
    /// If all of the allocation may be accessed like this.
    void learn(GroupState& group, std::uint64_t address) {
        allocation_ = nullptr;
        const bool maySome = line_.checked.access->shape.write && !line_.launch().readOnly.empty();
        const bool mayDiffer = line_.checked.pointer != kUnknownPointer && !line_.checked.ofArguments;
        if (maySome || mayDiffer || line_.checked.access->shape.space != isa::MemorySpace::global) return;
        version_ = checker_.machine_.memory().table().version();
        allocation_ = checker_.allocationAt(line_, group, address);
        cells_ =
            allocation_ != nullptr && checker_.findsRaces() ? checker_.cellsOf(line_, group, *allocation_) : nullptr;
        command_ = line_.command();
    }

    Checker& checker_;
    ObservedLine line_;
    const std::uint32_t bytes_;
    const std::uint32_t addresses_;
    std::uint64_t version_ = 0;
    std::uint64_t command_ = 0;
    const machine::Allocation* allocation_ = nullptr;  // null: it is not known
    Cells* cells_ = nullptr;
};

std::uint32_t Checker::passes(const isa::GroupAccesses& accesses) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(accesses.thread);
    if (!looksAtAccesses() || context.loaded == nullptr || context.loaded->program.get() != accesses.thread.program)
        return 0;
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    const CheckedProgram& program = programs_.of(*context.loaded);
    const bool showsMore = std::ranges::find(program.showsArgument, true) != program.showsArgument.end();
    const bool isIdle = (group.dispatch().idle.load(std::memory_order_relaxed) & PointerOrigins::kIdle) != 0;
    if ((showsMore && !isIdle) || group.dispatch().launch().privateBytes != 0) return 0;
    GroupState& state = stateOf(group);
    ObservedLine line{accesses.thread, context, group, program.lines[0], 0, accesses.first, group.id()};
    std::vector<Foreseen> each;
    for (const isa::PlannedAccess& access : accesses.each)
        each.emplace_back(
            *this,
            ObservedLine{line.thread, context, group, program.lines[access.line], access.line, line.index, line.id},
            access);
    enter(line, state);
    std::uint32_t passed = 0;
    for (const std::uint64_t* next = accesses.begins.data(); passed < accesses.count; ++passed) {
        const bool plain =
            std::ranges::all_of(each, [&](Foreseen& one) { return one.isPlain(state, line.index, line.id, next); });
        if (!plain) break;
        if (++line.index != accesses.perGroup) continue;
        line.index = 0;
        ++line.id[0];
        state.pass(line.groupNumber());
    }
    line.id = group.id();
    state.leave();
    enter(line, state);
    return passed;
} catch (const std::bad_alloc&) {  // each line is looked at
    return 0;
}

}  // namespace zetl::emulator::check
