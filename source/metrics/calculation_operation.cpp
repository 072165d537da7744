#include "metrics/calculation_operation.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>

#include "metrics/calculation/report.h"
#include "metrics/calculation/sample_report.h"
#include "metrics/log_channel.h"

namespace zetl::metrics {

/// The rows of one scope, and the reports from which they are calculated.
struct CalculationOperation::ScopeRows {
    std::size_t set = 0;
    std::vector<RowKey> keys{};          ///< ascending
    std::vector<std::byte> reports{};    ///< as the calculator reads them
    std::vector<std::size_t> rows{};     ///< the calculator's, of each key
    RowKey open = kNone;                 ///< rows from here on are not complete yet
    std::vector<Section> sections{};     ///< of a stream
    std::vector<std::uint64_t> ticks{};  ///< of a stream\'s reports, since the data began

    static constexpr RowKey kNone{UINT64_MAX, UINT64_MAX};
};

namespace {

std::uint64_t wordAt(std::span<const std::byte> bytes, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

void appendBytes(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

std::vector<std::vector<std::byte>> bytesOfSets(const RawSets& sets) {
    std::vector<std::vector<std::byte>> copies;
    for (std::size_t i = 0; i < sets.size(); ++i) copies.emplace_back(sets[i].begin(), sets[i].end());
    return copies;
}

void dropFront(std::vector<std::byte>& bytes, std::size_t count) {
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(count, bytes.size())));
}

}  // namespace

ze_result_t CalculationOperation::calculate(const Request& request) {
    return kept_.write([&](Kept& kept) { return calculate(request, kept); });
}

ze_result_t CalculationOperation::calculate(const Request& request, Kept& kept) const {
    *request.used = 0;
    auto data = joined(kept, request.raw);
    if (!data) return data.code();
    const bool empty = std::ranges::all_of(data->sets, [](const auto& set) { return set.empty(); });
    if (empty && !request.last) return ZE_RESULT_NOT_READY;
    std::vector<ScopeRows> scopes;
    for (const auto& scope : content_.scopes) scopes.push_back(rowsOf(*data, *scope, request.last));
    auto keys = completeKeys(scopes);
    if (keys.size() > UINT32_MAX) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (*request.reports == 0 || !request.values) {
        *request.reports = static_cast<std::uint32_t>(keys.size());
        return ZE_RESULT_SUCCESS;
    }
    const bool all = *request.reports >= keys.size();
    if (!all) keys.resize(*request.reports);
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        const auto result = write(scopes[i], keys, request.values + i * content_.metrics.size());
        if (result != ZE_RESULT_SUCCESS) return result;
    }
    const auto& measured = *content_.measured;
    bool lost = false;
    if (measured.descriptor().samples) lost = tellsLoss(RawSets::together(data->sets), measured.reportBytes());
    kept = request.last ? Kept{} : rest(std::move(*data), scopes, keys, all);
    *request.reports = static_cast<std::uint32_t>(keys.size());
    *request.used = request.raw.size();
    return lost ? ZE_RESULT_WARNING_DROPPED_DATA : ZE_RESULT_SUCCESS;
}

