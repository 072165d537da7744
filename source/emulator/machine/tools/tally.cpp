#include "emulator/machine/tools/tally.h"

namespace zetl::emulator::machine {

std::int64_t* Tally::runs(const LoadedProgram& program) {
    for (const Runs& known : runs_) {
        if (known.program == &program) return known.differences.get();
    }
    Runs added{&program, std::make_unique<std::int64_t[]>(program.lines.size() + 1)};
    std::int64_t* const differences = added.differences.get();
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
    };
    for (const auto& [counter, amount] : parts) {
        if (amount != 0) add(counter, amount);
    }
}

std::vector<Tally::LineCounts> Tally::lines() const {
    std::vector<LineCounts> all;
    const Lock guard(mutex_);
    for (const Runs& runs : runs_) {
        LineCounts counts{runs.program, std::vector<std::uint64_t>(runs.program->lines.size())};
        std::int64_t executed = 0;
        for (std::size_t line = 0; line < counts.executed.size(); ++line) {
            executed += std::atomic_ref(runs.differences[line]).load(std::memory_order_acquire);
            counts.executed[line] = executed > 0 ? static_cast<std::uint64_t>(executed) : 0;
        }
        all.push_back(std::move(counts));
    }
    return all;
}

Counts Tally::read(Counts& portCycles) const {
    Counts counts;
    for (std::size_t i = 0; i < kCounters; ++i) counts.values[i] = direct_[i].load(std::memory_order_relaxed);
    for (const LineCounts& part : lines()) {
        for (std::size_t line = 0; line < part.executed.size(); ++line) {
            const LineInfo& info = part.program->lines[line];
            const std::uint64_t executed = part.executed[line];
            counts[Counter::instructions] += executed;
            counts[info.pipe] += executed;
            portCycles[info.pipe] += executed * info.issueSlots;
            for (const Counter also : {info.message, info.type})
                if (also != Counter::count_) counts[also] += executed;
        }
    }
    return counts;
}

}  // namespace zetl::emulator::machine
