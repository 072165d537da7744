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

// The first two batches stand for themselves: the groups of the first begin together, and it takes until the second
// that they are spread over time. Each one behind them stands for so many times as many as the one before.
constexpr std::uint64_t kThinning = 4;
constexpr std::uint64_t kAlone = 2;
// Half of the last one shows how long groups take that are spread over time, unless it is the first, too.
constexpr std::uint64_t kPartOfLast = 2;
// The rest behind the last whole batch is a batch of its own if it is at least such a part of one.
constexpr std::uint64_t kLeastRest = 8;

/// The number, in the dispatch, of the first batch that number `batch` of the sample stands for: 0, 1, 2, 8, 32 and so
/// on.
std::uint64_t firstOf(std::uint64_t batch) noexcept {
    std::uint64_t first = std::min(batch, kAlone);
    for (std::uint64_t i = kAlone; i < batch; ++i) first *= kThinning;
    return first;
}

/// The batch of the sample that stands for number `place` of the dispatch.
std::uint64_t batchFor(std::uint64_t place) noexcept {
    std::uint64_t batch = 0;
    while (firstOf(batch + 1) <= place) ++batch;
    return batch;
}

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
    for (std::uint64_t batch = 0; firstOf(batch) < batches(); ++batch) count_ += sampledIn(batch);
}

/// Of the dispatch.
std::uint64_t SamplePlan::batches() const noexcept {
    const std::uint64_t each = rows_ * width_;
    const std::uint64_t full = groups_ / each;
    const std::uint64_t rest = groups_ % each;
    return full == 0 || rest * kLeastRest >= each ? full + (rest != 0 ? 1 : 0) : full;
}

std::uint64_t SamplePlan::lastBatch() const noexcept { return batchFor(std::max<std::uint64_t>(batches(), 1) - 1); }

std::uint64_t SamplePlan::rowsOf(std::uint64_t batch) const noexcept {
    return batch != 0 && batch == lastBatch() ? std::max<std::uint64_t>(1, rows_ / kPartOfLast) : rows_;
}

/// The number, in the dispatch, of a batch of the sample: it lies in the middle of those that it stands for.
std::uint64_t SamplePlan::placeOf(std::uint64_t batch) const noexcept {
    const std::uint64_t end = std::min(firstOf(batch + 1), batches());
    return (firstOf(batch) + end - 1) / 2;
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

bool SamplePlan::leavesRowsOut() const noexcept {
    if (isWhole() || groups_ == 0) return false;
    const Weight cycles = weightsOf(lastBatch()).cycles;
    return cycles.all > cycles.replayed;
}

bool SamplePlan::isSampled(std::uint64_t row) const noexcept {
    const std::uint64_t batch = batchFor(row / rows_);
    return placeOf(batch) == row / rows_ && row % rows_ < rowsOf(batch);
}

bool SamplePlan::contains(std::uint64_t group) const noexcept {
    return isWhole() || (rank_[group % width_] != kNone && isSampled(group / width_));
}

std::uint64_t SamplePlan::numberOf(std::uint64_t group) const noexcept {
    if (isWhole()) return group;
    const std::uint64_t row = group / width_;
    const std::uint64_t rowsBefore = batchFor(row / rows_) * rows_ + row % rows_;
    return rowsBefore * columns_.size() + rank_[group % width_];
}

std::uint64_t SamplePlan::othersFrom(std::uint64_t first, std::uint64_t count) const noexcept {
    std::uint64_t at = first;
    while (!contains(at) && at - first < count) {
        const std::uint64_t row = at / width_;
        const auto column = static_cast<std::uint32_t>(at % width_);
        const auto next = std::ranges::lower_bound(columns_, column);
        if (!isSampled(row))
            at = (row / rows_ + 1) * rows_ * width_;
        else
            at += (next == columns_.end() ? width_ : *next) - column;
    }
    return std::min(at - first, count);
}

/// Of the rows from the first one of a batch on.
std::uint64_t SamplePlan::groupsIn(std::uint64_t batch, std::uint64_t rows) const noexcept {
    const std::uint64_t first = batch * rows_ * width_;
    return std::min(groups_, first + rows * width_) - std::min(groups_, first);
}

std::uint64_t SamplePlan::sampledIn(std::uint64_t batch) const noexcept {
    const std::uint64_t groups = groupsIn(placeOf(batch), rowsOf(batch));
    const auto ofLastRow = static_cast<std::uint64_t>(
        std::ranges::lower_bound(columns_, static_cast<std::uint32_t>(groups % width_)) - columns_.begin());
    return groups / width_ * columns_.size() + ofLastRow;
}

SamplePlan::Weights SamplePlan::weightsOf(std::uint64_t batch) const noexcept {
    if (isWhole()) return {};
    const std::uint64_t rows = batch == lastBatch() ? this->rows() : (firstOf(batch + 1) - firstOf(batch)) * rows_;
    const std::uint64_t all = groupsIn(firstOf(batch), rows);
    return {{all, sampledIn(batch)}, {all, groupsIn(placeOf(batch), rowsOf(batch))}};
}

}  // namespace zetl::emulator::machine
