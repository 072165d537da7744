// Scopes, calculation operations and decoding by scope, as Intel's driver has them: through the stock loader, without
// any layer.
#include "ze_tools_layer/level_zero/intel_metrics.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "support/effort.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using ScopeHandle = zet_intel_metric_scope_exp_handle_t;
using OperationHandle = zet_intel_metric_calculation_operation_exp_handle_t;
using Desc = zet_intel_metric_calculation_exp_desc_t;
using Results = std::vector<zet_intel_metric_result_exp_t>;

constexpr const char* kTwoTiles = "small-two-by-two";
constexpr auto kDescType = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULATION_DESC_EXP;

std::vector<ScopeHandle> scopesOf(const Gpu& gpu) {
    const auto get = DRIVER_CALL(gpu, zetIntelMetricScopesGetExp);
    std::uint32_t count = 0;
    EXPECT_OK(get(gpu.context(), gpu.device(), &count, nullptr));
    std::vector<ScopeHandle> scopes(count);
    EXPECT_OK(get(gpu.context(), gpu.device(), &count, scopes.data()));
    return scopes;
}

/// "number name" of each.
std::vector<std::string> namesOf(const Gpu& gpu, const std::vector<ScopeHandle>& scopes) {
    std::vector<std::string> names;
    for (auto* const scope : scopes) {
        zet_intel_metric_scope_properties_exp_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_INTEL_METRIC_SCOPE_PROPERTIES_EXP;
        EXPECT_OK(DRIVER_CALL(gpu, zetIntelMetricScopeGetPropertiesExp)(scope, &properties));
        EXPECT_NE(properties.description[0], '\0');
        names.push_back(std::to_string(properties.iD) + " " + properties.name);
    }
    return names;
}

/// A device under load may lose samples, which both ways to calculate them say.
bool isGood(ze_result_t result) { return result == ZE_RESULT_SUCCESS || result == ZE_RESULT_WARNING_DROPPED_DATA; }

/// An operation of all metrics of a group.
class Operation {
  public:
    Operation(const Gpu& gpu, zet_metric_group_handle_t group, std::vector<ScopeHandle> scopes,
              std::uint64_t section = UINT64_MAX,
              std::vector<zet_intel_metric_calculation_time_window_exp_t> windows = {})
        : gpu_(gpu), columns_(columnsOf(group).size()), scopes_(scopes.size()) {
        Desc desc{kDescType,
                  nullptr,
                  1,
                  &group,
                  0,
                  nullptr,
                  static_cast<std::uint32_t>(windows.size()),
                  windows.data(),
                  section,
                  static_cast<std::uint32_t>(scopes.size()),
                  scopes.data()};
        const auto result =
            DRIVER_CALL(gpu, zetIntelMetricCalculationOperationCreateExp)(gpu.context(), gpu.device(), &desc, &handle_);
        EXPECT_TRUE(result == ZE_RESULT_SUCCESS || result == ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP) << result;
    }
    ~Operation() { EXPECT_OK(DRIVER_CALL(gpu_, zetIntelMetricCalculationOperationDestroyExp)(handle_)); }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    operator OperationHandle() const { return handle_; }
    std::size_t values() const { return columns_ * scopes_; }
    std::uint32_t reportsIn(const Bytes& raw, bool last = true) const {
        std::uint32_t count = 0;
        std::size_t used = 0;
        EXPECT_OK(function()(raw.size(), raw.data(), handle_, last, &used, &count, nullptr));
        EXPECT_EQ(used, 0u) << "nothing was calculated";
        return count;
    }
    Results calculate(const Bytes& raw, bool last = true) const { return calculate(raw, reportsIn(raw, last), last); }
    Results calculate(const Bytes& raw, std::uint32_t most, bool last) const {
        if (most == 0) return {};
        Results results(most * values());
        std::uint32_t count = most;
        std::size_t used = 0;
        EXPECT_TRUE(isGood(function()(raw.size(), raw.data(), handle_, last, &used, &count, results.data())));
        EXPECT_EQ(used, raw.size());
        EXPECT_LE(count, most);
        results.resize(count * values());
        return results;
    }
    ze_result_t answer(const Bytes& raw) const {
        std::uint32_t count = 0;
        std::size_t used = 0;
        const auto result = function()(raw.size(), raw.data(), handle_, true, &used, &count, nullptr);
        if (result != ZE_RESULT_SUCCESS || count == 0) return result;
        Results results(count * values());
        return function()(raw.size(), raw.data(), handle_, true, &used, &count, results.data());
    }

  private:
    decltype(zetIntelMetricCalculateValuesExp)* function() const {
        return DRIVER_CALL(gpu_, zetIntelMetricCalculateValuesExp);
    }

    const Gpu& gpu_;
    std::size_t columns_;
    std::size_t scopes_;
    OperationHandle handle_ = nullptr;
};

/// What the specification's function calculates, set after set.
std::vector<std::vector<zet_typed_value_t>> setsOf(const Gpu& gpu, zet_metric_group_handle_t group, const Bytes& raw) {
    const auto calculate = DRIVER_CALL(gpu, zetMetricGroupCalculateMultipleMetricValuesExp);
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    EXPECT_OK(calculate(group, kMetricValues, raw.size(), raw.data(), &sets, &total, nullptr, nullptr));
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(total);
    EXPECT_TRUE(
        isGood(calculate(group, kMetricValues, raw.size(), raw.data(), &sets, &total, counts.data(), values.data())));
    std::vector<std::vector<zet_typed_value_t>> all;
    auto from = values.begin();
    for (const auto count : counts) {
        all.emplace_back(from, from + count);
        from += count;
    }
    return all;
}

/// The bits of a value that its type has.
std::uint64_t bitsOf(const zet_value_t& value, zet_value_type_t type) {
    if (type == ZET_VALUE_TYPE_BOOL8) return value.b8;
    if (type == ZET_VALUE_TYPE_UINT32 || type == ZET_VALUE_TYPE_FLOAT32) return value.ui32;
    return value.ui64;
}

