#include "timeline/rank_totals.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "timeline/reduced_rank.h"

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

void RankSummary::add(const ReducedRank& rank) {
    expected_ = std::max(expected_, rank.ranks);
    auto& totals = ranks_[rank.rank];
    if (totals.host.empty()) totals.host = rank.host;
    totals.processes += rank.processes;
    const auto addCalls = [&](const FunctionTotals& calls) {
        totals.calls += calls.calls;
        totals.errors += calls.errors;
        totals.inLevelZero += calls.total;
    };
    for (const auto& [name, calls] : rank.calls) addCalls(calls);
    addCalls(rank.otherCalls);
    for (const auto& [name, work] : rank.work) {
        totals.commands += work.launches;
        totals.onDevice += work.total;
        totals.kernels[name] += work.total;
    }
    totals.commands += rank.otherWork.launches;
    totals.onDevice += rank.otherWork.total;
    totals.isWhole = totals.isWhole && rank.otherKernels == 0;
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

namespace {

/// The times of one kernel, rank by rank. A rank without the kernel took no time, unless it does not name all kernels:
/// then its time is not known.
class KernelSpread {
  public:
    /// `place`: how many ranks that name all kernels come before this one, and which one has that place.
    void add(std::int32_t rank, std::uint64_t time, std::size_t place, bool isWhole) {
        spread_.add(rank, time);
        if (!isWhole) return;
        if (!absent_ && place != seen_) absent_ = seen_;
        ++seen_;
    }
    Spread get(const std::vector<std::int32_t>& whole) {
        for (auto i = seen_; i < whole.size(); ++i) spread_.add(whole[absent_.value_or(seen_)], 0);
        return spread_.get();
    }

  private:
    SpreadOf spread_;
    std::optional<std::size_t> absent_;  // the first place without it
    std::size_t seen_ = 0;
};

}  // namespace

std::vector<RankSummary::Kernel> RankSummary::kernels() const {
    std::map<std::string_view, KernelSpread> spreads;
    std::vector<std::int32_t> whole;
    for (const auto& [rank, totals] : ranks_) {
        for (const auto& [name, time] : totals.kernels) spreads[name].add(rank, time, whole.size(), totals.isWhole);
        if (totals.isWhole) whole.push_back(rank);
    }
    std::vector<Kernel> kernels;
    kernels.reserve(spreads.size());
    for (auto& [name, spread] : spreads) kernels.push_back({std::string(name), spread.get(whole)});
    // what waiting for the slowest rank costs
    std::ranges::stable_sort(kernels, std::greater<>(),
                             [](const Kernel& each) { return each.spread.most - each.spread.mean; });
    return kernels;
}

}  // namespace zetl::command
