// Which work-groups of a dispatch the timing model looks at, and what they stand for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {

/// Groups lie in rows, one group for each sub-slice that the dispatch can use, as they begin on an empty tile. A sample
/// takes the groups of a few columns, in some of the rows: in the first ones, and then in ever fewer, since a kernel
/// that repeats itself takes the same time again. Rows that stand for others lie in the middle of them, since a kernel
/// may become faster or slower. It depends on nothing but numbers of groups, so every run takes the same groups.
class SamplePlan {
  public:
    /// Every group, in batches of so many rows.
    static SamplePlan whole(std::uint64_t groups, std::uint32_t subslices, std::uint64_t rows);
    /// Two columns, or one if there are only a few groups. A sub-slice holds `rows` of them at once.
    static SamplePlan sampled(std::uint64_t groups, std::uint32_t subslices, std::uint64_t rows);

    bool isWhole() const noexcept { return columns_.size() == width_; }
    /// The last batch of the sample stands for rows that are not in it.
    bool leavesRowsOut() const noexcept;
    bool contains(std::uint64_t group) const noexcept;
    /// The number of a group among those of the sample, which contains it.
    std::uint64_t numberOf(std::uint64_t group) const noexcept;
    /// The number of groups, of the `count` ones from `first` on, in front of the first that the sample contains.
    std::uint64_t othersFrom(std::uint64_t first, std::uint64_t count) const noexcept;
    /// The groups of the sample.
    std::uint64_t count() const noexcept { return count_; }
    /// Groups that each sub-slice runs.
    std::uint64_t rows() const noexcept { return (groups_ + width_ - 1) / width_; }
    /// Groups of the sample that are replayed together.
    std::uint64_t batch() const noexcept { return rows_ * columns_.size(); }

    /// Sub-slices that run the groups of the sample, and those that run all groups.
    std::uint32_t columns() const noexcept { return static_cast<std::uint32_t>(columns_.size()); }
    std::uint32_t width() const noexcept { return width_; }

    /// What is multiplied by `all` and divided by `replayed`.
    struct Weight {
        std::uint64_t all = 1;
        std::uint64_t replayed = 1;
        std::uint64_t of(std::uint64_t value) const noexcept { return share(value, all, replayed); }
    };
    /// Counts of a batch of the sample stand for those of all groups around it; its cycles, for their cycles.
    struct Weights {
        Weight counts;
        Weight cycles;
    };
    Weights weightsOf(std::uint64_t batch) const noexcept;

  private:
    SamplePlan(std::uint64_t groups, std::uint32_t width, std::uint64_t rows, std::vector<std::uint32_t> columns);
    std::uint64_t batches() const noexcept;
    std::uint64_t lastBatch() const noexcept;
    std::uint64_t rowsOf(std::uint64_t batch) const noexcept;
    std::uint64_t placeOf(std::uint64_t batch) const noexcept;
    bool isSampled(std::uint64_t row) const noexcept;
    std::uint64_t groupsIn(std::uint64_t batch, std::uint64_t rows) const noexcept;
    std::uint64_t sampledIn(std::uint64_t batch) const noexcept;

    std::uint64_t groups_;
    std::uint32_t width_;
    std::uint64_t rows_;                  ///< of a batch
    std::vector<std::uint32_t> columns_;  ///< ascending
    std::vector<std::uint32_t> rank_;     ///< by column: its number among those, or kNone
    std::uint64_t count_ = 0;
    static constexpr std::uint32_t kNone = ~0u;
};

}  // namespace zetl::emulator::machine