void expectSame(const Results& results, const std::vector<zet_typed_value_t>& values) {
    ASSERT_EQ(results.size(), values.size());
    ASSERT_FALSE(values.empty());
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(results[i].resultStatus, ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID) << i;
        ASSERT_EQ(bitsOf(results[i].value, values[i].type), bitsOf(values[i].value, values[i].type)) << i;
    }
}

Bytes streamed(const Gpu& gpu, std::size_t periods = 8) {
    Stream stream(gpu);
    stream.pass(1);
    CountedWork(gpu).launch(3);
    stream.pass(periods);
    return stream.raw();
}

Bytes sampled(const Gpu& gpu, zet_metric_group_handle_t stalls) {
    activate(gpu, stalls);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 32768, 20'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), stalls, &description, nullptr, &streamer));
    CountedWork(gpu).launch(16);
    std::size_t size = 0;
    EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
    Bytes raw(size);
    EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data()));
    raw.resize(size);
    EXPECT_OK(zetMetricStreamerClose(streamer));
    return raw;
}

SCENARIO(deviceWithoutTilesIsOneScope) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    EXPECT_EQ(namesOf(gpu, scopes), std::vector<std::string>{"0 COMPUTE_TILE_0"});
    EXPECT_EQ(scopesOf(gpu), scopes) << "the same ones each time";
    auto* const metric = listOf(zetMetricGet, group(gpu, "MemoryTraffic", kTimeBased)).front();
    EXPECT_EQ(listOf(DRIVER_CALL(gpu, zetIntelMetricSupportedScopesGetExp), metric), scopes);
}
TEST(IntelMetrics, DeviceWithoutTilesIsOneScope) { EXPECT_RUNS(measured("deviceWithoutTilesIsOneScope")); }

SCENARIO(tilesAreScopes) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    const std::vector<std::string> all{"0 DEVICE_AGGREGATED", "1 COMPUTE_TILE_0", "2 COMPUTE_TILE_1"};
    EXPECT_EQ(namesOf(gpu, scopes), all);
    const auto tile = gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(1));
    EXPECT_EQ(namesOf(gpu, scopesOf(tile)), std::vector<std::string>{"0 COMPUTE_TILE_1"});
    const auto supported = [&](const char* name, zet_metric_group_sampling_type_flag_t sampling) {
        auto* const metric = listOf(zetMetricGet, group(gpu, name, sampling)).front();
        return namesOf(gpu, listOf(DRIVER_CALL(gpu, zetIntelMetricSupportedScopesGetExp), metric));
    };
    EXPECT_EQ(supported("EuStallSampling", kTimeBased), all);
    EXPECT_EQ(supported("MemoryTraffic", kTimeBased), std::vector<std::string>(all.begin() + 1, all.end()));
    EXPECT_EQ(supported("MemoryTraffic", kEventBased), std::vector<std::string>{all.front()});
}
TEST(IntelMetrics, TilesAreScopes) { EXPECT_RUNS(measured("tilesAreScopes", kTwoTiles)); }

SCENARIO(extensionsOfIntelAreAnnounced) {
    const Gpu gpu;
    std::set<std::string> names;
    for (const auto& each : listOf(zeDriverGetExtensionProperties, gpu.driver())) names.insert(each.name);
    for (const char* name :
         {ZET_INTEL_METRIC_SCOPES_EXP_NAME, ZET_INTEL_METRIC_CALCULATION_EXP_NAME,
          ZET_INTEL_METRIC_TRACER_DECODE_EXP2_NAME, ZET_INTEL_METRIC_TRACER_EXPORT_EXP_NAME,
          ZET_INTEL_METRIC_HW_BUFFER_SIZE_EXP_NAME, ZET_INTEL_METRICS_RUNTIME_ENABLE_DISABLE_EXP_NAME})
        EXPECT_TRUE(names.contains(name)) << name;
}
TEST(IntelMetrics, ExtensionsAreAnnounced) { EXPECT_RUNS(measured("extensionsOfIntelAreAnnounced")); }

SCENARIO(operationCalculatesAStream) {
    const Gpu gpu;
    const auto raw = streamed(gpu);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    const auto scopes = scopesOf(gpu);
    const auto rows = setsOf(gpu, traffic, raw).at(0);
    const Operation each(gpu, traffic, scopes, 1);
    expectSame(each.calculate(raw), rows);

    const auto columns = each.values();
    const auto bytes = raw.size() / (rows.size() / columns + 1);
    Bytes ends(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(bytes));
    ends.insert(ends.end(), raw.end() - static_cast<std::ptrdiff_t>(bytes), raw.end());
    const Operation all(gpu, traffic, scopes);
    expectSame(all.calculate(raw), setsOf(gpu, traffic, ends).at(0));
    EXPECT_EQ(all.reportsIn(raw, false), 0u) << "more data may come";

    // The interval in which a window begins is the first of it.
    const Operation window(gpu, traffic, scopes, 1, {{1, UINT64_MAX}});
    expectSame(window.calculate(raw), {rows.begin() + static_cast<std::ptrdiff_t>(columns), rows.end()});
    const Operation two(gpu, traffic, scopes, UINT64_MAX, {{0, 1}, {2 * kPeriod, UINT64_MAX}});
    const auto results = two.calculate(raw);
    ASSERT_EQ(results.size(), 2 * columns);
    expectSame({results.begin(), results.begin() + static_cast<std::ptrdiff_t>(columns)},
               {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(columns)});
}
TEST(IntelMetrics, StreamsAreCalculated) { EXPECT_RUNS(measured("operationCalculatesAStream")); }

