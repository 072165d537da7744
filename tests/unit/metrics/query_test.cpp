// Queries measure exactly what happened between begin and end.
#include "metrics_fixture.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

class Queries : public MetricsTest {
  protected:
    Queries() {
        group_ = eventGroup();
        EXPECT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
    }
    zet_metric_query_pool_handle_t pool(std::uint32_t count = 4,
                                        zet_metric_query_pool_type_t type = ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE) {
        zet_metric_query_pool_desc_t desc{};  // tools leave stype 0
        desc.type = type;
        desc.count = count;
        zet_metric_query_pool_handle_t handle = nullptr;
        EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, group_, &desc, &handle), ZE_RESULT_SUCCESS);
        return handle;
    }
    zet_metric_query_handle_t query(zet_metric_query_pool_handle_t pool, std::uint32_t index = 0) {
        zet_metric_query_handle_t handle = nullptr;
        EXPECT_EQ(metrics_.queryCreate(pool, index, &handle), ZE_RESULT_SUCCESS);
        return handle;
    }
    void measure(zet_metric_query_handle_t query, std::uint64_t sends) {
        fake::setTime(1000);
        ASSERT_EQ(metrics_.commandListAppendMetricQueryBegin(list_, query), ZE_RESULT_SUCCESS);
        fake::setTime(3000);
        fake::count("GpuCoreClocks", 4000);
        fake::count("XVE_INST_EXECUTED_SEND_ALL", sends);
        fake::count("XVE_ACTIVE_CYCLES", 8000);
        fake::count("XVE_BUSY", 24000);
        ASSERT_EQ(metrics_.commandListAppendMetricQueryEnd(list_, query, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    }
    std::vector<std::uint8_t> data(zet_metric_query_handle_t query) {
        std::size_t size = 0;
        EXPECT_EQ(metrics_.queryGetData(query, &size, nullptr), ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(metrics_.queryGetData(query, &size, raw.data()), ZE_RESULT_SUCCESS);
        EXPECT_EQ(size, raw.size());
        return raw;
    }
    zet_metric_group_handle_t group_ = nullptr;
};

TEST_F(Queries, OneQueryIsOneRowOfExactlyWhatHappened) {
    const auto q = query(pool());
    fake::count("XVE_INST_EXECUTED_SEND_ALL", 99);  // before the query: not seen
    measure(q, 7);
    const auto result = rows(group_, data(q));
    ASSERT_EQ(result.size(), 1u);
    EXPECT_EQ(result[0].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 7u);
    EXPECT_EQ(result[0].at("GpuCoreClocks").value.ui64, 4000u);
    // 8000 of 4000 clocks x 8 engines, and (24000 - 8000) of them.
    EXPECT_FLOAT_EQ(result[0].at("XVE_ACTIVE").value.fp32, 25.0f);
    EXPECT_FLOAT_EQ(result[0].at("XVE_STALL").value.fp32, 50.0f);
    EXPECT_EQ(result[0].at("XVE_ACTIVE").type, ZET_VALUE_TYPE_FLOAT32);
    EXPECT_EQ(result[0].at("GpuTime").type, ZET_VALUE_TYPE_UINT64);
}

TEST_F(Queries, DataBeforeTheEndIsNotReady) {
    const auto q = query(pool());
    std::size_t size = 0;
    ASSERT_EQ(metrics_.queryGetData(q, &size, nullptr), ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> raw(size);
    EXPECT_EQ(metrics_.queryGetData(q, &size, raw.data()), ZE_RESULT_NOT_READY);
    measure(q, 1);
    size -= 1;
    EXPECT_EQ(metrics_.queryGetData(q, &size, raw.data()), ZE_RESULT_ERROR_INVALID_SIZE);
}

TEST_F(Queries, ResetEmptiesTheSlotAndItCanBeUsedAgain) {
    const auto q = query(pool());
    measure(q, 3);
    ASSERT_EQ(metrics_.queryReset(q), ZE_RESULT_SUCCESS);
    std::size_t size = 4096;
    std::vector<std::uint8_t> raw(size);
    EXPECT_EQ(metrics_.queryGetData(q, &size, raw.data()), ZE_RESULT_NOT_READY);
    measure(q, 5);
    EXPECT_EQ(rows(group_, data(q))[0].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 5u);
}

TEST_F(Queries, SlotsAreIndependent) {
    const auto p = pool();
    const auto first = query(p, 0);
    const auto second = query(p, 1);
    measure(first, 3);
    measure(second, 4);
    auto both = data(first);
    const auto more = data(second);
    both.insert(both.end(), more.begin(), more.end());
    const auto result = rows(group_, both);
    ASSERT_EQ(result.size(), 2u);
    EXPECT_EQ(result[0].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 3u);
    EXPECT_EQ(result[1].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 4u);
}

TEST_F(Queries, CalculationNeedsNoQueryAndNoActiveGroup) {
    const auto p = pool();
    const auto q = query(p);
    measure(q, 11);
    const auto raw = data(q);
    ASSERT_EQ(metrics_.queryDestroy(q), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.queryPoolDestroy(p), ZE_RESULT_SUCCESS);
    ASSERT_EQ(activate({}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(rows(group_, raw)[0].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 11u);
}

TEST_F(Queries, MultipleCalculationGivesOneSet) {
    const auto q = query(pool());
    measure(q, 2);
    const auto raw = data(q);
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    const auto type = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    ASSERT_EQ(metrics_.groupCalculateMultipleMetricValuesExp(group_, type, raw.size(), raw.data(), &sets, &total,
                                                             nullptr, nullptr),
              ZE_RESULT_SUCCESS);
    ASSERT_EQ(sets, 1u);
    std::vector<zet_typed_value_t> values(total);
    std::uint32_t count = 0;
    ASSERT_EQ(metrics_.groupCalculateMultipleMetricValuesExp(group_, type, raw.size(), raw.data(), &sets, &total,
                                                             &count, values.data()),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, total);
    EXPECT_EQ(total, properties(group_).metricCount);
}

TEST_F(Queries, DamagedRawDataIsRefused) {
    const auto q = query(pool());
    measure(q, 2);
    auto raw = data(q);
    std::uint32_t count = 0;
    const auto type = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    EXPECT_EQ(metrics_.groupCalculateMetricValues(group_, type, raw.size() - 1, raw.data(), &count, nullptr),
              ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(metrics_.groupCalculateMetricValues(group_, type, 0, raw.data(), &count, nullptr), ZE_RESULT_NOT_READY);
    EXPECT_EQ(metrics_.groupCalculateMetricValues(group_, static_cast<zet_metric_group_calculation_type_t>(9),
                                                  raw.size(), raw.data(), &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

TEST_F(Queries, PoolArgumentsAreChecked) {
    zet_metric_query_pool_desc_t desc{};
    zet_metric_query_pool_handle_t handle = nullptr;
    EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, group_, &desc, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.count = 1;
    EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, timeGroup(), &desc, &handle),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, nullptr, &desc, &handle),
              ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    zet_metric_query_handle_t q = nullptr;
    EXPECT_EQ(metrics_.queryCreate(pool(2), 2, &q), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Queries, PoolWithAQueryInFlightIsInUse) {
    const auto p = pool();
    const auto q = query(p);
    ASSERT_EQ(metrics_.commandListAppendMetricQueryBegin(list_, q), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.queryPoolDestroy(p), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    ASSERT_EQ(metrics_.commandListAppendMetricQueryEnd(list_, q, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.queryPoolDestroy(p), ZE_RESULT_SUCCESS);
}

TEST_F(Queries, ExecutionPoolOnlySignals) {
    const auto p = pool(1, ZET_METRIC_QUERY_POOL_TYPE_EXECUTION);
    const auto q = query(p);
    fake::Event done{false};
    ASSERT_EQ(metrics_.commandListAppendMetricQueryBegin(list_, q), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.commandListAppendMetricQueryEnd(list_, q, fake::handleOf(done), 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(done);
    EXPECT_EQ(fake::calls("query_begin"), 0);
}

TEST_F(Queries, BusyDeviceIsNotAvailable) {
    fake::occupy(ZETL_SOURCE_QUERY);
    zet_metric_query_pool_desc_t desc{};
    desc.count = 1;
    zet_metric_query_pool_handle_t handle = nullptr;
    EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, group_, &desc, &handle), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(handle, nullptr);
}

TEST_F(Queries, SourceIsSharedByPoolsAndGivenBackByTheLast) {
    const auto first = pool();
    const auto second = pool();
    EXPECT_EQ(fake::calls("acquire"), 1);
    ASSERT_EQ(metrics_.queryPoolDestroy(first), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::calls("release"), 0);
    ASSERT_EQ(metrics_.queryPoolDestroy(second), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::calls("release"), 1);
}

}  // namespace
}  // namespace zetl::metrics
