#include "emulator/machine/model/scaled_counts.h"

#include <algorithm>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

constexpr bool ofLines(Counter counter) noexcept {
    return counter >= Counter::l1Reads && counter <= Counter::slmBankConflicts;
}

/// What division left over of counts that add up.
void settleSums(Counts& counts, std::uint64_t executed, std::uint64_t lineBytes) noexcept {
    std::uint64_t occupied = executed;
    for (auto stall = static_cast<std::size_t>(Counter::controlStalls);
         stall <= static_cast<std::size_t>(Counter::otherStalls); ++stall)
        occupied += counts.values[stall];
    counts[Counter::occupiedCycles] = occupied;
    const std::uint64_t written = counts[Counter::l3Writes] + counts[Counter::l3Atomics];
    const std::uint64_t accesses = counts[Counter::l3Reads] + written;
    counts[Counter::l3Misses] = accesses - std::min(accesses, counts[Counter::l3Hits]);
    counts[Counter::l3BytesRead] = counts[Counter::l3Reads] * lineBytes;
    counts[Counter::l3BytesWritten] = written * lineBytes;
    for (const Counter bytes :
         {Counter::memoryBytesRead, Counter::memoryBytesWritten, Counter::systemBytesRead, Counter::systemBytesWritten})
        counts[bytes] -= counts[bytes] % lineBytes;
}

}  // namespace

Counts scaledToAll(Counts counts, const Executed& all, const Executed& replayed, std::uint64_t lineBytes) noexcept {
    for (std::size_t i = 0; i < kCounters; ++i) {
        std::uint64_t& value = counts.values[i];
        value = ofLines(static_cast<Counter>(i)) ? share(value, all.messages, replayed.messages)
                                                 : share(value, all.instructions, replayed.instructions);
    }
    settleSums(counts, all.instructions, lineBytes);
    return counts;
}

}  // namespace zetl::emulator::machine