/// However the data are cut, and however many reports are taken at once.
SCENARIO(operationKeepsWhatIsNotGivenYet) {
    const Gpu gpu;
    const auto raw = streamed(gpu);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    const Operation whole(gpu, traffic, scopesOf(gpu), 2 * kPeriod);
    const auto expected = whole.calculate(raw);
    const auto bytes = raw.size() / (setsOf(gpu, traffic, raw).at(0).size() / whole.values() + 1);
    for (const std::uint32_t most : {1u, 2u, 1000u}) {
        const Operation cut(gpu, traffic, scopesOf(gpu), 2 * kPeriod);
        Results got;
        const auto add = [&](const Results& more) { got.insert(got.end(), more.begin(), more.end()); };
        for (std::size_t at = 0; at < raw.size(); at += bytes)
            add(cut.calculate(
                {raw.begin() + static_cast<std::ptrdiff_t>(at), raw.begin() + static_cast<std::ptrdiff_t>(at + bytes)},
                most, false));
        while (const auto left = cut.reportsIn({}, true)) add(cut.calculate({}, std::min(left, most), left <= most));
        ASSERT_EQ(got.size(), expected.size()) << most;
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i].value.ui64, expected[i].value.ui64) << i;
    }
}
TEST(IntelMetrics, WhatIsNotGivenYetIsKept) { EXPECT_RUNS(measured("operationKeepsWhatIsNotGivenYet")); }

SCENARIO(operationCalculatesSamples) {
    const Gpu gpu;
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    const auto raw = sampled(gpu, stalls);
    const auto rows = setsOf(gpu, stalls, raw).at(0);
    const Operation operation(gpu, stalls, scopesOf(gpu), 0);
    expectSame(operation.calculate(raw), rows);
    expectSame(operation.calculate(raw, false), rows);
    auto parts = operation.calculate(raw, 1, false);
    ASSERT_EQ(parts.size(), operation.values());
    const auto rest = operation.calculate({}, 1'000'000, false);
    parts.insert(parts.end(), rest.begin(), rest.end());
    expectSame(parts, rows);
}
TEST(IntelMetrics, SamplesAreCalculated) { EXPECT_RUNS(measured("operationCalculatesSamples")); }

SCENARIO(operationCalculatesQueries) {
    const Gpu gpu;
    const Queries queries(gpu, "MemoryTraffic");
    const CountedWork work(gpu);
    Bytes raw;
    for (std::uint32_t i = 0; i < 3; ++i) {
        auto* const query = queries[i];
        Queries::around(gpu, query, [&](ze_command_list_handle_t list) { work.append(list, static_cast<int>(i)); });
        const auto more = Queries::raw(query);
        raw.insert(raw.end(), more.begin(), more.end());
    }
    const auto rows = setsOf(gpu, queries.group(), raw).at(0);
    const Operation operation(gpu, queries.group(), scopesOf(gpu), 0);
    EXPECT_EQ(operation.reportsIn(raw), 3u);
    expectSame(operation.calculate(raw), rows);
    auto parts = operation.calculate(raw, 2, false);
    const auto rest = operation.calculate({}, 9, true);
    parts.insert(parts.end(), rest.begin(), rest.end());
    expectSame(parts, rows);
}
TEST(IntelMetrics, QueriesAreCalculated) { EXPECT_RUNS(measured("operationCalculatesQueries")); }

/// A report has the first scope's values, then the next one's.
SCENARIO(operationCalculatesTiles) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    Stream stream(gpu, 1000, effort(kPeriod, 20 * kPeriod));
    stream.pass(2, 2);
    CountedWork(gpu).launch(2);
    stream.pass(4, 2);
    const auto sets = setsOf(gpu, traffic, stream.raw());
    ASSERT_EQ(sets.size(), 2u);
    for (std::size_t tile = 0; tile < 2; ++tile) {
        const Operation one(gpu, traffic, {scopes[1 + tile]}, 1);
        expectSame(one.calculate(stream.raw()), sets[tile]);
    }
    const Operation both(gpu, traffic, {scopes[2], scopes[1], scopes[2]});  // sorted, and once each
    const auto& format = DRIVER_CALL(gpu, zetIntelMetricCalculationOperationGetReportFormatExp);
    std::uint32_t count = 0;
    ASSERT_OK(format(both, &count, nullptr, nullptr));
    const auto metrics = listOf(zetMetricGet, traffic);
    ASSERT_EQ(count, 2 * metrics.size());
    std::vector<zet_metric_handle_t> listed(count);
    std::vector<ScopeHandle> of(count);
    ASSERT_OK(format(both, &count, listed.data(), of.data()));
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(listed[i], metrics[i % metrics.size()]);
        EXPECT_EQ(of[i], scopes[1 + i / metrics.size()]);
    }
    std::uint32_t few = count - 1;
    EXPECT_EQ(format(both, &few, listed.data(), of.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    std::uint32_t excluded = 7;
    EXPECT_OK(DRIVER_CALL(gpu, zetIntelMetricCalculationOperationGetExcludedMetricsExp)(both, &excluded, nullptr));
    EXPECT_EQ(excluded, 0u);
    Results results(count);
    std::uint32_t reports = 1;
    std::size_t used = 0;
    ASSERT_OK(DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp)(stream.raw().size(), stream.raw().data(), both, true,
                                                                 &used, &reports, results.data()));
    EXPECT_EQ(reports, 1u);
    const Operation first(gpu, traffic, {scopes[1]});
    const auto alone = first.calculate(stream.raw());
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(results[i].value.ui64, alone[i].value.ui64);
}
TEST(IntelMetrics, TilesAreCalculated) { EXPECT_RUNS(measured("operationCalculatesTiles", kTwoTiles)); }

/// A report is complete when it is for each tile, whose reports come at times of their own.
SCENARIO(tilesComeInPieces) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    constexpr std::uint64_t kTilesPeriod = effort(kPeriod, 20 * kPeriod);
    Stream stream(gpu, 1000, kTilesPeriod);
    const Operation whole(gpu, traffic, {scopes[1], scopes[2]}, 3 * kTilesPeriod);
    const Operation parts(gpu, traffic, {scopes[1], scopes[2]}, 3 * kTilesPeriod);
    Results got;
    std::size_t given = 0;
    for (int part = 0; part < 4; ++part) {
        stream.pass(2, 2);
        CountedWork(gpu).launch(1);
        const Bytes fresh(stream.raw().begin() + static_cast<std::ptrdiff_t>(given), stream.raw().end());
        given = stream.raw().size();
        const auto more = parts.calculate(fresh, std::max(1u, parts.reportsIn(fresh, part == 3)), part == 3);
        got.insert(got.end(), more.begin(), more.end());
    }
    const auto expected = whole.calculate(stream.raw());
    ASSERT_EQ(got.size(), expected.size());
    ASSERT_FALSE(got.empty());
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].value.ui64, expected[i].value.ui64) << i;
        ASSERT_EQ(got[i].resultStatus, expected[i].resultStatus) << i;
    }
}
TEST(IntelMetrics, TilesComeInPieces) { EXPECT_RUNS(measured("tilesComeInPieces", kTwoTiles)); }

