#include "emulator/machine/model/sample_error.h"

#include <algorithm>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

// In percent. Chosen so that they cover what was measured beside the full model (docs/measured/timing-model.md).
constexpr std::uint64_t kOfOneSubslice = 8;  // more, if no second one shows how they differ
constexpr std::uint64_t kOfEnds = 5;         // more, if each sub-slice runs so few groups that its end matters
constexpr std::uint64_t kFewRows = 16;       // so many
constexpr std::uint64_t kOfSpread = 150;     // the longest of all sub-slices beyond the longest of two
constexpr std::uint64_t kOfTouched = 10;     // of the time, if all lines come from memory for the first time
constexpr std::uint64_t kOfShared = 100;     // more, if nobody knows who brings them
constexpr std::uint64_t kOfAgain = 30;       // of the time, if all lines come from L3 again, and threads wait for them
constexpr std::uint64_t kOfLines = 10;       // of the lines that the sample brought
constexpr std::uint64_t kOfLinesOfOne = 15;  // more, if no second sub-slice shows which ones it shares
constexpr std::uint64_t kMany = std::uint64_t{1} << 20;

constexpr std::uint64_t distance(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a - b : b - a; }

std::uint64_t bytesRead(const Counts& counts) noexcept {
    return counts[Counter::memoryBytesRead] + counts[Counter::systemBytesRead];
}

/// The part of a number of cycles that lines may take which come from memory for the first time: all of it, if one
/// comes every few cycles.
std::uint64_t touchedPart(std::uint64_t value, const Counts& all) noexcept {
    constexpr std::uint64_t kFewCycles = 4;
    const std::uint64_t misses = all[Counter::l3Misses];
    const std::uint64_t cycles = all[Counter::workCycles];
    const std::uint64_t touched = share(value, misses, all[Counter::l3Hits] + misses);
    return share(touched, std::min(cycles, kFewCycles * misses), cycles);
}

/// The part of a number of cycles that threads may wait for lines that left a first-level cache.
std::uint64_t againPart(std::uint64_t value, const Counts& all, const KnownLines::Count& asked) noexcept {
    return share(share(value, all[Counter::tokenStalls], all[Counter::occupiedCycles]), asked.again, asked.lines);
}

}  // namespace

// The first batch is the one in which caches are cold: that the second differs from it means nothing for the others.
void SampleError::add(const Batch& batch) noexcept {
    const std::uint64_t each = share(batch.cycles, kMany, batch.groups);
    const std::uint64_t left = batch.weight.all - batch.weight.replayed;
    if (batches_ > 1) drift_ += share(distance(each, each_), left, kMany) / 2;
    ++batches_;
    cycles_ += batch.cycles;
    spread_ = batch.spread;
    each_ = each;
}

/// What the sample as a whole says about a count in cycles.
std::uint64_t SampleError::relative(std::uint64_t value, const Results& results) noexcept {
    const std::uint64_t replayed = results.replayed[Counter::workCycles];
    const std::uint64_t touched = touchedPart(value, results.all);
    const std::uint64_t others = distance(results.read.alone, results.read.estimated);
    const std::uint64_t ends = share(share(value, kOfEnds, 100), kFewRows, std::max(kFewRows, results.rows));
    return share(value, kAlways + (results.subslices == 1 ? kOfOneSubslice : 0), 100) + ends +
           share(againPart(value, results.all, results.asked), kOfAgain, 100) + share(touched, kOfTouched, 100) +
           share(share(touched, kOfShared, 100), others, results.read.alone) +
           share(value, distance(replayed, results.all[Counter::workCycles]), replayed);
}

/// All allocations may have been read, lines that both sub-slices of the sample read may be read by others, too, and
/// groups that ask for more than others need not ask for other lines.
std::uint64_t SampleError::ofLines(const Results& results) noexcept {
    const std::uint64_t read = bytesRead(results.all);
    const std::uint64_t replayed = bytesRead(results.replayed);
    const std::uint64_t beyond = distance(results.read.most, results.read.estimated);
    return share(read, kOfLines + (results.subslices == 1 ? kOfLinesOfOne : 0), 100) +
           share(read, beyond, results.read.estimated) + distance(read, replayed);
}

void SampleError::addTo(const Results& results) const noexcept {
    Counts& all = results.all;
    const std::uint64_t cycles = all[Counter::workCycles];
    all[Counter::workCyclesError] =
        relative(cycles, results) + drift_ + share(share(cycles, kOfSpread, 100), spread_, cycles_);
    all[Counter::occupiedCyclesError] =
        relative(all[Counter::occupiedCycles], results) + share(all[Counter::occupiedCycles], drift_, cycles);
    all[Counter::memoryBytesError] = ofLines(results);
}

}  // namespace zetl::emulator::machine
