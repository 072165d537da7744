// Concurrent groups, markers, sets of tiles, and switching metrics on and off: through the stock loader, without any
// layer.
#include <algorithm>
#include <chrono>
#include <set>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

std::uint32_t domainOf(zet_metric_group_handle_t group) {
    zet_metric_group_properties_t properties{};
    EXPECT_OK(zetMetricGroupGetProperties(group, &properties));
    return properties.domain;
}

/// Each set can be active at once, all groups are in one, and no two sets of one domain can be together.
SCENARIO(concurrentGroupsAreActiveTogether) {
    const Gpu gpu;
    const auto concurrent = DRIVER_CALL(gpu, zetDeviceGetConcurrentMetricGroupsExp);
    auto groups = listOf(zetMetricGroupGet, gpu.device());
    const auto all = std::set(groups.begin(), groups.end());
    const auto count = static_cast<std::uint32_t>(groups.size());
    std::uint32_t sets = 0;
    ASSERT_OK(concurrent(gpu.device(), count, groups.data(), nullptr, &sets));
    ASSERT_GT(sets, 1u);
    std::vector<std::uint32_t> sizes(sets);
    std::uint32_t fewer = sets - 1;
    EXPECT_EQ(concurrent(gpu.device(), count, groups.data(), sizes.data(), &fewer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(concurrent(gpu.device(), count, groups.data(), sizes.data(), &sets));
    EXPECT_EQ(std::set(groups.begin(), groups.end()), all) << "put into another order";
    auto* set = groups.data();
    for (const auto size : sizes) {
        std::set<std::uint32_t> domains;
        for (std::uint32_t i = 0; i < size; ++i) EXPECT_TRUE(domains.insert(domainOf(set[i])).second);
        EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), size, set));
        set += size;
    }
    EXPECT_EQ(set, groups.data() + groups.size());
    EXPECT_GT(sizes[0], 1u) << "groups of several domains";
    EXPECT_EQ(concurrent(gpu.device(), count, nullptr, sizes.data(), &sets), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(concurrent(gpu.device(), count, groups.data(), sizes.data(), nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    groups[0] = reinterpret_cast<zet_metric_group_handle_t>(&sets);
    EXPECT_EQ(concurrent(gpu.device(), count, groups.data(), sizes.data(), &sets), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(MetricRules, ConcurrentGroupsAreActiveTogether) { EXPECT_RUNS(measured("concurrentGroupsAreActiveTogether")); }

/// Counters of two domains, by streamer and by query at once, and samples beside them.
SCENARIO(concurrentGroupsCountTogether) {
    const Gpu gpu;
    zet_metric_group_handle_t groups[] = {group(gpu, "MemoryTraffic", kTimeBased),
                                          group(gpu, "InstructionMix", kEventBased),
                                          group(gpu, "EuStallSampling", kTimeBased)};
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 3, groups));
    Stream counts(gpu, groups[0]);
    Stream samples(gpu, groups[2], 1, 1'000'000);
    const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                   ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
    zet_metric_query_pool_handle_t pool = nullptr;
    zet_metric_query_handle_t query = nullptr;
    ASSERT_OK(zetMetricQueryPoolCreate(gpu.context(), gpu.device(), groups[1], &description, &pool));
    ASSERT_OK(zetMetricQueryCreate(pool, 0, &query));
    counts.pass(1);
    Queries::around(gpu, query, [&](ze_command_list_handle_t list) {
        CountedWork(gpu).append(list, 3);
        EXPECT_OK(zetCommandListAppendMetricMemoryBarrier(list));
    });
    EXPECT_EQ(counts.settled("GLOBAL_BYTE_WRITE"), 3 * CountedWork::kBytesWritten);
    EXPECT_GT(rowsOf(groups[1], Queries::raw(query)).at(0).at("XVE_INST_EXECUTED_ALL").value.ui64, 0u);
    EXPECT_OK(samples.read());
}
TEST(MetricRules, ConcurrentGroupsCountTogether) { EXPECT_RUNS(measured("concurrentGroupsCountTogether")); }

SCENARIO(markersComeInOrder) {
    const Gpu gpu;
    const auto mark = DRIVER_CALL(gpu, zetCommandListAppendMarkerExp);
    auto* const timed = group(gpu, "MemoryTraffic", kTimeBased);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    EXPECT_EQ(mark(list, timed, 1), ZE_RESULT_NOT_READY) << "no streamer is open";
    EXPECT_EQ(mark(list, group(gpu, "EuStallSampling", kTimeBased), 1), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    int nothing = 0;
    EXPECT_EQ(mark(list, reinterpret_cast<zet_metric_group_handle_t>(&nothing), 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    activate(gpu, timed);
    Stream stream(gpu, timed);
    stream.pass(1);
    const std::vector<std::uint64_t> wanted{11, 22, UINT32_MAX, 33};
    for (const auto value : wanted) {
        CountedWork(gpu).launch(1);
        ASSERT_OK(mark(list, timed, static_cast<std::uint32_t>(value)));
    }
    ASSERT_OK(zetCommandListAppendMetricStreamerMarker(list, stream, 44));
    stream.pass(1);
    std::vector<std::uint64_t> seen;
    for (const auto& row : stream.rows())
        if (row.at("ReportReason").value.ui64 == 64) seen.push_back(row.at("StreamMarker").value.ui64);
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{11, 22, UINT32_MAX, 33, 44}));
}
TEST(MetricRules, MarkersComeInOrder) { EXPECT_RUNS(measured("markersComeInOrder")); }

/// A streamer of a device with tiles: a set a tile, and all of them together what ran.
SCENARIO(tilesAreSets) {
    const Gpu gpu;
    auto* const timed = group(gpu, "MemoryTraffic", kTimeBased);
    activate(gpu, timed);
    constexpr std::size_t kTiles = 2;
    Stream stream(gpu, timed);
    stream.pass(2, kTiles);
    CountedWork(gpu).launch(4);
    stream.pass(3, kTiles);
    const auto& raw = stream.raw();
    const auto calculate = DRIVER_CALL(gpu, zetMetricGroupCalculateMultipleMetricValuesExp);
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    ASSERT_OK(calculate(timed, kMetricValues, raw.size(), raw.data(), &sets, &total, nullptr, nullptr));
    ASSERT_EQ(sets, kTiles);
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(total);
    ASSERT_OK(calculate(timed, kMetricValues, raw.size(), raw.data(), &sets, &total, counts.data(), values.data()));
    EXPECT_EQ(counts[0] + counts[1], total);
    const auto columns = columnsOf(timed);
    const auto column = static_cast<std::size_t>(std::ranges::find(columns, "GLOBAL_BYTE_WRITE") - columns.begin());
    std::vector<std::uint64_t> written(sets);
    for (std::size_t i = column; i < total; i += columns.size()) written[i < counts[0] ? 0 : 1] += values[i].value.ui64;
    EXPECT_EQ(written[0] + written[1], 4 * CountedWork::kBytesWritten);
    EXPECT_GT(written[0], 0u);
    EXPECT_GT(written[1], 0u);
    std::uint32_t count = 0;
    EXPECT_EQ(zetMetricGroupCalculateMetricValues(timed, kMetricValues, raw.size(), raw.data(), &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "of one set alone";
    std::uint32_t one = 1;
    EXPECT_EQ(calculate(timed, kMetricValues, raw.size(), raw.data(), &one, &total, counts.data(), values.data()),
              ZE_RESULT_ERROR_INVALID_SIZE);
}
TEST(MetricRules, TilesAreSets) { EXPECT_RUNS(measured("tilesAreSets", "small-two-by-two")); }

/// What keeps metrics from being switched off, each alone.
SCENARIO(metricsInUseStayOn) {
    const Gpu gpu;
    const auto enable = DRIVER_CALL(gpu, zetDeviceEnableMetricsExp);
    const auto disable = DRIVER_CALL(gpu, zetDeviceDisableMetricsExp);
    constexpr auto kInUse = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    const auto deactivate = [&] { return zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr); };
    ASSERT_OK(enable(gpu.device()));
    ASSERT_OK(enable(gpu.device())) << "as often as one likes";
    {
        const Stream stream(gpu);
        EXPECT_EQ(disable(gpu.device()), kInUse) << "an active group";
        ASSERT_OK(deactivate());
        EXPECT_EQ(disable(gpu.device()), kInUse) << "an open streamer";
    }
    {
        const Queries queries(gpu, "ComputeBasic");
        ASSERT_OK(deactivate());
        auto* const query = queries[0];
        EXPECT_EQ(disable(gpu.device()), kInUse) << "a pool";
        EXPECT_OK(zetMetricQueryDestroy(query));
        ASSERT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    }
    auto* traced = group(gpu, "CommandTrace", kTracerBased);
    activate(gpu, traced);
    zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
    zet_metric_tracer_exp_handle_t tracer = nullptr;
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerCreateExp)(gpu.context(), gpu.device(), 1, &traced, &description, nullptr,
                                                         &tracer));
    ASSERT_OK(deactivate());
    EXPECT_EQ(disable(gpu.device()), kInUse) << "a tracer";
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricTracerDestroyExp)(tracer));
    ASSERT_OK(disable(gpu.device()));
    ASSERT_OK(disable(gpu.device()));
    EXPECT_FALSE(listOf(zetMetricGroupGet, gpu.device()).empty()) << "groups can still be looked at";
    EXPECT_EQ(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 1, &traced), ZE_RESULT_ERROR_UNINITIALIZED);
    ASSERT_OK(enable(gpu.device()));
    EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 1, &traced));
}
TEST(MetricRules, MetricsInUseStayOn) { EXPECT_RUNS(emulated("metricsInUseStayOn").with("ZETL_METRIC_TRACERS", "1")); }

