#include "emulator/machine/execution/program_observers.h"

#include <algorithm>
#include <new>

#include "emulator/machine/code/loaded_program.h"

namespace zetl::emulator::machine {
namespace {

void watch(ProgramObserver& observer, const LoadedProgram& loaded, bool on) {
    const std::vector<bool> lines = observer.linesOf(loaded);
    isa::Program& program = *loaded.program;
    for (isa::Line line = 0; line < lines.size(); ++line) {
        if (!lines[line]) continue;
        on ? program.watch(line, observer) : program.unwatch(line, observer);
    }
}

}  // namespace

std::shared_ptr<void> ProgramObservers::hold(ProgramObserver& observer) {
    struct Hold {
        Hold(ProgramObservers& all, ProgramObserver& one) : observers(all), observer(one) { all.add(one); }
        ~Hold() { observers.release(observer); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ProgramObservers& observers;
        ProgramObserver& observer;
    };
    auto hold = std::make_shared<Hold>(*this, observer);
    const Lock guard(mutex_);
    cover();
    return hold;
}

void ProgramObservers::add(ProgramObserver& observer) {
    const Lock guard(mutex_);
    const auto known = std::ranges::find(held_, &observer, &Held::observer);
    if (known != held_.end()) {
        ++known->holders;
        return;
    }
    held_.push_back({&observer, 1, {}});
    any_.store(true, std::memory_order_relaxed);
}

void ProgramObservers::release(ProgramObserver& observer) noexcept {
    const Lock guard(mutex_);
    const auto held = std::ranges::find(held_, &observer, &Held::observer);
    if (--held->holders != 0) return;
    try {
        for (const Covered& covered : held->covered) {
            if (const auto range = covered.range.lock()) watch(observer, *covered.loaded, false);
        }
    } catch (const std::bad_alloc&) {
        // Lines that still report find nothing to record.
    }
    held_.erase(held);
    any_.store(!held_.empty(), std::memory_order_relaxed);
}

void ProgramObservers::cover() {
    for (Held& held : held_) cover(held);
}

void ProgramObservers::cover(Held& held) {
    std::erase_if(held.covered, [](const Covered& covered) { return covered.range.expired(); });
    for (const auto& range : code_.ranges()) {
        const LoadedProgram* const loaded = range->program();
        if (loaded == nullptr || std::ranges::find(held.covered, loaded, &Covered::loaded) != held.covered.end())
            continue;
        held.covered.push_back({range, loaded});
        watch(*held.observer, *loaded, true);
    }
}

std::vector<isa::Reported> ProgramObservers::reportedOf(const LoadedProgram& loaded) {
    std::vector<isa::Reported> reported;
    if (!any_.load(std::memory_order_relaxed)) return reported;
    const Lock guard(mutex_);
    cover();
    for (const Held& held : held_) {
        isa::Reported one{held.observer,
                          held.observer->linesOf(loaded),
                          held.observer->idleLinesOf(loaded),
                          held.observer->idleBit(),
                          held.observer->usesOf(loaded),
                          held.observer->localReadsOf(loaded)};
        // An observer that watches no line of the program has no part in its code.
        if (std::ranges::find(one.lines, true) != one.lines.end()) reported.push_back(std::move(one));
    }
    return reported;
}

}  // namespace zetl::emulator::machine
