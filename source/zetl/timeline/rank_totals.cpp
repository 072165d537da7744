#include "timeline/rank_totals.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>

namespace zetl::command {

double Spread::imbalance() const { return mean ? static_cast<double>(most) / static_cast<double>(mean) - 1 : 0; }

namespace {

std::uint64_t durationOf(const Record& record) {
    const auto begin = record.begin.load(std::memory_order_relaxed);
    return record.end > begin ? record.end - begin : 0;
}

}  // namespace

void RankTotals::addCall(const Record& record, const Function& function) {
    ++calls;
    if (record.end == 0) return;
    errors += function.isError(record.result) ? 1 : 0;
    inLevelZero += durationOf(record);
}

void RankTotals::addSpan(const Record& record, const std::string& name) {
    ++commands;
    onDevice += durationOf(record);
    kernels[name] += durationOf(record);
}

void RankSummary::addOverflow(std::int32_t rank, const Overflow& overflow) {
    const auto found = ranks_.find(rank);
    if (found == ranks_.end()) return;
    auto& totals = found->second;
    totals.calls += overflow.calls.load();
    totals.errors += overflow.errors.load();
    totals.inLevelZero += overflow.total.load();
}

RankTotals* RankSummary::of(const RecordingFile& recording) {
    const auto& header = recording.header();
    if (header.rank < 0) return nullptr;
    expected_ = std::max(expected_, header.ranks);
    auto& totals = ranks_[header.rank];
    if (totals.host.empty()) totals.host = recording.host();
    ++totals.processes;
    return &totals;
}

std::size_t RankSummary::hosts() const {
    std::set<std::string_view> hosts;
    for (const auto& [rank, totals] : ranks_) hosts.insert(totals.host);
    return hosts.size();
}

RankSummary::Measure RankSummary::measure() const {
    if (std::ranges::any_of(ranks_, [](const auto& each) { return each.second.onDevice != 0; }))
        return {"on devices", [](const RankTotals& rank) { return rank.onDevice; }};
    return {"in Level Zero", [](const RankTotals& rank) { return rank.inLevelZero; }};
}

namespace {

/// One value per rank, in the order of ranks.
class SpreadOf {
  public:
    void add(std::int32_t rank, std::uint64_t value) {
        if (ranks_ == 0 || value < spread_.least) std::tie(spread_.least, spread_.leastRank) = std::pair(value, rank);
        if (ranks_ == 0 || value > spread_.most) std::tie(spread_.most, spread_.mostRank) = std::pair(value, rank);
        sum_ += static_cast<double>(value);
        ++ranks_;
    }
    Spread get() {
        spread_.mean = ranks_ ? static_cast<std::uint64_t>(sum_ / static_cast<double>(ranks_)) : 0;
        return spread_;
    }

  private:
    Spread spread_;
    double sum_ = 0;
    std::size_t ranks_ = 0;
};

}  // namespace

Spread RankSummary::spreadOf(Value value) const {
    SpreadOf spread;
    for (const auto& [rank, totals] : ranks_) spread.add(rank, value(totals));
    return spread.get();
}

std::vector<RankSummary::Kernel> RankSummary::kernels() const {
    std::set<std::string_view> names;
    for (const auto& [rank, totals] : ranks_)
        for (const auto& [name, time] : totals.kernels) names.insert(name);
    std::vector<Kernel> kernels;
    kernels.reserve(names.size());
    for (const auto name : names) {
        SpreadOf spread;
        for (const auto& [rank, totals] : ranks_) {
            const auto found = totals.kernels.find(name);
            spread.add(rank, found == totals.kernels.end() ? 0 : found->second);
        }
        kernels.push_back({std::string(name), spread.get()});
    }
    // what waiting for the slowest rank costs
    std::ranges::stable_sort(kernels, std::greater<>(),
                             [](const Kernel& each) { return each.spread.most - each.spread.mean; });
    return kernels;
}

}  // namespace zetl::command