/// An instruction that one tile alone sampled has no value for the other; together they have the sum.
SCENARIO(samplesOfTilesAddUp) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    const auto raw = sampled(gpu, stalls);
    const auto sets = setsOf(gpu, stalls, raw);
    const auto names = columnsOf(stalls);
    const auto columns = names.size();
    const auto active = static_cast<std::size_t>(std::ranges::find(names, "Active") - names.begin());
    const Operation operation(gpu, stalls, scopes, 0);
    const auto results = operation.calculate(raw);
    ASSERT_EQ(results.size() % operation.values(), 0u);
    std::vector<std::uint64_t> sums(3);
    for (std::size_t i = 0; i < results.size(); i += columns)
        if (results[i].resultStatus == ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID)
            sums[i / columns % 3] += results[i + active].value.ui64;
    EXPECT_EQ(sums[0], sums[1] + sums[2]);
    for (std::size_t tile = 0; tile < 2; ++tile) {
        std::uint64_t sum = 0;
        for (std::size_t i = active; i < sets[tile].size(); i += columns) sum += sets[tile][i].value.ui64;
        EXPECT_EQ(sums[1 + tile], sum) << tile;
    }
    EXPECT_GT(sums[0], 0u);
}
TEST(IntelMetrics, SamplesOfTilesAddUp) { EXPECT_RUNS(measured("samplesOfTilesAddUp", kTwoTiles)); }

SCENARIO(operationOfSingleMetrics) {
    const Gpu gpu;
    const auto raw = streamed(gpu, 3);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    const auto metrics = listOf(zetMetricGet, traffic);
    auto scopes = scopesOf(gpu);
    std::vector<zet_metric_handle_t> chosen{metrics[2], metrics[0], metrics[2]};
    Desc desc{kDescType, nullptr, 0, nullptr, 3, chosen.data(), 0, nullptr, 1, 1, scopes.data()};
    OperationHandle operation = nullptr;
    ASSERT_OK(
        DRIVER_CALL(gpu, zetIntelMetricCalculationOperationCreateExp)(gpu.context(), gpu.device(), &desc, &operation));
    std::uint32_t count = 9;
    std::vector<zet_metric_handle_t> listed(count);
    std::vector<ScopeHandle> of(count);
    ASSERT_OK(DRIVER_CALL(gpu, zetIntelMetricCalculationOperationGetReportFormatExp)(operation, &count, listed.data(),
                                                                                     of.data()));
    ASSERT_EQ(count, 2u);
    EXPECT_EQ(listed[0], metrics[0]);
    EXPECT_EQ(listed[1], metrics[2]);
    const auto rows = setsOf(gpu, traffic, raw).at(0);
    std::uint32_t reports = static_cast<std::uint32_t>(rows.size() / metrics.size());
    Results results(2 * reports);
    std::size_t used = 0;
    ASSERT_OK(DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp)(raw.size(), raw.data(), operation, true, &used,
                                                                 &reports, results.data()));
    ASSERT_EQ(reports, rows.size() / metrics.size());
    for (std::size_t i = 0; i < reports; ++i) {
        const auto at = i * metrics.size();
        EXPECT_EQ(bitsOf(results[2 * i].value, rows[at].type), bitsOf(rows[at].value, rows[at].type));
        EXPECT_EQ(bitsOf(results[2 * i + 1].value, rows[at + 2].type), bitsOf(rows[at + 2].value, rows[at + 2].type));
    }
    EXPECT_OK(DRIVER_CALL(gpu, zetIntelMetricCalculationOperationDestroyExp)(operation));
}
TEST(IntelMetrics, SingleMetricsAreCalculated) { EXPECT_RUNS(measured("operationOfSingleMetrics")); }

SCENARIO(propertiesTellWhatIsCalculated) {
    const Gpu gpu;
    const auto filters = [&](zet_metric_group_handle_t handle) {
        zet_intel_metric_group_calculation_properties_exp_t calculation{};
        calculation.stype = ZET_INTEL_STRUCTURE_TYPE_METRIC_GROUP_CALCULATION_EXP_PROPERTIES;
        zet_metric_group_properties_t properties{};
        properties.pNext = &calculation;
        EXPECT_OK(zetMetricGroupGetProperties(handle, &properties));
        return calculation.isTimeFilterSupported;
    };
    EXPECT_TRUE(filters(group(gpu, "MemoryTraffic", kTimeBased)));
    EXPECT_FALSE(filters(group(gpu, "MemoryTraffic", kEventBased)));
    EXPECT_FALSE(filters(group(gpu, "EuStallSampling", kTimeBased)));
    const auto calculable = [&](zet_metric_group_handle_t handle) {
        zet_intel_metric_calculable_properties_exp_t calculation{};
        calculation.stype = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULABLE_PROPERTIES_EXP;
        zet_metric_properties_t properties{};
        properties.pNext = &calculation;
        EXPECT_OK(zetMetricGetProperties(listOf(zetMetricGet, handle).front(), &properties));
        return calculation.isCalculable;
    };
    EXPECT_TRUE(calculable(group(gpu, "EuStallSampling", kTimeBased)));
    EXPECT_TRUE(calculable(group(gpu, "CommandTrace", kTracerBased)));
}
TEST(IntelMetrics, PropertiesTellWhatIsCalculated) {
    EXPECT_RUNS(measured("propertiesTellWhatIsCalculated").with("ZETL_METRIC_TRACERS", "1"));
}

