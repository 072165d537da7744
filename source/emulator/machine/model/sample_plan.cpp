#include "emulator/machine/model/sample_plan.h"

#include <algorithm>
#include <numeric>

namespace zetl::emulator::machine {
namespace {

// Sub-slices of a sample. Their groups take the same time as those of all others in kernels that repeat themselves.
constexpr std::uint32_t kColumns = 2;
// Of so few groups, one for each sub-slice, one is a large enough part.
constexpr std::uint64_t kFewGroups = 20;
// Rows of a batch, in groups that a sub-slice holds at once: so long it takes until groups that began together are
// spread over time.
constexpr std::uint64_t kRows = 4;

// After the first two batches, the sample has those whose numbers are powers of it.
constexpr std::uint64_t kThinning = 4;

/// The number, in the dispatch, of a batch of the sample: 0, 1, 4, 16 and so on.
std::uint64_t placeOf(std::uint64_t batch) noexcept {
    std::uint64_t place = batch == 0 ? 0 : 1;
    for (std::uint64_t i = 1; i < batch; ++i) place *= kThinning;
    return place;
}

/// Batches of the sample in front of number `place` of the dispatch.
std::uint64_t batchesBefore(std::uint64_t place) noexcept {
    std::uint64_t count = place != 0 ? 1 : 0;
    for (std::uint64_t next = 1; next < place; next *= kThinning) ++count;
    return count;
}

bool isSampled(std::uint64_t place) noexcept { return placeOf(batchesBefore(place)) == place; }

/// The first one, which is never the one with fewer groups, and one at the golden section: no grid's pattern has that
/// distance.
std::vector<std::uint32_t> columnsOf(std::uint64_t groups, std::uint32_t width) {
    constexpr std::uint32_t kThousand = 1000;
    constexpr std::uint32_t kGolden = 618;
    const std::uint32_t number = groups <= std::min<std::uint64_t>(width, kFewGroups) ? 1 : std::min(width, kColumns);
    std::vector<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < number; ++i) columns.push_back(i * std::max(1u, width * kGolden / kThousand));
    return columns;
}

}  // namespace

SamplePlan::SamplePlan(std::uint64_t groups, std::uint32_t width, std::uint64_t rows,
                       std::vector<std::uint32_t> columns)
    : groups_(groups), width_(width), rows_(rows), columns_(std::move(columns)), rank_(width, kNone) {
    for (std::uint32_t i = 0; i < columns_.size(); ++i) rank_[columns_[i]] = i;
    if (isWhole()) {
        count_ = groups;
        return;
    }
    for (std::uint64_t batch = 0; placeOf(batch) * rows_ * width_ < groups_; ++batch) count_ += sampledIn(batch);
}

SamplePlan SamplePlan::whole(std::uint64_t groups, std::uint32_t subslices, std::uint64_t rows) {
    std::vector<std::uint32_t> columns(subslices);
    std::iota(columns.begin(), columns.end(), 0u);
    return {groups, subslices, rows, std::move(columns)};
}

SamplePlan SamplePlan::sampled(std::uint64_t groups, std::uint32_t subslices, std::uint64_t rows) {
    const auto width = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(groups, 1, subslices));
    return {groups, width, kRows * rows, columnsOf(groups, width)};
}

bool SamplePlan::contains(std::uint64_t group) const noexcept {
    return isWhole() || (rank_[group % width_] != kNone && isSampled(group / width_ / rows_));
}

std::uint64_t SamplePlan::numberOf(std::uint64_t group) const noexcept {
    if (isWhole()) return group;
    const std::uint64_t row = group / width_;
    const std::uint64_t rowsBefore = batchesBefore(row / rows_) * rows_ + row % rows_;
    return rowsBefore * columns_.size() + rank_[group % width_];
}

std::uint64_t SamplePlan::othersFrom(std::uint64_t first, std::uint64_t count) const noexcept {
    std::uint64_t at = first;
    while (!contains(at) && at - first < count) {
        const std::uint64_t place = at / width_ / rows_;
        const auto column = static_cast<std::uint32_t>(at % width_);
        const auto next = std::ranges::lower_bound(columns_, column);
        if (!isSampled(place))
            at = (place + 1) * rows_ * width_;
        else
            at += (next == columns_.end() ? width_ : *next) - column;
    }
    return std::min(at - first, count);
}

std::uint64_t SamplePlan::groupsIn(std::uint64_t firstBatch, std::uint64_t endBatch) const noexcept {
    const std::uint64_t each = rows_ * width_;
    return std::min(groups_, endBatch * each) - std::min(groups_, firstBatch * each);
}

std::uint64_t SamplePlan::sampledIn(std::uint64_t batch) const noexcept {
    const std::uint64_t groups = groupsIn(placeOf(batch), placeOf(batch) + 1);
    const auto ofLastRow = static_cast<std::uint64_t>(
        std::ranges::lower_bound(columns_, static_cast<std::uint32_t>(groups % width_)) - columns_.begin());
    return groups / width_ * columns_.size() + ofLastRow;
}

SamplePlan::Weights SamplePlan::weightsOf(std::uint64_t batch) const noexcept {
    if (isWhole()) return {};
    const std::uint64_t place = placeOf(batch);
    const std::uint64_t all = groupsIn(place, placeOf(batch + 1));
    return {{all, sampledIn(batch)}, {all, groupsIn(place, place + 1)}};
}

}  // namespace zetl::emulator::machine
