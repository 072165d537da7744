// How far the results of a sample of the work-groups may be from those of all of them.
#pragma once

#include <cstdint>

#include "emulator/machine/counters.h"
#include "emulator/machine/model/known_lines.h"
#include "emulator/machine/model/sample_plan.h"
#include "emulator/machine/model/shared_lines.h"

namespace zetl::emulator::machine {

/// A sample shows itself where it may be wrong: its sub-slices take different times, its batches take different times,
/// its groups execute more or less than the others, its lines come from memory for the first time, where others may
/// have brought them, or lines leave first-level caches and come back, which depends on which groups meet. Each makes
/// the error larger by what it could amount to. Not thread-safe.
class SampleError {
  public:
    /// Percent of the cycles that every sample states, though it shows no sign at all.
    static constexpr std::uint64_t kAlways = 4;

    /// What a batch of the sample took.
    struct Batch {
        std::uint64_t groups = 0;  ///< all groups of its rows
        std::uint64_t cycles = 0;
        SamplePlan::Weight weight;  ///< of the cycles
        std::uint64_t spread = 0;   ///< cycles between the ends of the sub-slices, since the dispatch began
    };
    void add(const Batch& batch) noexcept;

    /// What was counted, before and after it was scaled to all instructions.
    struct Results {
        const Counts& replayed;
        Counts& all;
        SharedLines::Lines read;
        KnownLines::Count asked;      ///< lines, by the sub-slices of the sample
        std::uint32_t subslices = 2;  ///< of the sample
        std::uint64_t rows = 0;       ///< groups that each sub-slice runs
    };
    /// Sets the errors of the final counts.
    void addTo(const Results& results) const noexcept;

  private:
    static std::uint64_t relative(std::uint64_t value, const Results& results) noexcept;
    static std::uint64_t ofLines(const Results& results) noexcept;

    std::uint64_t batches_ = 0;
    std::uint64_t cycles_ = 0;  ///< without weights
    std::uint64_t spread_ = 0;  ///< at the end of the last batch
    std::uint64_t drift_ = 0;   ///< cycles by which batches differ, for those that were left out
    std::uint64_t each_ = 0;    ///< of the last batch: cycles of 2^20 groups
};

}  // namespace zetl::emulator::machine
