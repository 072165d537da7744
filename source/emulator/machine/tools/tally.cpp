#include "emulator/machine/tools/tally.h"

#include <utility>

namespace zetl::emulator::machine {

Tally::~Tally() {
    for (Runs& each : runs_) each.program->spareRuns.give(std::move(each.lines));
}

std::int64_t* Tally::runs(const LoadedProgram& executed) {
    const LoadedProgram& program = executed.original();
    for (const Runs& known : runs_) {
        if (known.program.get() == &program) return known.lines->differences();
    }
    Runs added{program.shared_from_this(), program.spareRuns.take()};
    if (!added.lines) added.lines = std::make_unique<LineRuns>(program.lines.size());
    std::int64_t* const differences = added.lines->differences();
    const Lock guard(mutex_);
    runs_.push_back(std::move(added));
    return differences;
}

void Tally::add(Counter counter, std::uint64_t amount) noexcept {
    std::atomic<std::uint64_t>& value = direct_[static_cast<std::size_t>(counter)];
    value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);  // one writer
}

void Tally::add(const isa::Traffic& traffic) noexcept {
    const std::pair<Counter, std::uint64_t> parts[] = {
        {Counter::globalBytesRead, traffic.globalRead},   {Counter::globalBytesWritten, traffic.globalWritten},
        {Counter::slmBytesRead, traffic.localRead},       {Counter::slmBytesWritten, traffic.localWritten},
        {Counter::scratchBytesRead, traffic.scratchRead}, {Counter::scratchBytesWritten, traffic.scratchWritten},
        {Counter::texelsRead, traffic.texelsRead},        {Counter::texelsWritten, traffic.texelsWritten},
    };
    for (const auto& [counter, amount] : parts) {
        if (amount != 0) add(counter, amount);
    }
}

std::vector<Tally::LineCounts> Tally::lines() const {
    std::vector<LineCounts> all;
    const Lock guard(mutex_);
    for (const Runs& runs : runs_) all.push_back({runs.program, runs.lines->stretches()});
    return all;
}

std::vector<Tally::LineCounts> Tally::takeLines() {
    std::vector<LineCounts> all;
    const Lock guard(mutex_);
    for (; !runs_.empty(); runs_.pop_back()) {
        Runs& runs = runs_.back();
        all.push_back({runs.program, runs.lines->take()});
        runs.program->spareRuns.give(std::move(runs.lines));
    }
    return all;
}

Counts Tally::direct() const noexcept {
    Counts counts;
    for (std::size_t i = 0; i < kCounters; ++i) counts.values[i] = direct_[i].load(std::memory_order_relaxed);
    return counts;
}

void Tally::LineCounts::addTo(Counts& counts, Counts& portCycles) const noexcept {
    eachLine([&](isa::Line line, std::uint64_t times) {
        const LineInfo& info = program->lines[line];
        counts[Counter::instructions] += times;
        counts[info.pipe] += times;
        portCycles[info.pipe] += times * info.issueSlots;
        for (const Counter also : {info.message, info.type})
            if (also != Counter::count_) counts[also] += times;
        if (info.arithmetic != Counter::count_) counts[info.arithmetic] += times * info.operations;
    });
}

}  // namespace zetl::emulator::machine
