#include "timeline/summary.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "timeline/device_view.h"
#include "timeline/launch_facts.h"
#include "timeline/reduced_rank.h"
#include "timeline/user_range.h"

namespace zetl::command {

void FunctionTotals::add(const Record& record, const Function& function) {
    add(record);
    if (record.end != 0) errors += function.isError(record.result) ? 1 : 0;
}

void FunctionTotals::add(const Record& record) {
    ++calls;
    if (record.end == 0) {
        ++unfinished;
        return;
    }
    const auto begin = record.begin.load(std::memory_order_relaxed);
    const auto duration = record.end > begin ? record.end - begin : 0;
    total += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
}

void FunctionTotals::add(const Overflow& overflow) {
    const auto beyond = overflow.calls.load();
    if (beyond == 0) return;
    calls += beyond;
    errors += overflow.errors.load();
    total += overflow.total.load();
    shortest = std::min(shortest, overflow.shortest.load());
    longest = std::max(longest, overflow.longest.load());
}

void FunctionTotals::merge(const FunctionTotals& other) {
    calls += other.calls;
    unfinished += other.unfinished;
    errors += other.errors;
    total += other.total;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
}

namespace {

bool launchedAlike(const RecordedSpan& a, const RecordedSpan& b) {
    return std::ranges::equal(a.groups, b.groups) && std::ranges::equal(a.groupSize, b.groupSize) &&
           a.localBytes == b.localBytes && a.registers == b.registers && a.simdWidth == b.simdWidth;
}

}  // namespace

void WorkTotals::add(const Record& record, const RecordedSpan& span) {
    const auto begin = record.begin.load(std::memory_order_relaxed);
    const auto duration = record.end > begin ? record.end - begin : 0;
    varies = varies || (launches != 0 && !launchedAlike(span, longestSpan));
    if (launches == 0 || duration > longest) longestSpan = span;
    queued += queuedOf(record, span);
    ++launches;
    total += duration;
    bytes += span.bytes;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
}

void WorkTotals::merge(const WorkTotals& other) {
    if (other.launches == 0) return;
    varies = varies || other.varies || (launches != 0 && !launchedAlike(other.longestSpan, longestSpan));
    if (launches == 0 || other.longest > longest) longestSpan = other.longestSpan;
    launches += other.launches;
    total += other.total;
    bytes += other.bytes;
    queued += other.queued;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
}

Summary::Summary(std::span<const RecordingFile> recordings) : Summary() {
    for (const auto& recording : recordings) add(recording);
}

void Summary::add(const RecordingFile& recording) {
    const auto& header = recording.header();
    ++processes_;
    addRecords(recording);
    const auto shortage = static_cast<std::size_t>(header.shortage.load()) % kShortages;  // the file may be damaged
    for (std::size_t i = 0; i < kFunctions; ++i) {
        functions_[i].add(header.overflow[i]);
        beyond_[shortage] += header.overflow[i].calls.load();
        ranks_.addOverflow(header.rank, header.overflow[i]);
    }
    spansBeyond_ += header.spansBeyond.load();
    unmeasured_ += recording.unmeasured();
}

namespace {

/// By name.
const std::map<std::string_view, std::size_t>& functionNumbers() {
    static const auto* const numbers = [] {
        auto* all = new std::map<std::string_view, std::size_t>;
        for (std::size_t i = 0; i < kFunctions; ++i) all->emplace(functions()[i].name, i);
        return all;
    }();
    return *numbers;
}

}  // namespace

void Summary::add(const ReducedRank& rank) {
    ++reducedRanks_;
    processes_ += rank.processes;
    threads_ += rank.threads;
    for (const auto& [name, totals] : rank.calls) {
        const auto found = functionNumbers().find(name);
        (found == functionNumbers().end() ? otherCalls_ : functions_[found->second]).merge(totals);
    }
    otherCalls_.merge(rank.otherCalls);
    for (const auto& [name, totals] : rank.work) work_[name].merge(totals);
    if (rank.otherWork.launches != 0) work_["(others, in summaries of ranks)"].merge(rank.otherWork);
    for (std::size_t i = 0; i < kShortages; ++i) beyond_[i] += rank.beyond[i];
    spansBeyond_ += rank.spansBeyond;
    unmeasured_ += rank.unmeasured;
    ranks_.add(rank);
}

ReducedRank Summary::reduced() const {
    ReducedRank rank;
    rank.processes = processes_;
    rank.threads = threads_;
    for (const auto& [name, totals] : rows()) rank.calls.emplace(name, *totals);
    rank.work = work_;
    rank.beyond = beyond_;
    rank.spansBeyond = spansBeyond_;
    rank.unmeasured = unmeasured_;
    return rank;
}

void Summary::addRecords(const RecordingFile& recording) {
    const DeviceView devices(recording);
    for (const auto& [number, name] : devices.kernels()) kernelNames_.insert(name);
    auto* const rank = ranks_.of(recording);
    std::set<std::uint32_t> threads;
    std::uint32_t last = 0;
    recording.forEach([&](const Record& record) {
        if (record.function == kSpan) {
            const auto span = spanOf(record);
            work_[devices.nameOf(span)].add(record, span);
            if (rank) rank->addSpan(record, devices.nameOf(span));
        }
        if (record.function == kRange) ranges_[userRangeOf(record).name].add(record);
        if (!record.isCall()) return;
        if (rank) rank->addCall(record, functions()[record.function]);
        functions_[record.function].add(record, functions()[record.function]);
        if (record.thread != last) threads.insert(last = record.thread);
    });
    threads_ += threads.size();
}

std::uint64_t Summary::calls() const {
    return std::accumulate(functions_.begin(), functions_.end(), otherCalls_.calls,
                           [](std::uint64_t sum, const FunctionTotals& each) { return sum + each.calls; });
}

bool Summary::initialised() const {
    for (std::size_t i = 0; i < kFunctions; ++i)
        if (functions()[i].name.starts_with("zeInit") &&
            functions_[i].calls > functions_[i].errors + functions_[i].unfinished)
            return true;
    return false;
}

std::vector<Summary::Row> Summary::rows() const {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < kFunctions; ++i)
        if (functions_[i].calls) rows.push_back({functions()[i].name, &functions_[i]});
    if (otherCalls_.calls) rows.push_back({"(others, in summaries of ranks)", &otherCalls_});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.totals->total > b.totals->total; });
    return rows;
}

std::vector<Summary::Row> Summary::rangeRows() const {
    std::vector<Row> rows;
    rows.reserve(ranges_.size());
    for (const auto& [name, totals] : ranges_) rows.push_back({name, &totals});
    std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) { return row.totals->total; });
    return rows;
}

std::vector<Summary::WorkRow> Summary::workRows() const {
    std::vector<WorkRow> rows;
    double sum = 0;
    for (const auto& [name, totals] : work_) sum += static_cast<double>(totals.total);
    for (const auto& [name, totals] : work_)
        rows.push_back({name, &totals, sum > 0 ? static_cast<double>(totals.total) / sum : 0});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const WorkRow& a, const WorkRow& b) { return a.totals->total > b.totals->total; });
    return rows;
}

}  // namespace zetl::command