/// Slots, handles and pools of queries.
SCENARIO(queriesLiveAsLongAsTheirHandles) {
    const Gpu gpu;
    const Queries queries(gpu, "MemoryTraffic");
    zet_metric_query_handle_t beyond = nullptr;
    EXPECT_EQ(zetMetricQueryCreate(queries.pool(), 8, &beyond), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(beyond, nullptr);
    const CountedWork work(gpu);
    auto* const query = queries[7];
    for (int turn = 1; turn <= 3; ++turn) {
        Queries::around(gpu, query, [&](ze_command_list_handle_t list) { work.append(list, turn); });
        EXPECT_EQ(queries.row(query).at("GLOBAL_BYTE_WRITE").value.ui64,
                  static_cast<std::uint64_t>(turn) * CountedWork::kBytesWritten);
        ASSERT_OK(zetMetricQueryReset(query));
        std::size_t size = 1 << 16;
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(zetMetricQueryGetData(query, &size, raw.data()), ZE_RESULT_NOT_READY);
    }
    ASSERT_OK(zetMetricQueryDestroy(query));
    EXPECT_EQ(zetMetricQueryDestroy(query), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    EXPECT_EQ(zetCommandListAppendMetricQueryBegin(gpu.list(), query), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    EXPECT_EQ(zetMetricQueryPoolDestroy(queries.pool()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetMetricQueryCreate(queries.pool(), 0, &beyond), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(MetricRules, QueriesLiveAsLongAsTheirHandles) { EXPECT_RUNS(measured("queriesLiveAsLongAsTheirHandles")); }

}  // namespace
}  // namespace zetl::test