/// What a tracer of commands gave, of one kernel on the first tile, two on the second, and its decoder.
class Trace {
  public:
    explicit Trace(const Gpu& gpu) : gpu_(gpu), group_(zetl::test::group(gpu, "CommandTrace", kTracerBased)) {
        activate(gpu, group_);
        zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &group_, &description,
                                                             nullptr, &tracer_));
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerEnableExp)(tracer_, true));
        const auto tiles = listOf(zeDeviceGetSubDevices, gpu.device());
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const auto tile = gpu.on(tiles[i]);
            CountedWork(tile).launch(static_cast<int>(i) + 1);
        }
        raw.resize(1 << 20);
        std::size_t size = raw.size();
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerReadDataExp)(tracer_, &size, raw.data()));
        raw.resize(size);
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderCreateExp)(tracer_, &decoder));
        metrics = listOf(DRIVER_CALL(gpu, zetMetricDecoderGetDecodableMetricsExp), decoder);
    }
    ~Trace() {
        if (decoder) {
            EXPECT_OK(DRIVER_CALL(gpu_, zetMetricDecoderDestroyExp)(decoder));
        }
        EXPECT_OK(DRIVER_CALL(gpu_, zetMetricTracerDisableExp)(tracer_, true));
        EXPECT_OK(DRIVER_CALL(gpu_, zetMetricTracerDestroyExp)(tracer_));
    }
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    zet_metric_group_handle_t group() const { return group_; }
    zet_metric_tracer_exp_handle_t tracer() const { return tracer_; }
    /// All entries of the scopes, tile after tile.
    std::vector<zet_metric_entry_exp2_t> decoded(std::vector<ScopeHandle> scopes) {
        std::vector<zet_metric_entry_exp2_t> entries(raw.size() / 32);
        auto got = static_cast<std::uint32_t>(entries.size());
        std::size_t used = 0;
        EXPECT_OK(DRIVER_CALL(gpu_, zetIntelMetricTracerDecodeExp2)(
            decoder, raw.size(), raw.data(), static_cast<std::uint32_t>(metrics.size()), metrics.data(),
            static_cast<std::uint32_t>(scopes.size()), scopes.data(), &used, &got, entries.data()));
        EXPECT_EQ(used, raw.size());
        entries.resize(got);
        return entries;
    }

    Bytes raw;
    std::vector<zet_metric_handle_t> metrics;
    zet_metric_decoder_exp_handle_t decoder = nullptr;

  private:
    const Gpu& gpu_;
    zet_metric_group_handle_t group_;
    zet_metric_tracer_exp_handle_t tracer_ = nullptr;
};