/// Of all scopes. A report is complete when it is for each of them.
std::vector<RowKey> CalculationOperation::completeKeys(std::span<const ScopeRows> scopes) {
    std::vector<RowKey> keys;
    RowKey open = ScopeRows::kNone;
    for (const auto& rows : scopes) {
        keys.insert(keys.end(), rows.keys.begin(), rows.keys.end());
        open = std::min(open, rows.open);
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    keys.erase(std::ranges::lower_bound(keys, open), keys.end());
    return keys;
}

/// What was kept, with what is new behind it. Samples are summed up already.
Result<CalculationOperation::Kept> CalculationOperation::joined(const Kept& kept,
                                                                std::span<const std::byte> raw) const {
    const auto& measured = *content_.measured;
    Kept data = kept;
    data.sets.resize(content_.sets);
    data.ticks.resize(content_.sets);
    if (raw.empty()) return data;
    const auto sets = measured.setsOf(raw);
    if (sets.code() == ZE_RESULT_NOT_READY) return data;
    if (!sets) return sets.code();
    if (sets->size() != content_.sets || sets->tiled() != (content_.sets > 1)) {
        log::warn(
            kLog,
            "zetIntelMetricCalculateValuesExp refused: the data are of {} tiles, the operation is for {}; use data "
            "of the device that the operation was made for",
            sets->size(), content_.sets);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    for (std::size_t i = 0; i < sets->size(); ++i) appendBytes(data.sets[i], (*sets)[i]);
    if (measured.descriptor().samples)
        data.sets = bytesOfSets(summedByInstruction(RawSets::together(std::move(data.sets)), measured.reportBytes()));
    return data;
}

CalculationOperation::ScopeRows CalculationOperation::rowsOf(const Kept& data, const Scope& scope, bool last) const {
    ScopeRows rows;
    rows.set = content_.sets > 1 ? scope.set() : 0;
    if (content_.measured->descriptor().samples)
        addSamples(data, scope, rows);
    else if (content_.measured->source() == ZETL_SOURCE_STREAM)
        addSections(data, last, rows);
    else
        addQueries(data, rows);
    return rows;
}

/// One row for each instruction.
void CalculationOperation::addSamples(const Kept& data, const Scope& scope, ScopeRows& rows) const {
    const auto bytes = content_.measured->reportBytes();
    if (scope.aggregated()) {
        for (const auto& set : data.sets) appendBytes(rows.reports, set);
        rows.reports = bytesOfSets(summedByInstruction(RawSets::together({std::move(rows.reports)}), bytes)).front();
    } else {
        rows.reports = data.sets[rows.set];
    }
    for (std::size_t at = 0; at < rows.reports.size(); at += bytes)
        rows.keys.emplace_back(0, wordAt(rows.reports, at + offsetof(SampleHead, instruction)));
    rows.rows.resize(rows.keys.size());
    std::iota(rows.rows.begin(), rows.rows.end(), 0);
}

/// One row for each report.
void CalculationOperation::addQueries(const Kept& data, ScopeRows& rows) const {
    rows.reports = data.sets[0];
    rows.rows.resize(rows.reports.size() / content_.measured->reportBytes());
    std::iota(rows.rows.begin(), rows.rows.end(), 0);
    for (const auto row : rows.rows) rows.keys.emplace_back(0, row);
}

/// When each report was made.
std::vector<std::uint64_t> CalculationOperation::ticksOf(const Kept& data, std::size_t set) const {
    const auto bits = content_.measured->descriptor().clock.validBits;
    const std::uint64_t mask = bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    const auto bytes = content_.measured->reportBytes();
    const auto& reports = data.sets[set];
    std::vector<std::uint64_t> all;
    std::uint64_t before = 0;
    for (std::size_t at = 0; at < reports.size(); at += bytes) {
        const auto now = wordAt(reports, at + offsetof(ReportHead, time));
        all.push_back(all.empty() ? data.ticks[set] : all.back() + ((now - before) & mask));
        before = now;
    }
    return all;
}

/// One row for each section of the time windows: from the first to the last of its reports, which are states of the
/// counters.
void CalculationOperation::addSections(const Kept& data, bool last, ScopeRows& rows) const {
    const auto bytes = content_.measured->reportBytes();
    const std::span<const std::byte> reports = data.sets[rows.set];
    rows.ticks = ticksOf(data, rows.set);
    std::vector<std::uint64_t> times;
    std::ranges::transform(rows.ticks, std::back_inserter(times), Nanoseconds(content_.measured->descriptor().clock));
    auto sections = content_.windows.sectionsOf(times);
    rows.sections = std::move(sections.all);
    if (!last) rows.open = sections.open;
    std::size_t newest = SIZE_MAX;
    std::size_t copied = 0;
    const auto copy = [&](std::size_t report) {
        appendBytes(rows.reports, reports.subspan(report * bytes, bytes));
        newest = report;
        ++copied;
    };
    for (const auto& section : rows.sections) {
        if (section.first != newest) copy(section.first);
        rows.rows.push_back(copied - 1);
        copy(section.last);
        rows.keys.push_back(section.key);
    }
}

Result<std::vector<zet_typed_value_t>> CalculationOperation::valuesOf(const ScopeRows& rows) const {
    if (rows.keys.empty()) return std::vector<zet_typed_value_t>();
    const auto& measured = *content_.measured;
    const auto& calculator = measured.calculator();
    const auto sets = RawSets::together({rows.reports});
    const auto evaluated = measured.readableAsIs() ? RawSets::together({rows.reports}) : measured.evaluated(sets);
    if (!evaluated) return evaluated.code();
    const auto count = calculator.rows(calculator.reports((*evaluated)[0].size()));
    if (count <= rows.rows.back()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    std::vector<zet_typed_value_t> values(count * calculator.columns());
    calculator.calculate(ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, (*evaluated)[0], count, values.data());
    return values;
}

/// Writes one scope's part of every report.
ze_result_t CalculationOperation::write(const ScopeRows& rows, std::span<const RowKey> keys,
                                        zet_intel_metric_result_exp_t* first) const {
    const auto values = valuesOf(rows);
    if (!values) return values.code();
    const auto columns = content_.measured->calculator().columns();
    std::size_t next = 0;
    for (std::size_t report = 0; report < keys.size(); ++report) {
        const bool there = next < rows.keys.size() && rows.keys[next] == keys[report];
        auto* to = first + report * valuesOfReport();
        for (const auto column : content_.columns) {
            to->value = there ? (*values)[rows.rows[next] * columns + column].value : zet_value_t{};
            to->resultStatus =
                there ? ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID : ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_INVALID;
            ++to;
        }
        if (there) ++next;
    }
    return ZE_RESULT_SUCCESS;
}

void CalculationOperation::dropSamples(Kept& data, const IsGiven& isGiven) const {
    const auto bytes = content_.measured->reportBytes();
    for (auto& set : data.sets) {
        std::size_t reports = 0;
        while (reports * bytes < set.size() && isGiven({0, wordAt(set, reports * bytes)})) ++reports;
        dropFront(set, reports * bytes);
    }
}

/// A stream's last report stays, since the next interval begins with it.
void CalculationOperation::dropSections(Kept& data, std::span<const ScopeRows> scopes, const IsGiven& isGiven) const {
    std::vector<bool> needed(data.sets.size());
    for (const auto& rows : scopes) {
        needed[rows.set] = true;
        if (rows.ticks.empty()) continue;
        const auto next = std::ranges::find_if_not(rows.sections, isGiven, &Section::key);
        const auto from = next == rows.sections.end() ? rows.ticks.size() - 1 : next->first;
        data.ticks[rows.set] = rows.ticks[from];
        dropFront(data.sets[rows.set], from * content_.measured->reportBytes());
    }
    for (std::size_t set = 0; set < data.sets.size(); ++set)
        if (!needed[set]) data.sets[set].clear();
}

/// The data of which no report was given.
CalculationOperation::Kept CalculationOperation::rest(Kept data, std::span<const ScopeRows> scopes,
                                                      std::span<const RowKey> given, bool all) const {
    const auto& measured = *content_.measured;
    const IsGiven isGiven = [&](const RowKey& key) { return !given.empty() && key <= given.back(); };
    if (measured.source() == ZETL_SOURCE_STREAM)
        dropSections(data, scopes, isGiven);
    else if (!measured.descriptor().samples)
        dropFront(data.sets[0], given.size() * measured.reportBytes());
    else if (all)
        return {};
    else
        dropSamples(data, isGiven);
    return data;
}

}  // namespace zetl::metrics
