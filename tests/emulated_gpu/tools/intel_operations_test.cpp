// Calculation operations, as Intel's driver has them: through the stock loader, without any layer.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include "emulated_gpu/tools/intel_metrics.h"
#include "support/effort.h"

namespace zetl::test {
namespace {

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

}  // namespace
}  // namespace zetl::test