/// The same entries as by sets, without those of scopes that are not asked for.
SCENARIO(tracesAreDecodedByScope) {
    const Gpu gpu;
    Trace trace(gpu);
    auto& raw = trace.raw;
    auto& metrics = trace.metrics;
    auto* decoder = trace.decoder;
    std::size_t size = raw.size();
    const auto metricCount = static_cast<std::uint32_t>(metrics.size());
    std::uint32_t sets = 0;
    std::uint32_t count = 0;
    const auto decodeSets = DRIVER_CALL(gpu, zetMetricTracerDecodeExp);
    ASSERT_OK(decodeSets(decoder, &size, raw.data(), metricCount, metrics.data(), &sets, nullptr, &count, nullptr));
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_metric_entry_exp_t> expected(count);
    ASSERT_OK(decodeSets(decoder, &size, raw.data(), metricCount, metrics.data(), &sets, counts.data(), &count,
                         expected.data()));
    ASSERT_GT(count, 6u);
    const auto decode = DRIVER_CALL(gpu, zetIntelMetricTracerDecodeExp2);
    auto scopes = scopesOf(gpu);
    const auto all = trace.decoded(scopes);
    ASSERT_EQ(all.size(), expected.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].value.ui64, expected[i].value.ui64);
        EXPECT_EQ(all[i].timeStamp, expected[i].timeStamp);
        EXPECT_EQ(all[i].metricIndex, expected[i].metricIndex);
        EXPECT_EQ(all[i].metricScopeID, 1 + expected[i].subdeviceId);
        EXPECT_EQ(all[i].duration, 0u);
    }
    EXPECT_EQ(trace.decoded({scopes[2]}).size(), counts[1]);
    EXPECT_EQ(trace.decoded({scopes[0]}).size(), 0u) << "an entry is of one tile";
    std::size_t used = 0;
    std::uint32_t none = 0;
    const auto answer = [&](std::size_t bytes, ScopeHandle* of) {
        return decode(decoder, bytes, raw.data(), metricCount, metrics.data(), 1, of, &used, &none, nullptr);
    };
    auto foreign = scopesOf(gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(0)));
    EXPECT_EQ(answer(raw.size(), foreign.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    auto* garbage = reinterpret_cast<ScopeHandle>(raw.data());
    EXPECT_EQ(answer(raw.size(), &garbage), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(answer(raw.size() - 1, scopes.data()));
    raw[0] ^= 0xff;
    EXPECT_EQ(answer(raw.size(), scopes.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);

    EXPECT_OK(DRIVER_CALL(gpu, zetMetricDecoderDestroyExp)(decoder));
    trace.decoder = nullptr;
    EXPECT_EQ(answer(raw.size(), scopes.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(IntelMetrics, TracesAreDecodedByScope) {
    EXPECT_RUNS(measured("tracesAreDecodedByScope", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

/// A report for each entry, in the order of the data: its value, for its metric and its tile alone.
SCENARIO(tracesAreCalculated) {
    const Gpu gpu;
    Trace trace(gpu);
    const auto scopes = scopesOf(gpu);
    const Operation operation(gpu, trace.group(), {scopes[1], scopes[2]}, 5);
    const auto& calculate = DRIVER_CALL(gpu, zetIntelMetricTracerDecodeCalculateValuesExp);
    const auto width = operation.values();
    std::uint32_t reports = 0;
    std::size_t used = 9;
    ASSERT_OK(calculate(trace.decoder, trace.raw.size(), &used, trace.raw.data(), operation, &reports, nullptr));
    EXPECT_EQ(used, 0u) << "nothing was calculated";
    ASSERT_EQ(reports, trace.decoded(scopes).size());
    Results results;
    for (std::size_t at = 0; at < trace.raw.size(); at += used) {
        Results some(3 * width);
        std::uint32_t count = 3;
        ASSERT_OK(calculate(trace.decoder, trace.raw.size() - at, &used, trace.raw.data() + at, operation, &count,
                            some.data()));
        ASSERT_GT(used, 0u);
        results.insert(results.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count * width));
    }
    ASSERT_EQ(results.size(), reports * width);
    std::vector<std::uint64_t> valid[2];
    for (std::size_t report = 0; report < reports; ++report) {
        std::size_t there = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const auto& one = results[report * width + i];
            if (one.resultStatus != ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID) continue;
            ++there;
            valid[i / (width / 2)].push_back(one.value.ui64 << 8 | i % (width / 2));
        }
        EXPECT_EQ(there, 1u) << report;
    }
    for (std::size_t tile = 0; tile < 2; ++tile) {
        std::vector<std::uint64_t> expected;
        for (const auto& entry : trace.decoded({scopes[1 + tile]}))
            expected.push_back(entry.value.ui64 << 8 | entry.metricIndex);
        EXPECT_EQ(valid[tile], expected);
    }

    reports = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp)(trace.raw.size(), trace.raw.data(), operation, true,
                                                                 &used, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const Operation counted(gpu, group(gpu, "MemoryTraffic", kTimeBased), {scopes[1]});
    EXPECT_EQ(calculate(trace.decoder, trace.raw.size(), &used, trace.raw.data(), counted, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(calculate(trace.decoder, 1, &used, nullptr, operation, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    trace.raw[0] ^= 0xff;
    EXPECT_EQ(calculate(trace.decoder, trace.raw.size(), &used, trace.raw.data(), operation, &reports, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(IntelMetrics, TracesAreCalculated) {
    EXPECT_RUNS(measured("tracesAreCalculated", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

/// What is documented: a head, then the metrics, with the numbers of the raw data's records.
SCENARIO(tracersAreExported) {
    const Gpu gpu;
    Trace trace(gpu);
    const auto& exported = DRIVER_CALL(gpu, zetIntelMetricTracerExportExp);
    std::size_t size = 0;
    ASSERT_OK(exported(trace.tracer(), ZET_INTEL_METRIC_EXPORT_FORMAT_RAW, &size, nullptr));
    Bytes bytes(size + 1, 0xa5);
    std::size_t few = size - 1;
    EXPECT_EQ(exported(trace.tracer(), ZET_INTEL_METRIC_EXPORT_FORMAT_RAW, &few, bytes.data()),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(exported(trace.tracer(), static_cast<zet_intel_metric_export_format_t>(1), &size, bytes.data()),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    std::size_t room = bytes.size();
    ASSERT_OK(exported(trace.tracer(), ZET_INTEL_METRIC_EXPORT_FORMAT_RAW, &room, bytes.data()));
    EXPECT_EQ(room, size);
    EXPECT_EQ(bytes.back(), 0xa5);
    const auto word = [](const Bytes& from, std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, from.data() + at, sizeof value);
        return value;
    };
    EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "ZTTE");
    EXPECT_EQ(word(bytes, 4), 1u);
    EXPECT_GT(word(bytes, 8), 0u) << "ticks per second";
    EXPECT_EQ(word(bytes, 20), 2u) << "tiles";
    EXPECT_EQ(word(bytes, 24), 32u) << "bytes of a record";
    ASSERT_EQ(word(bytes, 28), trace.metrics.size());
    ASSERT_EQ(size, 32 + trace.metrics.size() * 272);
    const auto decoded = trace.decoded(scopesOf(gpu));
    const auto columns = columnsOf(trace.group());
    std::size_t kernels = 0;
    for (std::size_t at = 0; at < trace.raw.size(); at += 32)
        for (std::size_t i = 0; i < trace.metrics.size(); ++i) {
            const auto* const metric = bytes.data() + 32 + i * 272;
            if (word(trace.raw, at + 4) != word(bytes, 32 + i * 272)) continue;
            EXPECT_EQ(reinterpret_cast<const char*>(metric + 16), columns[i]);
            if (columns[i] == "KernelBegin") ++kernels;
        }
    EXPECT_EQ(kernels, 3u) << "one on the first tile, two on the second";
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(
                  decoded, [&](const auto& entry) { return columns[entry.metricIndex] == "KernelBegin"; })),
              kernels);
}
TEST(IntelMetrics, TracersAreExported) {
    EXPECT_RUNS(measured("tracersAreExported", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

/// What is asked for, in whole reports of all tiles, unless a notification says it or it is more than there is.
SCENARIO(buffersHaveTheSizeThatIsAskedFor) {
    const Gpu gpu;
    auto* traffic = group(gpu, "MemoryTraffic", kTimeBased);
    activate(gpu, traffic);
    const auto opened = [&](zet_metric_group_handle_t of, std::size_t bytes, ze_event_handle_t event = nullptr) {
        zet_intel_metric_hw_buffer_size_exp_desc_t buffer{ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC,
                                                          nullptr, bytes};
        zet_base_desc_t unknown{static_cast<zet_structure_type_t>(0x7ffffffe), &buffer};
        zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, &unknown, 100, 1'000'000};
        zet_metric_streamer_handle_t streamer = nullptr;
        EXPECT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), of, &description, event, &streamer));
        std::size_t size = 0;
        EXPECT_OK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
        EXPECT_GE(size, buffer.sizeInBytes) << "data of several tiles have heads";
        EXPECT_LE(size, buffer.sizeInBytes + 256);
        EXPECT_OK(zetMetricStreamerClose(streamer));
        return buffer.sizeInBytes;
    };
    const auto most = opened(traffic, SIZE_MAX);
    EXPECT_EQ(opened(traffic, 0), most);
    const auto report = opened(traffic, 1);
    EXPECT_EQ(most, 65536 * report) << "one report at least";
    EXPECT_EQ(opened(traffic, 100 * report + report / 2), 100 * report);
    const ze_event_pool_desc_t pool{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
    ze_event_pool_handle_t events = nullptr;
    ASSERT_OK(zeEventPoolCreate(gpu.context(), &pool, 0, nullptr, &events));
    const ze_event_desc_t one{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ze_event_handle_t event = nullptr;
    ASSERT_OK(zeEventCreate(events, &one, &event));
    EXPECT_EQ(opened(traffic, 100 * report, event), most);
    ASSERT_OK(zeEventDestroy(event));
    ASSERT_OK(zeEventPoolDestroy(events));
    auto* stalls = group(gpu, "EuStallSampling", kTimeBased);
    activate(gpu, stalls);
    EXPECT_EQ(opened(stalls, 1), opened(stalls, SIZE_MAX)) << "of samples there is one size";

    auto* traced = group(gpu, "CommandTrace", kTracerBased);
    activate(gpu, traced);
    const auto tracersBuffer = [&](std::size_t bytes) {
        zet_intel_metric_hw_buffer_size_exp_desc_t buffer{ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC,
                                                          nullptr, bytes};
        zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, &buffer, 0};
        zet_metric_tracer_exp_handle_t tracer = nullptr;
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &traced, &description,
                                                             nullptr, &tracer));
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricTracerDestroyExp)(tracer));
        return buffer.sizeInBytes;
    };
    EXPECT_EQ(tracersBuffer(0), 2u << 20);
    EXPECT_EQ(tracersBuffer(1000), 992u);
    EXPECT_EQ(tracersBuffer(SIZE_MAX), 2u << 20);
}
TEST(IntelMetrics, BuffersHaveTheSizeThatIsAskedFor) {
    EXPECT_RUNS(measured("buffersHaveTheSizeThatIsAskedFor", kTwoTiles).with("ZETL_METRIC_TRACERS", "1"));
}

struct NamedRow {
    std::string function;
    std::string arguments;
};
const NamedRow kNamedRows[] = {
#define NAMED(name, arguments, ...) {#name, arguments},
#include "tools/named_functions.def"
#undef NAMED
};

using AnyFunction = std::uint64_t(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);

/// Null or zeroes everywhere, but for one argument.
SCENARIO(badArgumentsOfIntelsAreRefused) {
    const Gpu gpu;
    static long zeroes[512];
    int rows = 0;
    for (const NamedRow& row : kNamedRows) {
        auto* const function = gpu.function<AnyFunction>(row.function.c_str());
        ASSERT_NE(function, nullptr) << row.function;
        const auto call = [&](std::size_t null, void* counted) {
            void* a[10] = {};
            for (std::size_t i = 0; i < row.arguments.size(); ++i)
                if (row.arguments[i] != '.') a[i] = i == null ? nullptr : row.arguments[i] == 'h' ? zeroes : counted;
            return static_cast<ze_result_t>(function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]));
        };
        for (std::size_t i = 0; i < row.arguments.size(); ++i) {
            const auto expected =
                row.arguments[i] == 'h' ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
            if (row.arguments[i] == '.') continue;
            EXPECT_EQ(call(i, zeroes), expected) << row.function << ", argument " << i;
        }
        std::vector<std::uint64_t> huge(512, UINT64_MAX);
        for (void* memory : {static_cast<void*>(zeroes), static_cast<void*>(huge.data())}) {
            const auto code = call(SIZE_MAX, memory);
            EXPECT_TRUE(code == ZE_RESULT_ERROR_INVALID_ARGUMENT || code == ZE_RESULT_ERROR_INVALID_NULL_HANDLE ||
                        code == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
                << row.function << ": " << std::hex << code;
        }
        ++rows;
    }
    EXPECT_EQ(rows, 13);
}
TEST(IntelMetrics, BadArgumentsAreRefused) { EXPECT_RUNS(measured("badArgumentsOfIntelsAreRefused")); }

SCENARIO(badDescriptionsAreRefused) {
    const Gpu gpu;
    const auto create = DRIVER_CALL(gpu, zetIntelMetricCalculationOperationCreateExp);
    const auto tile = gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(0));
    auto scopes = scopesOf(gpu);
    auto tileScopes = scopesOf(tile);
    zet_metric_group_handle_t groups[] = {group(gpu, "MemoryTraffic", kTimeBased),
                                          group(gpu, "MemoryTraffic", kEventBased)};
    auto* foreign = group(tile, "MemoryTraffic", kTimeBased);
    auto metrics = listOf(zetMetricGet, groups[0]);
    auto others = listOf(zetMetricGet, groups[1]);
    zet_intel_metric_calculation_time_window_exp_t windows[] = {{0, 10}, {5, 10}};
    const Desc good{kDescType, nullptr, 1, groups, 0, nullptr, 0, nullptr, 1, 1, &scopes[1]};
    const auto refused = [&](auto&& change, ze_result_t code = ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        Desc desc = good;
        change(desc);
        auto* operation = reinterpret_cast<OperationHandle>(&desc);
        EXPECT_EQ(create(gpu.context(), gpu.device(), &desc, &operation), code);
        EXPECT_EQ(operation, nullptr);
    };
    refused([&](Desc& desc) { desc.metricScopesCount = 0; });
    refused([&](Desc& desc) { desc.phMetricScopes = scopes.data(); });  // a stream has no sum of tiles
    refused([&](Desc& desc) { desc.phMetricScopes = tileScopes.data(); });
    refused([&](Desc& desc) { desc.phMetricScopes = reinterpret_cast<ScopeHandle*>(windows); });
    refused([&](Desc& desc) {
        desc.metricScopesCount = UINT32_MAX;
        desc.phMetricScopes = tileScopes.data();
    });
    refused([&](Desc& desc) { desc.metricGroupCount = 2; });
    refused([&](Desc& desc) { desc.phMetricGroups = &foreign; });
    refused([&](Desc& desc) { desc.metricGroupCount = 0; });
    refused([&](Desc& desc) {
        desc.metricCount = 1;
        desc.phMetrics = others.data();
    });
    refused([&](Desc& desc) { desc.timeAggregationWindow = 0; });
    refused([&](Desc& desc) {
        desc.timeWindowsCount = 2;
        desc.pCalculationTimeWindows = windows;
    });
    refused([&](Desc& desc) { desc.phMetricGroups = nullptr; }, ZE_RESULT_ERROR_INVALID_SIZE);
    refused([&](Desc& desc) { desc.metricCount = 1; }, ZE_RESULT_ERROR_INVALID_SIZE);
    refused([&](Desc& desc) { desc.timeWindowsCount = UINT32_MAX; }, ZE_RESULT_ERROR_INVALID_SIZE);
    refused([&](Desc& desc) { desc.phMetricScopes = nullptr; }, ZE_RESULT_ERROR_INVALID_SIZE);
    zet_metric_handle_t mixed[] = {metrics[0], others[0]};
    refused([&](Desc& desc) {
        desc.metricGroupCount = 0;
        desc.metricCount = 2;
        desc.phMetrics = mixed;
    });

    Desc queried = good;
    queried.phMetricGroups = &groups[1];
    queried.phMetricScopes = scopes.data();
    queried.timeAggregationWindow = 5;
    OperationHandle operation = nullptr;
    EXPECT_EQ(create(gpu.context(), gpu.device(), &queried, &operation),
              ZE_INTEL_RESULT_WARNING_TIME_PARAMS_IGNORED_EXP);
    EXPECT_EQ(queried.timeAggregationWindow, 0u);
    const auto destroy = DRIVER_CALL(gpu, zetIntelMetricCalculationOperationDestroyExp);
    EXPECT_OK(destroy(operation));
    EXPECT_EQ(destroy(operation), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    std::uint32_t count = 0;
    std::size_t used = 9;
    std::uint8_t byte = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp)(1, &byte, operation, true, &used, &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(used, 0u);
}
TEST(IntelMetrics, BadDescriptionsAreRefused) { EXPECT_RUNS(measured("badDescriptionsAreRefused", kTwoTiles)); }

/// Cut, of other devices, and with random bytes in it.
SCENARIO(damagedDataAreAnswered) {
    const Gpu gpu;
    const auto raw = streamed(gpu, 3);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    const auto samples = sampled(gpu, stalls);
    const Operation counted(gpu, traffic, scopesOf(gpu), 1000);
    const Operation waiting(gpu, stalls, scopesOf(gpu), 0);
    EXPECT_EQ(counted.answer({raw.begin(), raw.end() - 1}), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(waiting.answer({samples.begin(), samples.end() - 1}), ZE_RESULT_ERROR_INVALID_SIZE);
    std::uint32_t count = 0;
    std::size_t used = 0;
    const auto calculate = DRIVER_CALL(gpu, zetIntelMetricCalculateValuesExp);
    EXPECT_EQ(calculate(8, nullptr, counted, true, &used, &count, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(calculate(0, nullptr, counted, false, &used, &count, nullptr), ZE_RESULT_NOT_READY);
    std::mt19937 random(7);
    const std::set<ze_result_t> documented{ZE_RESULT_SUCCESS, ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_INVALID_SIZE,
                                           ZE_RESULT_ERROR_INVALID_ARGUMENT, ZE_RESULT_WARNING_DROPPED_DATA};
    for (int i = 0; i < effort(400, 40); ++i) {
        auto bytes = i % 2 == 0 ? raw : samples;
        bytes.resize(std::min<std::size_t>(bytes.size(), 1 + random() % 4096));
        for (int changed = 0; changed < 16; ++changed)
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        if (i % 3 == 0) std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(random()); });
        EXPECT_TRUE(documented.contains(counted.answer(bytes)));
        EXPECT_TRUE(documented.contains(waiting.answer(bytes)));
    }
}
TEST(IntelMetrics, DamagedDataAreAnswered) { EXPECT_RUNS(measured("damagedDataAreAnswered")); }

SCENARIO(dataOfAnotherDeviceAreRefused) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    const auto tile = gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(0));
    const auto raw = streamed(tile, 2);
    const Operation operation(gpu, group(gpu, "MemoryTraffic", kTimeBased), {scopes[1], scopes[2]});
    EXPECT_EQ(operation.answer(raw), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(IntelMetrics, DataOfAnotherDeviceAreRefused) { EXPECT_RUNS(measured("dataOfAnotherDeviceAreRefused", kTwoTiles)); }

/// An operation, and operations, of many threads.
SCENARIO(operationsOfManyThreads) {
    const Gpu gpu;
    const auto raw = streamed(gpu, 3);
    auto* const traffic = group(gpu, "MemoryTraffic", kTimeBased);
    const Operation shared(gpu, traffic, scopesOf(gpu), 1);
    const auto expected = shared.calculate(raw);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < effort(20, 2); ++round) {
                const Operation own(gpu, traffic, scopesOf(gpu), 1);
                for (const Operation* each : {&own, &shared})
                    if (each->calculate(raw).size() != expected.size()) ++wrong;
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}
TEST(IntelMetrics, OperationsOfManyThreads) { EXPECT_RUNS(measured("operationsOfManyThreads")); }

SCENARIO(metricsAreSwitchedByIntelsNames) {
    const Gpu gpu;
    EXPECT_OK(DRIVER_CALL(gpu, zetIntelDeviceEnableMetricsExp)(gpu.device()));
    EXPECT_EQ(scopesOf(gpu).size(), 1u);
    activate(gpu, group(gpu, "MemoryTraffic", kTimeBased));
    const auto disable = DRIVER_CALL(gpu, zetIntelDeviceDisableMetricsExp);
    EXPECT_EQ(disable(gpu.device()), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
    EXPECT_OK(disable(gpu.device()));
}
TEST(IntelMetrics, AreSwitchedByName) { EXPECT_RUNS(emulated("metricsAreSwitchedByIntelsNames")); }

SCENARIO(scopesWithoutMetrics) {
    const Gpu gpu;
    std::uint32_t count = 5;
    EXPECT_EQ(DRIVER_CALL(gpu, zetIntelMetricScopesGetExp)(gpu.context(), gpu.device(), &count, nullptr),
              ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(count, 0u);
}
TEST(IntelMetrics, AreNotThereWhileMetricsAreOff) { EXPECT_RUNS(emulated("scopesWithoutMetrics")); }

}  // namespace
}  // namespace zetl::test
